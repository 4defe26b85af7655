"""Journal entries about artifacts."""

from datetime import datetime
from typing import Any

from checkouts.models import Artifact
from leasehold import journal
from leasehold.actors import Actor


def write_artifact_entry(kind: str, actor: Actor, artifact: Artifact, at: datetime, **data: Any) -> None:
    """Append a journal entry about an artifact. `at` and `data` as in `journal.write`."""
    journal.write(kind, at=at, actor=actor, subject=artifact.resource, project_id=artifact.project_id, **data)
