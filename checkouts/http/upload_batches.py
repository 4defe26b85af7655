"""A form with several files, streamed into storage one after the other, as `uploads` does with one."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.utils.datastructures import MultiValueDict
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from checkouts.bytes import storage
from checkouts.exceptions import TooLarge
from checkouts.http.uploads import NOTHING_SENT, Watched, announced_size, texts
from leasehold.exceptions import Invalid

MOST_FILES = 500

View = Callable[..., HttpResponse]


@dataclass
class Uploads:
    """What came, in order: (what the client called it, its bytes). A view takes out of `unused` what got a row."""

    files: list[tuple[str, storage.Received]]
    fields: dict[str, str]
    unused: list[storage.Received] = field(default_factory=list)

    def used(self, received: storage.Received) -> None:
        """A row names these bytes now."""
        self.unused.remove(received)


def streamed_files(judge: Callable[..., HttpResponse | None]) -> Callable[[View], View]:
    """Like `uploads.streamed_form`, for a form whose part `file` comes several times."""

    def decorate(view: View) -> View:
        @csrf_exempt
        @wraps(view)
        def streamed(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if answer := judge(request, *args, **kwargs):
                return answer
            uploads = receive(request, limit=settings.LEASEHOLD_UPLOAD_LIMIT)

            @csrf_protect
            def behind_csrf(request: HttpRequest) -> HttpResponse:
                return view(request, *args, uploads=uploads, **kwargs)

            try:
                return behind_csrf(request)
            finally:
                for received in uploads.unused:
                    storage.discard(received)

        return streamed

    return decorate


def receive(request: HttpRequest, *, limit: int) -> Uploads:
    """All files of the form, each durable; or none of them, with `Invalid`, `TooLarge` or `StorageUnavailable`."""
    if request.content_type != "multipart/form-data":
        raise Invalid.of("file", NOTHING_SENT)
    size = announced_size(request)
    if size is not None and size > limit + settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
        raise TooLarge(limit=limit)
    body, into = Watched(request), AllIntoStorage(limit)
    is_whole = False
    try:
        request.upload_handlers = [into]
        post, _ = request.parse_file_upload({**request.META, "CONTENT_LENGTH": size or 1}, body)
        body.must_be_whole(size)
        request.POST, request._files = post, MultiValueDict()  # type: ignore[assignment, attr-defined]
        if not into.done:
            raise Invalid.of("file", NOTHING_SENT)
        is_whole = True
        return Uploads(into.done, texts(post), unused=[received for _, received in into.done])
    except UnreadablePostError as error:
        raise Invalid.of("file", "The body ended early.") from error
    except (MultiPartParserError, SuspiciousOperation) as error:
        raise Invalid.of("file", f"This is not a form with files: {error}") from error
    finally:
        into.abort(everything=not is_whole)
        if not hasattr(request, "_files"):
            request._mark_post_parse_error()  # type: ignore[attr-defined]


class AllIntoStorage(FileUploadHandler):
    """Takes each file as the parser comes to it; none is whole before the form is."""

    chunk_size = storage.PIECE

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit
        self.done: list[tuple[str, storage.Received]] = []
        self.under_way: storage.Incoming | None = None

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        if field_name != "file" or len(self.done) >= MOST_FILES:
            raise Invalid.of("file", f"Send at most {MOST_FILES} files, in parts named “file”.")
        super().new_file(field_name, *args, **kwargs)
        self.under_way = storage.Incoming(limit=self.limit)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self.under_way:
            self.under_way.write(raw_data)

    def file_complete(self, file_size: int) -> None:
        if self.under_way:
            self.done.append((self.file_name or "", self.under_way.finish()))
            self.under_way = None

    def abort(self, *, everything: bool) -> None:
        """Leave nothing of the file under way; with `everything`, nothing of the others either."""
        if self.under_way:
            self.under_way.abort()
        for _, received in self.done if everything else ():
            with suppress(OSError):
                storage.discard(received)
