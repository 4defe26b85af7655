"""Check-outs: what people hold, and the acts by which they end."""

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.views.decorators.csrf import csrf_exempt

from checkouts import wording
from checkouts.actions import breaks, holds
from checkouts.actions.check_in import check_in, expect_check_in
from checkouts.admin.files import FileAdmin, by_file_or_account
from checkouts.bytes.intake import Upload
from checkouts.doubts import doubts_about
from checkouts.http.uploads import streamed_form
from checkouts.models import Blob, Checkout
from checkouts.selectors import checkouts_for, in_state
from checkouts.wording import HOLDER
from leasehold.actors import BREAK, Actor
from leasehold.admin import action_pages, filters
from leasehold.admin.actions import (
    ActionCall,
    ActionResult,
    AdminAction,
    Reason,
    actor_of,
    holders_of,
    reason_field,
    refusal_text,
)
from leasehold.admin.columns import state_mark, time_text
from leasehold.exceptions import Invalid, Refusal, WrongState
from leasehold.http.statuses import status_of
from leasehold.wording import as_text

STATES = {"held": "Held", "lapsed": "Lapsed", "broken": "Broken", "open": "All open", "closed": "Closed"}


class HandOver(forms.Form):
    to = forms.CharField(max_length=150, help_text="The name of a person who may edit in the project.")
    reason = reason_field(required=False, help_text="Needed unless it is your own. Both people read it.")


class CheckIn(forms.Form):
    file = forms.FileField(help_text="The file as you have changed it.")
    comment = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3, "cols": 60}))
    keep = forms.BooleanField(label="Keep it checked out", required=False)
    empty = forms.BooleanField(label="It may be empty", required=False, help_text="Tick this to check in 0 bytes.")
    other = forms.BooleanField(
        label="It may be another kind", required=False, help_text="Tick this to check in a file with another ending."
    )


def break_(call: ActionCall) -> ActionResult:
    who, path = call.row.actor.username, call.row.artifact.path
    broken = breaks.break_checkout(actor=call.actor, checkout_id=call.row.pk, **call.values)
    if not broken.ended:
        raise WrongState(wording.empty_break_result(who, path))
    return ActionResult(wording.break_result(who, path))


def discard(call: ActionCall) -> ActionResult:
    holds.discard(actor=call.actor, checkout_id=call.row.pk)
    return ActionResult(wording.discard_result(call.row.artifact.path))


def hand_over(call: ActionCall) -> ActionResult:
    granted = holds.hand_over(actor=call.actor, checkout_id=call.row.pk, **call.values)
    owner, until = f"{granted.checkout.actor.username}’s", time_text(granted.lease.expires_at)
    return ActionResult(wording.held_until(call.row.artifact.path, owner, until))


def own(actor: Actor, row: Any) -> bool:
    return row.is_open and row.actor_id == actor.user.pk


def held_by_others(actor: Actor, row: Any) -> bool:
    return BREAK in actor.permissions and row.is_open and row.is_held and row.actor_id != actor.user.pk


@admin.register(Checkout)
class CheckoutAdmin(FileAdmin):
    list_display = ("id", "artifact", "project", "participant", "state_", "since", "until", "purpose", "ended")
    columns = ("artifact", "project", "participant", "state_", "since", "until", "purpose")
    fields = (
        "artifact", "project", "participant", "base_version", "state_", "since", "until", "purpose", "client",
        "session", "ended", "closed_at", "result_version", "result_proposal", "next_checkout", "broken_by", "broken_at",
        "broken_reason",
    )  # fmt: skip
    ordering = ("-id",)
    list_filter = (
        filters.choices("state", "state", STATES, in_state),
        filters.project("artifact__project"),
    )
    search_help_text = "A number, artifact:12, or the whole name of an account."
    admin_actions = (
        AdminAction(
            name="check-in",
            label="Check in…",
            fits=own,
            run=lambda call: ActionResult(""),
            form=CheckIn,
            consequences=(
                "If the file is as you checked it out, this becomes its next version. If it has moved on "
                "meanwhile, what you send is kept as a proposal. Nothing is lost."
            ),
        ),
        AdminAction(
            name="discard",
            label="Discard…",
            fits=own,
            run=discard,
            is_bulk=True,
            consequences=as_text(wording.discard_effects(files=2)),
        ),
        AdminAction(
            name="hand-over",
            label="Hand over…",
            form=HandOver,
            run=hand_over,
            fits=lambda actor, row: row.is_held and (own(actor, row) or held_by_others(actor, row)),
            consequences=as_text(wording.hand_over_effects(HOLDER)),
        ),
        AdminAction(
            name="break",
            label="Break…",
            form=Reason,
            run=break_,
            is_bulk=True,
            is_grave=True,
            may=holders_of(BREAK),
            fits=held_by_others,
            consequences=as_text(wording.break_effects(HOLDER)),
        ),
    )

    def rows(self, actor: Actor) -> QuerySet[Any]:
        return checkouts_for(actor).select_related(
            "artifact__project", "base_version__blob", "actor", "result_version", "result_proposal", "broken_by",
            "session", "next_checkout",
        )  # fmt: skip

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return by_file_or_account(rows, term, "actor")

    def subject(self, row: Checkout) -> str:
        return row.artifact.resource

    def file_of(self, row: Checkout) -> tuple[Blob, str] | None:
        """What was checked out, whatever the head is now."""
        return row.base_version.blob, row.artifact.name

    @admin.display(description="project")
    def project(self, row: Checkout) -> str:
        return row.artifact.project.slug

    @admin.display(description="state")
    def state_(self, row: Any) -> SafeString:
        if not row.is_open:
            return state_mark("closed", "lapsed")
        if row.broken_at:
            return state_mark(row.get_broken_how_display() or "broken", "danger")
        return state_mark("live", "person") if row.is_held else state_mark("lapsed", "stale")

    @admin.display(description="since")
    def since(self, row: Checkout) -> str:
        return time_text(row.opened_at)

    @admin.display(description="until")
    def until(self, row: Checkout) -> str:
        return time_text(row.expires_at)

    @admin.display(description="ended as")
    def ended(self, row: Checkout) -> str:
        return row.outcome

    # --- check-in: a form whose request is checked before its file is streamed ----------------------------------------

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.check_in_view)
        return [path("act/check-in/", view, name="checkouts_checkout_check_in"), *super().get_urls()]

    @csrf_exempt  # `streamed_form` checks the token once the body has been read
    def check_in_view(self, request: HttpRequest) -> HttpResponse:
        action = self.admin_actions[0]
        selected = action_pages.selected_rows(self, request, request.GET.getlist("row")[:1])
        if request.method != "POST":
            return action_pages.render_action_page(self, request, action, selected, CheckIn())
        try:
            return take_in(request, selected[0][0], selected[0][1].artifact.name)
        except Refusal as refusal:
            typed = request.POST.dict() if "_post" in request.__dict__ else {}  # a body that was not read stays unread
            return action_pages.render_action_page(
                self,
                request,
                action,
                selected,
                CheckIn(initial=typed),
                refusal=refusal_text(refusal),
                status=status_of(refusal),
            )


def guard_check_in(request: HttpRequest, pk: int, name: str) -> None:
    """Refuse anybody but the check-out's owner before the body is read. The admin has checked that they are staff."""
    expect_check_in(actor=actor_of(request), checkout_id=pk)


@streamed_form(guard_check_in)
def take_in(request: HttpRequest, pk: int, name: str, upload: Upload) -> HttpResponse:
    """Check in the file of the form. `name` is the name of the file that was checked out."""
    for doubt in doubts_about(upload, name):
        raise Invalid.of("file", wording.doubt_with_box(doubt, filename=upload.filename, next_version_of=name))
    keep = bool(upload.fields.get("keep"))
    outcome = upload.commit_with(
        lambda received: check_in(
            actor=actor_of(request),
            checkout_id=pk,
            upload=received,
            comment=upload.fields.get("comment", ""),
            keep=keep,
        )
    )
    checkout = cast(Checkout, outcome.attempt)
    result, after = wording.result_of(outcome), wording.what_follows(outcome, wanted_to_keep=keep)
    messages.success(request, f"{checkout.artifact.path} is {result} {after}")
    return HttpResponseRedirect(
        reverse("admin:checkouts_checkout_change", args=[checkout.next_checkout_id or checkout.pk])
    )
