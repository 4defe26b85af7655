"""Bytes that come back: an upload that equals stored bytes which are missing on the disk takes their place there."""

import os
import shutil
import uuid

from checkouts.bytes.site_file import sync_folder
from checkouts.bytes.storage import NOWHERE, TEMPORARY, Received, has_length, make_folder, path_of
from checkouts.bytes.sweep import move_aside
from checkouts.models import Blob
from leasehold.database import clock


def put_back(received: Received, blob: Blob) -> bool:
    """Give the blob's file the bytes of `received`, if it is missing or has another length. Return whether it was.

    Both must have the same digest and size, or nothing happens. The upload keeps its own file. What was left of the old
    file moves to `swept`. Raises OSError. A rolled-back transaction needs no undoing: the bytes are the right ones.
    """
    if (received.digest, received.size) != (blob.digest, blob.size) or received.key == NOWHERE:
        return False
    if has_length(blob.key, blob.size):
        return False
    final = path_of(blob.key)
    temporary = make_folder(TEMPORARY) / str(uuid.uuid4())
    try:
        with path_of(received.key).open("rb") as source, temporary.open("xb") as copy:
            shutil.copyfileobj(source, copy, 1024 * 1024)
            copy.flush()
            os.fsync(copy.fileno())
        move_aside(final, clock.now().date())
        make_folder(final.parent.name)
        temporary.rename(final)
        sync_folder(final.parent)
        sync_folder(final.parent.parent)
    finally:
        temporary.unlink(missing_ok=True)
    return True
