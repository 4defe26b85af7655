"""Import and export of a tree of files on a disk. Either can be interrupted and run again: existing files stay.

Nothing is overwritten unless an export is forced. Links are not followed, and nothing is written outside the given
folder.
"""

import hashlib
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from checkouts.actions.artifacts import add_artifact
from checkouts.bytes import storage
from checkouts.bytes.intake import settling, upload_from
from checkouts.bytes.returns import put_back
from checkouts.exceptions import StorageUnavailable
from checkouts.models import Artifact, Blob
from leasehold import names
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, NotFound, Refusal
from leasehold.models import Project

TEMPORARY = ".leasehold-"


class FileResult(StrEnum):
    """The result for one file."""

    COPIED = "copied"
    SAME = "same"  # it exists already, with the same bytes
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file of a tree with its result. `reason`: a sentence that says why it was refused."""

    path: str
    result: FileResult
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """The newest version of a file that the project has: the file's path, and the digest, size and key of its bytes."""

    path: str
    digest: str
    size: int
    key: uuid.UUID


def files_below(root: Path) -> list[str]:
    """Return every file below `root` as a relative path, in order; links and devices too, which an import refuses."""

    def fail(error: OSError) -> None:
        raise error

    found = []
    for folder, folders, files in os.walk(root, onerror=fail):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in files + links]
    return sorted(found)


def import_tree(
    *, actor: Actor, project: Project, root: Path, files: list[str], prefix: str = ""
) -> Iterator[FileReport]:
    """Add `files` of `root` to the project, each in its own transaction, below the folder `prefix`.

    A file that exists with the same bytes is left alone. One that exists with other bytes, or that a rule refuses, is
    reported. Raises `StorageUnavailable` if the disk is full, `Forbidden` and `NotFound` if the actor may not add.
    """
    existing: dict[str, Known] = {
        key: Known(path, digest, size, blob)
        for key, path, digest, size, blob in Artifact.objects.filter(project=project, archived_at=None).values_list(
            "path_key", "path", "head__digest", "head__size", "head__blob__key"
        )
    }
    source_of: dict[str, str] = {}
    for name in files:
        try:
            yield FileReport(name, _import_file(actor, project, root / name, f"{prefix}{name}", existing, source_of))
        except (StorageUnavailable, Forbidden, NotFound):
            raise
        except (Refusal, OSError, ValueError) as error:
            yield FileReport(name, FileResult.REFUSED, _reason(error))


def _import_file(
    actor: Actor,
    project: Project,
    source: Path,
    path: str,
    existing: dict[str, Known],
    source_of: dict[str, str],
) -> FileResult:
    if not stat.S_ISREG(source.lstat().st_mode):
        raise ValueError("Not a file: a link, a pipe or a device.")
    path = names.normalised(path)
    key = names.comparing_form(path)
    if key in source_of:
        raise ValueError(f"To the project this is the same name as {source_of[key]}.")
    source_of[key] = path
    with open(os.open(source, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if key in existing:
            known = existing[key]
            if known.path != path:
                raise ValueError(f"To the project this is the same name as {known.path}.")
            if size != known.size or _digest_of(file) != known.digest:
                raise ValueError("Another file lies there: check it out and in to bring these bytes.")
            _give_back(known, file)
            return FileResult.SAME
        upload = upload_from(file, declared_size=size)
    upload.commit_with(
        lambda received: add_artifact(actor=actor, project=project.slug, path=path, upload=received, comment="Imported")
    )
    existing[key] = Known(path, upload.received.digest, upload.received.size, upload.received.key)
    return FileResult.COPIED


def _give_back(known: Known, file: BinaryIO) -> None:
    """Store the file's bytes again if those of the version that equals it are missing on the disk."""
    if storage.has_length(known.key, known.size):
        return
    file.seek(0)
    upload = upload_from(file, declared_size=known.size)
    with settling(upload):
        put_back(upload.received, Blob.objects.get(key=known.key))


def export_tree(*, project: Project, root: Path, is_forced: bool = False) -> Iterator[FileReport]:
    """Write the head of every file that is not archived below `root`, each completely or not at all.

    An existing file with the same bytes is left alone. One with other bytes is reported, or replaced if `is_forced`.
    """
    root = root.resolve()
    for artifact in (
        Artifact.objects.filter(project=project, archived_at=None)
        .select_related("head__blob")
        .order_by("path_key")
        .iterator(chunk_size=500)
    ):
        try:
            yield FileReport(artifact.path, _export_file(artifact, root, is_forced=is_forced))
        except (OSError, ValueError) as error:
            yield FileReport(artifact.path, FileResult.REFUSED, _reason(error))


def _export_file(artifact: Artifact, root: Path, *, is_forced: bool) -> FileResult:
    target = _inside(root, artifact.path)
    head = artifact.head
    if os.path.lexists(target):
        if not stat.S_ISREG(target.lstat().st_mode):
            raise ValueError("Something that is no file lies there.")
        with target.open("rb") as file:
            if os.fstat(file.fileno()).st_size == head.size and _digest_of(file) == head.digest:
                return FileResult.SAME
        if not is_forced:
            raise ValueError("Other bytes lie there.")
    partial = target.with_name(f"{TEMPORARY}{uuid.uuid4()}")
    try:
        sha = hashlib.sha256()
        with storage.open_blob(head.blob.key) as source, partial.open("xb") as file:
            while piece := source.read(storage.PIECE):
                sha.update(piece)
                file.write(piece)
        if f"sha256:{sha.hexdigest()}" != head.digest:
            raise ValueError("The stored bytes are damaged.")
        partial.replace(target)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    return FileResult.COPIED


def _inside(root: Path, path: str) -> Path:
    """Return the path below `root`, and create its folders. A link on the way is refused: it could lead anywhere."""
    *folders, name = names.normalised(path).split("/")
    here = root
    for folder in folders:
        here /= folder
        if here.is_symlink():
            raise ValueError(f"{folder} is a link, and is not followed.")
        here.mkdir(exist_ok=True)
    return here / name


def _digest_of(file: storage.Readable) -> str:
    sha = hashlib.sha256()
    while piece := file.read(storage.PIECE):
        sha.update(piece)
    return f"sha256:{sha.hexdigest()}"


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
