"""Several files come back at once: each finds its check-out by path or name, and each is told what it came to."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from checkouts.actions.check_in import check_in
from checkouts.actions.check_out import MOST_AT_ONCE
from checkouts.bytes.intake import Upload
from checkouts.http.uploads import streamed_files
from checkouts.models import Checkout
from checkouts.outcomes import Committed, Outcome, Unchanged
from checkouts.selectors import own_open_checkouts
from checkouts.selectors.matches import Matcher
from checkouts.web.check_ins.forecast import NOT_KEPT
from checkouts.web.links import artifact_url, folder_url, project_crumbs
from checkouts.web.projects.selection import folder_of
from leasehold.actors import Actor
from leasehold.exceptions import Refusal
from leasehold.selectors import project_for
from leasehold.web.reader import actor_of, is_script, sign_in_first


@dataclass(frozen=True, slots=True)
class Told:
    """What one file came to: `tag` in a word, `text` in a sentence; `url` is the file's page, where one was found."""

    name: str
    role: str
    drawing: str
    tag: str
    text: str
    url: str = ""


def may_check_in_many(request: HttpRequest) -> HttpResponse | None:
    """Judged before the body is read: signed in. Only one's own check-outs are looked at."""
    if not request.user.is_authenticated:
        return sign_in_first("desk")
    return None if request.method == "POST" else redirect("desk")


@streamed_files(may_check_in_many)
def check_in_many(request: HttpRequest, uploads: list[Upload]) -> HttpResponse:
    """Each file on its own: one that is refused, or finds no check-out, stops none of the others.

    Fields: `project` and `folder` narrow where to look; `comment`, `keep`, `empty` as for one; `path` is what a script
    says of its one file, whose name alone the form would carry.
    """
    actor, fields = actor_of(request), uploads[0].fields
    home = project_for(actor, fields["project"]) if fields.get("project") else None
    folder = folder_of(request.POST)
    matcher = Matcher(own_open_checkouts(actor, home)[:MOST_AT_ONCE], folder=folder)
    only_path = fields.get("path", "") if len(uploads) == 1 else ""
    told = [brought(actor, matcher, only_path or upload.filename, upload) for upload in uploads]
    if is_script(request):
        return in_brief(told[0])
    facts = {
        "section": "files" if home else "desk",
        "crumbs": project_crumbs(home, folder) if home else [],
        "told": told,
        "back": folder_url(home, folder) if home else "",
        "left": sum(not one.url for one in told),
    }
    return render(request, "checkouts/check_ins.html", facts)


def brought(actor: Actor, matcher: Matcher, name: str, upload: Upload) -> Told:
    """Find its check-out and bring it back; what becomes of it is told, never raised."""
    found = matcher.find(name)
    if not found:
        return Told(name, "is-lapsed", "search", "Not matched", "You have no file of this name checked out here.")
    if len(found) > 1:
        paths = ", ".join(record.artifact.path for record in found[:3])
        return Told(
            name, "is-lapsed", "search", "Not matched", f"It could be any of: {paths}. Check it in on its page."
        )
    record, fields = found[0], upload.fields
    url = artifact_url(record.artifact)
    if upload.received.size == 0 and not fields.get("empty"):
        return Told(
            name, "is-stale", "danger", "Left", "It is empty (0 bytes). If you mean it, say so on its page.", url
        )
    keep = bool(fields.get("keep"))
    try:
        outcome = upload.commit_with(
            lambda received: check_in(
                actor=actor,
                checkout_id=record.pk,
                upload=received,
                comment=fields.get("comment", ""),
                keep=keep,
            )
        )
    except Refusal as refusal:
        return Told(record.artifact.path, "is-danger", "danger", "Refused", str(refusal), url)
    return told_of(record, outcome, url, keep=keep)


def told_of(record: Checkout, outcome: Outcome, url: str, *, keep: bool) -> Told:
    path = record.artifact.path
    if isinstance(outcome, Committed):
        number = outcome.version.number
        return Told(path, "is-free", "done", f"Version {number}", f"Committed as version {number}.", url)
    if isinstance(outcome, Unchanged):
        text = f"Identical to version {outcome.version.number}: nothing to commit."
        return Told(path, "is-lapsed", "same", "Unchanged", text, url)
    text = f"Kept as proposal {outcome.proposal.pk}: nothing is lost, and an operator decides."
    if keep:
        text = f"{text} {NOT_KEPT}"
    return Told(path, "is-proposal", "proposal", f"Proposal {outcome.proposal.pk}", text, url)


def in_brief(told: Told) -> HttpResponse:
    """For our script, which sends one file at a time."""
    if told.url and told.role not in ("is-danger", "is-stale"):
        return JsonResponse({"url": told.url, "title": told.text, "role": told.role})
    step = {"label": "Open", "url": told.url} if told.url else None
    return JsonResponse({"title": told.tag, "detail": told.text, "next": step}, status=422)
