"""Read settings from the environment: one function for each value that needs more than `int()`."""

import json
import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

LOCK_TIMEOUT = "5s"  # so that one hung request cannot block a project; a request that waits longer gets `TryAgain`


def programs_from(text: str) -> dict[str, list[str]]:
    """Return `LEASEHOLD_APPS` as name → the arguments that start the program, with `{input}` and `{output}`.

    Raises `ImproperlyConfigured` unless `text` is a JSON object of that form.
    """
    fault = ImproperlyConfigured(
        'LEASEHOLD_APPS: expected JSON like {"upper": ["/opt/upper", "{input}", "{output}"]}, arguments with both names'
    )
    try:
        programs = json.loads(text or "{}")
    except ValueError as error:
        raise fault from error
    if not isinstance(programs, dict):
        raise fault
    for template in programs.values():
        if not (isinstance(template, list) and all(isinstance(part, str) and "\0" not in part for part in template)):
            raise fault
        if not all(any(name in part for part in template) for name in ("{input}", "{output}")):
            raise fault
    return programs


def is_true(text: str) -> bool:
    """Return whether a variable is set to 1, true, yes or on."""
    return text.strip().lower() in {"1", "true", "yes", "on"}


def secret_key_from(value: str, path: Path) -> str:
    """Return `value` if it is set, else the key in `path`. The file is created on first use, for its owner only."""
    if value:
        return value
    if path.exists():
        return path.read_text().strip()
    make_private(path.parent)
    try:
        # O_EXCL: of several processes that start together, one creates the key and the others read it.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(64))
    except FileExistsError:
        pass
    return path.read_text().strip()


def make_private(folder: Path) -> None:
    """Create a missing folder for its owner only, since the umask may leave SQLite's file in it readable by others."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def database_from(url: str, data_dir: Path) -> dict[str, Any]:
    """Return Django's database settings for `sqlite:///path` or `postgres://user:password@host:port/name`.

    An empty `url` means SQLite in `data_dir`. Raises `ImproperlyConfigured` for any other scheme.
    """
    if not url:
        make_private(data_dir)
        return sqlite(data_dir / "leasehold.sqlite3")
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return sqlite(Path(unquote(parts.path.removeprefix("/")) or data_dir / "leasehold.sqlite3"))
    if parts.scheme in {"postgres", "postgresql"}:
        return postgresql(parts)
    raise ImproperlyConfigured(f"DATABASE_URL: unknown scheme {parts.scheme!r}; use sqlite:/// or postgres://")


def sqlite(path: Path) -> dict[str, Any]:
    """Return Django's settings for a SQLite file: write-ahead log, every commit synced to disk."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # IMMEDIATE: otherwise a transaction that reads first and writes later fails at once instead of waiting.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
        },
        "TEST": {"NAME": str(path.with_name("test-" + path.name))},  # threads could not share one in memory
    }


def postgresql(parts: Any) -> dict[str, Any]:
    """Return Django's settings for a split `postgres://` URL; parameters of its query go to the driver."""
    query = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", unquote(parts.hostname or "")),
        "PORT": str(parts.port or query.pop("port", "")),
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {**query, "options": f"-c lock_timeout={LOCK_TIMEOUT}"},
    }
