"""The pages of actions: what will happen and to which rows, then what was done, what was refused and why."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.utils import display_for_value, label_for_field, lookup_field
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from leasehold.admin.actions import ActionCall, ActionResult, AdminAction, actor_of, refusal_text
from leasehold.database.ids import id_in
from leasehold.exceptions import Invalid, NotFound, Refusal

MOST_ROWS = 100  # in one action


def action_page(admin: Any, request: HttpRequest, name: str) -> HttpResponse:
    """Show the page of the action `name`; a POST of its form runs it. `admin`: the `ReadOnlyAdmin` of the rows."""
    actor = actor_of(request)
    action = next((action for action in admin.admin_actions if action.name == name), None)
    if action is None:
        raise Http404
    if not admin.has_view_permission(request) or not action.may(actor):
        raise PermissionDenied
    data = request.POST if request.method == "POST" else request.GET
    selected = [] if action.is_rowless else selected_rows(admin, request, data.getlist("row"))
    if request.method == "POST":
        form = action.form(request.POST)
    else:
        row = selected[0][1] if len(selected) == 1 else None
        form = action.form(initial=action.initial(row) if row else {})
    if request.method == "POST" and form.is_valid():
        return _run(admin, request, action, selected, form)
    status = 400 if form.errors else 200
    return render_action_page(admin, request, action, selected, form, seen=_seen_states(request), status=status)


def selected_rows(admin: Any, request: HttpRequest, pks: list[str]) -> list[tuple[int, Any]]:
    """Return id and row of each of `pks`, in their order; None for a row that the reader may not see.

    Raises `Http404` for none, too many, text that is no id, or if the reader may see none of them.
    """
    if not 0 < len(pks) <= MOST_ROWS or any(id_in(pk) is None for pk in pks):
        raise Http404
    found = {row.pk: row for row in admin.get_queryset(request).filter(pk__in=[int(pk) for pk in pks])}
    if not found:
        raise Http404
    return [(pk, found.get(pk)) for pk in dict.fromkeys(int(pk) for pk in pks)]


def _run(
    admin: Any, request: HttpRequest, action: AdminAction, selected: list[tuple[int, Any]], form: forms.Form
) -> HttpResponse:
    """Run the action on each row on its own.

    If a single row is refused, the page is shown again with the refusal; of several, a report says which were refused.
    """
    actor = actor_of(request)
    seen = _seen_states(request)
    done: list[tuple[str, ActionResult]] = []
    refused: list[tuple[str, str]] = []
    for pk, row in selected or [(0, None)]:
        label = str(row) if row is not None else f"{admin.opts.verbose_name} {pk}"
        try:
            if row is None and not action.is_rowless:
                raise NotFound
            done.append((label, action.run(ActionCall(actor, row, seen.get(str(pk), ""), form.cleaned_data))))
        except Refusal as refusal:
            if len(selected) <= 1:
                add_refusal_to_form(form, refusal)
                return render_action_page(admin, request, action, selected, form, status=409)
            refused.append((label, refusal_text(refusal)))
    if refused or any(result.secret for _, result in done):
        return _report(admin, request, action, done, refused)
    admin.message_user(request, done[0][1].text if len(done) == 1 else f"{len(done)} done: {action.label.rstrip('…')}.")
    return HttpResponseRedirect((len(done) == 1 and done[0][1].url) or admin.list_url())


def render_action_page(
    admin: Any,
    request: HttpRequest,
    action: AdminAction,
    selected: list[tuple[int, Any]],
    form: forms.Form,
    *,
    seen: dict[str, str] | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render the page that asks: what will happen, to which rows, and the form.

    seen: row id → state, from the page that was posted, if any. refusal: why the action was refused, above the form.
    """
    seen = seen or {}
    rows = [row for _, row in selected if row is not None]
    context = _context(admin, request, action) | {
        "form": form,
        "refusal": refusal,
        "rows": [
            {
                "row": row,
                "url": admin.row_url(row),
                "seen": seen.get(str(row.pk), action.seen_state(row)),
                "cells": _cells(admin, row),
            }
            for row in rows
        ],
        "headings": [label_for_field(name, admin.model, admin) for name in admin.columns],
        "holdings": action.holdings(rows[0]) if action.holdings and rows else None,
        "media": admin.media + form.media,
    }
    return TemplateResponse(request, "admin/action_page.html", context, status=status)


def _seen_states(request: HttpRequest) -> dict[str, str]:
    """Return row id → its state as the posted page showed it."""
    return dict(zip(request.POST.getlist("row"), request.POST.getlist("seen"), strict=False))


def _report(
    admin: Any,
    request: HttpRequest,
    action: AdminAction,
    done: list[tuple[str, ActionResult]],
    refused: list[tuple[str, str]],
) -> HttpResponse:
    if refused:
        level = messages.WARNING if done else messages.ERROR
        admin.message_user(request, f"{len(done)} done, {len(refused)} refused.", level)
    context = _context(admin, request, action) | {"done": done, "refused": refused}
    return TemplateResponse(request, "admin/action_report.html", context)


def _context(admin: Any, request: HttpRequest, action: AdminAction) -> dict[str, Any]:
    return {
        **admin.admin_site.each_context(request),
        "title": action.label.rstrip("…"),
        "action": action,
        "opts": admin.opts,
        "list_url": admin.list_url(),
    }


def _cells(admin: Any, row: Any) -> list[Any]:
    values = (lookup_field(name, row, admin)[2] for name in admin.columns)
    return [display_for_value(value, admin.get_empty_value_display()) for value in values]


def add_refusal_to_form(form: forms.Form, refusal: Refusal) -> None:
    """Add the refusal to the field that it concerns, or above the form."""
    if not isinstance(refusal, Invalid):
        form.add_error(None, refusal_text(refusal))
        return
    for error in refusal.errors or [{"field": "", "detail": refusal.detail}]:
        if error["field"] in form.fields:
            form.add_error(error["field"], error["detail"])
        else:
            form.add_error(None, refusal_text(Invalid.of(**error)))
