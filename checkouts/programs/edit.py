"""An edit in one call: take the file, let something make the new bytes, commit them, let go however it ends."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread

from checkouts.actions.edits import MAX_TTL, GrantedEdit, discard_edit, open_edit, put_edit
from checkouts.bytes import storage
from checkouts.bytes.intake import upload_from
from checkouts.bytes.storage import Readable
from checkouts.outcomes import Outcome
from leasehold.actors import Actor

DEADLINE = 30.0  # seconds for whatever makes the new bytes; less than the lease lasts

Transform = Callable[[bytes], bytes]


def edit(
    *, actor: Actor, artifact_id: int, transform: Transform, ttl: int = MAX_TTL, comment: str = "", purpose: str = ""
) -> Outcome:
    """Take the file, give `transform` the head's bytes, commit what it returns; the lease is released however it ends.

    Raises what `open_edit` and `put_edit` raise, whatever `transform` raises, and `TimeoutError` after 30 seconds: what
    a transform that went on returns later is dropped.
    """
    with held(actor, artifact_id, ttl=ttl, purpose=purpose) as granted:
        with storage.open_blob(granted.edit.base_version.blob.key) as file:
            before = file.read()
        return put_bytes(actor, granted, [within_deadline(transform, before)], comment=comment)


@contextmanager
def held(actor: Actor, artifact_id: int, *, ttl: int, purpose: str) -> Iterator[GrantedEdit]:
    """An edit that is discarded at the end of the block, if it has not ended by then."""
    granted = open_edit(actor=actor, artifact_id=artifact_id, ttl=ttl, purpose=purpose)
    said = ""
    try:
        yield granted
    except BaseException as error:
        said = getattr(error, "stderr", "")  # a program's that failed
        raise
    finally:
        discard_edit(actor=actor, edit_id=granted.edit.uuid, stderr=said)


def put_bytes(
    actor: Actor, granted: GrantedEdit, source: Iterable[bytes] | Readable, *, comment: str, stderr: str = ""
) -> Outcome:
    """Store the new bytes and end the edit with them."""
    return upload_from(source).commit_with(
        lambda received: put_edit(
            actor=actor, edit_id=granted.edit.uuid, upload=received, comment=comment, stderr=stderr
        )
    )


def within_deadline(transform: Transform, before: bytes) -> bytes:
    """What `transform` makes of `before`, or `TimeoutError`. A thread cannot be killed: it is left to itself, and does
    not keep the process from ending."""
    made: SimpleQueue[bytes | BaseException] = SimpleQueue()

    def work() -> None:
        try:
            made.put(transform(before))
        except BaseException as error:  # noqa: BLE001  (raised again in the caller's thread)
            made.put(error)

    worker = Thread(target=work, name="edit", daemon=True)
    worker.start()
    worker.join(DEADLINE)
    if worker.is_alive():
        raise TimeoutError(f"The edit took longer than {DEADLINE:g} seconds.")
    after = made.get()
    if isinstance(after, BaseException):
        raise after
    if not isinstance(after, bytes):
        raise TypeError(f"The edit made {type(after).__name__}, where bytes were expected.")
    return after
