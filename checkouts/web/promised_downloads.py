"""The download that follows a check-out: one click leads to the page and starts the download, without a script.

The check-out's redirect sets a short-lived cookie for the page. That page reads it once and starts the download by a
Refresh header. A reload shows only the page.
"""

from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from checkouts.models import Checkout
from checkouts.web.links import artifact_url
from leasehold.database.ids import id_in

DOWNLOAD_COOKIE = "download"
MAX_IDS = 120  # check-outs listed in a URL; for more, the URL names the folder


def redirect_with_download(checkout: Checkout) -> HttpResponse:
    """Redirect to the file's page, which then downloads the version that was checked out."""
    page = artifact_url(checkout.artifact)
    return _with_cookie(redirect(page), str(checkout.base_version.number), page)


def with_zip_download(response: HttpResponse, slug: str, *, ids: list[int], folder: str) -> HttpResponse:
    """Let a redirect to the project's page download these check-outs, or all of the reader's own in the folder."""
    query = {"checkouts": ",".join(map(str, ids))} if len(ids) <= MAX_IDS else {"mine": folder}
    return _with_cookie(response, urlencode(query), reverse("project", args=[slug]))


def start_download(request: HttpRequest, response: HttpResponse, artifact_id: int, page: str) -> None:
    """On a file's page: start the download that the cookie names."""
    if number := request.COOKIES.get(DOWNLOAD_COOKIE):
        response.delete_cookie(DOWNLOAD_COOKIE, path=page, samesite="Lax")
        if version := id_in(number):
            response["Refresh"] = f"0; url={reverse('version-content', args=[artifact_id, version])}"


def start_zip_download(request: HttpRequest, response: HttpResponse, slug: str) -> None:
    """On a project's page: start the download of the zip that the cookie names."""
    if promised := request.COOKIES.get(DOWNLOAD_COOKIE):
        response.delete_cookie(DOWNLOAD_COOKIE, path=reverse("project", args=[slug]), samesite="Lax")
        query = {name: value for name, value in QueryDict(promised).items() if name in ("checkouts", "mine")}
        if query:
            response["Refresh"] = f"0; url={reverse('zip', args=[slug])}?{urlencode(query)}"


def _with_cookie(response: HttpResponse, value: str, path: str) -> HttpResponse:
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(DOWNLOAD_COOKIE, value, max_age=60, path=path, samesite="Lax", secure=secure, httponly=True)
    return response
