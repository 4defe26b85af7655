"""What belongs to an account: tokens, and what it still holds."""

from django.db.models import QuerySet

from leasehold.actors import Actor
from leasehold.exceptions import NotFound
from leasehold.models import Lease, Session, Token, User
from leasehold.ports import Holding, holdings_of
from leasehold.selectors.leases import _with_prefix


def in_hand(user: User) -> list[Holding]:
    """What an account has on its hands on every floor: sessions at work, passes, and what the floor above adds."""
    sessions = Session.objects.filter(worker=user, status=Session.Status.ACTIVE).order_by("pk")
    passes = Lease.objects.filter(_with_prefix("resource", "role:"), participant=user.participant).exclude(holder="")
    return [
        *(Holding(f"session {session.pk} at ticket {session.ticket_id}", "") for session in sessions),
        *(Holding(f"the pass {lease.resource.removeprefix('role:')}", "") for lease in passes.order_by("resource")),
        *holdings_of(user),
    ]


def tokens_of(actor: Actor) -> QuerySet[Token]:
    """The actor's own tokens, those that ended too."""
    return Token.objects.filter(user=actor.user).select_related("user").order_by("-id")


def token_of(actor: Actor, token_id: int) -> Token:
    """One of the actor's own; `NotFound` for every other."""
    if (found := tokens_of(actor).filter(pk=token_id).first()) is None:
        raise NotFound
    return found
