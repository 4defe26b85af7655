"""Create and change projects, add and remove members."""

import re
from datetime import datetime
from typing import Any

from leasehold import journal, names
from leasehold.actions import action
from leasehold.actions.accounts import COMMAND_LINE
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Invalid, NotFound
from leasehold.models import Membership, Project, Role, User, WritePolicy

SLUG = re.compile(r"[a-z0-9-]{1,50}")


@action
def create_project(*, actor: Actor | None, slug: str, name: str) -> Project:
    """Create a project. Only for superusers and for the command line (actor None).

    The slug never changes, since scope keys begin with it. Raises `Invalid` for a bad name or a bad or taken slug.
    """
    if actor is not None:
        actor.demand_superuser()
    name = names.checked_text(name, "name", 200, needed=True)
    if not isinstance(slug, str) or not SLUG.fullmatch(slug):
        raise Invalid.of("slug", "Expected 1 to 50 of a–z, 0–9 and “-”.")
    if fault := names.fault_of_segment(slug):
        raise Invalid.of("slug", fault)
    if Project.objects.filter(slug=slug).exists():
        raise Invalid.of("slug", "There is a project with this slug.")
    at = clock.now()
    project = Project.objects.create(slug=slug, name=name, created_at=at)
    _write_entry("project_created", at, project, actor, slug=slug, name=name)
    return project


@action
def set_project(
    *,
    actor: Actor,
    project: Project,
    name: str | None = None,
    write_policy: str | None = None,
    two_person: bool | None = None,
) -> Project:
    """Change a project's name or rules. None leaves a value as it is. For its operators; agents may not set rules.

    `write_policy`: what an agent's check-in becomes, `direct` (a version) or `propose`. `two_person`: whether a
    ticket's author may not approve it.
    """
    actor.demand(Role.OPERATOR, actor.role_in(project))
    wanted: dict[str, Any] = {}
    if name is not None:
        wanted["name"] = names.checked_text(name, "name", 200, needed=True)
    if write_policy is not None:
        if write_policy not in WritePolicy.values:
            raise Invalid.of("write_policy", f"Expected one of {', '.join(WritePolicy.values)}.")
        wanted["write_policy"] = write_policy
    if two_person is not None:
        if not isinstance(two_person, bool):
            raise Invalid.of("two_person", "Expected true or false.")
        wanted["two_person"] = two_person
    if wanted.keys() - {"name"}:
        actor.demand_person()

    project = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    changed: dict[str, Any] = {}
    for field, value in wanted.items():
        before = getattr(project, field)
        if value != before:
            setattr(project, field, value)
            changed |= {field: value, f"{field}_before": before}
    if changed:
        project.save(update_fields=[field for field in wanted if field in changed])
        _write_entry("project_changed", clock.now(), project, actor, **changed)
    return project


@action
def set_member(*, actor: Actor | None, project: Project, user: User, role: str) -> Membership:
    """Make `user` a member, or change the member's role. For the project's operators and the command line."""
    if actor is not None:
        actor.demand(Role.OPERATOR, actor.role_in(project))
    if role not in Role.values:
        raise Invalid.of("role", f"Expected one of {', '.join(Role.values)}.")
    if not user.is_active:
        raise Invalid.of("user", "This account is disabled.")
    at = clock.now()
    member = Membership.objects.select_for_update(no_key=True).filter(project=project, user=user).first()
    before = member.role if member else None
    if member is None:
        member = Membership.objects.create(project=project, user=user, role=role, created_at=at)
    elif before != role:
        member.role = role
        member.save(update_fields=["role"])
    if before != role:
        _write_entry("member_added", at, project, actor, member=user.participant, role=role, role_before=before)
    return member


@action
def remove_member(*, actor: Actor, project: Project, user: User) -> None:
    """End a membership. For the project's operators. The former member may still check in their open check-outs."""
    actor.demand(Role.OPERATOR, actor.role_in(project))
    ended, _ = Membership.objects.filter(project=project, user=user).delete()
    if not ended:
        raise NotFound
    _write_entry("member_removed", clock.now(), project, actor, member=user.participant)


def _write_entry(kind: str, at: datetime, project: Project, actor: Actor | None, **data: Any) -> None:
    subject, participant = f"project:{project.pk}", "" if actor else COMMAND_LINE
    journal.write(kind, at=at, actor=actor, participant=participant, subject=subject, project_id=project.pk, **data)
