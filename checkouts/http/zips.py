"""Several files as one zip, streamed: never complete in memory or on disk, and never compressed.

Native files are mostly compressed already. The sizes and checksum of an entry follow its bytes, as streaming requires;
every common reader takes them from the directory at the end. Names are UTF-8.
"""

import io
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import IO, Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse

from checkouts.bytes.storage import PIECE, has_length, open_blob
from checkouts.exceptions import BytesMissing
from checkouts.http.downloads import POLICY, disposition
from checkouts.selectors import artifacts_for, checkouts_for
from leasehold import names
from leasehold.actors import Actor
from leasehold.exceptions import Invalid, NotFound
from leasehold.models import Project

FIRST_YEAR = 1980  # a zip cannot store earlier dates
COLUMNS = ("number", "blob__key", "size", "created_at")
CHUNK_SIZE = 256 * 1024  # bytes sent at a time


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a zip: its path, version number, blob, size and time."""

    path: str
    number: int
    key: UUID
    size: int
    created_at: datetime


def members_in_folder(actor: Actor, project: Project, folder: str) -> list[Member]:
    """Return the heads below a folder, or of the whole project. Raises `Invalid` if there is no file."""
    files = artifacts_for(actor).filter(project=project, archived_at=None)
    if folder:
        low, high = names.range_below(names.comparing_form(names.normalised(folder, "prefix")))
        files = files.filter(path_key__gte=low, path_key__lt=high)
    found = _members(files.order_by("path_key").values_list("path", *(f"head__{column}" for column in COLUMNS)))
    if not found:
        raise Invalid.of("prefix", "There is no file in this folder.")
    return found


def members_of_artifacts(actor: Actor, project: Project, ids: Collection[int]) -> list[Member]:
    """Return the heads of these artifacts, archived ones too. Raises `NotFound` if one is unknown or foreign."""
    files = artifacts_for(actor).filter(project=project, pk__in=ids).order_by("path_key", "pk")
    return _all_of(ids, _members(files.values_list("path", *(f"head__{column}" for column in COLUMNS))))


def members_of_checkouts(actor: Actor, project: Project, ids: Collection[int]) -> list[Member]:
    """Return the versions that were checked out. Raises `NotFound` if a check-out is unknown or foreign."""
    checkouts = checkouts_for(actor).filter(artifact__project=project, pk__in=ids).order_by("artifact__path_key", "pk")
    columns = (f"base_version__{column}" for column in COLUMNS)
    return _all_of(ids, _members(checkouts.values_list("artifact__path", *columns)))


def _members(rows: Iterable[Sequence[Any]]) -> list[Member]:
    return [Member(*row[:5]) for row in rows]


def _all_of(ids: Collection[int], found: list[Member]) -> list[Member]:
    if len(found) != len(set(ids)):
        raise NotFound
    return found


def zip_response(members: Sequence[Member], *, name: str, is_head: bool = False) -> HttpResponseBase:
    """Return a streamed zip called `name`.

    Raises `BytesMissing` before the first byte if a blob is missing or has another length. A later failure breaks the
    connection, so that an incomplete zip never looks complete.
    """
    for member in members:
        if not has_length(member.key, member.size):
            raise BytesMissing(
                f"The stored bytes of version {member.number} of {member.path} are missing or damaged. Tell whoever "
                "runs this server.",
                version=member.number,
            )
    response: HttpResponseBase = HttpResponse() if is_head else StreamingHttpResponse(stream(members, open_blob))
    response["Content-Type"] = "application/zip"
    response["Content-Disposition"] = disposition(name, "attachment")
    response["Cache-Control"] = "private, no-store"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = POLICY
    return response


def stream(members: Sequence[Member], open_member: Callable[[UUID], IO[bytes]]) -> Iterator[bytes]:
    """Yield the bytes of the zip, in pieces of little more than a megabyte at most."""
    output = ZipBuffer()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for path, member in with_unique_paths(members):
            with open_member(member.key) as source, archive.open(_entry(path, member), "w") as entry:
                size = 0
                while piece := source.read(PIECE):
                    size += len(piece)
                    entry.write(piece)
                    if output.size >= CHUNK_SIZE:
                        yield output.take()
                if size != member.size:
                    raise damaged(member)
    yield output.take()


def with_unique_paths(members: Sequence[Member]) -> Iterator[tuple[str, Member]]:
    """Yield each member with a path of its own. A second version of one file is `hero (version 2).psd`.

    The same version is sent once.
    """
    paths: set[str] = set()
    done: set[tuple[str, UUID]] = set()
    for member in members:
        if (member.path, member.key) in done:
            continue
        done.add((member.path, member.key))
        path, count = member.path, 1
        while path.casefold() in paths:
            pure = PurePosixPath(member.path)
            mark = f" (version {member.number})" if count == 1 else f" (version {member.number}, {count})"
            path, count = str(pure.with_name(f"{pure.stem}{mark}{pure.suffix}")), count + 1
        paths.add(path.casefold())
        yield path, member


def damaged(member: Member) -> OSError:
    return OSError(f"blob {member.key} is damaged: it should have {member.size} bytes")


def _entry(path: str, member: Member) -> zipfile.ZipInfo:
    at = member.created_at.astimezone(UTC)
    entry = zipfile.ZipInfo(path, (max(at.year, FIRST_YEAR), at.month, at.day, at.hour, at.minute, at.second))
    entry.file_size = member.size  # decides whether the entry needs the 64-bit format
    entry.external_attr = 0o644 << 16
    return entry


class ZipBuffer(io.RawIOBase):
    """Collects what the zip writer writes, until `take`. It cannot seek, so the writer never goes back."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, piece: object, /) -> int:
        self._pieces.append(copy := bytes(piece))  # type: ignore[call-overload]
        self.size += len(copy)
        return len(copy)

    def take(self) -> bytes:
        """Return what was written since the last call."""
        pieces, self._pieces, self.size = self._pieces, [], 0
        return b"".join(pieces)
