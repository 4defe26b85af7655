"""An edit in one call: open it, let a function make the new bytes, commit them, and release the lease in any case.

This stands above the actions and calls three of them, `open_edit`, `put_edit` and `discard_edit`: three transactions,
since none may last while the new bytes are made.
"""

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

DEADLINE = 30.0  # seconds for making the new bytes; shorter than the lease

Transform = Callable[[bytes], bytes]


def edit(
    *, actor: Actor, artifact_id: int, transform: Transform, ttl: int = MAX_TTL, comment: str = "", purpose: str = ""
) -> Outcome:
    """Open an edit, call `transform` with the head's bytes, and commit what it returns.

    The lease is released however it ends. Raises what `open_edit`, `put_edit` and `transform` raise, and `TimeoutError`
    after 30 seconds; the result of a transform that runs longer is dropped.
    """
    with opened_edit(actor, artifact_id, ttl=ttl, purpose=purpose) as granted:
        with storage.open_blob(granted.edit.base_version.blob.key) as file:
            before = file.read()
        return put_bytes(actor, granted, [within_deadline(transform, before)], comment=comment)


@contextmanager
def opened_edit(actor: Actor, artifact_id: int, *, ttl: int, purpose: str) -> Iterator[GrantedEdit]:
    """Open an edit, and discard it at the end of the block if it has not ended by then."""
    granted = open_edit(actor=actor, artifact_id=artifact_id, ttl=ttl, purpose=purpose)
    stderr = ""
    try:
        yield granted
    except BaseException as error:
        stderr = getattr(error, "stderr", "")  # of a program that failed
        raise
    finally:
        discard_edit(actor=actor, edit_id=granted.edit.uuid, stderr=stderr)


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
    """Return `transform(before)`, or raise `TimeoutError`.

    A thread cannot be killed: a late one keeps running as a daemon, which does not keep the process alive.
    """
    results: SimpleQueue[bytes | BaseException] = SimpleQueue()

    def work() -> None:
        try:
            results.put(transform(before))
        except BaseException as error:  # noqa: BLE001  (raised again in the caller's thread)
            results.put(error)

    worker = Thread(target=work, name="edit", daemon=True)
    worker.start()
    worker.join(DEADLINE)
    if worker.is_alive():
        raise TimeoutError(f"The edit took longer than {DEADLINE:g} seconds.")
    after = results.get()
    if isinstance(after, BaseException):
        raise after
    if not isinstance(after, bytes):
        raise TypeError(f"The edit made {type(after).__name__}, where bytes were expected.")
    return after
