"""What every response gets: a request id, and a content security policy."""

import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

#: the request that is being served, for the journal and for error reports; empty outside one
request_id: ContextVar[str] = ContextVar("request_id", default="")

GIVEN = re.compile(r"[A-Za-z0-9._-]{1,64}")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

Handler = Callable[[HttpRequest], HttpResponse]


class RequestId:
    """Takes a sane `X-Request-Id` or makes one; the answer carries it."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-Id", "")
        token = request_id.set(given if GIVEN.fullmatch(given) else uuid.uuid4().hex)
        try:
            response = self.get_response(request)
            response["X-Request-Id"] = request_id.get()
            return response
        finally:
            request_id.reset(token)


class ContentSecurityPolicy:
    """Everything comes from here, and nothing inline. A view that serves users' bytes sets a stricter policy itself."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response
