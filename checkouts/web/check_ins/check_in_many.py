"""Check in several files at once. Each is matched with a check-out by its path or name, and gets its own result."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from checkouts import wording
from checkouts.actions.check_in import check_in
from checkouts.actions.check_out import MOST_AT_ONCE
from checkouts.bytes.intake import Upload
from checkouts.doubts import doubts_about
from checkouts.http.uploads import streamed_files
from checkouts.outcomes import Committed, Outcome, Proposed, Unchanged
from checkouts.selectors import own_open_checkouts
from checkouts.selectors.matches import Matcher
from checkouts.web.check_ins.check_in import LOOKS
from checkouts.web.links import artifact_url, folder_url, project_crumbs
from checkouts.web.projects.selection import folder_param
from leasehold.actors import Actor
from leasehold.exceptions import Refusal
from leasehold.selectors import project_for
from leasehold.web.reader import actor_of, is_script, sign_in_first


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result for one file: `tag` in a word or two, `text` in a sentence; `url` is the file's page, or empty."""

    name: str
    role: str
    icon: str
    tag: str
    text: str
    url: str = ""


def guard_check_in_many(request: HttpRequest) -> HttpResponse | None:
    """Before the body is read: redirect to sign in. Which check-outs match is known later."""
    if not request.user.is_authenticated:
        return sign_in_first("desk")
    return None if request.method == "POST" else redirect("desk")


@streamed_files(guard_check_in_many)
def check_in_many(request: HttpRequest, uploads: list[Upload]) -> HttpResponse:
    """Check in each file separately: one that is refused, or matches no check-out, does not stop the others.

    Form fields: `project` and `folder` narrow the search; `comment`, `keep` and `empty` are as for one file. `path`
    comes from our script, which sends one file at a time: a multipart part has only the file's name.
    """
    actor, fields = actor_of(request), uploads[0].fields
    home = project_for(actor, fields["project"]) if fields.get("project") else None
    folder = folder_param(request.POST)
    matcher = Matcher(own_open_checkouts(actor, home)[:MOST_AT_ONCE], folder=folder)
    path = fields.get("path", "") if len(uploads) == 1 else ""
    results = [check_in_one(actor, matcher, path or upload.filename, upload) for upload in uploads]
    if is_script(request):
        return as_json(results[0])
    context = {
        "section": "files" if home else "desk",
        "crumbs": project_crumbs(home, folder) if home else [],
        "results": results,
        "back": folder_url(home, folder) if home else "",
        "unmatched": sum(not result.url for result in results),
    }
    return render(request, "check_ins/check_in_many.html", context)


def check_in_one(actor: Actor, matcher: Matcher, name: str, upload: Upload) -> FileResult:
    """Match the file with a check-out, and check it in. A refusal becomes a result, too."""
    found = matcher.find(name)
    if not found:
        return not_matched(name, "You have no file of this name checked out here.")
    if len(found) > 1:
        paths = ", ".join(checkout.artifact.path for checkout in found[:3])
        return not_matched(name, f"It could be any of: {paths}. Check it in on its page.")
    artifact, fields = found[0].artifact, upload.fields
    url = artifact_url(artifact)
    if doubts := doubts_about(upload, artifact.name):
        question = wording.doubt_for_its_page(doubts[0], filename=upload.filename, next_version_of=artifact.name)
        return FileResult(name, "is-stale", "danger", "Left", question, url)
    keep = bool(fields.get("keep"))
    try:
        outcome = upload.commit_with(
            lambda received: check_in(
                actor=actor,
                checkout_id=found[0].pk,
                upload=received,
                comment=fields.get("comment", ""),
                keep=keep,
            )
        )
    except Refusal as refusal:
        return FileResult(artifact.path, "is-danger", "danger", "Refused", str(refusal), url)
    return FileResult(artifact.path, *LOOKS[outcome.code], tag_of(outcome), text_of(outcome, keep=keep), url)


def not_matched(name: str, text: str) -> FileResult:
    return FileResult(name, "is-lapsed", "search", "Not matched", text)


def tag_of(outcome: Outcome) -> str:
    match outcome:
        case Committed():
            return f"Version {outcome.version.number}"
        case Unchanged():
            return "Unchanged"
    return f"Proposal {outcome.proposal.pk}"


def text_of(outcome: Outcome, *, keep: bool) -> str:
    """Return the result as a sentence; after a proposal, also what happens next."""
    text = wording.result_of(outcome).capitalize()
    return f"{text} {wording.what_follows(outcome, wanted_to_keep=keep)}" if isinstance(outcome, Proposed) else text


def as_json(result: FileResult) -> HttpResponse:
    """Return the result of its one file for our script."""
    if result.url and result.role not in ("is-danger", "is-stale"):
        return JsonResponse({"url": result.url, "title": result.text, "role": result.role})
    step = {"label": "Open", "url": result.url} if result.url else None
    return JsonResponse({"title": result.tag, "detail": result.text, "next": step}, status=422)
