"""Accounts, their passwords and rights."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.safestring import SafeString

from leasehold.actions import accounts
from leasehold.actors import APPROVE, BREAK, DECIDE, Actor
from leasehold.admin import filters
from leasehold.admin.actions import ActionCall, ActionResult, AdminAction, add_action, superusers
from leasehold.admin.base import ReadOnlyAdmin
from leasehold.admin.columns import state_mark
from leasehold.database.ids import id_in
from leasehold.models import User
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


def add_account(call: ActionCall) -> ActionResult:
    values = call.values | {"password": call.values["password"] or None}
    user = accounts.create_user(actor=call.actor, **values)
    return ActionResult(f"{user.participant} has an account.")


def set_password(call: ActionCall) -> ActionResult:
    accounts.set_password(actor=call.actor, user=call.row, password=call.values["password"])
    return ActionResult(f"{call.row.participant} has a new password; the old sign-ins have ended.")


def set_rights(call: ActionCall) -> ActionResult:
    accounts.set_staff_rights(actor=call.actor, user=call.row, **call.values)
    return ActionResult(f"The rights of {call.row.participant} are set.")


def deactivate(call: ActionCall) -> ActionResult:
    accounts.deactivate_user(actor=call.actor, user=call.row)
    return ActionResult(
        f"{call.row.participant} is stopped. What it holds is still held, and can be broken or handed over."
    )


def activate(call: ActionCall) -> ActionResult:
    accounts.activate_user(actor=call.actor, user=call.row)
    return ActionResult(f"{call.row.participant} may come in again.")


def rights_of(user: User) -> list[str]:
    """Return those of RIGHTS that the account has."""
    granted = user.user_permissions.filter(content_type__app_label="leasehold").values_list("codename", flat=True)
    return sorted({f"leasehold.{codename}" for codename in granted} & set(RIGHTS))


def active_or_not(rows: QuerySet[Any], which: str) -> QuerySet[Any]:
    return rows.filter(is_active=which == "active")


@admin.register(User)
class AccountAdmin(ReadOnlyAdmin):
    """Accounts, for superusers and for staff with Django's permission to view them."""

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
    admin_actions = (
        add_action(
            "Add an account…",
            NewAccount,
            add_account,
            "A person gets a password and signs in. An agent gets tokens, and never signs in.",
        ),
        AdminAction(
            name="password",
            label="Set password…",
            may=superusers,
            form=NewPassword,
            run=set_password,
            fits=lambda actor, user: not user.is_agent,
            consequences=("The old password stops working, and every browser that is signed in with it is signed out."),
        ),
        AdminAction(
            name="rights",
            label="Rights in the admin…",
            may=superusers,
            form=StaffRights,
            run=set_rights,
            initial=lambda user: {"is_staff": user.is_staff, "permissions": rights_of(user)},
            fits=lambda actor, user: not user.is_agent and not user.is_superuser,
            consequences=(
                "These permissions count in every project, and here only. They replace what was set before. The "
                "API and the pages go by memberships."
            ),
        ),
        AdminAction(
            name="deactivate",
            label="Deactivate…",
            may=superusers,
            run=deactivate,
            is_grave=True,
            fits=lambda actor, user: user.is_active and user.pk != actor.user.pk,
            holdings=list_holdings,
            consequences=(
                "Its tokens and browser sessions stop at once. What it holds is not dropped: it stays held until "
                "it lapses or an operator breaks or hands it over. An account is never deleted, so that history "
                "keeps its name."
            ),
        ),
        AdminAction(
            name="activate",
            label="Activate again…",
            may=superusers,
            run=activate,
            fits=lambda actor, user: not user.is_active,
            consequences=(
                "The account may sign in again. Its tokens that have neither run out nor been revoked work again."
            ),
        ),
    )

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) and request.user.has_perm("leasehold.view_user")

    def rows(self, actor: Actor) -> QuerySet[Any]:
        return User.objects.all()

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return rows.filter(Q(username__istartswith=term))

    def subject(self, row: User) -> str:
        return f"user:{row.pk}"

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Offer deactivation instead, with the list of what the account holds: accounts are never deleted."""
        return HttpResponseRedirect(self.action_url("deactivate", id_in(object_id) or 0))

    @admin.display(description="state")
    def state(self, row: User) -> SafeString:
        return state_mark("active", "free") if row.is_active else state_mark("stopped", "lapsed")

    @admin.display(description="in every project")
    def rights(self, row: User) -> str:
        return "everything" if row.is_superuser else ", ".join(RIGHTS[name] for name in rights_of(row))
