"""A local program makes a file's new bytes: headless, in a folder of its own, with a deadline and without secrets.

`LEASEHOLD_APPS` names the programs, each as the arguments that start it: `{input}` stands for the file as it is, and
`{output}` for where the new one is expected. Only the command line starts one, never a request.
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

LOOK_EVERY = 0.02  # seconds
MAX_STDERR = 10_000  # characters that are kept
MAX_SPOKEN = 16 * 1024**2  # bytes of stderr that a program may write before it is ended


class ProgramFailed(Exception):
    """A program made no file. `stderr` is the end of what it said."""

    def __init__(self, what: str, stderr: str = "") -> None:
        super().__init__(what)
        self.stderr = stderr


@dataclass(frozen=True, slots=True)
class Made:
    """What a program made: the new bytes, open for reading, and the end of what it said meanwhile."""

    output: IO[bytes]
    stderr: str


@contextmanager
def made_by(template: Sequence[str], source: IO[bytes], *, name: str, limit: int, deadline: float) -> Iterator[Made]:
    """Run a program on a copy of `source`; what it made is there until the block ends, and nothing of it after.

    `name` is the file's own, since programs go by its ending; `limit` is what the new file may have, in bytes;
    `deadline` in seconds. Raises `ProgramFailed`, with the program and all its children ended.
    """
    with tempfile.TemporaryDirectory(prefix="leasehold-edit-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        before, after, said = home / "in" / name, home / "out" / name, home / "stderr"
        before.parent.mkdir()
        after.parent.mkdir()
        with before.open("xb") as file:
            copyfileobj(source, file)
        argv = [part.replace("{input}", str(before)).replace("{output}", str(after)) for part in template]
        with said.open("xb") as stderr:
            fault = run(argv, home, stderr, limits={after: limit, said: MAX_SPOKEN}, deadline=deadline)
        spoken = end_of(said)
        if fault:
            raise ProgramFailed(fault, spoken)
        if after.is_symlink() or not after.is_file():
            raise ProgramFailed("The program ended well, but made no file.", spoken)
        with after.open("rb") as output:
            yield Made(output, spoken)


def run(argv: list[str], home: Path, stderr: IO[bytes], *, limits: dict[Path, int], deadline: float) -> str:
    """Run it to its end, or end it; what went wrong, or nothing."""
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
        # The leader has not been waited for yet, so its number, which is the group's, cannot be anybody else's.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if fault:
        return fault
    if process.returncode:
        return f"The program ended with code {process.returncode}."
    return too_large(limits)


def watch(pid: int, limits: dict[Path, int], until: float, deadline: float) -> str:
    """Wait for its end without taking note of it; what is wrong before that, if anything."""
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() >= until:
            return f"The program took longer than {deadline:g} seconds."
        if fault := too_large(limits):
            return fault
        time.sleep(LOOK_EVERY)
    return ""


def too_large(limits: dict[Path, int]) -> str:
    for path, limit in limits.items():
        with suppress(FileNotFoundError):
            if path.stat().st_size > limit:
                return f"The program wrote more than {limit} bytes."
    return ""


def environment(home: Path) -> dict[str, str]:
    """Where programs are, and a home that goes away: none of this server's secrets and settings."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
    }


def end_of(path: Path) -> str:
    """The end of what was said, as text that every database stores."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4 * MAX_STDERR))
        text = file.read().decode("utf-8", errors="replace")
    return text.replace("\0", "\ufffd").strip()[-MAX_STDERR:]
