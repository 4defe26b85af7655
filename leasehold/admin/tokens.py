"""Tokens of accounts."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.utils.safestring import SafeString

from leasehold.actions import tokens
from leasehold.actors import Actor
from leasehold.admin import filters
from leasehold.admin.actions import ActionCall, ActionResult, AdminAction, add_action, by_id
from leasehold.admin.base import ReadOnlyAdmin
from leasehold.admin.columns import is_past, state_mark, time_text
from leasehold.database.clock import DatabaseNow
from leasehold.database.ids import id_in
from leasehold.models import Scope, Token
from leasehold.selectors import account_named


class NewToken(forms.Form):
    username = forms.CharField(label="Account", max_length=150)
    name = forms.CharField(label="What it is for", max_length=100)
    scope = forms.ChoiceField(choices=[("", "as usual for its account"), *Scope.choices], required=False)
    days = forms.IntegerField(initial=90, min_value=1, max_value=tokens.MAX_DAYS)


def add_token(call: ActionCall) -> ActionResult:
    user = account_named(call.values["username"], "username")
    token, text = tokens.create_token(
        actor=call.actor,
        user=user,
        name=call.values["name"],
        scope=call.values["scope"] or None,
        days=call.values["days"],
    )
    return ActionResult(f"A token for {user.participant}, until {time_text(token.expires_at)}.", secret=text)


def revoke(call: ActionCall) -> ActionResult:
    tokens.revoke_token(actor=call.actor, token=call.row)
    return ActionResult(f"The token “{call.row.name}” of {call.row.user.participant} is revoked.")


@admin.register(Token)
class TokenAdmin(ReadOnlyAdmin):
    """The reader's own tokens. Superusers, and staff with Django's permission to view tokens, see all."""

    list_display = ("name", "user", "scope", "state", "created_at", "expires_at", "last_used_at")
    columns = ("name", "user", "scope", "state")
    fields = ("name", "user", "scope", "state", "created_at", "expires_at", "revoked_at", "last_used_at")
    ordering = ("-id",)
    list_filter = (
        filters.choices(
            "state",
            "state",
            {"works": "Works", "ended": "Revoked or run out"},
            lambda rows, which: rows.filter(works()) if which == "works" else rows.exclude(works()),
        ),
    )
    search_help_text = "The whole name of an account."
    admin_actions = (
        add_action("Make a token…", NewToken, add_token, "Its text is shown once, on the next page, and kept nowhere."),
        AdminAction(
            name="revoke",
            label="Revoke…",
            is_bulk=True,
            is_grave=True,
            run=revoke,
            fits=lambda actor, token: (
                token.revoked_at is None and (actor.user.is_superuser or token.user_id == actor.user.pk)
            ),
            consequences="Programs that use it are refused from now on. This cannot be taken back.",
        ),
    )

    def rows(self, actor: Actor) -> QuerySet[Any]:
        rows = Token.objects.select_related("user").annotate(at=DatabaseNow())
        return rows if actor.user.has_perm("leasehold.view_token") else rows.filter(user=actor.user)

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        if id_in(term):
            return by_id(rows, term)
        return rows.filter(user__username__iexact=term)

    def subject(self, row: Token) -> str:
        return f"user:{row.user_id}"

    @admin.display(description="state")
    def state(self, row: Any) -> SafeString:
        if row.revoked_at:
            return state_mark("revoked", "lapsed")
        if row.expires_at and is_past(row.expires_at, row.at):
            return state_mark("run out", "lapsed")
        return state_mark("works", "free")


def works() -> Q:
    """The condition for a token that is neither revoked nor expired."""
    return Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=DatabaseNow()))
