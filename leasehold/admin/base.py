"""What all admins of the product share: lists that never count, pages that nobody edits, and the pages of acts."""

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
from leasehold.admin.actions import Act, actor_of, by_id
from leasehold.database.ids import id_in

MOST_PAGES = 500  # of one list; beyond that one filters
WRITTEN = {"comment", "detail", "note", "purpose"}  # columns of what somebody wrote, at any length


class UncountedChangeList(ChangeList):
    """One statement for a page: its rows and one more, which says whether there is a next page."""

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
        if not any(row.buttons for row in self.result_list):  # a column that would be empty throughout
            self.list_display = [name for name in self.list_display if name != "row_acts"]


class ReadOnlyAdmin(ModelAdmin):
    """Nobody adds, edits or deletes here; `acts` do what is to be done. All staff see it, as far as `rows` lets them.

    `columns` are what an act's page shows of each row.
    """

    acts: ClassVar[tuple[Act, ...]] = ()
    columns: ClassVar[tuple[str, ...]] = ()
    list_per_page = 50
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    actions_selection_counter = False
    sortable_by: tuple[str, ...] = ()
    search_fields: tuple[str, ...] = ("id",)  # shows the box; `find` does the search
    change_list_template = "admin/list_with_acts.html"
    change_form_template = "admin/row_with_acts.html"

    def __init__(self, model: Any, admin_site: Any) -> None:
        super().__init__(model, admin_site)
        self.actions = [to_page_of(act) for act in self.acts if act.is_bulk]

    def rows(self, actor: Actor) -> QuerySet[Any]:
        """What the actor may see, with what the columns need."""
        raise NotImplementedError

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """The rows that a search finds, by an index."""
        return by_id(rows, term)

    def subject(self, row: Any) -> str:
        """The row's name in the journal."""
        return ""

    def file_url(self, row: Any) -> str:
        """Where the row's bytes are downloaded; empty where it has none."""
        return ""

    def buttons(self, actor: Actor, row: Any) -> list[dict[str, Any]]:
        """The acts that make sense on a row, for this account."""
        return [
            {"label": act.label, "url": self.act_url(act.name, row.pk), "is_grave": act.is_grave}
            for act in self.acts
            if not act.of_list and act.may(actor) and act.fits(actor, row)
        ]

    # --- nobody writes, whatever Django's permissions say ------------------------------------------------------------

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
        shows_acts = any(not act.of_list and act.may(actor_of(request)) for act in self.acts)
        shown: list[Any] = [brief(self, name) if name in WRITTEN else name for name in self.list_display]
        if shows_acts:  # beside the state, where they are seen in a narrow window too
            at = next((place for place, name in enumerate(shown, 1) if str(name).startswith("state")), len(shown))
            shown.insert(at, "row_acts")
        return shown

    @display(description="acts")
    def row_acts(self, row: Any) -> SafeString:
        """What `UncountedChangeList` found out for this row."""
        links = format_html_join(
            "",
            '<a class="{}" href="{}">{}</a>',
            (("is-grave" if button["is_grave"] else "", button["url"], button["label"]) for button in row.buttons),
        )
        return format_html('<div class="row-acts">{}</div>', links)

    def lookup_allowed(self, lookup: str, value: str, request: Any = None) -> bool:
        """Only what the filters beside the list ask for: stock Django lets staff filter by any column, digests too."""
        return lookup in {getattr(entry, "parameter_name", None) for entry in self.list_filter}

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        term = search_term.strip()
        return (self.find(queryset, term) if term else queryset), False

    def get_actions(self, request: HttpRequest, action_location: Any = None) -> Any:
        """Of the bulk acts, those that this account may see; never `delete_selected`. Django 6.1 names the place."""
        where = {} if action_location is None else {"action_location": action_location}
        actor = actor_of(request)
        mine = {act.name for act in self.acts if act.is_bulk and act.may(actor)}
        return {name: found for name, found in super().get_actions(request, **where).items() if name in mine}

    def response_action(self, request: HttpRequest, queryset: Any, *args: Any, **kwargs: Any) -> Any:
        """Django's, which answers an id that is none with a 500."""
        if all(id_in(pk) for pk in request.POST.getlist(ACTION_CHECKBOX_NAME)):
            return super().response_action(request, queryset, *args, **kwargs)
        raise SuspiciousOperation("what was ticked is no row")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        actor = actor_of(request)
        made = [
            {"label": act.label, "url": self.act_url(act.name), "is_grave": act.is_grave}
            for act in self.acts
            if act.of_list and act.may(actor)
        ]
        return super().changelist_view(request, {"buttons": made, "title": None, **(extra_context or {})})

    # --- one row -----------------------------------------------------------------------------------------------------

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        if (row := context.get("original")) is not None:
            context["buttons"] = self.buttons(actor_of(request), row)
            context["journal"], context["file_url"] = journal_url(self.subject(row)), self.file_url(row)
            context["title"], context["subtitle"] = str(row), None
        return super().render_change_form(request, context, *args, **kwargs)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """The journal, in place of Django's own log, which only stock views write."""
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        return HttpResponseRedirect(journal_url(self.subject(row)) or self.list_url())

    # --- acts --------------------------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_act"
        return [path("act/<slug:name>/", self.admin_site.admin_view(self.act_view), name=name), *super().get_urls()]

    def act_url(self, name: str, *pks: int) -> str:
        url = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_act", args=[name])
        return url + ("?" + urlencode([("row", pk) for pk in pks]) if pks else "")

    def list_url(self) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")

    def row_url(self, row: Any) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[row.pk])

    def act_view(self, request: HttpRequest, name: str) -> HttpResponse:
        return action_pages.answer(self, request, name)


def brief(admin: ReadOnlyAdmin, name: str) -> Any:
    """A column of what somebody wrote: two lines of it, and the whole when one points at it or opens the row."""

    def shown(row: Any) -> SafeString:
        own = getattr(admin, name, None)
        text = own(row) if own else getattr(row, name)
        return format_html('<span class="clamp" title="{}">{}</span>', text, text) if text else SafeString("")

    shown.__name__ = name  # by which Django calls the column
    return shown


def to_page_of(act: Act) -> Any:
    """A bulk action: to its act's page. Only ticked rows count; *all pages* is neither offered nor heard."""

    def to_page(admin: ReadOnlyAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        ticked = [int(pk) for pk in request.POST.getlist(ACTION_CHECKBOX_NAME)]
        if len(ticked) > action_pages.MOST_ROWS:
            admin.message_user(request, f"At most {action_pages.MOST_ROWS} rows at once.", messages.WARNING)
            return None
        return HttpResponseRedirect(admin.act_url(act.name, *ticked))

    to_page.__name__ = act.name
    to_page.short_description = act.label  # type: ignore[attr-defined]
    return to_page


def journal_url(subject: str) -> str:
    return reverse("admin:leasehold_entry_changelist") + "?" + urlencode({"q": subject}) if subject else ""
