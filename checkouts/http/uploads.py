"""How a request's bytes come in, at both doors: straight from the socket into `storage`, hashed on the way.

An endpoint judges the actor first, then opens the block; the body is read on entry, and never before:

    with received_upload(request, limit=settings.LEASEHOLD_UPLOAD_LIMIT) as upload:
        outcome = check_in(checkout_id=…, actor=…, received=upload.received, comment=upload.fields.get("comment", ""))
        if not isinstance(outcome, Committed | Proposed):
            upload.unused()

What the action then refuses, or the block calls unused, is removed again. A browser's form does the same through
`streamed_form`, which puts CSRF protection in its place. Nobody may touch `request.POST`, `.body` or DRF's `.data`
before the block: Django would read the body into a second file of its own.
"""

import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadhandler import FileUploadHandler
from django.db import Error as DatabaseFailure
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.utils.datastructures import MultiValueDict
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from checkouts.bytes import digests, storage
from checkouts.exceptions import TooLarge
from leasehold.exceptions import Invalid

NOTHING_SENT = "No file was sent."
NOT_THE_FILE = {"Content-Encoding", "Content-Range"}  # compressed, or a piece: stored as it comes it would be damage
NOT_RAW = {"application/x-www-form-urlencoded", "application/json"}  # a form or a command, sent where a file belongs


@dataclass
class Upload:
    """`filename` is what the client called it: a hint to show, never a path. `fields`: the form's or query's texts."""

    received: storage.Received
    filename: str
    fields: dict[str, str]
    is_used: bool = True

    def unused(self) -> None:
        """No row came to name these bytes: remove them when the block ends."""
        self.is_used = False


@contextmanager
def received_upload(request: Any, *, limit: int, is_stored: bool = True) -> Iterator[Upload]:
    """The one file of a request, multipart or raw, for Django's and DRF's requests alike.

    `limit` in bytes. `is_stored=False` hashes only (a closed record). Raises `TooLarge`, `Invalid`, `DigestMismatch`,
    `StorageUnavailable`, each with nothing left behind.
    """
    http: HttpRequest = getattr(request, "_request", request)
    for header in NOT_THE_FILE & http.headers.keys():
        raise Invalid.of(header, "Send the whole file, as it is.")
    receive = receive_multipart if http.content_type == "multipart/form-data" else receive_raw
    upload = receive(http, limit=limit, is_stored=is_stored)
    try:
        yield upload
    except DatabaseFailure:
        raise  # the commit's fate may be unknown, so the bytes stay; without a row, `collect` sweeps them
    except BaseException:
        upload.unused()
        raise
    finally:
        if not upload.is_used:
            storage.discard(upload.received)


def receive_raw(request: HttpRequest, *, limit: int, is_stored: bool = True) -> Upload:
    """The body is the file; its fields stand in the query. Zero bytes count as a file only if the length says 0."""
    size = announced_size(request)
    if request.content_type in NOT_RAW or (size is None and not is_chunked(request)):
        raise Invalid.of("file", NOTHING_SENT)
    if size is not None and size > limit:
        raise TooLarge(limit=limit)
    take = storage.receive if is_stored else storage.digest_only
    announced = digests.announced(request, request.GET.get("digest", ""))
    try:
        received = take(request, declared_size=size, declared_digest=announced, limit=limit)
    except UnreadablePostError as error:
        raise Invalid.of("file", "The body ended early.") from error
    return Upload(received, "", texts(request.GET))


def receive_multipart(request: HttpRequest, *, limit: int, is_stored: bool = True) -> Upload:
    """The file is the one part named `file`; the other parts are its fields. `request.POST` is filled, for CSRF.

    A header's digest may mean the file or, as RFC 9530 has it, the whole body; a field `digest` means the file.
    """
    size = announced_size(request)
    if size is not None and size > limit + settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
        raise TooLarge(limit=limit)
    body = Watched(request)
    into = IntoStorage(storage.Incoming(limit=limit, is_stored=is_stored))
    try:
        request.upload_handlers = [into]
        # The parser takes a length of 0 for "nothing to do", and a chunked body has none: any other will do.
        post, _ = request.parse_file_upload({**request.META, "CONTENT_LENGTH": size or 1}, body)
        body.must_be_whole(size)
        request.POST, request._files = post, MultiValueDict()  # type: ignore[assignment, attr-defined]
        if into.file_name is None:
            raise Invalid.of("file", NOTHING_SENT)
        if body.is_as_announced():
            announced = digests.in_field(post.get("digest", ""))
        else:
            announced = digests.announced(request, post.get("digest", ""))
        return Upload(into.incoming.finish(declared_digest=announced), into.file_name, texts(post))
    except UnreadablePostError as error:
        raise Invalid.of("file", "The body ended early.") from error
    except (MultiPartParserError, SuspiciousOperation) as error:
        raise Invalid.of("file", f"This is not a form with a file: {error}") from error
    finally:
        into.incoming.abort()
        if not hasattr(request, "_files"):
            request._mark_post_parse_error()  # type: ignore[attr-defined]  # so that nobody parses the rest of it


class IntoStorage(FileUploadHandler):
    """Takes the file as the parser finds it, without a copy of its own."""

    chunk_size = storage.PIECE

    def __init__(self, incoming: storage.Incoming) -> None:
        super().__init__()
        self.incoming = incoming

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        if self.file_name is not None or field_name != "file":
            raise Invalid.of("file", "Send one file, in the part named “file”.")
        super().new_file(field_name, *args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.incoming.write(raw_data)

    def file_complete(self, file_size: int) -> None:
        """Nothing yet: whether the form is whole is known only at its end."""


class Watched(io.RawIOBase):
    """The body on its way to the parser, which is content with a form that breaks off; this is not."""

    def __init__(self, request: HttpRequest) -> None:
        self.read_on = request.read
        self.announced = digests.in_header(request)
        self.end = b"\r\n--" + (request.content_params or {}).get("boundary", "").encode() + b"--"
        self.tail = b""
        self.size = 0
        self.sha = hashlib.sha256()

    def read(self, size: int | None = -1, /) -> bytes:
        piece = self.read_on(size)
        self.size += len(piece)
        self.tail = (self.tail + piece[-1024:])[-1024:]
        if self.announced:
            self.sha.update(piece)
        return piece

    def must_be_whole(self, size: int | None) -> None:
        if (size is not None and self.size != size) or self.end not in self.tail:
            raise Invalid.of("file", "The body ended early.")

    def is_as_announced(self) -> bool:
        return self.announced == "sha256:" + self.sha.hexdigest()


def streamed_form(
    judge: Callable[..., HttpResponse | None],
) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """For a browser's form with a file: judge, then read, then check the CSRF token (in the form or its header).

        def may_check_in(request, pk): ...  # raises a refusal, or answers (with the sign-in page, say), or None

        @streamed_form(may_check_in)
        def check_in_page(request, pk, upload): ...  # POST only; a refusal raised here removes the bytes again

    `judge` sees the request without its body, before CSRF: it must change nothing.
    """

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @csrf_exempt
        @wraps(view)
        def streamed(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if answer := judge(request, *args, **kwargs):
                return answer
            with received_upload(request, limit=settings.LEASEHOLD_UPLOAD_LIMIT) as upload:
                upload.unused()

                @csrf_protect
                def behind_csrf(request: HttpRequest) -> HttpResponse:
                    upload.is_used = True
                    return view(request, *args, upload=upload, **kwargs)

                return behind_csrf(request)

        return streamed

    return decorate


def texts(query: QueryDict) -> dict[str, str]:
    return {name: str(value) for name, value in query.items()}


def announced_size(request: HttpRequest) -> int | None:
    text = str(request.META.get("CONTENT_LENGTH") or "")
    return int(text) if text.isdecimal() and len(text) < 20 and not is_chunked(request) else None


def is_chunked(request: HttpRequest) -> bool:
    return "chunked" in request.headers.get("Transfer-Encoding", "").lower()
