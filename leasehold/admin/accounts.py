"""Accounts and their tokens."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.safestring import SafeString

from leasehold.actions import accounts, tokens
from leasehold.actors import APPROVE, BREAK, DECIDE, Actor
from leasehold.admin import filters
from leasehold.admin.actions import Act, Asked, Said, account_named, by_id, superusers
from leasehold.admin.base import ReadOnlyAdmin
from leasehold.admin.columns import is_past, mark, when
from leasehold.database.clock import DatabaseNow
from leasehold.database.ids import id_in
from leasehold.models import Scope, Token, User
from leasehold.selectors import list_holdings

admin.site.unregister(Group)  # rights are given to accounts, by an action

PASSWORD = forms.PasswordInput(attrs={"autocomplete": "new-password"}, render_value=False)


RIGHTS = {
    APPROVE: "approve tickets",
    DECIDE: "decide on tickets: accept, send back, cancel, resume",
    BREAK: "break, take over and hand over what others hold",
}


class NewAccount(forms.Form):
    username = forms.CharField(max_length=150, help_text="Letters, digits and @ . + - _ only. It never changes.")
    name = forms.CharField(label="Full name", max_length=150, required=False)
    kind = forms.ChoiceField(choices=User.Kind.choices, help_text="An agent is a program: it has tokens, no password.")
    password = forms.CharField(
        required=False, widget=PASSWORD, strip=False, help_text="A person's; empty for an agent."
    )
    is_superuser = forms.BooleanField(label="Superuser", required=False, help_text="May do everything.")


class NewPassword(forms.Form):
    password = forms.CharField(widget=PASSWORD, strip=False)


class StaffRights(forms.Form):
    is_staff = forms.BooleanField(label="May use the admin", required=False)
    permissions = forms.MultipleChoiceField(
        label="In every project",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=list(RIGHTS.items()),
    )


class NewToken(forms.Form):
    username = forms.CharField(label="Account", max_length=150)
    name = forms.CharField(label="What it is for", max_length=100)
    scope = forms.ChoiceField(choices=[("", "as usual for its account"), *Scope.choices], required=False)
    days = forms.IntegerField(initial=90, min_value=1, max_value=tokens.MAX_DAYS)


def add_account(asked: Asked) -> Said:
    values = asked.values | {"password": asked.values["password"] or None}
    user = accounts.create_user(actor=asked.actor, **values)
    return Said(f"{user.participant} has an account.")


def set_password(asked: Asked) -> Said:
    accounts.set_password(actor=asked.actor, user=asked.row, password=asked.values["password"])
    return Said(f"{asked.row.participant} has a new password; the old sign-ins have ended.")


def set_rights(asked: Asked) -> Said:
    accounts.set_staff_rights(actor=asked.actor, user=asked.row, **asked.values)
    return Said(f"The rights of {asked.row.participant} are set.")


def deactivate(asked: Asked) -> Said:
    accounts.deactivate_user(actor=asked.actor, user=asked.row)
    return Said(f"{asked.row.participant} is stopped. What it holds is still held, and can be broken or handed over.")


def activate(asked: Asked) -> Said:
    accounts.activate_user(actor=asked.actor, user=asked.row)
    return Said(f"{asked.row.participant} may come in again.")


def add_token(asked: Asked) -> Said:
    user = account_named("username", asked.values["username"])
    token, text = tokens.create_token(
        actor=asked.actor,
        user=user,
        name=asked.values["name"],
        scope=asked.values["scope"] or None,
        days=asked.values["days"],
    )
    return Said(f"A token for {user.participant}, until {when(token.expires_at)}.", secret=text)


def revoke(asked: Asked) -> Said:
    tokens.revoke_token(actor=asked.actor, token=asked.row)
    return Said(f"The token “{asked.row.name}” of {asked.row.user.participant} is revoked.")


def rights_of(user: User) -> list[str]:
    """Those of RIGHTS that an account has been given."""
    given = user.user_permissions.filter(content_type__app_label="leasehold").values_list("codename", flat=True)
    return sorted({f"leasehold.{codename}" for codename in given} & set(RIGHTS))


def active_or_not(rows: QuerySet[Any], which: str) -> QuerySet[Any]:
    return rows.filter(is_active=which == "active")


@admin.register(User)
class AccountAdmin(ReadOnlyAdmin):
    """Seen by superusers, and by staff with Django's own permission to view accounts."""

    list_display = ("username", "name", "kind", "state", "is_staff", "is_superuser", "last_login")
    columns = ("username", "name", "kind", "state")
    fields = (
        "username", "name", "kind", "state", "is_staff", "is_superuser", "rights", "time_zone", "date_joined",
        "last_login",
    )  # fmt: skip
    ordering = ("username",)
    list_filter = (
        filters.choices("state", "state", {"active": "Active", "stopped": "Stopped"}, active_or_not),
        filters.choices("kind", "kind", dict(User.Kind.choices), lambda rows, kind: rows.filter(kind=kind)),
    )
    search_help_text = "The beginning of a name."
    acts = (
        Act(
            name="add", label="Add an account…", of_list=True, may=superusers, form=NewAccount, run=add_account,
            will="A person gets a password and signs in. An agent gets tokens, and never signs in.",
        ),
        Act(
            name="password", label="Set password…", may=superusers, form=NewPassword, run=set_password,
            fits=lambda actor, user: not user.is_agent,
            will="The old password stops working, and every browser that is signed in with it is signed out.",
        ),
        Act(
            name="rights", label="Rights in the admin…", may=superusers, form=StaffRights, run=set_rights,
            starts_with=lambda user: {"is_staff": user.is_staff, "permissions": rights_of(user)},
            fits=lambda actor, user: not user.is_agent and not user.is_superuser,
            will="These permissions count in every project, and here only. They replace what was set before. "
            "The API and the pages go by memberships.",
        ),
        Act(
            name="deactivate", label="Deactivate…", may=superusers, run=deactivate, is_grave=True,
            fits=lambda actor, user: user.is_active and user.pk != actor.user.pk, holdings=list_holdings,
            will="Its tokens and browser sessions stop at once. What it holds is not dropped: it stays held until it "
            "lapses or an operator breaks or hands it over. An account is never deleted, so that history keeps its "
            "name.",
        ),
        Act(
            name="activate", label="Activate again…", may=superusers, run=activate,
            fits=lambda actor, user: not user.is_active,
            will="The account may sign in again. Its tokens that have neither run out nor been revoked work again.",
        ),
    )  # fmt: skip

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) and request.user.has_perm("leasehold.view_user")

    def rows(self, actor: Actor) -> QuerySet[Any]:
        return User.objects.all()

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return rows.filter(Q(username__istartswith=term))

    def subject(self, row: User) -> str:
        return f"user:{row.pk}"

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Deleting is refused with the list of what the account holds, and deactivation offered."""
        return HttpResponseRedirect(self.act_url("deactivate", id_in(object_id) or 0))

    @admin.display(description="state")
    def state(self, row: User) -> SafeString:
        return mark("active", "free") if row.is_active else mark("stopped", "lapsed")

    @admin.display(description="in every project")
    def rights(self, row: User) -> str:
        return "everything" if row.is_superuser else ", ".join(RIGHTS[name] for name in rights_of(row))


@admin.register(Token)
class TokenAdmin(ReadOnlyAdmin):
    """One's own; superusers, and staff with Django's permission to view tokens, see all."""

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
    acts = (
        Act(
            name="add", label="Make a token…", of_list=True, may=superusers, form=NewToken, run=add_token,
            will="Its text is shown once, on the next page, and kept nowhere.",
        ),
        Act(
            name="revoke", label="Revoke…", is_bulk=True, is_grave=True, run=revoke,
            fits=lambda actor, token: token.revoked_at is None
            and (actor.user.is_superuser or token.user_id == actor.user.pk),
            will="Programs that use it are refused from now on. This cannot be taken back.",
        ),
    )  # fmt: skip

    def rows(self, actor: Actor) -> QuerySet[Any]:
        tokens = Token.objects.select_related("user").annotate(at=DatabaseNow())
        return tokens if actor.user.has_perm("leasehold.view_token") else tokens.filter(user=actor.user)

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        if id_in(term):
            return by_id(rows, term)
        return rows.filter(user__username__iexact=term)

    def subject(self, row: Token) -> str:
        return f"user:{row.user_id}"

    @admin.display(description="state")
    def state(self, row: Any) -> SafeString:
        if row.revoked_at:
            return mark("revoked", "lapsed")
        if row.expires_at and is_past(row.expires_at, row.at):
            return mark("run out", "lapsed")
        return mark("works", "free")


def works() -> Q:
    return Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=DatabaseNow()))
