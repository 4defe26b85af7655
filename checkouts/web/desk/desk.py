"""The desk: the reader's check-outs, sessions, edits and proposals, and news of what others did to them."""

from collections.abc import Callable
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
from checkouts.web.files.discards import confirm_discard, discard_verb
from checkouts.web.polling import lease_data, render_polled
from checkouts.web.reports import BatchReport, ticked_ids
from checkouts.web.views import signed_in
from leasehold import leases
from leasehold.actors import Actor
from leasehold.leases import HeldLease
from leasehold.models import Session
from leasehold.selectors import sessions_for
from leasehold.web.confirmation import Field
from leasehold.web.forms import add_message
from leasehold.web.holds import Hold
from leasehold.web.reader import actor_of

MOST = 200  # check-outs on the page
RECENT = 10  # decided proposals on the page
LOSSES = {"broken": "broke it", "taken_over": "took it over", "handed_over": "handed it over"}


@dataclass(frozen=True, slots=True)
class DeskRow:
    """One of the reader's open check-outs, with the current lease on its file: its own, another's, or none."""

    checkout: Checkout
    lease: HeldLease | None
    hold: Hold | None

    @classmethod
    def of(cls, actor: Actor, checkout: Any) -> "DeskRow":
        lease = leases.held_from_json(checkout.lease, checkout.at)
        is_mine = lease is not None and lease.holder == checkout.holder and not lease.is_lapsed
        return cls(checkout, lease, Hold.seen_by(actor.user, lease) if lease and is_mine else None)

    @property
    def state(self) -> str:
        """Return `held`, `lapsed` or `lost` (an operator ended it, or it was handed over)."""
        if self.checkout.broken_at:
            return "lost"
        return "held" if self.hold else "lapsed"

    @property
    def loss(self) -> str:
        """Return how it was lost, as the end of a sentence that begins with the person's name."""
        return LOSSES.get(self.checkout.broken_how, "broke it")

    @property
    def taken_by(self) -> str:
        """Return who holds the file now, if not this check-out; it may be the reader by another check-out."""
        if self.hold or self.lease is None or self.lease.is_lapsed:
            return ""
        return self.lease.participant.partition(":")[2]

    @property
    def may_extend(self) -> bool:
        """Return whether the page offers to extend it. The action checks again."""
        artifact = self.checkout.artifact
        is_at_head = artifact.head_id == self.checkout.base_version_id
        return self.state != "lost" and not self.taken_by and is_at_head and not artifact.archived_at

    @property
    def folder(self) -> str:
        artifact = self.checkout.artifact
        return f"{artifact.project.slug}/{artifact.path[: -len(artifact.name)]}"


@signed_in
@require_safe
def desk(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    all_rows = desk_rows(actor)
    rows = all_rows[:MOST]
    held = [row for row in rows if row.state == "held"]
    ends = min((row.checkout.expires_at for row in held), default=None)
    sessions: list[Any] = list(sessions_for(actor).filter(worker=actor.user, status=Session.Status.ACTIVE)[:MOST])
    edits = list(edits_for(actor).filter(actor=actor.user, state=Edit.State.OPEN)[:MOST])
    context: dict[str, Any] = {
        "section": "desk",
        "rows": rows,
        "more": len(all_rows) > MOST,
        "held": len(held),
        "loose": len(rows) - len(held),
        "extensible": [row for row in rows if row.may_extend],
        "ends": ends,
        "check_ins": len(rows),
        "desk_count": len(rows),  # in the navigation, which is refreshed with the list
        "sessions": sessions,
        "edits": edits,
        "proposals": with_bases(own_proposals(actor)),
        "news": news_for(actor, [row.checkout for row in rows]),
    }
    data = [
        [
            (row.checkout.pk, row.state, lease_data(row.lease), row.checkout.artifact.head_id, row.may_extend)
            for row in rows
        ],
        [(session.pk, session.lease_until, session.is_lapsed, session.stop_requested_at) for session in sessions],
        [(proposal.pk, proposal.state, str(base)) for proposal, base in context["proposals"]],
        [edit.pk for edit in edits],
        [(news.at, news.text) for news in context["news"]],
    ]
    return render_polled(request, "desk/desk.html", context, data=data)


def desk_rows(actor: Actor) -> list[DeskRow]:
    """Return the held check-outs, the next to end first; then lapsed and lost ones, the newest first. One statement."""
    checkouts = with_own_leases(own_open_checkouts(actor).select_related("artifact__head"))[: MOST + 1]
    rows = [DeskRow.of(actor, checkout) for checkout in checkouts]
    held = sorted((row for row in rows if row.state == "held"), key=lambda row: row.checkout.expires_at)
    return held + [row for row in rows if row.state != "held"]


def own_proposals(actor: Actor) -> list[Proposal]:
    """Return the waiting ones, and the last decided ones. Two statements."""
    own = proposals_for(actor).filter(author=actor.user)
    waiting = own.filter(state=Proposal.State.OPEN)[:MOST]
    return [*waiting, *own.exclude(state=Proposal.State.OPEN)[:RECENT]]


@signed_in
@require_POST
def extend_many(request: HttpRequest) -> HttpResponse:
    """Extend the ticked check-outs, or with `all` every extensible one, each by the duration it was opened with."""
    actor = actor_of(request)
    if "all" in request.POST:
        checkouts = [row.checkout for row in desk_rows(actor) if row.may_extend]
    else:
        checkouts = list(own_open_checkouts(actor).filter(pk__in=ticked_ids(request, "checkout")))
    report = BatchReport().run((checkout.artifact.name, extend_verb(actor, checkout)) for checkout in checkouts)
    report.add_messages(request, "{them} extended.\nEach for the time that was first asked for.", "is-mine")
    if not checkouts:
        add_message(
            request,
            "There is nothing to extend.\nWhat was ended or has a newer version can only be checked in.",
            "is-lapsed",
        )
    return redirect("desk")


def extend_verb(actor: Actor, checkout: Checkout) -> Callable[[], object]:
    """Return a call without arguments that extends the check-out, for `BatchReport.run`."""
    return lambda: extend(actor=actor, checkout_id=checkout.pk)


@signed_in
@require_POST
def discard_many(request: HttpRequest) -> HttpResponse:
    """Discard the ticked check-outs."""
    actor = actor_of(request)
    ids = ticked_ids(request, "checkout")
    checkouts = own_open_checkouts(actor).filter(pk__in=ids)
    if "ask" in request.POST and checkouts:
        fields = [Field("checkout", kind="hidden", options=ids)]
        return confirm_discard(request, list(checkouts), fields=fields, back=reverse("desk"), section="desk")
    report = BatchReport().run((checkout.artifact.name, discard_verb(actor, checkout)) for checkout in checkouts)
    done = "Your check-out of {them} has ended, and nothing was committed.\nThe copies on your disk are as they were."
    report.add_messages(request, done, "is-lapsed")
    return redirect("desk")
