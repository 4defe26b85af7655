"""Request bodies in chunks, without a Content-Length.

Django reads as many bytes as Content-Length says, so a chunked body looks empty to it, and a chunked upload would
succeed with an empty file. A server that ends the input by itself sets `wsgi.input_terminated`, as gunicorn does; then
the request is read to its end. Behind any other server a chunked request gets 411.

An upload's endpoint reads the stream itself. JSON and plain forms are read here, because their parsers look at the
length first. They are small; a larger body is refused with 413.
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
    """The middleware that makes chunked bodies readable."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        codings = {coding.strip().lower() for coding in request.headers.get("Transfer-Encoding", "").split(",")}
        if codings - {"", "identity", "chunked"}:  # gunicorn does not decode gzip, so compressed bytes would be stored
            return problem_response(415, "unsupported_media_type", "Send the body as it is, or in chunks.")
        if "chunked" in codings:
            if not request.META.get("wsgi.input_terminated"):
                return problem_response(411, "length_required", "Send the body with a Content-Length.")
            request._stream = UnboundedStream(request.META["wsgi.input"])  # type: ignore[assignment]
            if request.content_type in SMALL:
                try:
                    request.META["CONTENT_LENGTH"] = str(len(request.body))
                except UnreadablePostError:
                    return problem_response(400, "invalid", "The body ended early.", errors=[])
                except RequestDataTooBig:
                    return problem_response(413, "too_large", "The body is too large.")
        return self.get_response(request)


class UnboundedStream(LimitedStream):
    """The server's input up to its end. An error of the server about the chunks becomes an `OSError`."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream, sys.maxsize)

    def read(self, size: int | None = -1, /) -> bytes:
        try:
            return super().read(size)
        except OSError:
            raise
        except Exception as error:  # a bad chunk size, a missing terminator: each server has its own exceptions
            raise OSError(str(error)) from error
