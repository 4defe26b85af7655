"""A tree of files on a disk comes in, or goes out. Either may be broken off and done again: what is there stays.

Nothing is overwritten on either side. Links are not followed, and nothing is written outside the folder asked for.
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

from checkouts.actions.artifacts import add_artifact
from checkouts.bytes import storage
from checkouts.bytes.intake import upload_from
from checkouts.exceptions import StorageUnavailable
from checkouts.models import Artifact
from leasehold import names
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, NotFound, Refusal
from leasehold.models import Project

TEMPORARY = ".leasehold-"


class Came(StrEnum):
    """What became of one file."""

    COPIED = "copied"
    SAME = "same"  # it is there, with the same bytes
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Done:
    """One file of a tree. `why` it was refused, in a sentence."""

    path: str
    came: Came
    why: str = ""


def found_in(root: Path) -> list[str]:
    """Every file below `root`, as a path relative to it, in order; links and devices too, which `bring_in` refuses."""

    def broken(error: OSError) -> None:
        raise error

    found = []
    for folder, folders, files in os.walk(root, onerror=broken):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in files + links]
    return sorted(found)


def bring_in(*, actor: Actor, project: Project, root: Path, files: list[str], prefix: str = "") -> Iterator[Done]:
    """Put `files` of `root` under care, each in a transaction of its own, below the folder `prefix`.

    What lies there with the same bytes is left alone; with other bytes, or where a rule refuses it, it is reported.
    Raises `StorageUnavailable` when the disk is full, `Forbidden` and `NotFound` where the actor may not add.
    """
    there: dict[str, tuple[str, str, int]] = {
        key: (path, digest, size)
        for key, path, digest, size in Artifact.objects.filter(project=project, archived_at=None).values_list(
            "path_key", "path", "head__digest", "head__size"
        )
    }
    came_from: dict[str, str] = {}
    for name in files:
        try:
            yield Done(name, _bring_one(actor, project, root / name, f"{prefix}{name}", there, came_from))
        except (StorageUnavailable, Forbidden, NotFound):
            raise
        except (Refusal, OSError, ValueError) as error:
            yield Done(name, Came.REFUSED, _why(error))


def _bring_one(
    actor: Actor,
    project: Project,
    source: Path,
    path: str,
    there: dict[str, tuple[str, str, int]],
    came_from: dict[str, str],
) -> Came:
    if not stat.S_ISREG(source.lstat().st_mode):
        raise ValueError("Not a file: a link, a pipe or a device.")
    path = names.normalised(path)
    key = names.comparing(path)
    if key in came_from:
        raise ValueError(f"To the project this is the same name as {came_from[key]}.")
    came_from[key] = path
    with open(os.open(source, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if key in there:
            spelled, digest, known_size = there[key]
            if spelled != path:
                raise ValueError(f"To the project this is the same name as {spelled}.")
            if size != known_size or _digest_of(file) != digest:
                raise ValueError("Another file lies there: check it out and in to bring these bytes.")
            return Came.SAME
        upload = upload_from(file, declared_size=size)
    upload.commit_with(
        lambda received: add_artifact(actor=actor, project=project.slug, path=path, upload=received, comment="Imported")
    )
    there[key] = (path, upload.received.digest, upload.received.size)
    return Came.COPIED


def take_out(*, project: Project, root: Path, is_forced: bool = False) -> Iterator[Done]:
    """Write the heads of all files that are not archived below `root`, each whole or not at all.

    What lies there with the same bytes is left alone; other bytes are reported, or with `is_forced` replaced.
    """
    root = root.resolve()
    for artifact in (
        Artifact.objects.filter(project=project, archived_at=None)
        .select_related("head__blob")
        .order_by("path_key")
        .iterator(chunk_size=500)
    ):
        try:
            yield Done(artifact.path, _take_one(artifact, root, is_forced=is_forced))
        except (OSError, ValueError) as error:
            yield Done(artifact.path, Came.REFUSED, _why(error))


def _take_one(artifact: Artifact, root: Path, *, is_forced: bool) -> Came:
    target = _inside(root, artifact.path)
    head = artifact.head
    if os.path.lexists(target):
        if not stat.S_ISREG(target.lstat().st_mode):
            raise ValueError("Something that is no file lies there.")
        with target.open("rb") as file:
            if os.fstat(file.fileno()).st_size == head.size and _digest_of(file) == head.digest:
                return Came.SAME
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
    return Came.COPIED


def _inside(root: Path, path: str) -> Path:
    """Where a path lies below `root`, with its folders made. Refuses a link on the way, which could lead anywhere."""
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


def _why(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
