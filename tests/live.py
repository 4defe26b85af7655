"""The product as it is served: gunicorn's own processes, on the very database of the test, and a client with threads.

For tests in real transactions; what the cast did before is there, and what the server did can be asked of the models.
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
    """A server that answers at 127.0.0.1:`port`, with its blobs in `data`; `environment` for commands beside it."""

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
        wait_until_it_answers(server, port, data / "server.log")
        yield Live(port, data, environment)
    finally:
        server.terminate()
        server.wait(START_UP_SECONDS)


def database_url() -> str:
    """The test's own database, as the server's settings read it."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{quote(str(database['NAME']))}"
    who, where = quote(database["USER"]), quote(database["HOST"], safe="")
    secret = f":{quote(database['PASSWORD'], safe='')}" if database["PASSWORD"] else ""
    port = f"&port={database['PORT']}" if database["PORT"] else ""
    return f"postgres://{who}{secret}@/{quote(database['NAME'])}?host={where}{port}"


def wait_until_it_answers(server: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + START_UP_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if Client(port).ask("GET", "/readyz").status == 200:
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"the server did not answer:\n{log.read_text()}")


class Client:
    """One connection, kept open, with a token."""

    def __init__(self, port: int, token: str = "") -> None:
        self.wire = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        self.wire.request(method, path, body, self.headers | given)
        answer = self.wire.getresponse()
        return Answer(answer.status, answer.headers, answer.read())


def at_once(*asking: Callable[[], Answer]) -> list[Answer]:
    """All of these at one instant, each in a thread; their answers, in order."""
    ready = threading.Barrier(len(asking))

    def one(ask: Callable[[], Answer]) -> Answer:
        ready.wait(30)
        return ask()

    with ThreadPoolExecutor(len(asking)) as pool:
        return list(pool.map(one, asking))
