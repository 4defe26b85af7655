"""The board: who holds what in all projects that the reader may see. The next to end comes first, lapsed ones last.

Sessions are rows too: a reservation does not expire, but the session that works on its ticket does.
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
from checkouts.web.polling import lease_data, render_polled
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
LAPSED_BELOW = 20  # lapsed leases listed below the last live item
TABS = ("all", "mine", "expiring", "lapsed")
BoardItem = HeldLease | Session


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One row: a lease (`artifact` is None if it is not on a file), or an active session."""

    hold: Hold
    artifact: Artifact | None = None
    session: Session | None = None

    @property
    def icon(self) -> str:
        """Return the icon of a pass or a scope key. Files and sessions have their own."""
        return {"role": "pass", "scope": "scope"}.get(self.kind, "info")

    @property
    def kind(self) -> str:
        return self.hold.lease.resource.partition(":")[0]

    @property
    def name(self) -> str:
        """Return the scope key, or the pass's role and context."""
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
    visible = leases_for(actor)
    if show == "mine":
        visible = visible.filter(participant=actor.participant)
    live: list[BoardItem] = [] if show == "lapsed" else live_items(actor, visible, show, after)
    lapsed: list[HeldLease] = []
    if show != "expiring" and len(live) <= PAGE:
        limit = PAGE if show == "lapsed" else LAPSED_BELOW
        rows = visible.filter(leases.is_lapsed()).order_by("-expires_at", "-id")[:limit]
        lapsed = [leases.as_held(row) for row in rows]
    named = name_workers(actor, [item for item in live[:PAGE] if isinstance(item, HeldLease)])
    workers = {lease.resource: lease for lease in named}
    items = [workers.get(item.resource, item) if isinstance(item, HeldLease) else item for item in live[:PAGE]]
    address = reverse("board")
    here = f"{address}?show={show}"
    loose = count_rows(loose=loose_checkouts(actor)) if show in ("mine", "lapsed") else {}
    data = [[item_data(item) for item in items], [lease_data(lease) for lease in lapsed], len(live), loose]
    return render_polled(
        request,
        "board/board.html",
        {
            "section": "board",
            "show": show,
            "tabs": [(name, f"{address}?show={name}") for name in TABS],
            **loose,
            "rows": board_rows(actor, items),
            "lapsed": board_rows(actor, lapsed),
            "first": here if after else "",
            "more": f"{here}&after={cursor_of(live[PAGE - 1])}" if len(live) > PAGE else "",
        },
        data=data,
    )


def live_items(actor: Actor, visible: QuerySet[Lease], show: str, after: str) -> list[BoardItem]:
    """Return live leases and sessions by their end, leases without an expiry last; one more than a page.

    Two statements.
    """
    live = visible.filter(leases.is_live())
    runs = sessions_for(actor).filter(status=Session.Status.ACTIVE, lease_until__gt=DatabaseNow())
    if show == "mine":
        runs = runs.filter(worker=actor.user)
    if show == "expiring":
        live, runs = live.filter(expires_at__lte=DatabaseNow(SOON)), runs.filter(lease_until__lte=DatabaseNow(SOON))
    if after:
        later_leases, later_sessions = after_cursor(after)
        live, runs = live.filter(later_leases), runs.filter(later_sessions)
    rows = live.order_by(F("expires_at").asc(nulls_last=True), "id")[: PAGE + 1]
    found: list[BoardItem] = [leases.as_held(row) for row in rows]
    found += runs.order_by("lease_until", "id")[: PAGE + 1]
    return sorted(found, key=sort_key)[: PAGE + 1]


def sort_key(item: BoardItem) -> tuple[bool, float, bool]:
    """Return the key to sort by. The sort is stable, so rows that end together stay in the order of their ids."""
    end = end_of(item)
    return end is None, end.timestamp() if end else 0, isinstance(item, Session)


def end_of(item: BoardItem) -> datetime | None:
    return item.lease_until if isinstance(item, Session) else item.expires_at


def item_data(item: BoardItem) -> Any:
    """Return what the page displays of the row, without the time left."""
    if isinstance(item, HeldLease):
        return lease_data(item)
    return item.pk, item.lease_until, item.stop_requested_at


def cursor_of(item: BoardItem) -> str:
    """Return the URL's cursor of a row: `2026-11-30T17:20:00.000000Z_artifact:12`, or `…_session:3`."""
    end = end_of(item)
    name = f"session:{item.pk}" if isinstance(item, Session) else item.resource
    return f"{end:%Y-%m-%dT%H:%M:%S.%fZ}_{name}" if end else f"never_{name}"


def after_cursor(cursor: str) -> tuple[Q, Q]:
    """Return the conditions for the leases and the sessions after the cursor. Raises `Invalid`.

    Sessions follow the leases that end at the same time.
    """
    end, _, name = cursor.partition("_")
    at = parse_time(end)
    if at is not None and name.startswith("session:") and (number := id_in(name.removeprefix("session:"))):
        return (
            Q(expires_at__gt=at) | Q(expires_at=None),
            Q(lease_until__gt=at) | Q(lease_until=at, id__gt=number),
        )
    row = Lease.objects.filter(resource=name.replace("\0", "")).values_list("id", flat=True).first()
    if row is None or (at is None and end != "never"):
        raise Invalid.of("after", "This is no place on the board.")
    if at is None:
        return Q(expires_at=None, id__gt=row), Q(pk__in=[])
    return Q(expires_at__gt=at) | Q(expires_at=at, id__gt=row) | Q(expires_at=None), Q(lease_until__gte=at)


def parse_time(text: str) -> datetime | None:
    try:
        found = parse_datetime(text)
        return found.astimezone(UTC) if found is not None and found.tzinfo is not None else None
    except (ValueError, OverflowError):  # not a time, or one before the year 1 in UTC
        return None


def board_rows(actor: Actor, items: Sequence[BoardItem]) -> list[BoardRow]:
    """Return the rows, each with its file; one statement reads all files."""
    ids = {item.resource: artifact_id_of(item) for item in items if isinstance(item, HeldLease)}
    files = artifacts_for(actor).in_bulk([pk for pk in ids.values() if pk is not None])
    return [
        BoardRow(Hold.seen_by(actor.user, item), files.get(ids[item.resource] or 0))
        if isinstance(item, HeldLease)
        else BoardRow(run_of(actor, item).hold, session=item)
        for item in items
    ]


def run_of(actor: Actor, session: Any) -> Run:
    """Return the session as the reader sees it. `session` comes from `sessions_for`."""
    return Run.seen_by(actor.user, session, clock.as_utc(session.at))


def artifact_id_of(lease: HeldLease) -> int | None:
    kind, _, number = lease.resource.partition(":")
    return id_in(number) if kind == "artifact" else None
