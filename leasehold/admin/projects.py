"""Projects and who is a member of them."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery

from leasehold.actions import projects
from leasehold.actors import Actor
from leasehold.admin import filters
from leasehold.admin.actions import Act, Asked, Said, account_named, superusers
from leasehold.admin.base import ReadOnlyAdmin
from leasehold.models import Membership, Project, Role, WritePolicy
from leasehold.rules import includes
from leasehold.selectors import project_for, projects_for


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


def add_project(asked: Asked) -> Said:
    project = projects.create_project(actor=asked.actor, **asked.values)
    return Said(f"There is a project {project.slug}. It has no members yet.")


def rename(asked: Asked) -> Said:
    project = projects.set_project(actor=asked.actor, project=asked.row, name=asked.values["name"])
    return Said(f"{project.slug} is called {project.name} now.")


def set_rules(asked: Asked) -> Said:
    project = projects.set_project(actor=asked.actor, project=asked.row, **asked.values)
    return Said(f"The rules of {project.slug} are set.")


def add_member(asked: Asked) -> Said:
    project = project_for(asked.actor, asked.values["project"])
    user = account_named("username", asked.values["username"])
    projects.set_member(actor=asked.actor, project=project, user=user, role=asked.values["role"])
    return Said(f"{user.participant} is {asked.values['role']} in {project.slug}.")


def set_role(asked: Asked) -> Said:
    member = asked.row
    projects.set_member(actor=asked.actor, project=member.project, user=member.user, role=asked.values["role"])
    return Said(f"{member.user.participant} is {asked.values['role']} in {member.project.slug}.")


def remove_member(asked: Asked) -> Said:
    projects.remove_member(actor=asked.actor, project=asked.row.project, user=asked.row.user)
    return Said(f"{asked.row.user.participant} is no longer a member of {asked.row.project.slug}.")


def manages_some(actor: Actor) -> bool:
    """An operator of any project, or a superuser."""
    return actor.user.is_superuser or Membership.objects.filter(user=actor.user, role=Role.OPERATOR).exists()


def operates(actor: Actor, project: Any) -> bool:
    return includes(actor.effective(project.role), Role.OPERATOR)


def manages(actor: Actor, member: Membership) -> bool:
    """Is the reader the operator there? The roles that a list needs come with its rows."""
    return includes(actor.effective(member.readers_role), Role.OPERATOR)  # type: ignore[attr-defined]


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin):
    list_display = ("slug", "name", "two_person", "write_policy", "created_at")
    columns = ("slug", "name")
    fields = ("slug", "name", "two_person", "write_policy", "created_at")
    ordering = ("slug",)
    search_help_text = "The beginning of a slug."
    acts = (
        Act(
            name="add", label="Add a project…", of_list=True, may=superusers, form=NewProject, run=add_project,
            will="A new, empty space for files and tickets. Its slug is for good: scope keys and places name it.",
        ),
        Act(
            name="rename", label="Rename…", form=NewName, run=rename, may=manages_some,
            starts_with=lambda project: {"name": project.name},
            fits=operates,
            will="The name changes everywhere at once; the slug stays.",
        ),
        Act(
            name="rules", label="Rules…", form=Rules, run=set_rules, may=manages_some, fits=operates,
            starts_with=lambda project: {"two_person": project.two_person, "write_policy": project.write_policy},
            will="They count from the next approval, and the next change by an agent, on. A file may have a write "
            "policy of its own.",
        ),
    )  # fmt: skip

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
    acts = (
        Act(
            name="add", label="Add a member…", of_list=True, may=manages_some, form=NewMember, run=add_member,
            will="A viewer reads; an editor also checks files out and in; an operator also decides, breaks and manages "
            "members.",
        ),
        Act(
            name="role", label="Change role…", form=NewRole, run=set_role, may=manages_some,
            starts_with=lambda member: {"role": member.role},
            fits=manages,
            will="The new role counts from the next request on.",
        ),
        Act(
            name="remove", label="Remove…", is_bulk=True, is_grave=True, run=remove_member, may=manages_some,
            fits=manages,
            will="The project is gone from their sight. What they have checked out stays theirs to check in.",
        ),
    )  # fmt: skip

    def rows(self, actor: Actor) -> QuerySet[Any]:
        mine = Membership.objects.filter(project=OuterRef("project"), user=actor.user).values("role")[:1]
        members = Membership.objects.select_related("project", "user").annotate(readers_role=Subquery(mine))
        return members.filter(project__in=projects_for(actor).values("pk"))

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return rows.filter(user__username__iexact=term)

    def subject(self, row: Membership) -> str:
        return f"project:{row.project_id}"
