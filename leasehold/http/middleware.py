"""Middleware for every response: the request id and the content security policy."""

import re
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from leasehold.request_ids import request_id

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

Handler = Callable[[HttpRequest], HttpResponse]


class RequestId:
    """Uses the request's `X-Request-Id` if it is well-formed, else makes one; the response carries it too."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-Id", "")
        token = request_id.set(given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex)
        try:
            response = self.get_response(request)
            response["X-Request-Id"] = request_id.get()
            return response
        finally:
            request_id.reset(token)


class ContentSecurityPolicy:
    """Allows only this server's own files, and nothing inline. Views that serve users' files set a stricter policy."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response
