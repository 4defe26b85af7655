"""Doubts about an upload: what a person may not have meant. Facts in, a list of doubts out; `wording` words them.

The pages and the admin ask about a doubt before they act. The API does not ask (docs/decisions/0011).
"""

from collections.abc import Collection
from enum import StrEnum
from os.path import splitext

from checkouts.bytes.intake import Upload
from leasehold import names


class Doubt(StrEnum):
    """The value is the form's field that says that it is meant."""

    EMPTY = "empty"
    OTHER_KIND = "other"


def doubts_about(upload: Upload, next_version_of: str = "") -> list[Doubt]:
    """Return what must be asked about `upload`. `next_version_of` is the name of its file; empty for a new file."""
    confirmed = {name for name, value in upload.fields.items() if value}
    return open_doubts(
        size=upload.received.size, filename=upload.filename, next_version_of=next_version_of, confirmed=confirmed
    )


def open_doubts(*, size: int, filename: str, next_version_of: str, confirmed: Collection[str]) -> list[Doubt]:
    """Return the doubts, without those in `confirmed`, in the order in which they are asked. `size` is in bytes."""
    doubts = []
    if size == 0:
        doubts.append(Doubt.EMPTY)
    if next_version_of and is_other_kind(filename, next_version_of):
        doubts.append(Doubt.OTHER_KIND)
    return [doubt for doubt in doubts if doubt not in confirmed]


def is_other_kind(filename: str, name: str) -> bool:
    """Do the two names end differently? Without a file name there is nothing to compare."""
    return bool(filename) and ending(filename) != ending(name)


def ending(name: str) -> str:
    return names.comparing_form(splitext(name)[1])
