"""Check out, extend and discard one file. Each redirects to the file's page."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from checkouts import wording
from checkouts.actions.check_out import check_out as check_out_action
from checkouts.actions.holds import discard as discard_action
from checkouts.actions.holds import extend as extend_action
from checkouts.exceptions import ArtifactBusy
from checkouts.selectors import artifact_for, checkout_for, open_checkout_of
from checkouts.web.files.discards import confirm_discard
from checkouts.web.holds import hold_for
from checkouts.web.links import artifact_crumbs, redirect_back
from checkouts.web.promised_downloads import redirect_with_download
from checkouts.web.views import signed_in
from leasehold.templatetags.parts import clock_words
from leasehold.web.forms import add_message, whole_number
from leasehold.web.reader import actor_of


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def check_out(request: HttpRequest, artifact_id: int) -> HttpResponse:
    """Check out the file, and redirect to its page, which starts the download.

    If the reader has checked it out already, for example by a double click, they get that check-out and its base.
    """
    if request.method != "POST":
        return redirect("artifact", artifact_id)
    actor = actor_of(request)
    try:
        granted = check_out_action(
            actor=actor,
            artifact_id=artifact_id,
            ttl=seconds_in(request, "ttl"),
            purpose=request.POST.get("purpose", ""),
        )
    except ArtifactBusy as refusal:
        file = artifact_for(actor, artifact_id)
        checkout = open_checkout_of(actor, file.artifact)
        if checkout is None or refusal.lease is None or refusal.lease.holder != checkout.holder:
            raise
        until = clock_words(checkout.expires_at, file.at)
        clear_messages(request)  # of two clicks, the first one's message may not have been displayed yet
        add_message(request, f"You have {file.artifact.name} checked out already, until {until}.", "is-mine")
    else:
        checkout = granted.checkout
        until = clock_words(checkout.expires_at, granted.lease.at)
        add_message(
            request,
            f"{wording.held_until(checkout.artifact.name, 'yours', until)}\n"
            f"Version {checkout.base_version.number} is being downloaded. Edit it, then check it in here.",
            "is-mine",
        )
    return redirect_with_download(checkout)


@signed_in
@require_POST
def extend(request: HttpRequest, checkout_id: int) -> HttpResponse:
    granted = extend_action(actor=actor_of(request), checkout_id=checkout_id, ttl=seconds_in(request, "ttl"))
    until = clock_words(granted.checkout.expires_at, granted.lease.at)
    add_message(request, wording.held_until(granted.checkout.artifact.name, "yours", until), "is-mine")
    return redirect_back(request, granted.checkout)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def discard(request: HttpRequest, checkout_id: int) -> HttpResponse:
    """GET displays a confirmation page; POST discards."""
    actor = actor_of(request)
    if request.method != "POST":
        checkout = checkout_for(actor, checkout_id)
        if checkout.actor_id != actor.user.pk or not checkout.is_open:
            return redirect_back(request, checkout)
        back = redirect_back(request, checkout)["Location"]
        file = artifact_for(actor, checkout.artifact_id)
        hold = hold_for(actor, file.live_lease)
        return confirm_discard(
            request, [checkout], back=back, crumbs=artifact_crumbs(checkout.artifact), at=file.at, hold=hold
        )
    checkout = discard_action(actor=actor, checkout_id=checkout_id)
    add_message(
        request,
        f"{wording.discard_result(checkout.artifact.name)}\nThe copy on your disk is as it was.",
        "is-lapsed",
    )
    return redirect_back(request, checkout)


@signed_in
@require_safe
def redirect_to_file(request: HttpRequest, checkout_id: int) -> HttpResponse:
    """Redirect a check-out's address to its file's page."""
    return redirect_back(request, checkout_for(actor_of(request), checkout_id))


def clear_messages(request: HttpRequest) -> None:
    """Drop the messages that no page has displayed yet."""
    list(messages.get_messages(request))


def seconds_in(request: HttpRequest, field: str) -> int | None:
    """Return the form's field as a number of seconds, or None if it is empty. Raises `Invalid`."""
    return whole_number(request, field, expected="a whole number of seconds")
