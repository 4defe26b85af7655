"""Django's sessions in the database, asked only for keys that one of them could have.

A quoted cookie may hold any character. PostgreSQL refuses a NUL, so that every page would be a fault of ours.
"""

from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    """The engine that `SESSION_ENGINE` names."""

    def _validate_session_key(self, key: str | None) -> bool:
        return bool(key) and len(key) == 32 and key.isascii() and key.isalnum()  # type: ignore[arg-type]
