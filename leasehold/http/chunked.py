"""Bodies that come in chunks, without a Content-Length.

Django reads as many bytes as Content-Length says, so to it a chunked body is empty, and an upload in chunks would be an
empty success. A server that ends the input by itself says so (`wsgi.input_terminated`; gunicorn does): then the request
reads to that end. Any other server gets 411.

An upload's endpoint reads the stream itself. JSON and plain forms are read here, since what parses them looks at the
length first; they are small, and what is not is refused.
"""

import sys
from collections.abc import Callable
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.handlers.wsgi import LimitedStream
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError

from leasehold.http.problems import problem_response

SMALL = {"application/json", "application/x-www-form-urlencoded"}


class ChunkedBody:
    """The middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        codings = {coding.strip().lower() for coding in request.headers.get("Transfer-Encoding", "").split(",")}
        if codings - {"", "identity", "chunked"}:  # gunicorn lets gzip through as it comes: what is stored were damage
            return problem_response(415, "unsupported_media_type", "Send the body as it is, or in chunks.")
        if "chunked" in codings:
            if not request.META.get("wsgi.input_terminated"):
                return problem_response(411, "length_required", "Send the body with a Content-Length.")
            request._stream = ToItsEnd(request.META["wsgi.input"])  # type: ignore[assignment]
            if request.content_type in SMALL:
                try:
                    request.META["CONTENT_LENGTH"] = str(len(request.body))
                except UnreadablePostError:
                    return problem_response(400, "invalid", "The body ended early.", errors=[])
                except RequestDataTooBig:
                    return problem_response(413, "too_large", "The body is too large.")
        return self.get_response(request)


class ToItsEnd(LimitedStream):
    """The server's input as far as it goes. What the server finds wrong with it is a body that cannot be read."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream, sys.maxsize)

    def read(self, size: int | None = -1, /) -> bytes:
        try:
            return super().read(size)
        except OSError:
            raise
        except Exception as error:  # a bad chunk size, a missing terminator: each server has classes of its own
            raise OSError(str(error)) from error
