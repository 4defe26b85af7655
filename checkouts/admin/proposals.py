"""The admin of proposals, with the decisions on them."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.safestring import SafeString

from checkouts.actions import proposals
from checkouts.admin.files import FileAdmin, by_file_or_account
from checkouts.models import Blob, Proposal
from checkouts.selectors import proposals_for
from checkouts.selectors.bases import base_of
from leasehold.actors import Actor
from leasehold.admin import filters
from leasehold.admin.actions import ActionCall, ActionResult, AdminAction, Reason
from leasehold.admin.columns import size_text, state_mark
from leasehold.models import Membership, Role
from leasehold.rules import includes

ROLES = {Proposal.State.OPEN: "proposal", Proposal.State.ACCEPTED: "free"}


class AcceptForm(forms.Form):
    comment = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3, "cols": 60}))


def accept(call: ActionCall) -> ActionResult:
    version = proposals.accept(actor=call.actor, proposal_id=call.row.pk, **call.values)
    return ActionResult(f"{call.row.artifact.path} has version {version.number} now.")


def reject(call: ActionCall) -> ActionResult:
    proposals.reject(actor=call.actor, proposal_id=call.row.pk, **call.values)
    return ActionResult(f"Proposal {call.row.pk} is rejected.")


def rebuild(call: ActionCall) -> ActionResult:
    proposal = proposals.rebuild(actor=call.actor, proposal_id=call.row.pk)
    return ActionResult(f"It is proposal {proposal.pk} now, against the newest version.")


def may_decide(actor: Actor, row: Any) -> bool:
    return row.state == Proposal.State.OPEN and includes(actor.effective(row.role), Role.OPERATOR)


def may_rebuild(actor: Actor, row: Any) -> bool:
    return may_decide(actor, row) and row.artifact.head_id != row.base_version_id


@admin.register(Proposal)
class ProposalAdmin(FileAdmin):
    list_display = ("id", "artifact", "author", "state_", "created_at", "size", "comment", "file")
    fields = (
        "artifact", "author", "state_", "created_at", "started", "base_version", "size", "comment", "provenance",
        "decided_by", "decided_at", "reason",
    )  # fmt: skip
    ordering = ("-id",)
    list_filter = (
        filters.choices("state", "state", dict(Proposal.State.choices), lambda rows, state: rows.filter(state=state)),
        filters.project("artifact__project"),
    )
    search_help_text = "A number, artifact:12, or the whole name of its author."

    columns = ("artifact", "author", "state_", "created_at", "size", "started", "base_version")
    admin_actions = (
        AdminAction(
            name="accept",
            label="Accept…",
            fits=may_decide,
            run=accept,
            form=AcceptForm,
            consequences=(
                "Its bytes become the file's next version, its author stays the author. Refused while anybody has "
                "the file checked out, and if the file has moved on since the proposal was kept."
            ),
        ),
        AdminAction(
            name="reject",
            label="Reject…",
            fits=may_decide,
            run=reject,
            form=Reason,
            is_grave=True,
            consequences="It will not become a version. Its bytes can still be downloaded.",
        ),
        AdminAction(
            name="rebuild",
            label="Rebuild…",
            fits=may_rebuild,
            run=rebuild,
            consequences=(
                "The same bytes are proposed again, against the newest version: somebody has looked at both. The "
                "old proposal is superseded."
            ),
        ),
    )

    def rows(self, actor: Actor) -> QuerySet[Any]:
        mine = Membership.objects.filter(project=OuterRef("artifact__project"), user=actor.user).values("role")[:1]
        return proposals_for(actor).annotate(role=Subquery(mine))

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return by_file_or_account(rows, term, "author")

    def subject(self, row: Proposal) -> str:
        return row.artifact.resource

    def file_of(self, row: Proposal) -> tuple[Blob, str] | None:
        return row.blob, row.artifact.name

    @admin.display(description="state")
    def state_(self, row: Proposal) -> SafeString:
        return state_mark(row.state, ROLES.get(Proposal.State(row.state), "lapsed"))

    @admin.display(description="began")
    def started(self, row: Proposal) -> str:
        """Return the version that the author started from, and the later ones that the proposal does not contain."""
        return str(base_of(row))

    @admin.display(description="size")
    def size(self, row: Proposal) -> str:
        return size_text(row.blob.size)
