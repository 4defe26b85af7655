"""Files of a form, streamed from the request into storage without a copy of their own."""

import hashlib
import io
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, QueryDict
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.utils.datastructures import MultiValueDict

from checkouts.bytes import storage
from checkouts.bytes.intake import Upload
from checkouts.exceptions import DigestMismatch, TooLarge
from checkouts.http import digests
from leasehold.exceptions import Invalid

NOTHING_SENT = "No file was sent."


def receive_form(request: HttpRequest, *, limit: int, most: int = 1, is_stored: bool = True) -> list[Upload]:
    """Return the files in the parts named `file`, 1 to `most` of them, each with the form's other parts as its fields.

    All of them are durable, or nothing is kept: raises `Invalid`, `TooLarge`, `DigestMismatch`, `StorageUnavailable`.
    `request.POST` is filled, for CSRF. `limit` is in bytes, for each file and for the form without its texts.
    """
    size = announced_size(request)
    if size is not None and size > limit + settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
        raise TooLarge(limit=limit)
    body, files = WatchedBody(request), FilesIntoStorage(limit=limit, most=most, is_stored=is_stored)
    is_complete = False
    try:
        request.upload_handlers = [files]
        # The parser takes a length of 0 for "nothing to do", and a chunked body has none: any other will do.
        post, _ = request.parse_file_upload({**request.META, "CONTENT_LENGTH": size or 1}, body)
        body.demand_complete(size)
        request.POST, request._files = post, MultiValueDict()  # type: ignore[assignment, attr-defined]
        if not files.arrived:
            raise Invalid.of("file", NOTHING_SENT)
        if most == 1:
            demand_digest(files.arrived[0][1], announced_digest(request, body, post))
        is_complete = True
        return [Upload(received, filename, texts(post)) for filename, received in files.arrived]
    except UnreadablePostError as error:
        raise Invalid.of("file", "The body ended early.") from error
    except (MultiPartParserError, SuspiciousOperation) as error:
        raise Invalid.of("file", f"This is not a form with {'a file' if most == 1 else 'files'}: {error}") from error
    finally:
        if not is_complete:
            files.abort()
        if not hasattr(request, "_files"):
            request._mark_post_parse_error()  # type: ignore[attr-defined]  # so that nobody parses the rest of it


def announced_digest(request: HttpRequest, body: "WatchedBody", post: QueryDict) -> str | None:
    """The digest that the one file of a form must have, if any was announced.

    A field `digest` means the file. A header's digest may mean the file or, as RFC 9530 has it, the whole body.
    """
    if body.has_announced_digest():
        return digests.in_field(post.get("digest", ""))
    return digests.announced(request, post.get("digest", ""))


def demand_digest(received: storage.Received, announced: str | None) -> None:
    if announced is not None and announced != received.digest:
        raise DigestMismatch(expected=announced, actual=received.digest)


class FilesIntoStorage(FileUploadHandler):
    """Stores each file as the parser finds it. None counts before the form is complete; `abort` removes them again."""

    chunk_size = storage.PIECE

    def __init__(self, *, limit: int, most: int, is_stored: bool) -> None:
        super().__init__()
        self.limit, self.most, self.is_stored = limit, most, is_stored
        self.arrived: list[tuple[str, storage.Received]] = []
        self.under_way: storage.Incoming | None = None

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        if field_name != "file" or len(self.arrived) >= self.most:
            some = "one file, in the part" if self.most == 1 else f"at most {self.most} files, in parts"
            raise Invalid.of("file", f"Send {some} named “file”.")
        super().new_file(field_name, *args, **kwargs)
        self.under_way = storage.Incoming(limit=self.limit, is_stored=self.is_stored)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self.under_way:
            self.under_way.write(raw_data)

    def file_complete(self, file_size: int) -> None:
        if self.under_way:
            self.arrived.append((self.file_name or "", self.under_way.finish()))
            self.under_way = None

    def abort(self) -> None:
        """Leave nothing of the file under way, nor of those before it."""
        if self.under_way:
            self.under_way.abort()
        for _, received in self.arrived:
            with suppress(OSError):
                storage.remove(received)


class WatchedBody(io.RawIOBase):
    """The body on its way to the parser. The parser accepts a form that breaks off; `demand_complete` does not."""

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

    def demand_complete(self, size: int | None) -> None:
        if (size is not None and self.size != size) or self.end not in self.tail:
            raise Invalid.of("file", "The body ended early.")

    def has_announced_digest(self) -> bool:
        return self.announced == "sha256:" + self.sha.hexdigest()


def texts(query: QueryDict) -> dict[str, str]:
    return {name: str(value) for name, value in query.items()}


def announced_size(request: HttpRequest) -> int | None:
    text = str(request.META.get("CONTENT_LENGTH") or "")
    return int(text) if text.isdecimal() and len(text) < 20 and not is_chunked(request) else None


def is_chunked(request: HttpRequest) -> bool:
    return "chunked" in request.headers.get("Transfer-Encoding", "").lower()
