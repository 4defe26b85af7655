"""A project's members and settings, for its operators."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from leasehold import names
from leasehold.actions import projects as actions
from leasehold.actors import Actor
from leasehold.exceptions import Invalid
from leasehold.models import Project, Role, User
from leasehold.selectors import member_of, members_of, project_for
from leasehold.web.confirmation import question
from leasehold.web.forms import faults_of, say
from leasehold.web.reader import actor_of

MEMBERS = 500  # shown; a project with more is looked after in the administration
ROLES = {
    Role.VIEWER: "reads and downloads",
    Role.EDITOR: "also uploads, checks out and in, and works at tickets",
    Role.OPERATOR: "also approves, decides, ends others’ check-outs, and looks after members",
}


@login_required
@require_GET
def members(request: HttpRequest, slug: str) -> HttpResponse:
    actor = actor_of(request)
    return shown(request, actor, looked_after(actor, slug))


@login_required
@require_POST
def set_project(request: HttpRequest, slug: str) -> HttpResponse:
    """Name, what agents may do, and whether a ticket needs two people."""
    actor = actor_of(request)
    project = looked_after(actor, slug)
    try:
        actions.set_project(
            actor=actor,
            project=project,
            name=request.POST.get("name", ""),
            write_policy=request.POST.get("write_policy", ""),
            two_person=bool(request.POST.get("two_person")),
        )
    except Invalid as refusal:
        return shown(request, actor, project, faults=faults_of(refusal))
    say(request, "Saved.", "is-free")
    return redirect("members", slug)


@login_required
@require_POST
def set_member(request: HttpRequest, slug: str) -> HttpResponse:
    """Add somebody by name, or give a member another role."""
    actor = actor_of(request)
    project = looked_after(actor, slug)
    try:
        user = account_named(request.POST.get("user", ""))
        member = actions.set_member(actor=actor, project=project, user=user, role=request.POST.get("role", ""))
    except Invalid as refusal:
        return shown(request, actor, project, faults=faults_of(refusal))
    say(request, f"{user.username} is {member.get_role_display().lower()} in {project.name}.", "is-free")
    return still_there(actor, slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def remove_member(request: HttpRequest, slug: str, username: str) -> HttpResponse:
    """First what will happen, then the act."""
    actor = actor_of(request)
    project = looked_after(actor, slug)
    user = member_of(project, username)
    page = reverse("members", args=[slug])
    if request.method == "POST":
        actions.remove_member(actor=actor, project=project, user=user)
        say(request, f"{user.username} is no longer a member of {project.name}.", "is-lapsed")
        return still_there(actor, slug)
    facts = {
        "section": "files",
        "crumbs": crumbs_of(project),
        "heading": f"Remove {user.username} from {project.name}?",
        "sub": user.get_full_name(),
        "will": [
            ("blocked", f"{user.username} no longer sees the project, its files and its tickets."),
            ("mine", f"What {user.username} has checked out stays theirs: what they check in is kept as a proposal."),
            ("person", "You can add them again at any time."),
        ],
        "button": f"Remove {user.username}",
        "button_icon": "blocked",
        "back": page,
        "back_label": "Leave it",
    }
    return question(request, facts)


def looked_after(actor: Actor, slug: str) -> Project:
    """The project, for its operators; `Forbidden` for other members, `NotFound` for strangers."""
    project = project_for(actor, slug)
    actor.demand(Role.OPERATOR, project.role)
    return project


def still_there(actor: Actor, slug: str) -> HttpResponse:
    """Who has given up the role is led to where they may still be."""
    role = actor.effective(actor.role_in(Project.objects.get(slug=slug)))
    if role == Role.OPERATOR:
        return redirect("members", slug)
    return redirect("project", slug) if role else redirect("projects")


def account_named(username: str) -> User:
    name = names.text(username, "user", 150, needed=True).lower()
    user = User.objects.alias(key=Lower("username")).filter(key=name).first()
    if user is None:
        raise Invalid.of("user", "There is no account of this name.")
    return user


def crumbs_of(project: Project) -> list[tuple[str, str]]:
    return [("Projects", reverse("projects")), (project.name, reverse("project", args=[project.slug]))]


def shown(
    request: HttpRequest, actor: Actor, project: Project, *, faults: dict[str, str] | None = None
) -> HttpResponse:
    rows = list(members_of(project).order_by("user__username")[: MEMBERS + 1])
    facts: dict[str, Any] = {
        "section": "files",
        "project": project,
        "members": rows[:MEMBERS],
        "has_more": len(rows) > MEMBERS,
        "roles": [(role.value, role.label, words) for role, words in ROLES.items()],
        "reader": actor.user,
        "faults": faults or {},
        "name": request.POST.get("name", project.name),
        "user_typed": request.POST.get("user", "") if faults else "",
        "crumbs": crumbs_of(project),
    }
    return render(request, "leasehold/members.html", facts, status=400 if faults else 200)
