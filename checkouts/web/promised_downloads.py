"""After a check-out comes its download: the page first, then the file, so that one click gives both without a script.

The act leaves a short-lived cookie for the page that it leads to; that page reads it once and asks the browser to go on
to the download. A reload shows the page only.
"""

from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from checkouts.models import Checkout
from checkouts.web.links import artifact_url
from leasehold.database.ids import id_in

SENT_COOKIE = "sent"
AT_MOST = 120  # check-outs named one by one in an address; beyond it, the folder is


def sent_with(record: Checkout) -> HttpResponse:
    """To the file's page, which then sends the version that was checked out."""
    page = artifact_url(record.artifact)
    return _with_cookie(redirect(page), str(record.base_version.number), page)


def sent_as_zip(answer: HttpResponse, slug: str, *, ids: list[int], folder: str) -> HttpResponse:
    """`answer` leads to the project's page, which then sends these check-outs, or all of one's own in the folder."""
    asked = {"checkouts": ",".join(map(str, ids))} if len(ids) <= AT_MOST else {"mine": folder}
    return _with_cookie(answer, urlencode(asked), reverse("project", args=[slug]))


def send_now(request: HttpRequest, answer: HttpResponse, artifact_id: int, page: str) -> None:
    """On a file's page: begin the download that a check-out promised."""
    if number := request.COOKIES.get(SENT_COOKIE):
        answer.delete_cookie(SENT_COOKIE, path=page, samesite="Lax")
        if sent := id_in(number):
            answer["Refresh"] = f"0; url={reverse('version-content', args=[artifact_id, sent])}"


def send_zip_now(request: HttpRequest, answer: HttpResponse, slug: str) -> None:
    """On a project's page: the same, with several files in one zip."""
    if promised := request.COOKIES.get(SENT_COOKIE):
        answer.delete_cookie(SENT_COOKIE, path=reverse("project", args=[slug]), samesite="Lax")
        asked = {name: value for name, value in QueryDict(promised).items() if name in ("checkouts", "mine")}
        if asked:
            answer["Refresh"] = f"0; url={reverse('zip', args=[slug])}?{urlencode(asked)}"


def _with_cookie(answer: HttpResponse, value: str, path: str) -> HttpResponse:
    secure = settings.SESSION_COOKIE_SECURE
    answer.set_cookie(SENT_COOKIE, value, max_age=60, path=path, samesite="Lax", secure=secure, httponly=True)
    return answer
