"""Verbs on several files: check out a selection or a folder, discard a selection, and the zip that follows."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from checkouts.actions.check_out import MOST_AT_ONCE, GrantedMany, check_out_many
from checkouts.exceptions import ArtifactBusy
from checkouts.http import zips
from checkouts.selectors import own_open_checkouts
from checkouts.selectors.folders import selection_of
from checkouts.web.files.discards import confirm_discard, discard_verb
from checkouts.web.links import folder_url, project_crumbs
from checkouts.web.projects.busy_files import busy_files
from checkouts.web.promised_downloads import redirect_with_download, with_zip_download
from checkouts.web.reports import BatchReport, count_text, parse_ids, refusal_text, ticked_ids
from checkouts.web.views import signed_in
from leasehold import names
from leasehold.exceptions import Invalid, ScopeReserved
from leasehold.models import Project, Role
from leasehold.selectors import project_for
from leasehold.web.confirmation import Field, confirm, confirmation_page
from leasehold.web.forms import add_message
from leasehold.web.reader import actor_of

DOWNLOAD_STARTS = "The download begins by itself. Edit, and check in here."


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def check_out(request: HttpRequest, slug: str) -> HttpResponse:
    """Check out all selected files, or none. If somebody holds one, the response says who, and offers the others."""
    actor, home = actor_of(request), project_for(actor_of(request), slug)
    folder = folder_param(request.POST)
    page = folder_url(home, folder)
    if request.method != "POST":
        return redirect(page)
    ids = ticked_ids(request, "artifact")
    try:
        result = check_out_many(
            actor=actor,
            project=slug,
            artifact_ids=ids,
            purpose=request.POST.get("purpose", ""),
            atomic="some" not in request.POST,
        )
    except (ArtifactBusy, ScopeReserved) as refusal:
        return offer_the_rest(request, home, folder, ids, refusal)
    return redirect_to_downloads(request, result, home, folder, page)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def check_out_folder(request: HttpRequest, slug: str) -> HttpResponse:
    """Check out all free files of a folder, after a confirmation page that lists the held ones."""
    actor = actor_of(request)
    home = project_for(actor, slug)
    actor.demand(Role.EDITOR, home.role)
    folder = folder_param(request.GET)
    if not folder:
        raise Invalid.of("folder", "Open a folder first: a whole project is not checked out at once.")
    selection = selection_of(actor, home, folder=folder, most=MOST_AT_ONCE)
    page = folder_url(home, folder)
    if selection.files > MOST_AT_ONCE:
        raise Invalid.of("folder", f"More than {MOST_AT_ONCE} files at once. Take a folder inside it.")

    def submit() -> HttpResponse:
        result = check_out_many(
            actor=actor, project=slug, prefix=folder, purpose=request.POST.get("purpose", ""), atomic=False
        )
        return redirect_to_downloads(request, result, home, folder, page)

    free, reserved = selection.free, selection.files - selection.free - len(selection.busy)
    zip_note = ", and come as one zip" if free > 1 else ""
    context = {
        "crumbs": project_crumbs(home, folder),
        "heading": f"Check out the folder {folder.rpartition('/')[2]}?",
        "sub": f"{count_text(selection.files)} in it, {free} of them free.",
        **busy_files(actor, selection.busy),
        "will": [
            ("check-out", f"{count_text(free)} will be yours for the usual time{zip_note}."),
            *(
                [("held", f"Left as before, since somebody has them: {count_text(len(selection.busy))}.")]
                if selection.busy
                else []
            ),
            *(
                [("ticket", f"Left as before, since a ticket reserves: {count_text(reserved)}.")]
                if reserved > 0
                else []
            ),
            ("mine", "You find them all on your desk, where you can extend or discard them together."),
        ],
        "button": f"Check out {count_text(free)}" if free else "",
        "button_icon": "check-out",
        "button_class": "btn-primary",
        "back": page,
        "back_label": "Leave them",
    }
    return confirm(request, context, [Field("purpose", "What for", hint="Others see it beside each file.")], submit)


def redirect_to_downloads(
    request: HttpRequest, result: GrantedMany, home: Project, folder: str, page: str
) -> HttpResponse:
    """Redirect to the page that starts the download: one file as it is, several as a zip."""
    report = BatchReport(
        refused=[f"{refused.artifact.name}: {refusal_text(refused.refusal)}" for refused in result.refused]
    )
    checkouts = [granted.checkout for granted in result.granted]
    report.done = [checkout.artifact.name for checkout in checkouts]
    report.add_messages(request, f"You have {{them}} checked out.\n{DOWNLOAD_STARTS}", "is-mine")
    if not checkouts:
        return redirect(page)
    if len(checkouts) == 1:
        return redirect_with_download(checkouts[0])
    return with_zip_download(redirect(page), home.slug, ids=[checkout.pk for checkout in checkouts], folder=folder)


def offer_the_rest(
    request: HttpRequest, home: Project, folder: str, ids: list[int], refusal: ArtifactBusy | ScopeReserved
) -> HttpResponse:
    """Return a page that lists the held files, with a button to check out the others. Nothing is checked out yet."""
    actor = actor_of(request)
    selection = selection_of(actor, home, ids=ids, most=MOST_AT_ONCE)
    free = selection.free
    reserved = [("ticket", refusal.words)] if isinstance(refusal, ScopeReserved) else []
    context: dict[str, Any] = {
        "crumbs": project_crumbs(home, folder),
        "heading": f"Not all {selection.files} can be checked out",
        "sub": "Nothing was checked out yet.",
        **busy_files(actor, selection.busy),
        "will": [*reserved, ("check-out", rest_text(free))],
        "button": f"Check out {count_text(free)}" if free else "",
        "button_icon": "check-out",
        "button_class": "btn-primary",
        "back": folder_url(home, folder),
        "back_label": "Leave them all",
        "section": "files",
    }
    fields = [
        Field("artifact", kind="hidden", options=ids),
        Field("some", kind="hidden", options=["on"]),
        Field("folder", kind="hidden", options=[folder]),
    ]
    return confirmation_page(request, context, fields, status=409)


def rest_text(free: int) -> str:
    if not free:
        return "Nothing is left to check out: none of them is free."
    return "The other one will be yours." if free == 1 else f"The other {free} will be yours, and come as one zip."


@signed_in
@require_http_methods(["POST"])
def discard_many(request: HttpRequest, slug: str) -> HttpResponse:
    """Discard the reader's own check-outs of the selected files. Other files are left alone."""
    actor = actor_of(request)
    home = project_for(actor, slug)
    ids, folder = ticked_ids(request, "artifact"), folder_param(request.POST)
    mine = own_open_checkouts(actor, home).filter(artifact__in=ids)
    if "ask" in request.POST and mine:
        fields = [Field("artifact", kind="hidden", options=ids), Field("folder", kind="hidden", options=[folder])]
        page = folder_url(home, folder)
        return confirm_discard(request, list(mine), fields=fields, back=page, crumbs=project_crumbs(home, folder))
    report = BatchReport().run((checkout.artifact.name, discard_verb(actor, checkout)) for checkout in mine)
    report.add_messages(request, "Your check-out of {them} has ended, and nothing was committed.", "is-lapsed")
    if not report.done and not report.refused:
        add_message(request, "None of these is checked out to you.\nNothing was changed.", "is-lapsed")
    return redirect(folder_url(home, folder))


@signed_in
@require_safe
def download_zip(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Return the checked-out versions as one zip: `?checkouts=1,2`, or `?mine=<folder>` for all of the reader's own."""
    actor = actor_of(request)
    home = project_for(actor, slug)
    if "mine" in request.GET:
        low, high = names.range_below(names.comparing_form(names.normalised(request.GET["mine"], "mine")))
        mine = own_open_checkouts(actor, home).filter(artifact__path_key__gte=low, artifact__path_key__lt=high)
        ids = list(mine.values_list("pk", flat=True))
    else:
        ids = parse_ids(request.GET.get("checkouts", "").split(","), "checkouts")
    members = zips.members_of_checkouts(actor, home, ids)
    return zips.zip_response(members, name=f"{slug}.zip", is_head=request.method == "HEAD")


def folder_param(values: QueryDict) -> str:
    """Return the folder in the form or the query, normalised; empty without one. Raises `Invalid`."""
    folder = values.get("folder", "")
    return names.normalised(folder, "folder") if folder else ""
