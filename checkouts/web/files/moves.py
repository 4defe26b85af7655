"""Rename, archive and unarchive a file, each after a confirmation page."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from checkouts.actions import moves as action
from checkouts.exceptions import ArtifactBusy
from checkouts.selectors import ArtifactWithLease, artifact_for
from checkouts.web.holds import hold_for
from checkouts.web.links import artifact_crumbs, artifact_url
from checkouts.web.views import signed_in
from leasehold import names
from leasehold.actors import Actor
from leasehold.models import Role
from leasehold.web.confirmation import Field, confirm
from leasehold.web.forms import add_message
from leasehold.web.reader import actor_of


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def rename(request: HttpRequest, artifact_id: int) -> HttpResponse:
    actor, file = file_to_edit(request, artifact_id)
    refuse_held(actor, file)
    path = file.artifact.path

    def submit() -> HttpResponse:
        renamed = action.rename(actor=actor, artifact_id=artifact_id, path=request.POST.get("path", ""))
        if renamed.path == path:
            add_message(request, f"{renamed.name} has that path already.\nNothing was changed.", "is-lapsed")
        else:
            add_message(request, f"{path} is {renamed.path} now.\nIts versions and its history came along.", "is-free")
        return redirect(artifact_url(renamed))

    context = confirmation_context(actor, file) | {
        "heading": f"Rename or move {file.artifact.name}",
        "sub": f"In {file.artifact.project.name}. A folder comes with the first file in it.",
        "will": [
            ("same", "Its versions, its history and its address on this server stay."),
            ("folder", "Everybody finds it at the new path from now on, and the old one is free for another file."),
        ],
        "button": "Rename",
        "button_icon": "same",
        "button_class": "btn-primary",
        "back_label": "Leave it as it is",
    }
    hint = "The whole path in the project, with its folders: heroes/final/hero.psd"
    field = Field("path", "New path", value=path, hint=hint, required=True, limit=names.MAX_PATH)
    return confirm(request, context, [field], submit)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: HttpRequest, artifact_id: int) -> HttpResponse:
    actor, file = file_to_edit(request, artifact_id)
    refuse_held(actor, file)
    name, project = file.artifact.name, file.artifact.project.name

    def submit() -> HttpResponse:
        archived = action.archive(actor=actor, artifact_id=artifact_id)
        add_message(request, f"{name} is archived.\nIts versions stay, and you can bring it back.", "is-lapsed")
        return redirect(artifact_url(archived))

    will = [
        ("delete", f"It goes from {project}’s lists; “Archived” still shows it. Nobody can check it out."),
        ("free", f"Its path, {file.artifact.path}, is free for another file."),
        ("restore", "All its versions stay and can be downloaded. You can bring it back while its path is free."),
    ]
    if file.live_lease and file.live_lease.participant == actor.participant:
        will.append(("mine", "You have it checked out: what you check in later is kept as a proposal."))
    context = confirmation_context(actor, file) | {
        "heading": f"Archive {name}?",
        "sub": "Nothing is deleted.",
        "will": will,
        "button": "Archive",
        "button_icon": "delete",
        "button_class": "btn-danger",
        "back_label": "Keep it",
    }
    return confirm(request, context, [], submit)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def unarchive(request: HttpRequest, artifact_id: int) -> HttpResponse:
    actor, file = file_to_edit(request, artifact_id)

    def submit() -> HttpResponse:
        restored = action.unarchive(actor=actor, artifact_id=artifact_id)
        add_message(request, f"{restored.name} is back at {restored.path}.\nIt is free to check out.", "is-free")
        return redirect(artifact_url(restored))

    context = confirmation_context(actor, file) | {
        "heading": f"Bring {file.artifact.name} back?",
        "sub": "It was put away, and nothing of it is lost.",
        "will": [
            ("restore", f"It lies at {file.artifact.path} again, with all its versions."),
            ("free", "Everybody in the project sees it, and editors can check it out."),
        ],
        "button": "Bring it back",
        "button_icon": "restore",
        "button_class": "btn-primary",
        "back_label": "Leave it archived",
    }
    return confirm(request, context, [], submit)


def file_to_edit(request: HttpRequest, artifact_id: int) -> tuple[Actor, ArtifactWithLease]:
    """Return the reader and the file. Raises `Forbidden` for a viewer, before the confirmation page is rendered."""
    actor = actor_of(request)
    file = artifact_for(actor, artifact_id)
    actor.demand(Role.EDITOR, file.role)
    return actor, file


def file_to_decide_on(request: HttpRequest, artifact_id: int) -> tuple[Actor, ArtifactWithLease]:
    """Return the reader and the file. Raises `Forbidden` unless the reader is a person who is an operator."""
    actor = actor_of(request)
    file = artifact_for(actor, artifact_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, file.role)
    return actor, file


def refuse_held(actor: Actor, file: ArtifactWithLease) -> None:
    """Raise `ArtifactBusy` before the confirmation page if somebody else holds the file. The action checks again."""
    if file.live_lease and file.live_lease.participant != actor.participant:
        raise ArtifactBusy(lease=file.live_lease)


def confirmation_context(actor: Actor, file: ArtifactWithLease) -> dict[str, Any]:
    """Return the context that all confirmation pages about a file share: its breadcrumbs and holder."""
    return {
        "at": file.at,
        "crumbs": artifact_crumbs(file.artifact),
        "hold": hold_for(actor, file.live_lease),
        "back": artifact_url(file.artifact),
    }
