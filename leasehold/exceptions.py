"""The ground floor's refusals: exceptions with a stable `code` and facts as attributes, independent of HTTP.

The first line of a refusal's docstring is its default message. An expected alternative result (unchanged, proposed) is
returned, never raised.
"""

from datetime import datetime
from typing import Any, ClassVar


class Refusal(Exception):
    """The request was refused."""

    code: ClassVar[str] = "error"
    #: names of the attributes that are reported beside the message
    facts: ClassVar[tuple[str, ...]] = ()

    def __init__(self, detail: str = "", **facts: Any) -> None:
        self.detail = detail or (type(self).__doc__ or "").strip().splitlines()[0]
        for name in self.facts:
            setattr(self, name, facts.pop(name, None))
        if facts:
            raise TypeError(f"{type(self).__name__} has no fact {', '.join(facts)}")
        super().__init__(self.detail)


class Invalid(Refusal):
    """Something in the request is not as it must be."""

    code = "invalid"
    facts = ("errors",)
    errors: list[dict[str, str]]

    @classmethod
    def of(cls, field: str, detail: str) -> "Invalid":
        """Make the refusal for one field."""
        return cls(errors=[{"field": field, "detail": detail}])

    def __str__(self) -> str:
        """The errors as a command prints them."""
        return "; ".join(f"{error['field']}: {error['detail']}" for error in self.errors or []) or self.detail


class Forbidden(Refusal):
    """You may not do this."""

    code = "forbidden"


class NotFound(Refusal):
    """There is no such thing, or it is not yours to see."""

    code = "not_found"


class Busy(Refusal):
    """Somebody else holds this.

    leases: every conflicting lease, ordered by resource.
    """

    code = "busy"
    facts = ("leases",)
    leases: list[Any]  # HeldLease, of the engine above


class RoleContextBusy(Refusal):
    """Another pass of this role runs on this context."""

    code = "role_context_busy"
    facts = ("pass_id", "role", "context", "acquired_at")
    pass_id: str
    role: str
    context: str
    acquired_at: datetime


class LeaseLost(Refusal):
    """The lease ended before this was done."""

    code = "lease_lost"
    facts = ("lease",)


class WrongState(Refusal):
    """This is not possible in the present state."""

    code = "wrong_state"
    facts = ("state", "allowed")


class PreconditionFailed(Refusal):
    """It has changed since you read it."""

    code = "precondition_failed"
    facts = ("etag",)


class Throttled(Refusal):
    """Too many attempts.

    retry_after: seconds.
    """

    code = "throttled"
    facts = ("retry_after",)
    retry_after: int


class BodyTooLarge(Refusal):
    """The request is larger than is taken here.

    limit: bytes.
    """

    code = "too_large"
    facts = ("limit",)


class TryAgain(Refusal):
    """The database is overloaded. Nothing was done; try again."""

    code = "try_again"


class Unauthenticated(Refusal):
    """The name and the password do not match."""

    code = "unauthenticated"


class ScopeReserved(Refusal):
    """Another ticket has reserved this."""

    code = "scope_reserved"
    facts = ("reserved",)
    reserved: list[dict[str, Any]]

    @classmethod
    def by(cls, reserved: dict[int, list[str]]) -> "ScopeReserved":
        """Make the refusal from ticket id → its overlapping keys. Clients may rely on the wording of the message."""
        ordered = [(ticket, sorted(keys)) for ticket, keys in sorted(reserved.items())]
        return cls(
            "; ".join(f"resource scope reserved by {ticket}: {', '.join(keys)}" for ticket, keys in ordered),
            reserved=[{"ticket": ticket, "keys": keys} for ticket, keys in ordered],
        )

    @property
    def words(self) -> str:
        """The message as pages show it."""
        clauses = [f"ticket {row['ticket']} reserves {', '.join(row['keys'])}" for row in self.reserved or []]
        text = " and ".join(clauses)
        return f"{text[:1].upper()}{text[1:]}, until an operator decides on it."


class ScopeInUse(Refusal):
    """Somebody else has files checked out below these keys."""

    code = "scope_in_use"
    facts = ("leases",)
    leases: list[Any]  # HeldLease, of the engine above


class TicketBusy(Refusal):
    """Somebody is working at this ticket."""

    code = "ticket_busy"
    facts = ("session",)


class CheckoutsOpen(Refusal):
    """The session has files checked out still."""

    code = "checkouts_open"
    facts = ("checkouts",)
    checkouts: list[dict[str, Any]]


class IdempotencyMismatch(Refusal):
    """This Idempotency-Key belongs to another request."""

    code = "idempotency_mismatch"


class InProgress(Refusal):
    """The same request is under way. Ask again for its answer."""

    code = "in_progress"
