"""Make uploads, files and check-outs through the actions, as the API and the pages do."""

from pathlib import Path

from checkouts.actions.artifacts import add_artifact
from checkouts.actions.check_in import check_in
from checkouts.actions.check_out import check_out
from checkouts.bytes.storage import Received, receive
from checkouts.models import Artifact, Checkout
from checkouts.outcomes import Granted, Outcome
from leasehold.actors import Actor
from leasehold.models import User

HOUR = 3600


def received(content: str) -> Received:
    """Store `content` and return it as an action takes an upload."""
    return receive([content.encode()], declared_size=None, declared_digest=None, limit=1_000_000)


def put(user: User, path: str = "heroes/hero.psd", content: str = "one", project: str = "art") -> Artifact:
    """Add a file with `content` as its version 1."""
    return add_artifact(actor=Actor(user), project=project, path=path, upload=received(content))


def out(user: User, artifact: Artifact, ttl: int = HOUR, **more) -> Granted:
    return check_out(actor=Actor(user), artifact_id=artifact.pk, ttl=ttl, **more)


def back(user: User, checkout: Checkout, content: str, **more) -> Outcome:
    return check_in(actor=Actor(user), checkout_id=checkout.pk, upload=received(content), **more)


def stored_files(blobs: Path) -> list[Path]:
    """Return the stored bytes and the temp files in a folder of bytes, sorted; not what stands beside them."""
    kept = [path for path in blobs.rglob("*") if path.is_file() and path.parent != blobs]
    return sorted(path for path in kept if path.suffix != ".label")
