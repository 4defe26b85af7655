"""Who reads a page, and how: the actor, the theme, the time zone, and where to go on afterwards."""

from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from leasehold.actors import Actor
from leasehold.models import User

THEMES = ("light", "dark")
THEME_COOKIE, ZONE_COOKIE = "theme", "zone"


def actor_of(request: HttpRequest) -> Actor:
    """The signed-in account, at the browser's door. For views behind `login_required`."""
    if not isinstance(request.user, User):
        raise TypeError("nobody is signed in")
    return Actor(user=request.user, client="browser")


def theme_of(request: HttpRequest) -> str:
    """`light` or `dark` as chosen; empty follows the reader's system."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else ""


def zone_of(request: HttpRequest) -> ZoneInfo | None:
    """The account's time zone, else the one that the browser told the script; none = the server's."""
    chosen = request.user.time_zone if isinstance(request.user, User) else ""
    for name in (chosen, request.COOKIES.get(ZONE_COOKIE, "")):
        try:
            if name:
                return ZoneInfo(name)
        except (ValueError, OSError, KeyError):  # unknown, a path, or a folder of the zone database
            continue
    return None


def address_of(request: HttpRequest) -> str:
    """The client's address: what the last trusted proxy saw, never what the client itself claims."""
    proxies = settings.LEASEHOLD_PROXIES
    forwarded = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    if proxies and len(forwarded) >= proxies:
        return forwarded[-proxies]
    return request.META.get("REMOTE_ADDR", "")


def safe_next(request: HttpRequest, default: str = "projects") -> str:
    """The address in the form's `next` if it is one of ours, else the page named `default`."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    if is_ours and address.startswith("/"):  # without the slash `redirect` would take it for a page's name
        return address
    return reverse(default)


def sign_in_first(name: str, *args: object) -> HttpResponse:
    """For views whose body must not be read before somebody is known: the sign-in page, and then the page `name`."""
    return redirect_to_login(reverse(name, args=args))


def is_script(request: HttpRequest) -> bool:
    """Did our script send this, to show the answer on the page that it is on?"""
    return request.headers.get("Accept", "") == "application/json"
