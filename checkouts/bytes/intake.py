"""Uploads: bytes that have arrived and are durable, and the one action that may give them a row.

A door that takes bytes makes an `Upload` and runs its action through it:

    upload = upload_from(file)
    outcome = upload.commit_with(lambda received: check_in(checkout_id=…, actor=…, upload=received))

| the action                                          | the bytes                                                   |
|-----------------------------------------------------|-------------------------------------------------------------|
| gave them a row                                     | stay                                                        |
| returned `Unchanged`, or replayed an earlier answer | are discarded                                               |
| raised anything but a database error                | are discarded                                               |
| raised a database error                             | stay: the commit may have been made; `collect` sweeps them  |
| was never run                                       | are discarded, by `settling`                                |
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from django.conf import settings
from django.db import Error as DatabaseFailure

from checkouts.bytes import storage
from checkouts.bytes.storage import Readable, Received
from checkouts.outcomes import Outcome, keeps_upload

R = TypeVar("R")


@dataclass
class Upload:
    """One file that has arrived. `filename` is what the client called it: a hint, never a path; empty if unknown.

    `fields` are the texts that came with it, of the form or the query.
    """

    received: Received
    filename: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    is_settled: bool = field(default=False, init=False)

    def commit_with(self, action: Callable[[Received], R]) -> R:
        """Return what `action` makes of the bytes, and keep or discard them accordingly.

        Works once. A second action could write a row for bytes that are gone.
        """
        if self.is_settled:
            raise RuntimeError("an upload takes one action, and this one is settled")
        self.is_settled = True
        try:
            result = action(self.received)
        except DatabaseFailure:
            raise  # nobody knows whether the commit was made, so the bytes stay; without a row, `collect` sweeps them
        except BaseException:
            storage.discard(self.received)
            raise
        if not has_row(result):
            storage.discard(self.received)
        return result

    def discard(self) -> None:
        """Remove the bytes, unless an action has run on them."""
        if not self.is_settled:
            self.is_settled = True
            storage.discard(self.received)


def has_row(result: object) -> bool:
    """Did the action that returned `result` write a row for the bytes? Only an outcome can say that it did not."""
    return keeps_upload(result) if isinstance(result, Outcome) else True


def upload_from(source: Iterable[bytes] | Readable, *, declared_size: int | None = None) -> Upload:
    """Return the bytes of a local file or program as an upload, up to the server's limit.

    Raises `TooLarge`, `Invalid` (another size than declared), `StorageUnavailable`, each with nothing left behind.
    """
    return Upload(
        storage.receive(
            source, declared_size=declared_size, declared_digest=None, limit=settings.LEASEHOLD_UPLOAD_LIMIT
        )
    )


@contextmanager
def settling(*uploads: Upload) -> Iterator[None]:
    """Discard, when the block ends, the uploads on which no action was run."""
    try:
        yield
    finally:
        for upload in uploads:
            upload.discard()
