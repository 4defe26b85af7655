"""Django's database sessions, which look up only keys that a session can have.

A quoted cookie may contain any character. PostgreSQL refuses a NUL, so every page would be a server error.
"""

from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    """The session store; `SESSION_ENGINE` names this module."""

    def _validate_session_key(self, key: str | None) -> bool:
        return bool(key) and len(key) == 32 and key.isascii() and key.isalnum()  # type: ignore[arg-type]
