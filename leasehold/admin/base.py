"""The base class of every admin: lists without counts, pages without edits, and buttons for its actions."""

from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.admin import ModelAdmin, ShowFacets, display
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import SuspiciousOperation
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from leasehold.actors import Actor
from leasehold.admin import action_pages
from leasehold.admin.actions import AdminAction, actor_of, by_id
from leasehold.database.ids import id_in

MOST_PAGES = 500  # of one list; filters narrow it
FREE_TEXTS = {"comment", "detail", "note", "purpose"}  # columns that people fill, at any length


class UncountedChangeList(ChangeList):
    """A list page in one statement: its rows and one more, which shows whether there is a next page."""

    def get_results(self, request: HttpRequest) -> None:
        page, length = min(max(self.page_num, 1), MOST_PAGES), self.list_per_page
        first = (page - 1) * length
        rows = list(self.queryset[first : first + length + 1])
        self.page_num = page
        self.result_list = rows[:length]
        self.result_count = first + len(rows)
        self.full_result_count, self.show_full_result_count, self.can_show_all = None, False, False
        self.show_admin_actions = bool(rows)
        self.multi_page = page > 1 or len(rows) > length
        self.has_next = len(rows) > length and page < MOST_PAGES
        self.paginator = Paginator(range(max(self.result_count, first + 1)), length)
        actor = actor_of(request)
        for row in self.result_list:
            row.buttons = self.model_admin.buttons(actor, row)  # type: ignore[attr-defined]
        if not any(row.buttons for row in self.result_list):  # the column would be empty
            self.list_display = [name for name in self.list_display if name != "row_actions"]


class ReadOnlyAdmin(ModelAdmin):
    """An admin in which nobody adds, edits or deletes. All staff see it, as far as `rows` lets them.

    admin_actions: what can be done here. columns: what an action's page shows of each row.
    """

    admin_actions: ClassVar[tuple[AdminAction, ...]] = ()
    columns: ClassVar[tuple[str, ...]] = ()
    list_per_page = 50
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    actions_selection_counter = False
    sortable_by: tuple[str, ...] = ()
    search_fields: tuple[str, ...] = ("id",)  # shows the box; `find` does the search
    change_list_template = "admin/list_with_actions.html"
    change_form_template = "admin/row_with_actions.html"

    def __init__(self, model: Any, admin_site: Any) -> None:
        super().__init__(model, admin_site)
        self.actions = [bulk_action(action) for action in self.admin_actions if action.is_bulk]

    def rows(self, actor: Actor) -> QuerySet[Any]:
        """Return the rows that the actor may see, with what the columns need."""
        raise NotImplementedError

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """Return those of `rows` that the search `term` finds; an index serves it."""
        return by_id(rows, term)

    def subject(self, row: Any) -> str:
        """Return the row's subject in the journal; empty without one."""
        return ""

    def file_url(self, row: Any) -> str:
        """Return the URL of the row's file; empty without one."""
        return ""

    def buttons(self, actor: Actor, row: Any) -> list[dict[str, Any]]:
        """Return the buttons of the actions that this account may use and that fit the row."""
        return [
            {"label": action.label, "url": self.action_url(action.name, row.pk), "is_grave": action.is_grave}
            for action in self.admin_actions
            if not action.is_rowless and action.may(actor) and action.fits(actor, row)
        ]

    # --- nobody writes, whatever Django's permissions allow ----------------------------------------------------------

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fields or ()

    # --- lists -------------------------------------------------------------------------------------------------------

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return self.rows(actor_of(request))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return UncountedChangeList

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        has_actions = any(not action.is_rowless and action.may(actor_of(request)) for action in self.admin_actions)
        columns: list[Any] = [clamped_column(self, name) if name in FREE_TEXTS else name for name in self.list_display]
        if has_actions:  # beside the state, where a narrow window shows them too
            at = next((place for place, name in enumerate(columns, 1) if str(name).startswith("state")), len(columns))
            columns.insert(at, "row_actions")
        return columns

    @display(description="acts")
    def row_actions(self, row: Any) -> SafeString:
        """The buttons that `UncountedChangeList` has put on the row, as links."""
        links = format_html_join(
            "",
            '<a class="{}" href="{}">{}</a>',
            (("is-grave" if button["is_grave"] else "", button["url"], button["label"]) for button in row.buttons),
        )
        return format_html('<div class="row-acts">{}</div>', links)

    def lookup_allowed(self, lookup: str, value: str, request: Any = None) -> bool:
        """Allow only the filters of the list: Django's default lets staff filter by any column, even digests."""
        return lookup in {getattr(entry, "parameter_name", None) for entry in self.list_filter}

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        term = search_term.strip()
        return (self.find(queryset, term) if term else queryset), False

    def get_actions(self, request: HttpRequest, action_location: Any = None) -> Any:
        """Return the bulk actions that this account may use, never `delete_selected`.

        Django 6.1 passes `action_location`; 5.2 and 6.0 do not know it.
        """
        where = {} if action_location is None else {"action_location": action_location}
        actor = actor_of(request)
        allowed = {action.name for action in self.admin_actions if action.is_bulk and action.may(actor)}
        return {name: action for name, action in super().get_actions(request, **where).items() if name in allowed}

    def response_action(self, request: HttpRequest, queryset: Any, *args: Any, **kwargs: Any) -> Any:
        """Refuse an id that is none with 400; Django's own code answers 500."""
        if all(id_in(pk) for pk in request.POST.getlist(ACTION_CHECKBOX_NAME)):
            return super().response_action(request, queryset, *args, **kwargs)
        raise SuspiciousOperation("what was ticked is no row")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        actor = actor_of(request)
        buttons = [
            {"label": action.label, "url": self.action_url(action.name), "is_grave": action.is_grave}
            for action in self.admin_actions
            if action.is_rowless and action.may(actor)
        ]
        return super().changelist_view(request, {"buttons": buttons, "title": None, **(extra_context or {})})

    # --- one row -----------------------------------------------------------------------------------------------------

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        if (row := context.get("original")) is not None:
            context["buttons"] = self.buttons(actor_of(request), row)
            context["journal"], context["file_url"] = journal_url(self.subject(row)), self.file_url(row)
            context["title"], context["subtitle"] = str(row), None
        return super().render_change_form(request, context, *args, **kwargs)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Redirect to the journal, in place of Django's log, which only its own views write."""
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        return HttpResponseRedirect(journal_url(self.subject(row)) or self.list_url())

    # --- actions -----------------------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_act"
        return [path("act/<slug:name>/", self.admin_site.admin_view(self.action_view), name=name), *super().get_urls()]

    def action_url(self, name: str, *pks: int) -> str:
        url = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_act", args=[name])
        return url + ("?" + urlencode([("row", pk) for pk in pks]) if pks else "")

    def list_url(self) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")

    def row_url(self, row: Any) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[row.pk])

    def action_view(self, request: HttpRequest, name: str) -> HttpResponse:
        return action_pages.action_page(self, request, name)


def clamped_column(admin: ReadOnlyAdmin, name: str) -> Any:
    """Return a column for the text `name` that shows two lines of it, and all of it in its title."""

    def cell(row: Any) -> SafeString:
        method = getattr(admin, name, None)
        text = method(row) if method else getattr(row, name)
        return format_html('<span class="clamp" title="{}">{}</span>', text, text) if text else SafeString("")

    cell.__name__ = name  # Django names the column by it
    return cell


def bulk_action(action: AdminAction) -> Any:
    """Return Django's bulk action that leads to the action's page with the ticked rows.

    Only ticked rows count: "select all on all pages" is neither offered nor accepted.
    """

    def to_page(admin: ReadOnlyAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        ticked = [int(pk) for pk in request.POST.getlist(ACTION_CHECKBOX_NAME)]
        if len(ticked) > action_pages.MOST_ROWS:
            admin.message_user(request, f"At most {action_pages.MOST_ROWS} rows at once.", messages.WARNING)
            return None
        return HttpResponseRedirect(admin.action_url(action.name, *ticked))

    to_page.__name__ = action.name
    to_page.short_description = action.label  # type: ignore[attr-defined]
    return to_page


def journal_url(subject: str) -> str:
    return reverse("admin:leasehold_entry_changelist") + "?" + urlencode({"q": subject}) if subject else ""
