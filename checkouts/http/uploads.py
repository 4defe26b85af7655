"""Uploads over HTTP: a request's files go straight from the socket into storage and are hashed on the way.

A view checks the actor first and then opens the block. The body is read on entry, never before:

    with received_upload(request, limit=settings.LEASEHOLD_UPLOAD_LIMIT) as upload:
        outcome = upload.commit_with(
            lambda received: check_in(checkout_id=…, actor=…, upload=received, comment=upload.fields.get("comment", ""))
        )

`commit_with` keeps or discards the bytes (`checkouts.bytes.intake`). Bytes on which no action was run are discarded at
the end of the block. A browser's form does the same through `streamed_form` and `streamed_files`, which check the CSRF
token once the body is read. Nobody may touch `request.POST`, `.body` or DRF's `.data` before the block: Django would
read the body into a second file of its own.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from checkouts.bytes import storage
from checkouts.bytes.intake import Upload, settling
from checkouts.exceptions import TooLarge
from checkouts.http import digests
from checkouts.http.multipart import NOTHING_SENT, announced_size, is_chunked, receive_form, texts
from leasehold.exceptions import Invalid

MOST_FILES = 500  # in one form
NOT_THE_FILE = {"Content-Encoding", "Content-Range"}  # compressed, or a piece: stored as it comes it would be damage
NOT_RAW = {"application/x-www-form-urlencoded", "application/json"}  # a form or a command, sent where a file belongs
FORM = "multipart/form-data"

View = Callable[..., HttpResponse]
Guard = Callable[..., HttpResponse | None]


@contextmanager
def received_upload(request: Any, *, limit: int, is_stored: bool = True) -> Iterator[Upload]:
    """The one file of a request, multipart or raw, for Django's and DRF's requests alike.

    `limit` in bytes. `is_stored=False` hashes only (a closed attempt). Raises `TooLarge`, `Invalid`, `DigestMismatch`,
    `StorageUnavailable`, each with nothing left behind.
    """
    http: HttpRequest = getattr(request, "_request", request)
    for header in NOT_THE_FILE & http.headers.keys():
        raise Invalid.of(header, "Send the whole file, as it is.")
    if http.content_type == FORM:
        upload = receive_form(http, limit=limit, is_stored=is_stored)[0]
    else:
        upload = receive_raw(http, limit=limit, is_stored=is_stored)
    with settling(upload):
        yield upload


@contextmanager
def received_uploads(request: HttpRequest, *, limit: int) -> Iterator[list[Upload]]:
    """The files of a form, at most 500, in their order. Refuses as `received_upload` does."""
    if request.content_type != FORM:
        raise Invalid.of("file", NOTHING_SENT)
    uploads = receive_form(request, limit=limit, most=MOST_FILES)
    with settling(*uploads):
        yield uploads


def receive_raw(request: HttpRequest, *, limit: int, is_stored: bool = True) -> Upload:
    """Return the body as a file, with the query as its fields. Zero bytes are a file only if the length says 0."""
    size = announced_size(request)
    if request.content_type in NOT_RAW or (size is None and not is_chunked(request)):
        raise Invalid.of("file", NOTHING_SENT)
    if size is not None and size > limit:
        raise TooLarge(limit=limit)
    receive = storage.receive if is_stored else storage.digest_only
    announced = digests.announced(request, request.GET.get("digest", ""))
    try:
        received = receive(request, declared_size=size, declared_digest=announced, limit=limit)
    except UnreadablePostError as error:
        raise Invalid.of("file", "The body ended early.") from error
    return Upload(received, fields=texts(request.GET))


def streamed_form(guard: Guard) -> Callable[[View], View]:
    """Decorate a view for a browser's form with a file: call `guard`, read the body, check CSRF, call the view.

        def guard_check_in(request, pk): ...  # raises a refusal, or returns a response (the sign-in page, say), or None

        @streamed_form(guard_check_in)
        def check_in_page(request, pk, upload): ...  # POST only

    `guard` gets the request before its body is read and before CSRF is checked, so it must change nothing.
    """
    return _streamed(guard, "upload", received_upload)


def streamed_files(guard: Guard) -> Callable[[View], View]:
    """Like `streamed_form`, for a form whose part `file` comes several times: the view gets `uploads`, a list."""
    return _streamed(guard, "uploads", received_uploads)


def _streamed(guard: Guard, name: str, receive: Callable[..., AbstractContextManager[Any]]) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @csrf_exempt
        @wraps(view)
        def streamed(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if answer := guard(request, *args, **kwargs):
                return answer
            with receive(request, limit=settings.LEASEHOLD_UPLOAD_LIMIT) as files:

                @csrf_protect
                def behind_csrf(request: HttpRequest) -> HttpResponse:
                    return view(request, *args, **{name: files}, **kwargs)

                return behind_csrf(request)

        return streamed

    return decorate
