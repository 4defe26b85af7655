"""Responses with users' bytes: as an attachment that no browser runs, under the file's name, complete or as a range.

The server's sendfile sends the file, or a front server if LEASEHOLD_X_ACCEL_PREFIX names its internal location. nginx
then answers Range itself and forwards only some of our headers, so that location needs:

    etag off; max_ranges 1; add_header ETag $upstream_http_etag; add_header Content-Security-Policy "sandbox" always;
    add_header X-Content-Type-Options nosniff always;

User bytes are never compressed here: that would weaken the ETag, which is the digest.
"""

import io
import os
import re
import uuid
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotModified
from django.utils.http import parse_etags

from checkouts.bytes.storage import has_length, path_of
from checkouts.exceptions import BytesMissing
from leasehold.http.problems import problem_response

BINARY = "application/octet-stream"
IMAGES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
#: Types that a browser neither runs nor displays as text. Never SVG, HTML, XML, PDF or text: those stay BINARY.
SAFE = IMAGES | {
    ".zip": "application/zip",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".odp": "application/vnd.oasis.opendocument.presentation",
    ".psd": "image/vnd.adobe.photoshop",
}
POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"
RANGE = re.compile(r"bytes\s*=\s*([0-9]{0,18})\s*-\s*([0-9]{0,18})", re.IGNORECASE)
BLOCK = 256 * 1024  # bytes in memory if the server has no sendfile


def download(
    request: Any, *, key: uuid.UUID, name: str, digest: str, size: int, inline: bool = False
) -> HttpResponseBase:
    """Return the response to a GET or HEAD of a blob. `digest` and `size` come from its row; `inline`: images only.

    200, 206 (for one Range; several, or a failed If-Range, get the complete file), 304 or 416. Raises `BytesMissing` if
    the bytes are missing, or shorter or longer than their row says: damage is a refusal, never a short file.
    """
    http: HttpRequest = getattr(request, "_request", request)
    etag = f'"{digest}"'
    if is_etag_match(http.headers.get("If-None-Match", ""), etag):
        return with_safe_headers(HttpResponseNotModified(), etag)

    if not has_length(key, size):
        raise BytesMissing
    start, stop = 0, size
    is_part = False
    if settings.LEASEHOLD_X_ACCEL_PREFIX:
        response: HttpResponseBase = HttpResponse()
        prefix = settings.LEASEHOLD_X_ACCEL_PREFIX.rstrip("/")
        response["X-Accel-Redirect"] = f"{prefix}/{path_of(key).relative_to(settings.LEASEHOLD_BLOBS)}"
    else:
        if http.method == "GET" and (requested := requested_range(http, etag, size)) is not None:
            is_part, (start, stop) = True, requested
            if start >= stop:
                response = problem_response(416, "range_not_satisfiable", f"The file has {size} bytes.", size=size)
                response["Content-Range"] = f"bytes */{size}"
                return response
        response = HttpResponse() if http.method == "HEAD" else file_response(key, start, stop, size)
        response["Content-Length"] = str(stop - start)
        response["Accept-Ranges"] = "bytes"
    if is_part:
        response.status_code = 206
        response["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"

    suffix = PurePosixPath(name).suffix.lower()
    response["Content-Type"] = SAFE.get(suffix, BINARY)
    response["Content-Disposition"] = disposition(name, "inline" if inline and suffix in IMAGES else "attachment")
    return with_safe_headers(response, etag)


def with_safe_headers(response: HttpResponseBase, etag: str) -> HttpResponseBase:
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"  # cached, but revalidated: the reader may have lost access
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = POLICY
    return response


def is_etag_match(header: str, etag: str) -> bool:
    """Compare If-None-Match weakly (RFC 9110), so that an ETag that a proxy has weakened still matches."""
    return any(found.removeprefix("W/") in ("*", etag) for found in parse_etags(header))


def requested_range(request: HttpRequest, etag: str, size: int) -> tuple[int, int] | None:
    """Return start and stop (exclusive) of the requested range, or None for the complete file.

    A range that cannot be satisfied is empty: start >= stop.
    """
    if request.headers.get("If-Range", etag).strip() != etag:  # strong comparison; a date is never ours
        return None
    found = RANGE.fullmatch(request.headers.get("Range", "").strip())
    if not found or found[1] == found[2] == "":
        return None
    if not found[1]:
        return max(size - int(found[2]), 0), size
    start = int(found[1])
    if found[2] and int(found[2]) < start:
        return None
    return start, min(int(found[2]) + 1, size) if found[2] else size


def file_response(key: uuid.UUID, start: int, stop: int, size: int) -> HttpResponseBase:
    file = BlobSlice(key, start, stop)
    if os.fstat(file.fileno()).st_size != size:
        file.close()
        raise OSError(f"blob {key} is damaged: it should have {size} bytes")
    response = FileResponse(file, content_type=BINARY)
    response.block_size = BLOCK
    return response


class BlobSlice(io.FileIO):
    """A blob's file from `start` to `stop`. The server's sendfile begins at its position, ends at Content-Length."""

    def __init__(self, key: uuid.UUID, start: int, stop: int) -> None:
        super().__init__(path_of(key), "rb")
        self.stop = stop
        self.seek(start)

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(self.stop - self.tell(), 0)
        return super().read(left if size is None or size < 0 else min(size, left)) or b""


def disposition(name: str, kind: str) -> str:
    """Return Content-Disposition (RFC 6266): `filename` in ASCII for old clients, and `filename*` if that differs."""
    name = "".join("_" if ord(char) < 32 or ord(char) == 127 else char for char in name.rpartition("/")[2])
    plain = name.encode("ascii", "replace").decode().replace("?", "_") if not name.isascii() else name
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    exact = "" if name == plain else "; filename*=UTF-8''" + quote(name.encode("utf-8", "replace"), safe="")
    return f'{kind}; filename="{escaped}"{exact}'
