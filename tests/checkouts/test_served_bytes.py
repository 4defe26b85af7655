"""Uploads and downloads through the production server: a broken upload is refused, and nothing of it is kept."""

import hashlib
import http.client
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.scenes import stored_files

ROOT = Path(__file__).resolve().parents[2]
HERO = bytes(range(256)) * 16_000  # 4 MB
DIGEST = "sha256:" + hashlib.sha256(HERO).hexdigest()
HEAD = "POST /api/take HTTP/1.1\r\nHost: 127.0.0.1\r\n"
RAW = HEAD + "Content-Type: application/octet-stream\r\n"
FORM = HEAD + "Content-Type: multipart/form-data; boundary=edge\r\n"
PART = b'--edge\r\nContent-Disposition: form-data; name="file"; filename="hero.psd"\r\n\r\n'


class Server:
    def __init__(self, port: int, blobs: Path, pid: int) -> None:
        self.port, self.blobs, self.pid = port, blobs, pid

    def kept(self) -> list[Path]:
        return stored_files(self.blobs)

    def answer_to(self, head: str, *sent: bytes, close: bool = True) -> bytes:
        """Send raw bytes, then nothing more, and return the response."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as wire:
            wire.sendall(head.encode() + b"\r\n" + b"".join(sent))
            if close:
                wire.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := wire.recv(65_536):
                answer += piece
                if not close and b"\r\n\r\n" in answer:
                    break
            return answer

    def ask(self, method: str, path: str, body=None, headers: dict[str, str] | None = None, **how):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, headers or {}, **how)
        return connection.getresponse()

    def memory(self) -> int:
        """The peak memory of any process of the server, in bytes."""
        workers = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        peaks = [re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text()) for pid in workers]
        return max(int(peak[1]) * 1024 for peak in peaks if peak)


@contextmanager
def serving(data: Path) -> Iterator[Server]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "LEASEHOLD_URL"}}
    environment |= {"LEASEHOLD_DATA": str(data), "DJANGO_SETTINGS_MODULE": "leasehold.settings"}
    program = [sys.executable, "-m", "gunicorn", "tests.checkouts.served:application", "-b", f"127.0.0.1:{port}"]
    process = subprocess.Popen(
        [*program, "--worker-class", "gthread", "--threads", "4", "-w", "1"], cwd=ROOT, env=environment
    )
    try:
        server = Server(port, data / "blobs", process.pid)
        for _ in range(200):
            try:
                if server.ask("GET", "/token").status == 200:
                    break
            except OSError:
                time.sleep(0.1)
        else:
            pytest.fail("the server did not start")
        yield server
    finally:
        process.terminate()
        process.wait(timeout=20)
        shutil.rmtree(data / "blobs", ignore_errors=True)


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("served")) as running:
        yield running


def chunks(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        pytest.param(RAW, [HERO], id="raw"),
        pytest.param(FORM, [PART, HERO, b"\r\n--edge--\r\n"], id="form"),
    ],
)
def test_a_body_in_chunks_is_stored_whole(server, head, body):
    pieces = [b"".join(body)[start : start + 70_001] for start in range(0, len(b"".join(body)), 70_001)]
    before = len(server.kept())
    answer = server.answer_to(head + "Transfer-Encoding: chunked\r\n", chunks(*pieces), b"0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 201")
    assert DIGEST.encode() in answer
    assert len(server.kept()) == before + 1


@pytest.mark.parametrize(
    ("head", "sent"),
    [
        pytest.param(RAW + "Content-Length: 1000\r\n", b"x" * 500, id="raw, early close"),
        pytest.param(FORM + "Content-Length: 5000000\r\n", PART + b"x" * 500, id="form, early close"),
        pytest.param(
            FORM + f"Content-Length: {len(PART) + 500}\r\n", PART + b"x" * 500, id="form, no closing boundary"
        ),
        pytest.param(RAW + "Transfer-Encoding: chunked\r\n", chunks(HERO) + b"zz\r\nx", id="bad chunk size"),
        pytest.param(RAW + "Transfer-Encoding: chunked\r\n", chunks(HERO) + b"-5\r\nx", id="negative chunk size"),
        pytest.param(RAW + "Transfer-Encoding: chunked\r\n", chunks(HERO) + b"5\r\nx", id="chunk cut off"),
        pytest.param(RAW + "Transfer-Encoding: chunked\r\n", chunks(HERO), id="no last chunk"),
        pytest.param(RAW + "Transfer-Encoding: chunked\r\n", chunks(HERO) + b"0\r\n", id="no end of trailers"),
        pytest.param(RAW + "Transfer-Encoding: chunked\r\n", b"5\r\nabcdefgh\r\n0\r\n\r\n", id="chunk too long"),
        pytest.param(
            FORM + "Transfer-Encoding: chunked\r\n", chunks(PART + HERO) + b"zz\r\n", id="form, bad chunk size"
        ),
        pytest.param(FORM + "Transfer-Encoding: chunked\r\n", chunks(PART + HERO), id="form, no last chunk"),
        pytest.param(
            FORM + "Transfer-Encoding: chunked\r\n", chunks(PART + HERO) + b"0\r\n\r\n", id="chunked form, no end"
        ),
    ],
)
def test_an_interrupted_upload_is_refused_and_leaves_nothing(server, head, sent):
    before = server.kept()
    answer = server.answer_to(head, sent)
    assert answer.startswith(b"HTTP/1.1 400"), answer[:300]
    assert b'"code": "invalid"' in answer
    assert server.kept() == before


def test_a_client_that_dies_leaves_nothing(server):
    """The connection is reset, so nobody reads the response."""
    before = server.kept()
    wire = socket.create_connection(("127.0.0.1", server.port))
    wire.sendall((RAW + "Content-Length: 100000000\r\n\r\n").encode() + HERO)
    for _ in range(100):
        if len(server.kept()) > len(before):
            break
        time.sleep(0.05)
    else:
        pytest.fail("nothing was being written")
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    wire.close()
    for _ in range(100):
        if server.kept() == before:
            break
        time.sleep(0.05)
    assert server.kept() == before


@pytest.mark.parametrize("head", [RAW, FORM])
def test_a_declared_size_over_the_limit_is_refused_at_once(server, head):
    """The response arrives before a byte of the body is sent."""
    before = server.kept()
    answer = server.answer_to(head + "Content-Length: 6000000000000\r\n", close=False)
    assert answer.startswith(b"HTTP/1.1 413")
    assert server.kept() == before


def test_a_form_refused_during_upload_still_gets_its_answer(server):
    two = PART + HERO + b"\r\n" + PART + HERO + b"\r\n--edge--\r\n"
    answer = server.ask("POST", "/api/take", two, {"Content-Type": "multipart/form-data; boundary=edge"})
    assert answer.status == 400
    assert b"Send one file" in answer.read()


def test_ranges_are_sent_by_sendfile(server):
    before = set(server.kept())
    taken = server.ask("PUT", "/api/take", HERO, {"Content-Type": "application/octet-stream"})
    assert taken.status == 201
    key = next(iter(set(server.kept()) - before)).name
    path = f"/give/{key}/hero.psd?digest={DIGEST}&size={len(HERO)}"
    assert server.ask("GET", path).read() == HERO
    part = server.ask("GET", path, headers={"Range": "bytes=1000001-2000000"})
    assert (part.status, part.read()) == (206, HERO[1_000_001:2_000_001])
    head = server.ask("HEAD", path)
    assert (head.status, head.headers["Content-Length"], head.read()) == (200, str(len(HERO)), b"")


def test_large_files_do_not_grow_the_worker(tmp_path):
    """It has its own worker, since the test measures the peak memory."""
    piece, size = os.urandom(1_000_000), 200_000_000
    with serving(tmp_path) as server:
        for content_type, before, after in (
            ("application/octet-stream", b"", b""),
            ("multipart/form-data; boundary=edge", PART, b"\r\n--edge--\r\n"),
        ):
            body = iter([before, *[piece] * (size // len(piece)), after])
            length = str(size + len(before) + len(after))
            taken = server.ask("POST", "/api/take", body, {"Content-Type": content_type, "Content-Length": length})
            assert taken.status == 201
        key, got = server.kept()[0].name, 0
        answer = server.ask("GET", f"/give/{key}/a.bin?digest=x&size={size}")
        while read := answer.read(1_000_000):
            got += len(read)
        assert got == size
        assert server.memory() < 150_000_000
