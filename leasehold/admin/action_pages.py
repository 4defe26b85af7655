"""The pages of acts: what will happen and to which rows, then each row on its own, then what was refused and why."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.utils import display_for_value, label_for_field, lookup_field
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from leasehold.admin.actions import Act, Asked, Said, actor_of, words
from leasehold.database.ids import id_in
from leasehold.exceptions import Invalid, NotFound, Refusal

MOST_ROWS = 100  # in one act


def answer(admin: Any, request: HttpRequest, name: str) -> HttpResponse:
    """The page of an act, and its doing."""
    actor = actor_of(request)
    act = next((act for act in admin.acts if act.name == name), None)
    if act is None:
        raise Http404
    if not admin.has_view_permission(request) or not act.may(actor):
        raise PermissionDenied
    asked = request.POST if request.method == "POST" else request.GET
    chosen = [] if act.of_list else chosen_rows(admin, request, asked.getlist("row"))
    if request.method == "POST":
        form = act.form(request.POST)
    else:
        row = chosen[0][1] if len(chosen) == 1 else None
        form = act.form(initial=act.starts_with(row) if row else {})
    if request.method == "POST" and form.is_valid():
        return _do(admin, request, act, chosen, form)
    return page(admin, request, act, chosen, form, seen=_seen(request), status=400 if form.errors else 200)


def chosen_rows(admin: Any, request: HttpRequest, named: list[str]) -> list[tuple[int, Any]]:
    """The rows that are named, as far as the reader may see them, in the order of the page."""
    if not 0 < len(named) <= MOST_ROWS or any(id_in(pk) is None for pk in named):
        raise Http404
    found = {row.pk: row for row in admin.get_queryset(request).filter(pk__in=[int(pk) for pk in named])}
    if not found:
        raise Http404
    return [(pk, found.get(pk)) for pk in dict.fromkeys(int(pk) for pk in named)]


def _do(admin: Any, request: HttpRequest, act: Act, chosen: list[tuple[int, Any]], form: forms.Form) -> HttpResponse:
    """Each row on its own. One alone that is refused leads back to its page; of several, a report says which."""
    actor = actor_of(request)
    seen = _seen(request)
    done: list[tuple[str, Said]] = []
    refused: list[tuple[str, str]] = []
    for pk, row in chosen or [(0, None)]:
        label = str(row) if row is not None else f"{admin.opts.verbose_name} {pk}"
        try:
            if row is None and not act.of_list:
                raise NotFound
            done.append((label, act.run(Asked(actor, row, seen.get(str(pk), ""), form.cleaned_data))))
        except Refusal as refusal:
            if len(chosen) <= 1:
                tell_form(form, refusal)
                return page(admin, request, act, chosen, form, status=409)
            refused.append((label, words(refusal)))
    if refused or any(said.secret for _, said in done):
        return _report(admin, request, act, done, refused)
    admin.message_user(request, done[0][1].text if len(done) == 1 else f"{len(done)} done: {act.label.rstrip('…')}.")
    return HttpResponseRedirect((len(done) == 1 and done[0][1].url) or admin.list_url())


def page(
    admin: Any,
    request: HttpRequest,
    act: Act,
    chosen: list[tuple[int, Any]],
    form: forms.Form,
    *,
    seen: dict[str, str] | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    """What will happen, to which rows, and what must be said first. `seen` goes on from an earlier page, if any."""
    seen = seen or {}
    rows = [row for _, row in chosen if row is not None]
    context = _context(admin, request, act) | {
        "form": form,
        "refusal": refusal,
        "rows": [
            {
                "row": row,
                "url": admin.row_url(row),
                "seen": seen.get(str(row.pk), act.carries(row)),
                "cells": _cells(admin, row),
            }
            for row in rows
        ],
        "headings": [label_for_field(name, admin.model, admin) for name in admin.columns],
        "holdings": act.holdings(rows[0]) if act.holdings and rows else None,
        "media": admin.media + form.media,
    }
    return TemplateResponse(request, "admin/act.html", context, status=status)


def _seen(request: HttpRequest) -> dict[str, str]:
    """Row → what its reader saw of its state."""
    return dict(zip(request.POST.getlist("row"), request.POST.getlist("seen"), strict=False))


def _report(
    admin: Any, request: HttpRequest, act: Act, done: list[tuple[str, Said]], refused: list[tuple[str, str]]
) -> HttpResponse:
    if refused:
        level = messages.WARNING if done else messages.ERROR
        admin.message_user(request, f"{len(done)} done, {len(refused)} refused.", level)
    context = _context(admin, request, act) | {"done": done, "refused": refused}
    return TemplateResponse(request, "admin/act_report.html", context)


def _context(admin: Any, request: HttpRequest, act: Act) -> dict[str, Any]:
    return {
        **admin.admin_site.each_context(request),
        "title": act.label.rstrip("…"),
        "act": act,
        "opts": admin.opts,
        "list_url": admin.list_url(),
    }


def _cells(admin: Any, row: Any) -> list[Any]:
    values = (lookup_field(name, row, admin)[2] for name in admin.columns)
    return [display_for_value(value, admin.get_empty_value_display()) for value in values]


def tell_form(form: forms.Form, refusal: Refusal) -> None:
    """A refusal where it belongs: at its field, or above the form."""
    if not isinstance(refusal, Invalid):
        form.add_error(None, words(refusal))
        return
    for error in refusal.errors or [{"field": "", "detail": refusal.detail}]:
        known = error["field"] in form.fields
        form.add_error(error["field"] if known else None, error["detail"] if known else words(Invalid.of(**error)))
