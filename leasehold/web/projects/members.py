"""A project's members and settings, for its operators."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from leasehold.actions import projects as actions
from leasehold.actors import Actor
from leasehold.exceptions import Invalid
from leasehold.models import Project, Role
from leasehold.selectors import account_named, member_of, members_of, project_for
from leasehold.web.confirmation import confirmation_page
from leasehold.web.forms import add_message, errors_by_field
from leasehold.web.reader import actor_of

MEMBERS = 500  # on the page; larger projects are managed in the admin
#: role → what it allows, in words
ROLES = {
    Role.VIEWER: "reads and downloads",
    Role.EDITOR: "also uploads, checks out and in, and works at tickets",
    Role.OPERATOR: "also approves, decides, ends others’ check-outs, and looks after members",
}


@login_required
@require_GET
def members(request: HttpRequest, slug: str) -> HttpResponse:
    actor, project = managed_project(request, slug)
    return render_members(request, actor, project)


@login_required
@require_POST
def set_project(request: HttpRequest, slug: str) -> HttpResponse:
    """Set the name, what agents may do, and whether approving a ticket needs a second person."""
    actor, project = managed_project(request, slug)
    try:
        actions.set_project(
            actor=actor,
            project=project,
            name=request.POST.get("name", ""),
            write_policy=request.POST.get("write_policy", ""),
            two_person=bool(request.POST.get("two_person")),
        )
    except Invalid as refusal:
        return render_members(request, actor, project, errors=errors_by_field(refusal))
    add_message(request, "Saved.", "is-free")
    return redirect("members", slug)


@login_required
@require_POST
def set_member(request: HttpRequest, slug: str) -> HttpResponse:
    """Add an account by its name, or give a member another role."""
    actor, project = managed_project(request, slug)
    try:
        user = account_named(request.POST.get("user", ""), "user")
        member = actions.set_member(actor=actor, project=project, user=user, role=request.POST.get("role", ""))
    except Invalid as refusal:
        return render_members(request, actor, project, errors=errors_by_field(refusal))
    add_message(request, f"{user.username} is {member.get_role_display().lower()} in {project.name}.", "is-free")
    return redirect_after_change(actor, slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def remove_member(request: HttpRequest, slug: str, username: str) -> HttpResponse:
    """Confirm, with what will happen; then remove the member."""
    actor, project = managed_project(request, slug)
    user = member_of(project, username)
    url = reverse("members", args=[slug])
    if request.method == "POST":
        actions.remove_member(actor=actor, project=project, user=user)
        add_message(request, f"{user.username} is no longer a member of {project.name}.", "is-lapsed")
        return redirect_after_change(actor, slug)
    context = {
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
        "back": url,
        "back_label": "Leave it",
    }
    return confirmation_page(request, context)


def managed_project(request: HttpRequest, slug: str) -> tuple[Actor, Project]:
    """Return the reader and the project.

    Raises `Forbidden` for members who are not operators, `NotFound` for everybody else.
    """
    actor = actor_of(request)
    project = project_for(actor, slug)
    actor.demand(Role.OPERATOR, project.role)
    return actor, project


def redirect_after_change(actor: Actor, slug: str) -> HttpResponse:
    """Redirect to the members, or, if the actor has just lost the role for that, to a page that they may still see."""
    role = actor.effective(actor.role_in(Project.objects.get(slug=slug)))
    if role == Role.OPERATOR:
        return redirect("members", slug)
    return redirect("project", slug) if role else redirect("projects")


def crumbs_of(project: Project) -> list[tuple[str, str]]:
    return [("Projects", reverse("projects")), (project.name, reverse("project", args=[project.slug]))]


def render_members(
    request: HttpRequest, actor: Actor, project: Project, *, errors: dict[str, str] | None = None
) -> HttpResponse:
    rows = list(members_of(project).order_by("user__username")[: MEMBERS + 1])
    context: dict[str, Any] = {
        "section": "files",
        "project": project,
        "members": rows[:MEMBERS],
        "has_more": len(rows) > MEMBERS,
        "roles": [(role.value, role.label, rights) for role, rights in ROLES.items()],
        "reader": actor.user,
        "errors": errors or {},
        "name": request.POST.get("name", project.name),
        "user_typed": request.POST.get("user", "") if errors else "",
        "crumbs": crumbs_of(project),
    }
    return render(request, "projects/members.html", context, status=400 if errors else 200)
