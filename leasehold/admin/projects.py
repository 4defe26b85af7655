"""Projects and their members."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery

from leasehold.actions import projects
from leasehold.actors import Actor
from leasehold.admin import filters
from leasehold.admin.actions import ActionCall, ActionResult, AdminAction, add_action
from leasehold.admin.base import ReadOnlyAdmin
from leasehold.models import Membership, Project, Role, WritePolicy
from leasehold.rules import includes
from leasehold.selectors import account_named, project_for, projects_for


class NewProject(forms.Form):
    slug = forms.CharField(max_length=50, help_text="a–z, 0–9 and “-”. It never changes.")
    name = forms.CharField(max_length=200)


class NewName(forms.Form):
    name = forms.CharField(max_length=200)


class Rules(forms.Form):
    two_person = forms.BooleanField(label="A ticket's author may not approve it", required=False)
    write_policy = forms.ChoiceField(
        label="An agent's change becomes",
        choices=[(WritePolicy.DIRECT, "a version at once"), (WritePolicy.PROPOSE, "a proposal")],
    )


class NewMember(forms.Form):
    project = forms.CharField(label="Project (its slug)", max_length=50)
    username = forms.CharField(label="Account", max_length=150)
    role = forms.ChoiceField(choices=Role.choices)


class NewRole(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)


def add_project(call: ActionCall) -> ActionResult:
    project = projects.create_project(actor=call.actor, **call.values)
    return ActionResult(f"There is a project {project.slug}. It has no members yet.")


def rename(call: ActionCall) -> ActionResult:
    project = projects.set_project(actor=call.actor, project=call.row, name=call.values["name"])
    return ActionResult(f"{project.slug} is called {project.name} now.")


def set_rules(call: ActionCall) -> ActionResult:
    project = projects.set_project(actor=call.actor, project=call.row, **call.values)
    return ActionResult(f"The rules of {project.slug} are set.")


def add_member(call: ActionCall) -> ActionResult:
    project = project_for(call.actor, call.values["project"])
    user = account_named(call.values["username"], "username")
    projects.set_member(actor=call.actor, project=project, user=user, role=call.values["role"])
    return ActionResult(f"{user.participant} is {call.values['role']} in {project.slug}.")


def set_role(call: ActionCall) -> ActionResult:
    member = call.row
    projects.set_member(actor=call.actor, project=member.project, user=member.user, role=call.values["role"])
    return ActionResult(f"{member.user.participant} is {call.values['role']} in {member.project.slug}.")


def remove_member(call: ActionCall) -> ActionResult:
    projects.remove_member(actor=call.actor, project=call.row.project, user=call.row.user)
    return ActionResult(f"{call.row.user.participant} is no longer a member of {call.row.project.slug}.")


def manages_some(actor: Actor) -> bool:
    """Is the actor an operator of any project, or a superuser?"""
    return actor.user.is_superuser or Membership.objects.filter(user=actor.user, role=Role.OPERATOR).exists()


def operates(actor: Actor, project: Any) -> bool:
    """Is the actor an operator of the project, which comes from `projects_for`?"""
    return includes(actor.effective(project.role), Role.OPERATOR)


def manages(actor: Actor, member: Membership) -> bool:
    """Is the actor an operator of the member's project? `MembershipAdmin.rows` has read the actor's role there."""
    return includes(actor.effective(member.readers_role), Role.OPERATOR)  # type: ignore[attr-defined]


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin):
    list_display = ("slug", "name", "two_person", "write_policy", "created_at")
    columns = ("slug", "name")
    fields = ("slug", "name", "two_person", "write_policy", "created_at")
    ordering = ("slug",)
    search_help_text = "The beginning of a slug."
    admin_actions = (
        add_action(
            "Add a project…",
            NewProject,
            add_project,
            "A new, empty space for files and tickets. Its slug is for good: scope keys and places name it.",
        ),
        AdminAction(
            name="rename",
            label="Rename…",
            form=NewName,
            run=rename,
            may=manages_some,
            initial=lambda project: {"name": project.name},
            fits=operates,
            consequences="The name changes everywhere at once; the slug stays.",
        ),
        AdminAction(
            name="rules",
            label="Rules…",
            form=Rules,
            run=set_rules,
            may=manages_some,
            fits=operates,
            initial=lambda project: {"two_person": project.two_person, "write_policy": project.write_policy},
            consequences=(
                "They count from the next approval, and the next change by an agent, on. A file may have a write "
                "policy of its own."
            ),
        ),
    )

    def rows(self, actor: Actor) -> QuerySet[Any]:
        return projects_for(actor)

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return rows.filter(slug__startswith=term.lower())

    def subject(self, row: Project) -> str:
        return f"project:{row.pk}"


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    list_display = ("user", "project", "role", "created_at")
    columns = ("user", "project", "role")
    fields = ("user", "project", "role", "created_at")
    ordering = ("id",)
    list_filter = (
        filters.project(),
        filters.choices("role", "role", dict(Role.choices), lambda rows, role: rows.filter(role=role)),
    )
    search_help_text = "The whole name of an account."
    admin_actions = (
        add_action(
            "Add a member…",
            NewMember,
            add_member,
            "A viewer reads; an editor also checks files out and in; an operator also decides, breaks and manages "
            "members.",
            may=manages_some,
        ),
        AdminAction(
            name="role",
            label="Change role…",
            form=NewRole,
            run=set_role,
            may=manages_some,
            initial=lambda member: {"role": member.role},
            fits=manages,
            consequences="The new role counts from the next request on.",
        ),
        AdminAction(
            name="remove",
            label="Remove…",
            is_bulk=True,
            is_grave=True,
            run=remove_member,
            may=manages_some,
            fits=manages,
            consequences=("The project is gone from their sight. What they have checked out stays theirs to check in."),
        ),
    )

    def rows(self, actor: Actor) -> QuerySet[Any]:
        mine = Membership.objects.filter(project=OuterRef("project"), user=actor.user).values("role")[:1]
        members = Membership.objects.select_related("project", "user").annotate(readers_role=Subquery(mine))
        return members.filter(project__in=projects_for(actor).values("pk"))

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return rows.filter(user__username__iexact=term)

    def subject(self, row: Membership) -> str:
        return f"project:{row.project_id}"
