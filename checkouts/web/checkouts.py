"""The acts on a file: check out, check in, extend, discard. Each leads back to the file's page."""

from os.path import splitext

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from checkouts.actions import check_in as in_action
from checkouts.actions.check_out import check_out as check_out_action
from checkouts.actions.holding import discard as discard_action
from checkouts.actions.holding import extend as extend_action
from checkouts.exceptions import ArtifactBusy
from checkouts.outcomes import Committed, Outcome, Unchanged, afterwards, keeps_upload
from checkouts.selectors import artifact_for, checkout_for, open_checkout_of
from checkouts.unseen import start_of
from checkouts.uploads import Upload, streamed_form
from checkouts.web import artifacts
from checkouts.web.discarding import ask_first
from checkouts.web.foretelling import NOT_KEPT
from checkouts.web.sending import sent_with
from checkouts.web.shown import artifact_crumbs, artifact_url, back, forget_unread, hold_of, say, signed_in
from leasehold import names
from leasehold.exceptions import Invalid
from leasehold.templatetags.parts import clock_words
from leasehold.web.reader import actor_of, is_script, sign_in_first


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def check_out(request: HttpRequest, artifact_id: int) -> HttpResponse:
    """Take the file and send it: the answer leads to its page, which begins the download by itself.

    Who has it already, by a second click say, is shown the check-out that they have, and sent its base.
    """
    if request.method != "POST":
        return redirect("artifact", artifact_id)
    actor = actor_of(request)
    try:
        granted = check_out_action(
            actor=actor,
            artifact_id=artifact_id,
            ttl=whole_number(request, "ttl"),
            purpose=request.POST.get("purpose", ""),
        )
    except ArtifactBusy as refusal:
        seen = artifact_for(actor, artifact_id)
        record = open_checkout_of(actor, seen.artifact)
        if record is None or refusal.lease is None or refusal.lease.holder != record.holder:
            raise
        until = clock_words(record.expires_at, seen.at)
        forget_unread(
            request
        )  # of two clicks at once, the first one’s “is being downloaded” may not have been shown yet
        say(request, f"You have {seen.artifact.name} checked out already, until {until}.", "is-mine")
    else:
        record = granted.checkout
        say(
            request,
            f"{record.artifact.name} is yours until {clock_words(record.expires_at, granted.lease.at)}.\n"
            f"Version {record.base_version.number} is being downloaded. Edit it, then check it in here.",
            "is-mine",
        )
    return sent_with(record)


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
    outcome = in_action.check_in(
        actor=actor,
        checkout_id=checkout_id,
        upload=upload.received,
        comment=upload.fields.get("comment", ""),
        keep=keep,
    )
    if not keeps_upload(outcome):
        upload.unused()
    say(request, *told(outcome, keep=keep))
    page = artifact_url(outcome.record.artifact)
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
    facts = artifacts.facts(request, actor, seen) | {"asked": {**fields, "wrong": wrong}}
    return render(request, "checkouts/artifact.html", facts, status=400)


def told(outcome: Outcome, *, keep: bool) -> tuple[str, str]:
    """The outcome in two lines, and the role that it is shown in. `keep`: that it stay checked out was asked for."""
    record = outcome.record
    name = record.artifact.name
    after = afterwards(outcome)
    if isinstance(outcome, Committed):
        return f"{name} is committed as version {outcome.version.number}.\n{after}", "is-free"
    if isinstance(outcome, Unchanged):
        return f"{name} is identical to version {outcome.version.number}: nothing to commit.\n{after}", "is-lapsed"
    number = outcome.proposal.base_version.number
    why = f"It could not go on top of version {number}. Nothing is lost: it waits for an operator."
    if missing := start_of(outcome.proposal).missing:
        why = f"{missing[:1].upper()}{missing[1:]}. Nothing is lost: it waits for an operator."
    if keep:
        why = f"{why} {NOT_KEPT}"
    return f"{name} is kept as proposal {outcome.proposal.pk}.\n{why}", "is-proposal"


@signed_in
@require_POST
def extend(request: HttpRequest, checkout_id: int) -> HttpResponse:
    granted = extend_action(actor=actor_of(request), checkout_id=checkout_id, ttl=whole_number(request, "ttl"))
    until = clock_words(granted.checkout.expires_at, granted.lease.at)
    say(request, f"{granted.checkout.artifact.name} is yours until {until}.", "is-mine")
    return back(request, granted.checkout)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def discard(request: HttpRequest, checkout_id: int) -> HttpResponse:
    """Asked for with GET: says what it does first."""
    actor = actor_of(request)
    if request.method != "POST":
        record = checkout_for(actor, checkout_id)
        if record.actor_id != actor.user.pk or not record.is_open:
            return back(request, record)
        stay = back(request, record)["Location"]
        seen = artifact_for(actor, record.artifact_id)
        hold = hold_of(actor, seen.live_lease)
        return ask_first(request, [record], back=stay, crumbs=artifact_crumbs(record.artifact), at=seen.at, hold=hold)
    record = discard_action(actor=actor, checkout_id=checkout_id)
    say(
        request,
        f"Your check-out of {record.artifact.name} has ended, and nothing was committed.\n"
        "The copy on your disk is as it was.",
        "is-lapsed",
    )
    return back(request, record)


@signed_in
@require_safe
def checkout(request: HttpRequest, checkout_id: int) -> HttpResponse:
    """A check-out's own address leads to its file's page."""
    return back(request, checkout_for(actor_of(request), checkout_id))


def whole_number(request: HttpRequest, field: str) -> int | None:
    """The form's field as a whole number; none where it is empty, so that the default holds."""
    text = request.POST.get(field, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise Invalid.of(field, "Expected a whole number of seconds.")
    return int(text)
