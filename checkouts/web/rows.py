"""Small facts that several pages show: the crumbs of a path, the record behind a lease, one file as a row."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from checkouts.models import Artifact, Checkout
from checkouts.previews.images import may_have
from checkouts.selectors import ArtifactWithLease
from leasehold.actors import Actor
from leasehold.leases import HeldLease
from leasehold.models import Project, Role
from leasehold.names import folder_of
from leasehold.rules import includes
from leasehold.scopes.reservations import reserved_for_others
from leasehold.selectors import with_workers
from leasehold.web.holds import Hold
from leasehold.web.reader import safe_next

View = Callable[..., HttpResponseBase]


def signed_in(view: View) -> View:
    """`login_required`, for views that answer with a file as well as with a page."""
    return login_required(view)


@dataclass(frozen=True, slots=True)
class Row:
    """A file in a list: `shown` is its path as far as the list needs it, cut into folder and name."""

    artifact: Artifact
    folder: str
    hold: Hold | None
    may_edit: bool

    @classmethod
    def of(cls, actor: Actor, seen: ArtifactWithLease, *, below: str = "", reserved: HeldLease | None = None) -> "Row":
        """`reserved`: what `reserved_over` says of it; it counts while nobody has the file."""
        inner = seen.artifact.path[len(below) + 1 :] if below else seen.artifact.path
        hold = hold_of(actor, seen.live_lease or reserved or seen.lease)
        return cls(seen.artifact, inner[: -len(seen.artifact.name)], hold, may_edit(actor, seen))

    @property
    def thumbnail(self) -> str:
        """The address of the newest version's small picture; empty where its name promises none.

        With its digest, so that it may be kept for good: a database that was put back may count on from an old number.
        """
        if not may_have(self.artifact.name):
            return ""
        digest = self.artifact.head.digest.partition(":")[2]
        return f"{reverse('thumbnail', args=[self.artifact.pk, self.artifact.head.number])}?{digest[:12]}"

    @property
    def state(self) -> str:
        """What the row's one button says: `mine`, `held`, `reserved`, `free`, `lapsed` or `archived`."""
        if self.artifact.archived_at:
            return "archived"
        if self.hold is None:
            return "free"
        if self.hold.is_reservation:
            return "reserved"
        if self.hold.is_mine:
            return "mine"
        return "lapsed" if self.hold.is_lapsed else "held"


def hold_of(actor: Actor, lease: HeldLease | None) -> Hold | None:
    return Hold.seen_by(actor.user, lease) if lease else None


def reserved_over(actor: Actor, files: Iterable[ArtifactWithLease]) -> dict[int, HeldLease]:
    """Artifact's id → the reservation of another's ticket over it, with who works there. At most two statements."""
    places = {one.artifact.pk: one.artifact.place for one in files if one.artifact.archived_at is None}
    found = reserved_for_others(places.values(), actor.user)
    told = {lease.resource: lease for lease in with_workers(actor, list(found.values()))}
    return {pk: told[found[place].resource] for pk, place in places.items() if place in found}


def may_edit(actor: Actor, seen: ArtifactWithLease) -> bool:
    return includes(actor.effective(seen.role), Role.EDITOR)


def may_break(actor: Actor, seen: ArtifactWithLease) -> bool:
    return includes(actor.effective(seen.role), Role.OPERATOR) and not actor.user.is_agent


def checkout_behind(lease: HeldLease | None) -> int | None:
    """The id of the check-out that holds a lease; none for another kind of holder."""
    if lease is None or lease.kind != "checkout":
        return None
    return int(lease.holder.split(":")[1])


def project_crumbs(project: Project, folder: str = "", **query: Any) -> list[tuple[str, str]]:
    """Projects / Art / heroes / …: one for each folder down to `folder`; `query` as for `folder_url`."""
    crumbs = [("Projects", reverse("projects")), (project.name, folder_url(project, **query))]
    path = ""
    for segment in filter(None, folder.split("/")):
        path = f"{path}/{segment}" if path else segment
        crumbs.append((segment, folder_url(project, path, **query)))
    return crumbs


def artifact_crumbs(artifact: Artifact) -> list[tuple[str, str]]:
    """Down to the file itself, for pages that are about it."""
    return [*project_crumbs(artifact.project, folder_of(artifact.path)), (artifact.name, artifact_url(artifact))]


def folder_url(project: Project, folder: str = "", **query: Any) -> str:
    """The project's page at a folder; empty values leave no trace in the address."""
    asked = urlencode({name: value for name, value in {"folder": folder, **query}.items() if value})
    return reverse("project", args=[project.slug]) + (f"?{asked}" if asked else "")


def artifact_url(artifact: Artifact) -> str:
    return reverse("artifact", args=[artifact.pk])


def back(request: HttpRequest, record: Checkout) -> HttpResponse:
    """To the page that the form names, if it is one of ours; else to that of the check-out's file."""
    is_named = "next" in request.POST or "next" in request.GET
    return redirect(safe_next(request) if is_named else artifact_url(record.artifact))


def say(request: HttpRequest, text: str, role: str) -> None:
    """What an act came to, on the page shown next: the first line of `text` stands out; `role` is the stylesheet's."""
    messages.add_message(request, messages.INFO, text, extra_tags=role)


def forget_unread(request: HttpRequest) -> None:
    """What earlier acts came to and no page has shown yet: the next message says it all."""
    list(messages.get_messages(request))
