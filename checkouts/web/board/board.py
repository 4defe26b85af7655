"""The board: who holds what, in all that the reader may see. What ends soonest is on top, lapsed leases at the bottom.

Sessions stand among the leases: a reservation has no clock, but whoever works at its ticket has.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from checkouts.models import Artifact
from checkouts.selectors import artifacts_for, loose_checkouts
from checkouts.web.polling import mark, polled
from checkouts.web.views import signed_in
from leasehold import leases
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.database.clock import DatabaseNow
from leasehold.database.ids import id_in
from leasehold.exceptions import Invalid
from leasehold.leases import HeldLease
from leasehold.models import Lease, Session
from leasehold.selectors import leases_for, name_workers, sessions_for
from leasehold.selectors.counts import count_rows
from leasehold.web.holds import SOON, Hold
from leasehold.web.reader import actor_of
from leasehold.web.tickets.runs import Run

PAGE = 50
LAPSED_BELOW = 20  # lapsed leases shown below the last live one
TABS = ("all", "mine", "expiring", "lapsed")
Shown = HeldLease | Session


@dataclass(frozen=True, slots=True)
class Held:
    """One row: a lease (`artifact` is none where it is on something else than a file), or a session at work."""

    hold: Hold
    artifact: Artifact | None = None
    session: Session | None = None

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
    live: list[Shown] = [] if show == "lapsed" else page_of(actor, seen, show, after)
    lapsed: list[HeldLease] = []
    if show != "expiring" and len(live) <= PAGE:
        limit = PAGE if show == "lapsed" else LAPSED_BELOW
        rows = seen.filter(leases.is_lapsed()).order_by("-expires_at", "-id")[:limit]
        lapsed = [leases.as_held(row) for row in rows]
    told = name_workers(actor, [one for one in live[:PAGE] if isinstance(one, HeldLease)])
    workers = {lease.resource: lease for lease in told}
    shown = [workers.get(one.resource, one) if isinstance(one, HeldLease) else one for one in live[:PAGE]]
    address = reverse("board")
    here = f"{address}?show={show}"
    loose = count_rows(loose=loose_checkouts(actor)) if show in ("mine", "lapsed") else {}
    shows = [[marked(one) for one in shown], [mark(lease) for lease in lapsed], len(live), loose]
    return polled(
        request,
        "checkouts/board.html",
        {
            "section": "board",
            "show": show,
            "tabs": [(name, f"{address}?show={name}") for name in TABS],
            **loose,
            "rows": on_board(actor, shown),
            "lapsed": on_board(actor, lapsed),
            "first": here if after else "",
            "more": f"{here}&after={key_of(live[PAGE - 1])}" if len(live) > PAGE else "",
        },
        shows=shows,
    )


def page_of(actor: Actor, seen: QuerySet[Lease], show: str, after: str) -> list[Shown]:
    """What is live by when it ends, leases without a clock last; one more than a page. Two statements."""
    live = seen.filter(leases.is_live())
    runs = sessions_for(actor).filter(status=Session.Status.ACTIVE, lease_until__gt=DatabaseNow())
    if show == "mine":
        runs = runs.filter(worker=actor.user)
    if show == "expiring":
        live, runs = live.filter(expires_at__lte=DatabaseNow(SOON)), runs.filter(lease_until__lte=DatabaseNow(SOON))
    if after:
        later, later_runs = beyond(after)
        live, runs = live.filter(later), runs.filter(later_runs)
    rows = live.order_by(F("expires_at").asc(nulls_last=True), "id")[: PAGE + 1]
    found: list[Shown] = [leases.as_held(row) for row in rows]
    found += runs.order_by("lease_until", "id")[: PAGE + 1]
    return sorted(found, key=order_of)[: PAGE + 1]


def order_of(one: Shown) -> tuple[bool, float, bool]:
    """Sorting keeps the order of ids, which the database made."""
    ends = ends_of(one)
    return ends is None, ends.timestamp() if ends else 0, isinstance(one, Session)


def ends_of(one: Shown) -> datetime | None:
    return one.lease_until if isinstance(one, Session) else one.expires_at


def marked(one: Shown) -> Any:
    """What the page shows of it, without the time that passes."""
    if isinstance(one, HeldLease):
        return mark(one)
    return one.pk, one.lease_until, one.stop_requested_at


def key_of(one: Shown) -> str:
    """Where a page ended, as it stands in the address: `2026-11-30T17:20:00.000000Z_artifact:12`, or `…_session:3`."""
    ends = ends_of(one)
    name = f"session:{one.pk}" if isinstance(one, Session) else one.resource
    return f"{ends:%Y-%m-%dT%H:%M:%S.%fZ}_{name}" if ends else f"never_{name}"


def beyond(after: str) -> tuple[Q, Q]:
    """What comes after that key: of the leases, and of the sessions, which follow leases that end at the same time."""
    ends, _, name = after.partition("_")
    at = moment(ends)
    if at is not None and name.startswith("session:") and (number := id_in(name.removeprefix("session:"))):
        return (
            Q(expires_at__gt=at) | Q(expires_at=None),
            Q(lease_until__gt=at) | Q(lease_until=at, id__gt=number),
        )
    row = Lease.objects.filter(resource=name.replace("\0", "")).values_list("id", flat=True).first()
    if row is None or (at is None and ends != "never"):
        raise Invalid.of("after", "This is no place on the board.")
    if at is None:
        return Q(expires_at=None, id__gt=row), Q(pk__in=[])
    return Q(expires_at__gt=at) | Q(expires_at=at, id__gt=row) | Q(expires_at=None), Q(lease_until__gte=at)


def moment(text: str) -> datetime | None:
    try:
        found = parse_datetime(text)
        return found.astimezone(UTC) if found is not None and found.tzinfo is not None else None
    except (ValueError, OverflowError):  # no time, or one that is before the first year in UTC
        return None


def on_board(actor: Actor, shown: Sequence[Shown]) -> list[Held]:
    """Each with its file, read in one statement for all."""
    ids = {one.resource: artifact_id(one) for one in shown if isinstance(one, HeldLease)}
    files = artifacts_for(actor).in_bulk([pk for pk in ids.values() if pk is not None])
    return [
        Held(Hold.seen_by(actor.user, one), files.get(ids[one.resource] or 0))
        if isinstance(one, HeldLease)
        else Held(run_of(actor, one).hold, session=one)
        for one in shown
    ]


def run_of(actor: Actor, session: Any) -> Run:
    """`session`: a row of `sessions_for`."""
    return Run.seen_by(actor.user, session, clock.as_utc(session.at))


def artifact_id(lease: HeldLease) -> int | None:
    kind, _, number = lease.resource.partition(":")
    return id_in(number) if kind == "artifact" else None
