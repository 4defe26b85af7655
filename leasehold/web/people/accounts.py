"""The accounts of people and agents, for superusers: passwords, agents' tokens, and deactivation."""

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
from leasehold.actors import Actor
from leasehold.database.ids import BIGGEST_ID
from leasehold.exceptions import Forbidden, Invalid, NotFound
from leasehold.models import Membership, User
from leasehold.selectors import list_holdings
from leasehold.web.confirmation import confirmation_page
from leasehold.web.forms import add_message, choice_param, errors_by_field
from leasehold.web.people.profile import create_posted_token, revoke_token_of, status_of_page, token_context
from leasehold.web.reader import actor_of

PAGE = 100
TABS = {"active": "Active", "agents": "Agents", "stopped": "Deactivated"}


def superuser_of(request: HttpRequest) -> Actor:
    """Return the reader as an actor. Raises `Forbidden` if they are not a superuser."""
    actor = actor_of(request)
    actor.demand_superuser()
    return actor


@login_required
@require_GET
def people(request: HttpRequest) -> HttpResponse:
    superuser_of(request)
    show = choice_param(request, "show", TABS, "active")
    search = names.checked_text(request.GET.get("q"), "q", 150)
    after = names.checked_text(request.GET.get("after"), "after", 150)
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
        "people/people.html",
        {
            "section": "people",
            "show": show,
            "tabs": [(name, label, None, f"{reverse('people')}?show={name}") for name, label in TABS.items()],
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
    actor = superuser_of(request)
    kind = request.POST.get("kind") or request.GET.get("kind") or User.Kind.PERSON.value
    errors: dict[str, str] = {}
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
            errors = errors_by_field(refusal)
        else:
            after = "Make a token for it below." if user.is_agent else "An operator adds them to a project."
            add_message(request, f"{user.username} has an account.\n{after}", "is-free")
            return redirect("person", user.pk)
    context = {
        "section": "people",
        "kind": kind,
        "values": {name: request.POST.get(name, "") for name in ("username", "name")},
        "errors": errors,
        "crumbs": [("People", reverse("people"))],
    }
    return render(request, "people/new_person.html", context, status=400 if errors else 200)


@login_required
@never_cache
@require_GET
def person(request: HttpRequest, user_id: int) -> HttpResponse:
    return render_account(request, superuser_of(request), account_by_id(user_id))


@login_required
@never_cache
@sensitive_post_parameters("password")
@require_POST
def set_password(request: HttpRequest, user_id: int) -> HttpResponse:
    actor, user = superuser_of(request), account_by_id(user_id)
    try:
        actions.set_password(actor=actor, user=user, password=request.POST.get("password", ""))
    except Invalid as refusal:
        return render_account(request, actor, user, errors=errors_by_field(refusal))
    add_message(
        request, f"{user.username} has a new password.\nThe old one and every sign-in with it have ended.", "is-free"
    )
    return redirect("person", user.pk) if user.pk != actor.user.pk else redirect("sign-in")


@login_required
@never_cache
@require_POST
def add_agent_token(request: HttpRequest, user_id: int) -> HttpResponse:
    """Create a token for an agent. Only this response contains its text. People create their own."""
    actor, user = superuser_of(request), account_by_id(user_id)
    try:
        if not user.is_agent:
            raise Invalid.of("token_name", "People make their own, on their profile.")
        _, text = create_posted_token(actor, user, request)
    except Invalid as refusal:
        return render_account(request, actor, user, errors=errors_by_field(refusal))
    return render_account(request, actor, user, secret=text)


@login_required
@require_POST
def revoke_agent_token(request: HttpRequest, user_id: int, token_id: int) -> HttpResponse:
    actor, user = superuser_of(request), account_by_id(user_id)
    revoke_token_of(user, token_id, actor, request)
    return redirect("person", user.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def deactivate(request: HttpRequest, user_id: int) -> HttpResponse:
    """Confirm, with what the account holds and what will happen; then deactivate it."""
    actor, user = superuser_of(request), account_by_id(user_id)
    if user.pk == actor.user.pk:
        raise Forbidden("Nobody can deactivate their own account.")
    url = reverse("person", args=[user.pk])
    if request.method == "POST":
        actions.deactivate_user(actor=actor, user=user)
        after = "What they hold is still held, until an operator decides."
        add_message(request, f"{user.username} is deactivated.\n{after}", "is-lapsed")
        return redirect(url)
    context = {
        "section": "people",
        "crumbs": [("People", reverse("people")), (user.username, url)],
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
        "back": url,
        "back_label": "Leave it",
    }
    return confirmation_page(request, context)


@login_required
@require_POST
def activate(request: HttpRequest, user_id: int) -> HttpResponse:
    actor, user = superuser_of(request), account_by_id(user_id)
    actions.activate_user(actor=actor, user=user)
    add_message(request, f"{user.username} may come in again.\nTokens that have not run out work again.", "is-free")
    return redirect("person", user.pk)


def account_by_id(user_id: int) -> User:
    """Return the account. Raises `NotFound`."""
    user = User.objects.filter(pk=user_id).first() if user_id <= BIGGEST_ID else None
    if user is None:
        raise NotFound
    return user


def render_account(
    request: HttpRequest, actor: Actor, user: User, *, errors: dict[str, str] | None = None, secret: str = ""
) -> HttpResponse:
    context: dict[str, Any] = {
        "section": "people",
        "account": user,
        "is_self": user.pk == actor.user.pk,
        "memberships": Membership.objects.filter(user=user).select_related("project").order_by("project__slug"),
        "holdings": list_holdings(user),
        "crumbs": [("People", reverse("people"))],
        **token_context(request, user, errors, secret),
    }
    return render(request, "people/person.html", context, status=status_of_page(errors, secret))
