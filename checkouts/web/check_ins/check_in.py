"""Check in one file, from the form on its page."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from checkouts import wording
from checkouts.actions import check_in as in_action
from checkouts.bytes.intake import Upload
from checkouts.doubts import doubts_about
from checkouts.http.uploads import streamed_form
from checkouts.outcomes import Committed, Outcome, Proposed, Unchanged
from checkouts.selectors import artifact_for, checkout_for
from checkouts.selectors.bases import base_of
from checkouts.web.files import file
from checkouts.web.links import artifact_url
from leasehold.exceptions import Invalid
from leasehold.web.forms import add_message
from leasehold.web.reader import actor_of, is_script, sign_in_first

#: outcome → the role of its message (a class of the stylesheet), and the icon
LOOKS = {
    Committed.code: ("is-free", "done"),
    Unchanged.code: ("is-lapsed", "same"),
    Proposed.code: ("is-proposal", "proposal"),
}


def guard_check_in(request: HttpRequest, checkout_id: int) -> HttpResponse | None:
    """Before the body is read: redirect to sign in, or refuse unless it is the reader's own check-out."""
    if not request.user.is_authenticated:
        return sign_in_first("checkout", checkout_id)
    if request.method == "POST":
        in_action.expect_check_in(actor=actor_of(request), checkout_id=checkout_id)
        return None
    return redirect("checkout", checkout_id)


@streamed_form(guard_check_in)
def check_in(request: HttpRequest, checkout_id: int, upload: Upload) -> HttpResponse:
    """Check the file in. An empty file, or a file of another type, must be confirmed first."""
    actor = actor_of(request)
    name = checkout_for(actor, checkout_id).artifact.name
    if doubts := doubts_about(upload, name):
        question = wording.doubt_with_box(doubts[0], filename=upload.filename, next_version_of=name)
        if is_script(request):
            raise Invalid.of("file", question)
        return render_form_again(request, checkout_id, upload.fields, question)
    keep = bool(upload.fields.get("keep"))
    outcome = upload.commit_with(
        lambda received: in_action.check_in(
            actor=actor,
            checkout_id=checkout_id,
            upload=received,
            comment=upload.fields.get("comment", ""),
            keep=keep,
        )
    )
    add_message(request, message_of(outcome, keep=keep), LOOKS[outcome.code][0])
    page = artifact_url(outcome.attempt.artifact)
    return JsonResponse({"url": page, "title": outcome.code}) if is_script(request) else redirect(page)


def render_form_again(request: HttpRequest, checkout_id: int, fields: dict[str, str], error: str) -> HttpResponse:
    """Return the page with the typed values. The file must be chosen again, since browsers do not keep it."""
    actor = actor_of(request)
    seen = artifact_for(actor, checkout_for(actor, checkout_id).artifact_id)
    context = file.artifact_context(request, actor, seen) | {"posted": {**fields, "error": error}}
    return render(request, "files/file.html", context, status=400)


def message_of(outcome: Outcome, *, keep: bool) -> str:
    """Return the outcome in two lines. `keep`: the form asked to keep the file checked out."""
    why = ""
    if isinstance(outcome, Proposed):
        why = wording.why_proposed(outcome, base_of(outcome.proposal).missing)
    after = wording.what_follows(outcome, why=why, wanted_to_keep=keep)
    return f"{outcome.attempt.artifact.name} is {wording.result_of(outcome)}\n{after}"
