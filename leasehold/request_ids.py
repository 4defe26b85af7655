"""The id of the current request: the middleware sets it, journal entries and error reports carry it."""

from contextvars import ContextVar

#: empty outside a request, as in a command
request_id: ContextVar[str] = ContextVar("request_id", default="")
