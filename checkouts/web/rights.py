"""What the reader may do with a file, for pages that offer it. The actions check again."""

from checkouts.selectors import ArtifactWithLease
from leasehold.actors import Actor
from leasehold.models import Role
from leasehold.rules import includes


def may_edit(actor: Actor, file: ArtifactWithLease) -> bool:
    return includes(actor.effective(file.role), Role.EDITOR)


def may_break(actor: Actor, file: ArtifactWithLease) -> bool:
    return includes(actor.effective(file.role), Role.OPERATOR) and not actor.user.is_agent
