"""The board: who holds what, in all that the reader may see. Live leases first, the one that ends soonest on top."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import unquote

from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from checkouts.models import Artifact
from checkouts.selectors import artifacts_for
from checkouts.web.polling import mark, polled
from checkouts.web.shown import signed_in
from leasehold import leases
from leasehold.actors import Actor
from leasehold.clock import DatabaseNow
from leasehold.exceptions import Invalid
from leasehold.ids import id_in
from leasehold.leases import HeldLease
from leasehold.models import Lease
from leasehold.selectors import leases_for
from leasehold.web.holds import SOON, Hold
from leasehold.web.reader import actor_of

PAGE = 50
LAPSED_BELOW = 20  # lapsed leases shown below the last live one
TABS = ("all", "mine", "expiring", "lapsed")


@dataclass(frozen=True, slots=True)
class Held:
    """One lease on the board; `artifact` is none where it is on something else than a file."""

    hold: Hold
    artifact: Artifact | None

    @property
    def drawing(self) -> str:
        """The sprite's picture of what is held, where that is no file."""
        return {"role": "pass", "scope": "scope"}.get(self.kind, "info")

    @property
    def kind(self) -> str:
        return self.hold.lease.resource.partition(":")[0]

    @property
    def what(self) -> str:
        """A scope key, or a pass's role and context, in words."""
        name = self.hold.lease.resource.partition(":")[2]
        return " · ".join(unquote(part) for part in name.split("/")) if self.kind == "role" else name

    @property
    def folder(self) -> str:
        return f"{self.artifact.project.slug}/{self.artifact.path[: -len(self.artifact.name)]}" if self.artifact else ""


@signed_in
@require_safe
def board(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    show = request.GET.get("show", "all")
    if show not in TABS:
        raise Invalid.of("show", f"Expected one of {', '.join(TABS)}.")
    after = request.GET.get("after", "")
    seen = leases_for(actor)
    if show == "mine":
        seen = seen.filter(participant=actor.participant)
    live = [] if show == "lapsed" else page_of(seen, show, after)
    lapsed: list[HeldLease] = []
    if show != "expiring" and len(live) <= PAGE:
        limit = PAGE if show == "lapsed" else LAPSED_BELOW
        rows = seen.filter(leases.is_lapsed()).order_by("-expires_at", "-id")[:limit]
        lapsed = [leases.as_held(row) for row in rows]
    address = reverse("board")
    here = f"{address}?show={show}"
    shows = [[mark(lease) for lease in live], [mark(lease) for lease in lapsed]]
    return polled(
        request,
        "checkouts/board.html",
        {
            "section": "board",
            "show": show,
            "tabs": [(name, f"{address}?show={name}") for name in TABS],
            "rows": on_board(actor, live[:PAGE]),
            "lapsed": on_board(actor, lapsed),
            "first": here if after else "",
            "more": f"{here}&after={key_of(live[PAGE - 1])}" if len(live) > PAGE else "",
        },
        shows=shows,
    )


def page_of(seen: QuerySet[Lease], show: str, after: str) -> list[HeldLease]:
    """Live leases by when they end, those without a clock last; one more than a page."""
    live = seen.filter(leases.is_live())
    if show == "expiring":
        live = live.filter(expires_at__lte=DatabaseNow(SOON))
    if after:
        live = live.filter(beyond(after))
    rows = live.order_by(F("expires_at").asc(nulls_last=True), "id")[: PAGE + 1]
    return [leases.as_held(row) for row in rows]


def key_of(lease: HeldLease) -> str:
    """Where a page ended, as it stands in the address: `2026-11-30T17:20:00.000000Z_artifact:12`."""
    ends = f"{lease.expires_at:%Y-%m-%dT%H:%M:%S.%fZ}" if lease.expires_at else "never"
    return f"{ends}_{lease.resource}"


def beyond(after: str) -> Q:
    """What comes after that key."""
    ends, _, resource = after.partition("_")
    row = Lease.objects.filter(resource=resource.replace("\0", "")).values_list("id", flat=True).first()
    at = moment(ends)
    if row is None or (at is None and ends != "never"):
        raise Invalid.of("after", "This is no place on the board.")
    if at is None:
        return Q(expires_at=None, id__gt=row)
    return Q(expires_at__gt=at) | Q(expires_at=at, id__gt=row) | Q(expires_at=None)


def moment(text: str) -> datetime | None:
    try:
        found = parse_datetime(text)
        return found.astimezone(UTC) if found is not None and found.tzinfo is not None else None
    except (ValueError, OverflowError):  # no time, or one that is before the first year in UTC
        return None


def on_board(actor: Actor, held: Iterable[HeldLease]) -> list[Held]:
    """Each lease with its file, read in one statement for all."""
    held = list(held)
    ids = {lease.resource: artifact_id(lease) for lease in held}
    files = artifacts_for(actor).in_bulk([pk for pk in ids.values() if pk is not None])
    return [Held(Hold.seen_by(actor.user, lease), files.get(ids[lease.resource] or 0)) for lease in held]


def artifact_id(lease: HeldLease) -> int | None:
    kind, _, number = lease.resource.partition(":")
    return id_in(number) if kind == "artifact" else None
