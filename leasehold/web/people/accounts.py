"""Accounts, for superusers: people and agents, their passwords, an agent's tokens, and letting an account go."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from leasehold import names
from leasehold.actions import accounts as actions
from leasehold.actions import tokens
from leasehold.actors import Actor
from leasehold.database.ids import BIGGEST_ID
from leasehold.exceptions import Forbidden, Invalid, NotFound
from leasehold.models import Membership, Token, User
from leasehold.selectors import list_holdings
from leasehold.web.confirmation import question
from leasehold.web.forms import choice_asked, faults_of, say
from leasehold.web.people.profile import made_for, tokens_of
from leasehold.web.reader import actor_of

PAGE = 100
SHOWS = {"active": "Active", "agents": "Agents", "stopped": "Deactivated"}


def superuser(request: HttpRequest) -> Actor:
    """The reader, if they are one; `Forbidden` otherwise."""
    actor = actor_of(request)
    actor.demand_superuser()
    return actor


@login_required
@require_GET
def people(request: HttpRequest) -> HttpResponse:
    superuser(request)
    show = choice_asked(request, "show", SHOWS, "active")
    search = names.text(request.GET.get("q"), "q", 150)
    after = names.text(request.GET.get("after"), "after", 150)
    rows = User.objects.filter(is_active=show != "stopped").order_by("username")
    if show == "agents":
        rows = rows.filter(kind=User.Kind.AGENT)
    if search:
        rows = rows.filter(username__istartswith=search)
    if after:
        rows = rows.filter(username__gt=after)
    found = list(rows[: PAGE + 1])
    here = f"{reverse('people')}?show={show}" + (f"&q={search}" if search else "")
    return render(
        request,
        "leasehold/people.html",
        {
            "section": "people",
            "show": show,
            "tabs": [(name, words, None, f"{reverse('people')}?show={name}") for name, words in SHOWS.items()],
            "search": search,
            "rows": found[:PAGE],
            "reader": request.user,
            "first": here if after else "",
            "more": f"{here}&after={found[PAGE - 1].username}" if len(found) > PAGE else "",
        },
    )


@login_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def new_person(request: HttpRequest) -> HttpResponse:
    actor = superuser(request)
    kind = request.POST.get("kind") or request.GET.get("kind") or User.Kind.PERSON.value
    faults: dict[str, str] = {}
    if request.method == "POST":
        try:
            password = request.POST.get("password", "")
            if kind == User.Kind.PERSON and not password:
                raise Invalid.of("password", "A person needs one to sign in.")
            user = actions.create_user(
                actor=actor,
                username=request.POST.get("username", ""),
                name=request.POST.get("name", ""),
                kind=kind,
                password=password or None,
                is_superuser=bool(request.POST.get("is_superuser")),
            )
        except Invalid as refusal:
            faults = faults_of(refusal)
        else:
            then = "Make a token for it below." if user.is_agent else "An operator adds them to a project."
            say(request, f"{user.username} has an account.\n{then}", "is-free")
            return redirect("person", user.pk)
    facts = {
        "section": "people",
        "kind": kind,
        "filled": {name: request.POST.get(name, "") for name in ("username", "name")},
        "faults": faults,
        "crumbs": [("People", reverse("people"))],
    }
    return render(request, "leasehold/new_person.html", facts, status=400 if faults else 200)


@login_required
@never_cache
@require_GET
def person(request: HttpRequest, user_id: int) -> HttpResponse:
    return shown(request, superuser(request), account(user_id))


@login_required
@never_cache
@sensitive_post_parameters("password")
@require_POST
def set_password(request: HttpRequest, user_id: int) -> HttpResponse:
    actor, user = superuser(request), account(user_id)
    try:
        actions.set_password(actor=actor, user=user, password=request.POST.get("password", ""))
    except Invalid as refusal:
        return shown(request, actor, user, faults=faults_of(refusal))
    say(request, f"{user.username} has a new password.\nThe old one and every sign-in with it have ended.", "is-free")
    return redirect("person", user.pk) if user.pk != actor.user.pk else redirect("sign-in")


@login_required
@never_cache
@require_POST
def give_token(request: HttpRequest, user_id: int) -> HttpResponse:
    """An agent's token; its text is in this answer alone. A person makes their own."""
    actor, user = superuser(request), account(user_id)
    try:
        if not user.is_agent:
            raise Invalid.of("token_name", "People make their own, on their profile.")
        _, text = made_for(actor, user, request)
    except Invalid as refusal:
        return shown(request, actor, user, faults=faults_of(refusal))
    return shown(request, actor, user, secret=text, status=201)


@login_required
@require_POST
def take_token(request: HttpRequest, user_id: int, token_id: int) -> HttpResponse:
    actor, user = superuser(request), account(user_id)
    token = Token.objects.select_related("user").filter(user=user, pk=token_id).first()
    if token is None:
        raise NotFound
    tokens.revoke_token(actor=actor, token=token)
    say(request, f"The token “{token.name}” is revoked.\nPrograms that use it are refused from now on.", "is-lapsed")
    return redirect("person", user.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def deactivate(request: HttpRequest, user_id: int) -> HttpResponse:
    """First what the account holds and what will happen, then the act."""
    actor, user = superuser(request), account(user_id)
    if user.pk == actor.user.pk:
        raise Forbidden("Nobody can deactivate their own account.")
    page = reverse("person", args=[user.pk])
    if request.method == "POST":
        actions.deactivate_user(actor=actor, user=user)
        after = "What they hold is still held, until an operator decides."
        say(request, f"{user.username} is deactivated.\n{after}", "is-lapsed")
        return redirect(page)
    facts = {
        "section": "people",
        "crumbs": [("People", reverse("people")), (user.username, page)],
        "heading": f"Deactivate {user.username}?",
        "sub": user.get_full_name(),
        "holdings": list_holdings(user),
        "holdings_heading": f"What {user.username} has in hand",
        "will": [
            ("blocked", "Tokens and browser sessions stop at once."),
            ("held", "What is held stays held until it lapses, or an operator breaks it or hands it over."),
            ("person", "Nothing is deleted: history keeps the name. You can let the account in again."),
        ],
        "button": f"Deactivate {user.username}",
        "button_icon": "blocked",
        "back": page,
        "back_label": "Leave it",
    }
    return question(request, facts)


@login_required
@require_POST
def activate(request: HttpRequest, user_id: int) -> HttpResponse:
    actor, user = superuser(request), account(user_id)
    actions.activate_user(actor=actor, user=user)
    say(request, f"{user.username} may come in again.\nTokens that have not run out work again.", "is-free")
    return redirect("person", user.pk)


def account(user_id: int) -> User:
    user = User.objects.filter(pk=user_id).first() if user_id <= BIGGEST_ID else None
    if user is None:
        raise NotFound
    return user


def shown(
    request: HttpRequest,
    actor: Actor,
    user: User,
    *,
    faults: dict[str, str] | None = None,
    secret: str = "",
    status: int = 200,
) -> HttpResponse:
    facts: dict[str, Any] = {
        "section": "people",
        "account": user,
        "is_self": user.pk == actor.user.pk,
        "memberships": Membership.objects.filter(user=user).select_related("project").order_by("project__slug"),
        "holdings": list_holdings(user),
        "faults": faults or {},
        "secret": secret,
        "token_name": "" if secret else request.POST.get("token_name", ""),
        "crumbs": [("People", reverse("people"))],
        **tokens_of(user),
    }
    return render(request, "leasehold/person.html", facts, status=400 if faults else status)
