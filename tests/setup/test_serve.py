"""`manage.py serve` as a new user starts it: the first start sets everything up, the second repeats nothing."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from leasehold.management import startup

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60


@contextmanager
def served(data: Path, log: Path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "leasehold.settings",
        "LEASEHOLD_DATA": str(data),
        "LEASEHOLD_DEMO": "0",
        "WEB_CONCURRENCY": "1",
    }
    with log.open("wb") as output:
        command = [sys.executable, "manage.py", "serve", "--port", str(port)]
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
    try:
        yield server, port
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(SECONDS) == 0, log.read_text()


def status_of(server: "subprocess.Popen[bytes]", url: str) -> int:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            return urllib.request.urlopen(url, timeout=5).status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server did not answer")


def test_serve_sets_everything_up_once_and_then_serves(tmp_path: Path):
    with served(tmp_path / "data", tmp_path / "first.log") as (server, port):
        assert status_of(server, f"http://127.0.0.1:{port}/api/v1/me/") == 401
        assert status_of(server, f"http://127.0.0.1:{port}/static/admin/css/base.css") == 200
    first = (tmp_path / "first.log").read_text()
    assert re.search(r"The first administrator is admin, with the password \S{12,} \(shown this once\)", first)
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0
    assert (tmp_path / "data" / "secret_key").stat().st_mode & 0o077 == 0

    with served(tmp_path / "data", tmp_path / "second.log") as (server, port):
        assert status_of(server, f"http://127.0.0.1:{port}/api/v1/me/") == 401
    assert re.fullmatch(r"Leasehold serves on http://\S+ \(Ctrl-C ends it\)\n", (tmp_path / "second.log").read_text())


@pytest.mark.django_db
def test_static_files_are_collected_again_only_after_a_change(tmp_path: Path, settings):
    settings.STATIC_ROOT = tmp_path / "static"
    assert startup.collect_static()
    assert not startup.collect_static()
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "new.css").write_text("")
    settings.STATICFILES_DIRS = [tmp_path / "more"]
    assert startup.collect_static()


@pytest.mark.django_db
def test_serve_refuses_a_database_with_another_isolation_level():
    if connection.vendor != "postgresql":
        pytest.skip("about PostgreSQL")
    assert startup.check_database() == []
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_isolation = 'serializable'; SET synchronous_commit = off")
        try:
            with pytest.raises(CommandError, match="read committed"):
                startup.check_database()
            cursor.execute("RESET default_transaction_isolation")
            assert ["crash" in warning for warning in startup.check_database()] == [True]
        finally:
            cursor.execute("RESET default_transaction_isolation; RESET synchronous_commit")


@pytest.mark.parametrize("port", ["abc", "0", "65536", "8000 ", "٣"])
def test_a_wrong_port_is_refused_in_a_sentence(port: str, monkeypatch):
    monkeypatch.setenv("PORT", port)
    with pytest.raises(CommandError, match="is no port: a whole number from 1 to 65535"):
        call_command("serve")


def test_a_taken_port_is_refused_before_anything_is_set_up(monkeypatch):
    monkeypatch.setattr(startup, "migrate", lambda: pytest.fail("it went on"))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(CommandError, match=rf"Port {port} is taken: .* Try PORT={port + 1}"):
            call_command("serve", port=port)
        with pytest.raises(CommandError, match=r"no\.such\.host\.invalid is no address to listen on"):
            call_command("serve", host="no.such.host.invalid")
