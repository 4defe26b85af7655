"""The reader's own account: name, time zone, password, and tokens for programs."""

from typing import Any
from zoneinfo import available_timezones

from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from leasehold.actions import profile as actions
from leasehold.actions import tokens
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Invalid
from leasehold.models import Scope, Token, User
from leasehold.selectors import token_of
from leasehold.web.forms import add_message, errors_by_field, whole_number
from leasehold.web.reader import actor_of

TOKENS = 100  # on the page, the newest
SCOPES = {
    Scope.READ: "Read",
    Scope.WRITE: "Read and write, as an editor may",
    Scope.ADMIN: "All that the account may",
}
DAYS = ((30, "30 days"), (90, "90 days"), (365, "1 year"))


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """Show the page; a POST changes the name and the time zone."""
    actor = actor_of(request)
    if request.method != "POST":
        return render_profile(request, actor)
    try:
        actions.set_profile(actor=actor, name=request.POST.get("name", ""), time_zone=request.POST.get("time_zone", ""))
    except Invalid as refusal:
        return render_profile(request, actor, errors=errors_by_field(refusal))
    add_message(request, "Saved.\nPages show times in your zone.", "is-free")
    return redirect("profile")


@login_required
@never_cache
@sensitive_post_parameters("current", "password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """Change the reader's password. This browser stays signed in; the others are signed out."""
    actor = actor_of(request)
    if request.method != "POST":
        return redirect("profile")
    try:
        if request.POST.get("password", "") != request.POST.get("again", ""):
            raise Invalid.of("again", "The two are not the same.")
        user = actions.change_password(
            actor=actor, current=request.POST.get("current", ""), password=request.POST.get("password", "")
        )
    except Invalid as refusal:
        return render_profile(request, actor, errors=errors_by_field(refusal))
    update_session_auth_hash(request, user)
    add_message(request, "Your password is changed.\nOther browsers are signed out. Tokens go on working.", "is-free")
    return redirect("profile")


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def add_token(request: HttpRequest) -> HttpResponse:
    """Create a token. Only this response contains its text, so it is not a redirect."""
    actor = actor_of(request)
    if request.method != "POST":
        return redirect("profile")
    try:
        _, text = create_posted_token(actor, actor.user, request)
    except Invalid as refusal:
        return render_profile(request, actor, errors=errors_by_field(refusal))
    return render_profile(request, actor, secret=text)


@login_required
@require_POST
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    actor = actor_of(request)
    revoke_token_of(actor.user, token_id, actor, request)
    return redirect("profile")


def create_posted_token(actor: Actor, user: User, request: HttpRequest) -> tuple[Token, str]:
    """Create the token that the form describes, and return it with its text.

    Raises `Invalid` on `token_name`, `scope` and `days`.
    """
    try:
        return tokens.create_token(
            actor=actor,
            user=user,
            name=request.POST.get("token_name", ""),
            scope=request.POST.get("scope") or None,
            days=whole_number(request, "days") or 90,
        )
    except Invalid as refusal:
        for error in refusal.errors:
            if error["field"] == "name":
                error["field"] = "token_name"
        raise


def revoke_token_of(user: User, token_id: int, actor: Actor, request: HttpRequest) -> None:
    """Revoke the account's token, and add a message. Raises `NotFound` if it is not a token of `user`."""
    token = token_of(user, token_id)
    tokens.revoke_token(actor=actor, token=token)
    add_message(
        request, f"The token “{token.name}” is revoked.\nPrograms that use it are refused from now on.", "is-lapsed"
    )


def render_profile(
    request: HttpRequest, actor: Actor, *, errors: dict[str, str] | None = None, secret: str = ""
) -> HttpResponse:
    context: dict[str, Any] = {
        "section": "profile",
        "account": actor.user,
        "name": request.POST.get("name", actor.user.name),
        "zone": request.POST.get("time_zone", actor.user.time_zone),
        "zones": zones(),
        **token_context(request, actor.user, errors, secret),
    }
    return render(request, "people/profile.html", context, status=status_of_page(errors, secret))


def token_context(request: HttpRequest, user: User, errors: dict[str, str] | None, secret: str) -> dict[str, Any]:
    """Return the context of `people/tokens.html`: the newest unrevoked tokens, and the form with its `errors`.

    `secret`: the text of the token that was just created, or "".
    """
    at = clock.now()
    rows = list(Token.objects.filter(user=user, revoked_at=None).order_by("-pk")[:TOKENS])
    return {
        "at": at,
        "tokens": [(row, SCOPES[Scope(row.scope)], bool(row.expires_at and row.expires_at <= at)) for row in rows],
        "scopes": SCOPES.items(),
        "days": DAYS,
        "token_name": "" if secret else request.POST.get("token_name", ""),
        "errors": errors or {},
        "secret": secret,
    }


def status_of_page(errors: dict[str, str] | None, secret: str) -> int:
    """Return the status of a page with a token form: 400 with errors, 201 with a new token, else 200."""
    return 400 if errors else 201 if secret else 200


def zones() -> list[str]:
    """Return the zones to choose from: those named after a place, without `Etc/…` and the like, which also work."""
    return sorted(name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV/")))
