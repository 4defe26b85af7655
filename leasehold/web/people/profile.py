"""One's own account: name, time zone, password, and the tokens by which programs act in one's name."""

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
from leasehold.exceptions import Invalid, NotFound
from leasehold.models import Scope, Token, User
from leasehold.web.forms import faults_of, say, whole_number
from leasehold.web.reader import actor_of

TOKENS = 100  # shown, the newest
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
    """The page; a POST changes the name and the time zone."""
    actor = actor_of(request)
    if request.method != "POST":
        return shown(request, actor)
    try:
        actions.set_profile(actor=actor, name=request.POST.get("name", ""), time_zone=request.POST.get("time_zone", ""))
    except Invalid as refusal:
        return shown(request, actor, faults=faults_of(refusal))
    say(request, "Saved.\nPages show times in your zone.", "is-free")
    return redirect("profile")


@login_required
@never_cache
@sensitive_post_parameters("current", "password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """Change one's password. This browser stays signed in, the others do not."""
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
        return shown(request, actor, faults=faults_of(refusal))
    update_session_auth_hash(request, user)
    say(request, "Your password is changed.\nOther browsers are signed out. Tokens go on working.", "is-free")
    return redirect("profile")


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def add_token(request: HttpRequest) -> HttpResponse:
    """Make a token. Its text is in this answer alone, so it is not redirected."""
    actor = actor_of(request)
    if request.method != "POST":
        return redirect("profile")
    try:
        _, text = made_for(actor, actor.user, request)
    except Invalid as refusal:
        return shown(request, actor, faults=faults_of(refusal))
    return shown(request, actor, secret=text, status=201)


@login_required
@require_POST
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    actor = actor_of(request)
    token = Token.objects.select_related("user").filter(user=actor.user, pk=token_id).first()
    if token is None:
        raise NotFound
    tokens.revoke_token(actor=actor, token=token)
    say(request, f"The token “{token.name}” is revoked.\nPrograms that use it are refused from now on.", "is-lapsed")
    return redirect("profile")


def made_for(actor: Actor, user: User, request: HttpRequest) -> tuple[Token, str]:
    """A token as the form asks for it. Raises `Invalid` on `token_name`, `scope`, `days`."""
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


def shown(
    request: HttpRequest,
    actor: Actor,
    *,
    faults: dict[str, str] | None = None,
    secret: str = "",
    status: int = 200,
) -> HttpResponse:
    facts: dict[str, Any] = {
        "section": "profile",
        "account": actor.user,
        "name": request.POST.get("name", actor.user.name),
        "zone": request.POST.get("time_zone", actor.user.time_zone),
        "zones": zones(),
        "token_name": "" if secret else request.POST.get("token_name", ""),
        "faults": faults or {},
        "secret": secret,
        **tokens_of(actor.user),
    }
    return render(request, "leasehold/profile.html", facts, status=400 if faults else status)


def tokens_of(user: User) -> dict[str, Any]:
    at = clock.now()
    rows = list(Token.objects.filter(user=user, revoked_at=None).order_by("-pk")[:TOKENS])
    return {
        "at": at,
        "tokens": [(row, SCOPES[Scope(row.scope)], bool(row.expires_at and row.expires_at <= at)) for row in rows],
        "scopes": SCOPES.items(),
        "days": DAYS,
    }


def zones() -> list[str]:
    """Those that people live in; `Etc/…` and the like work, but nobody looks for them."""
    return sorted(name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV/")))
