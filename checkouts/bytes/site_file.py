"""The mark of the site beside the stored bytes: `site.json` in their folder, compared before every upload."""

import json
import logging
import os
import uuid
from pathlib import Path

from django.conf import settings

from checkouts.exceptions import StorageUnavailable
from leasehold.sites import identity
from leasehold.sites.stores import SiteMark, stores

NAME = "site.json"

log = logging.getLogger(__name__)

#: folder → the mark in it that this process has compared with the database
_compared: dict[Path, SiteMark] = {}


def demand_own_folder() -> None:
    """Raise `StorageUnavailable` unless the folder of bytes belongs to this database.

    A process asks the database once for each mark that it finds; after that, an upload only reads the file.
    """
    folder = Path(settings.LEASEHOLD_BLOBS)
    try:
        found = read_mark()
        if found is not None and found == _compared.get(folder):
            return
        if not (problem := identity.mismatch()):
            for store in stores():
                identity.adopt_if_new(store)
            if found := read_mark():
                _compared[folder] = found
            return
    except (OSError, ValueError) as error:
        problem = f"The folder {folder} cannot be read or written: {error}."
    log.error(problem)
    raise StorageUnavailable("The server's storage is not in place. Nothing was kept; try again later.")


def read_mark() -> SiteMark | None:
    """Return the mark in the folder, or None if there is none. Raises OSError, ValueError for a damaged file."""
    try:
        text = _path().read_text()
    except FileNotFoundError:
        return None
    try:
        values = json.loads(text)
        return SiteMark(uuid.UUID(values["site"]), int(values["epoch"]))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{NAME} is damaged") from error


def write_mark(mark: SiteMark) -> None:
    """Write the mark durably, in place of another one. Raises OSError."""
    path = _path()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f"{NAME}.{uuid.uuid4().hex}")
    try:
        with temporary.open("x") as file:
            json.dump({"site": str(mark.site), "epoch": mark.epoch}, file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _path() -> Path:
    return Path(settings.LEASEHOLD_BLOBS) / NAME
