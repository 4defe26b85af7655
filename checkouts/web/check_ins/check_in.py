"""One file comes back, on its own page."""

from os.path import splitext

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from checkouts.actions import check_in as in_action
from checkouts.bytes.intake import Upload
from checkouts.http.uploads import streamed_form
from checkouts.outcomes import Committed, Outcome, Unchanged, afterwards
from checkouts.selectors import artifact_for, checkout_for
from checkouts.selectors.bases import base_of
from checkouts.web.check_ins.forecast import NOT_KEPT
from checkouts.web.files import file
from checkouts.web.links import artifact_url
from leasehold import names
from leasehold.exceptions import Invalid
from leasehold.web.forms import say
from leasehold.web.reader import actor_of, is_script, sign_in_first


def may_check_in(request: HttpRequest, checkout_id: int) -> HttpResponse | None:
    """Judged before the body is read: signed in, and one's own record."""
    if not request.user.is_authenticated:
        return sign_in_first("checkout", checkout_id)
    if request.method == "POST":
        in_action.expect_check_in(actor=actor_of(request), checkout_id=checkout_id)
        return None
    return redirect("checkout", checkout_id)


@streamed_form(may_check_in)
def check_in(request: HttpRequest, checkout_id: int, upload: Upload) -> HttpResponse:
    """Bring the bytes back. A file of zero bytes, or of another kind than the one that went out, must be meant."""
    actor = actor_of(request)
    if doubt := doubt_about(checkout_for(actor, checkout_id).artifact.name, upload):
        if is_script(request):
            raise Invalid.of("file", doubt)
        return asked_again(request, checkout_id, upload.fields, doubt)
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
    say(request, *told(outcome, keep=keep))
    page = artifact_url(outcome.attempt.artifact)
    return JsonResponse({"url": page, "title": outcome.code}) if is_script(request) else redirect(page)


def doubt_about(name: str, upload: Upload) -> str:
    """Why these bytes may not be what was meant, and which box says that they are; empty where nothing is strange."""
    if upload.received.size == 0 and not upload.fields.get("empty"):
        return "It is empty (0 bytes). If you mean it, tick “It may be empty”."
    if is_other_kind(name, upload.filename) and not upload.fields.get("other"):
        return f"{upload.filename} is another kind of file than {name}. If you mean it, tick “It may be another kind”."
    return ""


def is_other_kind(name: str, sent: str) -> bool:
    """By their endings. A client that says no name says nothing strange."""
    return bool(sent) and ending(sent) != ending(name)


def ending(name: str) -> str:
    return names.comparing(splitext(name)[1])


def asked_again(request: HttpRequest, checkout_id: int, fields: dict[str, str], wrong: str) -> HttpResponse:
    """The file's page with what was typed; only the file must be chosen again, since no browser does that."""
    actor = actor_of(request)
    seen = artifact_for(actor, checkout_for(actor, checkout_id).artifact_id)
    facts = file.facts(request, actor, seen) | {"asked": {**fields, "wrong": wrong}}
    return render(request, "checkouts/artifact.html", facts, status=400)


def told(outcome: Outcome, *, keep: bool) -> tuple[str, str]:
    """The outcome in two lines, and the role that it is shown in. `keep`: that it stay checked out was asked for."""
    record = outcome.attempt
    name = record.artifact.name
    after = afterwards(outcome)
    if isinstance(outcome, Committed):
        return f"{name} is committed as version {outcome.version.number}.\n{after}", "is-free"
    if isinstance(outcome, Unchanged):
        return f"{name} is identical to version {outcome.version.number}: nothing to commit.\n{after}", "is-lapsed"
    number = outcome.proposal.base_version.number
    why = f"It could not go on top of version {number}. Nothing is lost: it waits for an operator."
    if missing := base_of(outcome.proposal).missing:
        why = f"{missing[:1].upper()}{missing[1:]}. Nothing is lost: it waits for an operator."
    if keep:
        why = f"{why} {NOT_KEPT}"
    return f"{name} is kept as proposal {outcome.proposal.pk}.\n{why}", "is-proposal"
