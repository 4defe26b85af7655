"""Several files as one zip, sent as it is made: never held in memory or on disk, and never compressed.

Native files are mostly compressed already, and their bytes go out as they are. Sizes and checksums of an entry follow
its bytes, as a stream must have it; every common reader takes them from the directory at the end. Names are UTF-8.
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

from checkouts.bytes.storage import PIECE, open_blob, path_of
from checkouts.http.downloads import POLICY, disposition
from checkouts.selectors import artifacts_for, checkouts_for
from leasehold import names
from leasehold.actors import Actor
from leasehold.exceptions import Invalid, NotFound
from leasehold.models import Project

FIRST_YEAR = 1980  # before which a zip knows no date
COLUMNS = ("number", "blob__key", "size", "created_at")
ENOUGH = 256 * 1024  # bytes to send at a time


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a zip: its path there, its bytes, and when they came to be."""

    path: str
    number: int
    key: UUID
    size: int
    created_at: datetime


def in_folder(actor: Actor, project: Project, folder: str) -> list[Member]:
    """The heads below a folder; of the whole project without one. `Invalid` where there is none."""
    files = artifacts_for(actor).filter(project=project, archived_at=None)
    if folder:
        low, high = names.within(names.comparing(names.normalised(folder, "prefix")))
        files = files.filter(path_key__gte=low, path_key__lt=high)
    found = _members(files.order_by("path_key").values_list("path", *(f"head__{column}" for column in COLUMNS)))
    if not found:
        raise Invalid.of("prefix", "There is no file in this folder.")
    return found


def of_artifacts(actor: Actor, project: Project, ids: Collection[int]) -> list[Member]:
    """Their heads, archived ones too. `NotFound` if one is unknown or foreign."""
    files = artifacts_for(actor).filter(project=project, pk__in=ids).order_by("path_key", "pk")
    return _all_of(ids, _members(files.values_list("path", *(f"head__{column}" for column in COLUMNS))))


def of_checkouts(actor: Actor, project: Project, ids: Collection[int]) -> list[Member]:
    """What was checked out: the versions that they are based on. `NotFound` if one is unknown or foreign."""
    records = checkouts_for(actor).filter(artifact__project=project, pk__in=ids).order_by("artifact__path_key", "pk")
    columns = (f"base_version__{column}" for column in COLUMNS)
    return _all_of(ids, _members(records.values_list("artifact__path", *columns)))


def _members(rows: Iterable[Sequence[Any]]) -> list[Member]:
    return [Member(*row[:5]) for row in rows]


def _all_of(ids: Collection[int], found: list[Member]) -> list[Member]:
    if len(found) != len(set(ids)):
        raise NotFound
    return found


def zipped(members: Sequence[Member], *, name: str, is_head: bool = False) -> HttpResponseBase:
    """Answer with a zip called `name`. Raises OSError before the first byte if a file's bytes are missing or damaged in
    length; what breaks later breaks the connection off, so that no half of a zip looks like a whole one."""
    for member in members:
        if path_of(member.key).stat().st_size != member.size:
            raise damaged(member)
    response: HttpResponseBase = HttpResponse() if is_head else StreamingHttpResponse(stream(members, open_blob))
    response["Content-Type"] = "application/zip"
    response["Content-Disposition"] = disposition(name, "attachment")
    response["Cache-Control"] = "private, no-store"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = POLICY
    return response


def stream(members: Sequence[Member], opened: Callable[[UUID], IO[bytes]]) -> Iterator[bytes]:
    """The bytes of the zip, in pieces of at most a megabyte and some."""
    into = Outflow()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for path, member in named_apart(members):
            with opened(member.key) as source, archive.open(_entry(path, member), "w") as entry:
                size = 0
                while piece := source.read(PIECE):
                    size += len(piece)
                    entry.write(piece)
                    if into.size >= ENOUGH:
                        yield into.taken()
                if size != member.size:
                    raise damaged(member)
    yield into.taken()


def named_apart(members: Sequence[Member]) -> Iterator[tuple[str, Member]]:
    """Two versions of one file lie side by side: the second is `hero (version 2).psd`. The same one goes once."""
    seen: set[str] = set()
    sent: set[tuple[str, UUID]] = set()
    for member in members:
        if (member.path, member.key) in sent:
            continue
        sent.add((member.path, member.key))
        path, count = member.path, 1
        while path.casefold() in seen:
            pure = PurePosixPath(member.path)
            mark = f" (version {member.number})" if count == 1 else f" (version {member.number}, {count})"
            path, count = str(pure.with_name(f"{pure.stem}{mark}{pure.suffix}")), count + 1
        seen.add(path.casefold())
        yield path, member


def damaged(member: Member) -> OSError:
    return OSError(f"blob {member.key} is damaged: it should have {member.size} bytes")


def _entry(path: str, member: Member) -> zipfile.ZipInfo:
    at = member.created_at.astimezone(UTC)
    entry = zipfile.ZipInfo(path, (max(at.year, FIRST_YEAR), at.month, at.day, at.hour, at.minute, at.second))
    entry.file_size = member.size  # decides whether the entry needs the 64-bit form
    entry.external_attr = 0o644 << 16
    return entry


class Outflow(io.RawIOBase):
    """What the zip writer writes, until it is taken away. It cannot seek, so the writer never looks back."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, piece: object, /) -> int:
        self._pieces.append(taken := bytes(piece))  # type: ignore[call-overload]
        self.size += len(taken)
        return len(taken)

    def taken(self) -> bytes:
        pieces, self._pieces, self.size = self._pieces, [], 0
        return b"".join(pieces)
