"""My desk: what I have out, what I am at work on, what waits for a decision, and what others did to mine."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from checkouts.actions.holds import extend
from checkouts.models import Checkout, Edit, Proposal
from checkouts.selectors import edits_for, own_open_checkouts, proposals_for, with_own_leases
from checkouts.selectors.bases import with_bases
from checkouts.web.desk.news import news_for
from checkouts.web.files.discards import ask_first
from checkouts.web.polling import mark, polled
from checkouts.web.projects.selection import discarding
from checkouts.web.reports import Report, ids_in
from checkouts.web.views import signed_in
from leasehold import leases
from leasehold.actors import Actor
from leasehold.leases import HeldLease
from leasehold.models import Session
from leasehold.selectors import sessions_for
from leasehold.web.confirmation import Field
from leasehold.web.forms import say
from leasehold.web.holds import Hold
from leasehold.web.reader import actor_of

MOST = 200  # of one's own check-outs on the page
RECENT = 10  # of one's proposals that are decided already
LOSSES = {"broken": "broke it", "taken_over": "took it over", "handed_over": "handed it over"}


@dataclass(frozen=True, slots=True)
class Mine:
    """One of my open check-outs, and the lease on its file now: mine, another's, or none."""

    record: Checkout
    lease: HeldLease | None
    hold: Hold | None

    @classmethod
    def of(cls, actor: Actor, record: Any) -> "Mine":
        lease = leases.held_from_json(record.lease, record.at)
        is_mine = lease is not None and lease.holder == record.holder and not lease.is_lapsed
        return cls(record, lease, Hold.seen_by(actor.user, lease) if lease and is_mine else None)

    @property
    def state(self) -> str:
        """held, lapsed or lost (an operator ended it, or it was handed over)."""
        if self.record.broken_at:
            return "lost"
        return "held" if self.hold else "lapsed"

    @property
    def loss(self) -> str:
        """How it was lost, after the name of whoever did it."""
        return LOSSES.get(self.record.broken_how, "broke it")

    @property
    def taken_by(self) -> str:
        """Who has the file now, where that is somebody else, or another of my own check-outs."""
        if self.hold or self.lease is None or self.lease.is_lapsed:
            return ""
        return self.lease.participant.partition(":")[2]

    @property
    def may_extend(self) -> bool:
        """As things stand; the action judges it again."""
        artifact = self.record.artifact
        is_at_head = artifact.head_id == self.record.base_version_id
        return self.state != "lost" and not self.taken_by and is_at_head and not artifact.archived_at

    @property
    def folder(self) -> str:
        artifact = self.record.artifact
        return f"{artifact.project.slug}/{artifact.path[: -len(artifact.name)]}"


@signed_in
@require_safe
def desk(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    mine = on_desk(actor)
    shown = mine[:MOST]
    held = [one for one in shown if one.state == "held"]
    ends = min((one.record.expires_at for one in held), default=None)
    sessions: list[Any] = list(sessions_for(actor).filter(worker=actor.user, status=Session.Status.ACTIVE)[:MOST])
    edits = list(edits_for(actor).filter(actor=actor.user, state=Edit.State.OPEN)[:MOST])
    facts: dict[str, Any] = {
        "section": "desk",
        "rows": shown,
        "more": len(mine) > MOST,
        "held": len(held),
        "loose": len(shown) - len(held),
        "extensible": [one for one in shown if one.may_extend],
        "ends": ends,
        "check_ins": len(shown),
        "desk_count": len(shown),  # in the navigation, which is renewed with the list
        "sessions": sessions,
        "edits": edits,
        "proposals": with_bases(own_proposals(actor)),
        "news": news_for(actor, [one.record for one in shown]),
    }
    shows = [
        [(one.record.pk, one.state, mark(one.lease), one.record.artifact.head_id, one.may_extend) for one in shown],
        [(session.pk, session.lease_until, session.is_lapsed, session.stop_requested_at) for session in sessions],
        [(proposal.pk, proposal.state, str(start)) for proposal, start in facts["proposals"]],
        [edit.pk for edit in edits],
        [(one.at, one.text) for one in facts["news"]],
    ]
    return polled(request, "checkouts/desk.html", facts, shows=shows)


def on_desk(actor: Actor) -> list[Mine]:
    """Held ones first, the one that ends soonest on top; then the lapsed and lost ones, newest first. One statement."""
    records = with_own_leases(own_open_checkouts(actor).select_related("artifact__head"))[: MOST + 1]
    mine = [Mine.of(actor, record) for record in records]
    held = sorted((one for one in mine if one.state == "held"), key=lambda one: one.record.expires_at)
    return held + [one for one in mine if one.state != "held"]


def own_proposals(actor: Actor) -> list[Proposal]:
    """Those that wait, and the last that were decided. Two statements."""
    own = proposals_for(actor).filter(author=actor.user)
    waiting = own.filter(state=Proposal.State.OPEN)[:MOST]
    return [*waiting, *own.exclude(state=Proposal.State.OPEN)[:RECENT]]


@signed_in
@require_POST
def extend_many(request: HttpRequest) -> HttpResponse:
    """The ticked ones, or with `all` whatever can be extended; each for what was first asked for."""
    actor = actor_of(request)
    if "all" in request.POST:
        records = [one.record for one in on_desk(actor) if one.may_extend]
    else:
        records = list(own_open_checkouts(actor).filter(pk__in=ids_in(request, "checkout")))
    report = Report().each((record.artifact.name, extending(actor, record)) for record in records)
    report.tell(request, "{them} extended.\nEach for the time that was first asked for.", "is-mine")
    if not records:
        say(
            request,
            "There is nothing to extend.\nWhat was ended or has a newer version can only be checked in.",
            "is-lapsed",
        )
    return redirect("desk")


def extending(actor: Actor, record: Checkout) -> Any:
    return lambda: extend(actor=actor, checkout_id=record.pk)


@signed_in
@require_POST
def discard_many(request: HttpRequest) -> HttpResponse:
    """The ticked ones: each ends, and nothing is committed."""
    actor = actor_of(request)
    ids = ids_in(request, "checkout")
    records = own_open_checkouts(actor).filter(pk__in=ids)
    if "ask" in request.POST and records:
        carried = [Field("checkout", kind="hidden", options=ids)]
        return ask_first(request, list(records), fields=carried, back=reverse("desk"), section="desk")
    report = Report().each((record.artifact.name, discarding(actor, record)) for record in records)
    done = "Your check-out of {them} has ended, and nothing was committed.\nThe copies on your disk are as they were."
    report.tell(request, done, "is-lapsed")
    return redirect("desk")
