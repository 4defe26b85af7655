"""Middleware of the pages: the reader's time zone, and refusals as pages."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from leasehold.exceptions import Refusal
from leasehold.web import refusal_pages
from leasehold.web.reader import zone_of

Handler = Callable[[HttpRequest], HttpResponse]


def is_page(request: HttpRequest) -> bool:
    return not request.path.startswith(("/api/", "/static/"))


class ReaderTimeZone:
    """Show times on pages in the reader's zone. The API uses UTC."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_page(request):
            return self.get_response(request)
        with timezone.override(zone_of(request)):
            return self.get_response(request)


class RefusalPages:
    """Turn a refusal that a view raises into a page that says who, until when and what next."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, Refusal) and is_page(request):
            return refusal_pages.refusal_page(request, exception)
        return None
