"""The product as it is served: gunicorn's processes on the database of the test, and a client.

For tests with real transactions: the server sees what the test has committed, and the test sees what the server has.
"""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.db import connection

ROOT = Path(__file__).resolve().parents[1]
START_UP_SECONDS = 60.0


@dataclass(frozen=True)
class Live:
    """A server at 127.0.0.1:`port` with its files in `data`; `environment` is for commands that tests run beside it."""

    port: int
    data: Path
    environment: dict[str, str] = field(repr=False)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    content: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.content)


@contextmanager
def served(data: Path, *, workers: int = 4) -> Iterator[Live]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "leasehold.settings",
        "DATABASE_URL": database_url(),
        "LEASEHOLD_DATA": str(data),
        "LEASEHOLD_URL": f"http://127.0.0.1:{port}",
        "SECRET_KEY": settings.SECRET_KEY,
        "WEB_CONCURRENCY": str(workers),
    }
    (data / "static").mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "gunicorn", "--config", "python:leasehold.http.gunicorn_conf"]
    with (data / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--bind", f"127.0.0.1:{port}"], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
    try:
        wait_until_ready(server, port, data / "server.log")
        yield Live(port, data, environment)
    finally:
        server.terminate()
        server.wait(START_UP_SECONDS)


def database_url() -> str:
    """The DATABASE_URL of the test's database."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{quote(str(database['NAME']))}"
    who, where = quote(database["USER"]), quote(database["HOST"], safe="")
    secret = f":{quote(database['PASSWORD'], safe='')}" if database["PASSWORD"] else ""
    port = f"&port={database['PORT']}" if database["PORT"] else ""
    return f"postgres://{who}{secret}@/{quote(database['NAME'])}?host={where}{port}"


def wait_until_ready(server: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + START_UP_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if Client(port).ask("GET", "/readyz").status == 200:
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"the server did not start:\n{log.read_text()}")


class Client:
    """A client with one open connection and a token."""

    def __init__(self, port: int, token: str = "") -> None:
        self.wire = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        self.wire.request(method, path, body, self.headers | given)
        answer = self.wire.getresponse()
        return Answer(answer.status, answer.headers, answer.read())


def at_once(*requests: Callable[[], Answer]) -> list[Answer]:
    """Send all requests at the same time, each in a thread, and return the answers in their order."""
    ready = threading.Barrier(len(requests))

    def send(request: Callable[[], Answer]) -> Answer:
        ready.wait(30)
        return request()

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(send, requests))
