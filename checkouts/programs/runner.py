"""Runs a local program that makes a file's new bytes: headless, in its own folder, with a deadline, without secrets.

`LEASEHOLD_APPS` lists the programs by name, each with its arguments: `{input}` stands for the path of the current file,
`{output}` for the path where the new file must be written. Only the command line starts a program, never a request.
"""

import os
import signal
import subprocess  # nosec B404
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfileobj
from typing import IO

POLL_INTERVAL = 0.02  # seconds
MAX_STDERR = 10_000  # characters of stderr that are kept
STDERR_LIMIT = 16 * 1024**2  # bytes of stderr that a program may write before it is killed


class ProgramFailed(Exception):
    """A program made no file. `stderr`: the end of its error output."""

    def __init__(self, message: str, stderr: str = "") -> None:
        super().__init__(message)
        self.stderr = stderr


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """The program's output, open for reading, and the end of its stderr."""

    output: IO[bytes]
    stderr: str


@contextmanager
def output_of(
    template: Sequence[str], source: IO[bytes], *, name: str, limit: int, deadline: float
) -> Iterator[ProgramResult]:
    """Run a program on a copy of `source`, and give its output until the block ends.

    `name`: the file's name, since programs go by its suffix. `limit`: the size of the output, in bytes. `deadline`: in
    seconds. Raises `ProgramFailed` after killing the program and all its children.
    """
    with tempfile.TemporaryDirectory(prefix="leasehold-edit-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        before, after, stderr_path = home / "in" / name, home / "out" / name, home / "stderr"
        before.parent.mkdir()
        after.parent.mkdir()
        with before.open("xb") as file:
            copyfileobj(source, file)
        argv = [part.replace("{input}", str(before)).replace("{output}", str(after)) for part in template]
        with stderr_path.open("xb") as stderr:
            fault = run(argv, home, stderr, limits={after: limit, stderr_path: STDERR_LIMIT}, deadline=deadline)
        end_of_stderr = end_of(stderr_path)
        if fault:
            raise ProgramFailed(fault, end_of_stderr)
        if after.is_symlink() or not after.is_file():
            raise ProgramFailed("The program ended well, but made no file.", end_of_stderr)
        with after.open("rb") as output:
            yield ProgramResult(output, end_of_stderr)


def run(argv: list[str], home: Path, stderr: IO[bytes], *, limits: dict[Path, int], deadline: float) -> str:
    """Run the program to its end, or kill it. Return what went wrong, or an empty string."""
    try:
        process = subprocess.Popen(  # noqa: S603  # nosec B603
            argv,
            cwd=home,
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            start_new_session=True,
        )
    except OSError as error:
        return f"The program could not be started: {error.strerror}."
    try:
        fault = watch(process.pid, limits, time.monotonic() + deadline, deadline)
    finally:
        # The leader is not reaped yet, so its pid, which is also the group's id, cannot belong to another process.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if fault:
        return fault
    if process.returncode:
        return f"The program ended with code {process.returncode}."
    return too_large(limits)


def watch(pid: int, limits: dict[Path, int], until: float, deadline: float) -> str:
    """Wait for the program's end without reaping it. Return what goes wrong before that, or an empty string."""
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() >= until:
            return f"The program took longer than {deadline:g} seconds."
        if fault := too_large(limits):
            return fault
        time.sleep(POLL_INTERVAL)
    return ""


def too_large(limits: dict[Path, int]) -> str:
    for path, limit in limits.items():
        with suppress(FileNotFoundError):
            if path.stat().st_size > limit:
                return f"The program wrote more than {limit} bytes."
    return ""


def environment(home: Path) -> dict[str, str]:
    """Return PATH and a temporary home: none of this server's secrets and settings."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
    }


def end_of(path: Path) -> str:
    """Return the end of a file as text that every database can store."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4 * MAX_STDERR))
        text = file.read().decode("utf-8", errors="replace")
    return text.replace("\0", "\ufffd").strip()[-MAX_STDERR:]
