"""The folder of stored bytes as the ground floor sees it: one store, which belongs to one site."""

import os
import random
import uuid
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.db.models import Max, Min

from checkouts.bytes import site_file
from checkouts.bytes.storage import path_of, stored_keys
from checkouts.models import Blob
from leasehold.database import clock
from leasehold.sites.stores import SiteMark

SAMPLE = 200  # rows looked at: as many of the newest, and as many at random
DAY = 24 * 3600  # seconds; a younger blob may belong to an upload whose row is still to come


class BlobFolder:
    """The folder `LEASEHOLD_BLOBS`."""

    @property
    def location(self) -> str:
        return str(settings.LEASEHOLD_BLOBS)

    def read_mark(self) -> SiteMark | None:
        return site_file.read_mark()

    def write_mark(self, mark: SiteMark) -> None:
        site_file.write_mark(mark)

    def is_new(self) -> bool:
        return not Blob.objects.exists() and next(stored_keys(), None) is None

    def strangeness(self) -> str:
        """Compare a sample of the rows with the folder, and a sample of the folder with the rows.

        One in a hundred may be missing on either side, and always two: disks lose files, uploads break off.
        """
        rows = _sampled_rows()
        lacking = sum(not path_of(key).exists() for key in rows)
        if lacking > _tolerated(len(rows)):
            return f"of {len(rows)} stored files that the database names, {lacking} are not in the folder"
        files = _sampled_files()
        unknown = len(files) - Blob.objects.filter(key__in=files).count()
        if unknown > _tolerated(len(files)):
            return f"of {len(files)} files in the folder, the database does not know {unknown}"
        return ""

    def probe(self) -> None:
        folder = Path(settings.LEASEHOLD_BLOBS)
        file = folder / f"probe.{uuid.uuid4().hex}"
        try:
            with file.open("xb") as written:
                written.write(b"probe")
                written.flush()
                os.fsync(written.fileno())
        finally:
            file.unlink(missing_ok=True)


def _sampled_rows() -> set[uuid.UUID]:
    newest = Blob.objects.order_by("-pk").values_list("key", flat=True)[:SAMPLE]
    ids = Blob.objects.aggregate(first=Min("pk"), last=Max("pk"))
    if ids["last"] is None:
        return set()
    span = range(ids["first"], ids["last"] + 1)
    chosen = random.sample(span, min(SAMPLE, len(span)))  # nosec B311
    return {*newest, *Blob.objects.filter(pk__in=chosen).values_list("key", flat=True)}


def _sampled_files() -> set[uuid.UUID]:
    """Return a random sample of the files that are older than a day, without holding all names in memory."""
    before = clock.now().timestamp() - DAY
    return set(_sample(key for key, written_at in stored_keys() if written_at < before))


def _sample(keys: Iterable[uuid.UUID]) -> list[uuid.UUID]:
    sample: list[uuid.UUID] = []
    for number, key in enumerate(keys):
        if len(sample) < 2 * SAMPLE:
            sample.append(key)
        elif (place := random.randrange(number + 1)) < len(sample):  # noqa: S311  # nosec B311
            sample[place] = key
    return sample


def _tolerated(looked_at: int) -> int:
    return max(2, looked_at // 100)
