"""What has to be done before the first request, in one process; each step is nothing when there is nothing to do."""

import errno
import hashlib
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core import checks
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

START_UP_LOCK = 0x6C656173  # any number, as long as every server takes the same


@contextmanager
def alone() -> Iterator[None]:
    """Of several servers that start together on one PostgreSQL, one migrates and the others wait for it."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        # For this session only: whoever waits for a migration waits longer than a request may.
        cursor.execute("SET lock_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [START_UP_LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [START_UP_LOCK])


def expect_free(host: str, port: int) -> None:
    """Before anything is made ready: can this address be listened on? Raises `CommandError`, which says what to try."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET  # as gunicorn decides
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # what just ended is no hindrance
            probe.bind((host, port))
    except socket.gaierror as error:
        raise CommandError(f"{host} is no address to listen on.") from error
    except OSError as error:
        raise CommandError(_why_not(host, port, error)) from error


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65_535 else 8000
        return f"Port {port} is taken: another program listens there. Try PORT={other}."
    if error.errno == errno.EACCES:
        return f"Port {port} may not be opened by this account. Try PORT=8000."
    return f"Nothing can listen on {host}, port {port}: {error.strerror}."


def check_database() -> list[str]:
    """Raise `CommandError` when the database cannot be relied on; answer the warnings."""
    found = checks.run_checks(tags=[checks.Tags.database], databases=["default"])
    if errors := [message for message in found if message.is_serious(checks.ERROR)]:
        raise CommandError("\n".join(str(error) for error in errors))
    return [str(message) for message in found if message.level >= checks.WARNING]


def migrate() -> bool:
    """Bring the tables up to date; was there anything to do?"""
    executor = MigrationExecutor(connection)
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return False
    call_command("migrate", interactive=False, verbosity=0)
    return True


def collect_static() -> bool:
    """Collect and compress the static files, if one of them is not as it was the last time; were they?"""
    if not settings.STATIC_ROOT:
        return False
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    fingerprint = _fingerprint_of_static_files()
    if stamp.exists() and stamp.read_text() == fingerprint:
        return False
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    stamp.write_text(fingerprint)
    return True


def _fingerprint_of_static_files() -> str:
    """Over names, sizes and times: some hundred files, a few milliseconds."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{storage.path(path)} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
