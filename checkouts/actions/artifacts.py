"""Adding files."""

from django.db.models import Q

from checkouts.bytes.storage import Received
from checkouts.entries import write_artifact_entry
from checkouts.exceptions import PathTaken
from checkouts.models import Artifact
from checkouts.versions import add_version
from leasehold import leases, names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.models import Project, Role
from leasehold.scopes.reservations import refuse_reserved
from leasehold.selectors import project_for


def expect_artifact(*, actor: Actor, project: str, path: str | None = None) -> None:
    """Check, before the body is read, that the actor may add a file here and that `path`, if given, is free.

    Raises as `add_artifact` does.
    """
    home = project_for(actor, project)
    actor.demand(Role.EDITOR, home.role)
    if path is not None:
        refuse_taken(home, names.normalised(path))


@action
def add_artifact(*, actor: Actor, project: str, path: str, upload: Received, comment: str = "") -> Artifact:
    """Add a new file, with `upload` as its version 1.

    `project` is a slug. Raises `Invalid` for a malformed path, `PathTaken` with the artifact that is at the path or in
    its way, `Forbidden` for a viewer, `NotFound` for an actor outside the project.
    """
    path = names.normalised(path)
    comment = names.checked_text(comment, "comment", 10_000)
    home = project_for(actor, project)
    actor.demand(Role.EDITOR, home.role)

    leases.gate([home.slug])
    session = refuse_reserved([f"{home.slug}/{names.comparing_form(path)}"], actor.user)
    claim_path(home, path)
    at = clock.now()
    artifact = Artifact.objects.create(
        project=home,
        path=path,
        path_key=names.comparing_form(path),
        folder_key=names.comparing_form(names.folder_of(path)),
        head_size=upload.size,
        changed_at=at,
        created_at=at,
        created_by=actor.user,
    )
    version = add_version(
        artifact,
        upload=upload,
        number=1,
        author=actor,
        comment=comment,
        at=at,
        session_id=session,
        provenance={"kind": "upload"},
    )
    artifact.head = version
    Artifact.objects.filter(pk=artifact.pk).update(head=version)
    write_artifact_entry(
        "artifact_added",
        actor,
        artifact,
        at,
        path=path,
        version=1,
        digest=version.digest,
        size=version.size,
        comment=comment,
    )
    return artifact


def claim_path(project: Project, path: str, *, besides: int | None = None) -> None:
    """Lock the project, then `refuse_taken`: if two actors add `a` and `a/b` at once, the second sees the first."""
    Project.objects.select_for_update(no_key=True).values_list("pk").get(pk=project.pk)
    refuse_taken(project, path, besides=besides)


def refuse_taken(project: Project, path: str, *, besides: int | None = None) -> None:
    """Raise `PathTaken` if a file is at `path`, or at one of its folders, or below it.

    `besides`: the artifact that moves; its own old path is not in its way.
    """
    key = names.comparing_form(path)
    low, high = names.range_below(key)
    in_the_way = (
        Artifact.objects.filter(project=project, archived_at=None)
        .exclude(pk=besides)
        .filter(Q(path_key__in=[key, *names.ancestors(key)]) | Q(path_key__gte=low, path_key__lt=high))
        .order_by("path_key")
        .first()
    )
    if in_the_way is None:
        return
    if in_the_way.path_key == key:
        raise PathTaken(artifact=in_the_way.pk)
    if in_the_way.path_key < key:
        raise PathTaken(f"“{in_the_way.path}” is a file, so nothing can lie below it.", artifact=in_the_way.pk)
    raise PathTaken(f"“{path}” is a folder: “{in_the_way.path}” lies in it.", artifact=in_the_way.pk)
