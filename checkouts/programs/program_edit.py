"""An edit by a local program. Only the command line comes here: no request ever starts a program."""

from collections.abc import Sequence

from django.conf import settings

from checkouts.actions.edits import MAX_TTL
from checkouts.bytes import storage
from checkouts.outcomes import Outcome
from checkouts.programs.edit import DEADLINE, held, put_bytes
from checkouts.programs.runner import made_by
from leasehold.actors import Actor


def edit_with_program(
    *, actor: Actor, artifact_id: int, template: Sequence[str], comment: str = "", purpose: str = ""
) -> Outcome:
    """Like `edit`, with a program that is given a copy of the head as a file. Its last words are kept with the
    journal's entry.

    Raises `ProgramFailed` where it made no file; it has 30 seconds, and its children end with it.
    """
    with held(actor, artifact_id, ttl=MAX_TTL, purpose=purpose) as granted:
        base, name, limit = granted.edit.base_version, granted.edit.artifact.name, settings.LEASEHOLD_UPLOAD_LIMIT
        with (
            storage.open_blob(base.blob.key) as source,
            made_by(template, source, name=name, limit=limit, deadline=DEADLINE) as made,
        ):
            return put_bytes(actor, granted, made.output, comment=comment, stderr=made.stderr)
