"""A check-in in a process of its own that is killed (-9) at a named point. Run by test_check_in_is_killed.py."""

import os
import signal
import sys
from typing import Any
from unittest import mock

import django


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def pieces(content: bytes, *, dies: bool) -> Any:
    yield content[: len(content) // 2]
    if dies:
        die()
    yield content[len(content) // 2 :]


def main(point: str, username: str, checkout: str, content: str) -> None:
    django.setup()
    from checkouts.actions import check_in as verb
    from checkouts.attempts import endings
    from checkouts.bytes import storage
    from leasehold import journal
    from leasehold.actors import Actor
    from leasehold.models import User

    actor = Actor(User.objects.get(username=username))
    patches = {
        "before the bytes have their name": mock.patch.object(storage.Path, "rename", die),
        "with the version written": mock.patch.object(endings, "advance_head", die),
        "before the commit": mock.patch.object(journal, "write", die),
    }
    with patches.get(point, mock.patch.object(storage, "PIECE", storage.PIECE)):
        received = storage.receive(
            pieces(content.encode(), dies=point == "half-way through the body"),
            declared_size=None,
            declared_digest=None,
            limit=10_000,
        )
        if point == "before the transaction":
            die()
        verb.check_in(actor=actor, checkout_id=int(checkout), upload=received, comment="a red cape")
    die()  # after the commit, before anybody was answered


main(*sys.argv[1:])
