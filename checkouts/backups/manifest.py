"""The manifest of a backup: what the folder contains, with counts and digests. It is written last."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from checkouts.backups.copies import write_durably

FORMAT = 1
NAME = "manifest.json"


class BackupFault(Exception):
    """A backup cannot be made, read or restored. The message is for the operator: what is wrong, where, what to do."""


@dataclass(slots=True)
class Lines:
    """A compressed file of JSON lines. `digest`: `sha256:<hex>` of its lines before compression."""

    count: int
    digest: str


@dataclass(slots=True)
class Lacking:
    """A blob that the rows name and the backup could not copy whole."""

    key: str
    what: str


@dataclass(slots=True)
class Manifest:
    """`migrations`: app → names applied. `tables`: `app.model` → its rows. `sequences`: `app.model` → last id.

    `blobs` describes the file blobs.jsonl.gz: one line `[key, digest, size]` for each blob, in the order of the keys.
    `taken_at`: ISO 8601 in UTC, by the database's clock.
    """

    taken_at: str
    migrations: dict[str, list[str]]
    tables: dict[str, Lines]
    sequences: dict[str, int]
    blobs: Lines
    size: int  #: bytes of all blobs
    lacking: list[Lacking] = field(default_factory=list)
    moved_to: str = ""  #: set if this backup is a move, which closed the site that it was made of
    format: int = FORMAT

    @property
    def lacking_keys(self) -> set[str]:
        return {one.key for one in self.lacking}


def write_manifest(folder: Path, manifest: Manifest) -> None:
    text = json.dumps(asdict(manifest), indent=2, ensure_ascii=False)
    write_durably(folder / NAME, f"{text}\n".encode())


def manifest_in(folder: Path) -> Manifest:
    """Return the manifest of a backup folder. Raises `BackupFault`."""
    try:
        values = json.loads((folder / NAME).read_text())
        if values["format"] != FORMAT:
            raise BackupFault(
                f"The backup in {folder} has format {values['format']}, and this program reads format {FORMAT}. "
                "Use the program that made it, or a newer one."
            )
        tables = {name: Lines(**lines) for name, lines in values.pop("tables").items()}
        lacking = [Lacking(**one) for one in values.pop("lacking")]
        return Manifest(tables=tables, lacking=lacking, blobs=Lines(**values.pop("blobs")), **values)
    except FileNotFoundError as error:
        raise BackupFault(f"There is no backup in {folder}: it has no {NAME}.") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupFault(f"The manifest {folder / NAME} cannot be read: {error}.") from error
