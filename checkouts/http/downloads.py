"""How users' bytes go out: as an attachment that no browser runs, under the name they were given, whole or in part.

The file is handed to the server's sendfile, or to a front server when LEASEHOLD_X_ACCEL_PREFIX names its internal
location. nginx then answers Range itself and forwards only some of our headers, so that location needs:

    etag off; max_ranges 1; add_header ETag $upstream_http_etag; add_header Content-Security-Policy "sandbox" always;
    add_header X-Content-Type-Options nosniff always;

User bytes are never compressed here: that would weaken the ETag, which is the digest itself.
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

from checkouts.bytes.storage import path_of
from leasehold.http.problems import problem_response

BINARY = "application/octet-stream"
IMAGES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
#: What a browser neither runs nor reads as text. Never SVG, HTML, XML, PDF or text: those stay BINARY.
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
BLOCK = 256 * 1024  # bytes in memory where the server has no sendfile


def download(
    request: Any, *, key: uuid.UUID, name: str, digest: str, size: int, inline: bool = False
) -> HttpResponseBase:
    """Answer a GET or HEAD for a blob. `digest` and `size` are its row's; `inline` only shows images.

    200, 206 (one Range; several, or a failed If-Range, get the whole), 304 or 416. Raises OSError for bytes that are
    missing or not as long as their row says: damage is an error, never a short file.
    """
    http: HttpRequest = getattr(request, "_request", request)
    etag = f'"{digest}"'
    if matches(http.headers.get("If-None-Match", ""), etag):
        return described(HttpResponseNotModified(), etag)

    start, stop = 0, size
    is_part = False
    if settings.LEASEHOLD_X_ACCEL_PREFIX:
        response: HttpResponseBase = HttpResponse()
        prefix = settings.LEASEHOLD_X_ACCEL_PREFIX.rstrip("/")
        response["X-Accel-Redirect"] = f"{prefix}/{path_of(key).relative_to(settings.LEASEHOLD_BLOBS)}"
    else:
        if http.method == "GET" and (asked := asked_range(http, etag, size)) is not None:
            is_part, (start, stop) = True, asked
            if start >= stop:
                response = problem_response(416, "range_not_satisfiable", f"The file has {size} bytes.", size=size)
                response["Content-Range"] = f"bytes */{size}"
                return response
        response = HttpResponse() if http.method == "HEAD" else sent(key, start, stop, size)
        response["Content-Length"] = str(stop - start)
        response["Accept-Ranges"] = "bytes"
    if is_part:
        response.status_code = 206
        response["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"

    suffix = PurePosixPath(name).suffix.lower()
    response["Content-Type"] = SAFE.get(suffix, BINARY)
    response["Content-Disposition"] = disposition(name, "inline" if inline and suffix in IMAGES else "attachment")
    return described(response, etag)


def described(response: HttpResponseBase, etag: str) -> HttpResponseBase:
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"  # kept, and asked about each time: one may have lost one's access
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = POLICY
    return response


def matches(header: str, etag: str) -> bool:
    """If-None-Match compares weakly (RFC 9110), so that an ETag which a proxy has weakened still matches."""
    return any(found.removeprefix("W/") in ("*", etag) for found in parse_etags(header))


def asked_range(request: HttpRequest, etag: str, size: int) -> tuple[int, int] | None:
    """Start and stop (exclusive; empty if it cannot be had) of the one range asked for; none means the whole file."""
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


def sent(key: uuid.UUID, start: int, stop: int, size: int) -> HttpResponseBase:
    file = Stretch(key, start, stop)
    if os.fstat(file.fileno()).st_size != size:
        file.close()
        raise OSError(f"blob {key} is damaged: it should have {size} bytes")
    response = FileResponse(file, content_type=BINARY)
    response.block_size = BLOCK
    return response


class Stretch(io.FileIO):
    """A file from `start` to `stop`. The server's sendfile begins at its position and ends at Content-Length."""

    def __init__(self, key: uuid.UUID, start: int, stop: int) -> None:
        super().__init__(path_of(key), "rb")
        self.stop = stop
        self.seek(start)

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(self.stop - self.tell(), 0)
        return super().read(left if size is None or size < 0 else min(size, left)) or b""


def disposition(name: str, kind: str) -> str:
    """RFC 6266: a `filename` in ASCII for old clients, and where that loses something `filename*` with the real one."""
    name = "".join("_" if ord(char) < 32 or ord(char) == 127 else char for char in name.rpartition("/")[2])
    plain = name.encode("ascii", "replace").decode().replace("?", "_") if not name.isascii() else name
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    exact = "" if name == plain else "; filename*=UTF-8''" + quote(name.encode("utf-8", "replace"), safe="")
    return f'{kind}; filename="{escaped}"{exact}'
