"""The addresses of files and folders, the breadcrumbs to them, and the redirect back after a form."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from checkouts.models import Artifact, Checkout
from leasehold.models import Project
from leasehold.names import folder_of
from leasehold.web.reader import safe_next


def project_crumbs(project: Project, folder: str = "", **query: Any) -> list[tuple[str, str]]:
    """Return (text, URL) for Projects / Art / heroes / …, down to `folder`; `query` as for `folder_url`."""
    crumbs = [("Projects", reverse("projects")), (project.name, folder_url(project, **query))]
    path = ""
    for segment in filter(None, folder.split("/")):
        path = f"{path}/{segment}" if path else segment
        crumbs.append((segment, folder_url(project, path, **query)))
    return crumbs


def artifact_crumbs(artifact: Artifact) -> list[tuple[str, str]]:
    """Return the breadcrumbs down to the file itself, for pages about the file."""
    return [*project_crumbs(artifact.project, folder_of(artifact.path)), (artifact.name, artifact_url(artifact))]


def folder_url(project: Project, folder: str = "", **query: Any) -> str:
    """Return the URL of the project's page at a folder. Empty values are left out of the query."""
    parameters = urlencode({name: value for name, value in {"folder": folder, **query}.items() if value})
    return reverse("project", args=[project.slug]) + (f"?{parameters}" if parameters else "")


def artifact_url(artifact: Artifact) -> str:
    return reverse("artifact", args=[artifact.pk])


def redirect_back(request: HttpRequest, checkout: Checkout) -> HttpResponse:
    """Redirect to the form's `next` if it is an address of this site, else to the page of the check-out's file."""
    has_next = "next" in request.POST or "next" in request.GET
    return redirect(safe_next(request) if has_next else artifact_url(checkout.artifact))
