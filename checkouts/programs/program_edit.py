"""An edit by a local program. Only the command line calls it: no request ever starts a program."""

from collections.abc import Sequence

from django.conf import settings

from checkouts.actions.edits import MAX_TTL
from checkouts.bytes import storage
from checkouts.outcomes import Outcome
from checkouts.programs.edit import DEADLINE, opened_edit, put_bytes
from checkouts.programs.runner import output_of
from leasehold.actors import Actor


def edit_with_program(
    *, actor: Actor, artifact_id: int, template: Sequence[str], comment: str = "", purpose: str = ""
) -> Outcome:
    """Like `edit`, with a program that gets a copy of the head as a file. The journal keeps the end of its stderr.

    Raises `ProgramFailed` if the program made no file. It has 30 seconds, and its children are killed with it.
    """
    with opened_edit(actor, artifact_id, ttl=MAX_TTL, purpose=purpose) as granted:
        base, name, limit = granted.edit.base_version, granted.edit.artifact.name, settings.LEASEHOLD_UPLOAD_LIMIT
        with (
            storage.open_blob(base.blob.key) as source,
            output_of(template, source, name=name, limit=limit, deadline=DEADLINE) as result,
        ):
            return put_bytes(actor, granted, result.output, comment=comment, stderr=result.stderr)
