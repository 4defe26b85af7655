"""The steps of `serve` before the first request. Each step returns at once if there is nothing to do."""

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
from django.db.migrations.loader import MigrationLoader

from leasehold.sites import identity
from leasehold.sites.stores import stores

OURS = {"leasehold", "checkouts"}  # the apps whose migrations decide whether a program fits its database
START_UP_LOCK = 0x6C656173  # an arbitrary number, the same for every server


@contextmanager
def start_up_lock() -> Iterator[None]:
    """Hold a lock, so that of several servers that start together on one PostgreSQL only one migrates at a time."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        # Only for this session: waiting for a migration may take longer than a request may wait.
        cursor.execute("SET lock_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [START_UP_LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [START_UP_LOCK])


def demand_free_address(host: str, port: int) -> None:
    """Raise `CommandError` with advice if the server could not listen on this address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET  # as gunicorn decides
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server that has just ended does not count
            probe.bind((host, port))
    except socket.gaierror as error:
        raise CommandError(f"{host} is no address to listen on.") from error
    except OSError as error:
        raise CommandError(_bind_fault(host, port, error)) from error


def _bind_fault(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65_535 else 8000
        return f"Port {port} is taken: another program listens there. Try PORT={other}."
    if error.errno == errno.EACCES:
        return f"Port {port} may not be opened by this account. Try PORT=8000."
    return f"Nothing can listen on {host}, port {port}: {error.strerror}."


def check_database() -> list[str]:
    """Run the checks of the database and return their warnings. Raises `CommandError` for an error."""
    found = checks.run_checks(tags=[checks.Tags.database], databases=["default"])
    if errors := [message for message in found if message.is_serious(checks.ERROR)]:
        raise CommandError("\n".join(str(error) for error in errors))
    return [str(message) for message in found if message.level >= checks.WARNING]


def unknown_migrations() -> str:
    """Return one sentence that names the applied migrations that this program does not know, or an empty string.

    They are there when an older program meets a newer database.
    """
    loader = MigrationLoader(connection)
    known = {*loader.disk_migrations, *(name for one in loader.disk_migrations.values() for name in one.replaces)}
    unknown = [f"{app}.{name}" for app, name in loader.applied_migrations if app in OURS and (app, name) not in known]
    if not unknown:
        return ""
    return (
        f"This program is older than its database, which knows {', '.join(sorted(unknown))}. Start the newer program "
        "again, or restore a backup from before the upgrade."
    )


def tie_stores() -> None:
    """Tie the stores of bytes to the database, or raise `CommandError` if they do not belong to it."""
    for store in stores():
        try:
            problem = identity.tie(store)
        except OSError as error:
            problem = f"The folder {store.location} cannot be read or written: {error.strerror}."
        if problem:
            raise CommandError(problem)


def migrate() -> bool:
    """Apply the missing migrations and return whether there were any."""
    executor = MigrationExecutor(connection)
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return False
    call_command("migrate", interactive=False, verbosity=0)
    return True


def collect_static() -> bool:
    """Collect and compress the static files if one of them has changed, and return whether it did."""
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
    """Return a digest of the names, sizes and times of all static files. It takes a few milliseconds."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{storage.path(path)} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
