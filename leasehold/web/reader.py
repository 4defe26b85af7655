"""The reader of a page: their actor, theme, time zone and address, and where a form redirects to."""

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
    """Return the signed-in account as an actor. For views behind `login_required`; else `TypeError`."""
    if not isinstance(request.user, User):
        raise TypeError("nobody is signed in")
    return Actor(user=request.user, client="browser")


def theme_of(request: HttpRequest) -> str:
    """Return `light` or `dark` as the reader chose; empty to follow their system."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else ""


def zone_of(request: HttpRequest) -> ZoneInfo | None:
    """Return the account's time zone, else the browser's, which the script put into a cookie; None for the server's."""
    own_zone = request.user.time_zone if isinstance(request.user, User) else ""
    for name in (own_zone, request.COOKIES.get(ZONE_COOKIE, "")):
        try:
            if name:
                return ZoneInfo(name)
        except (ValueError, OSError, KeyError):  # unknown, a path, or a folder of the zone database
            continue
    return None


def address_of(request: HttpRequest) -> str:
    """Return the client's IP address as the last trusted proxy saw it, never one that the client claims."""
    proxies = settings.LEASEHOLD_PROXIES
    forwarded = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    if proxies and len(forwarded) >= proxies:
        return forwarded[-proxies]
    return request.META.get("REMOTE_ADDR", "")


def safe_next(request: HttpRequest, default: str = "projects") -> str:
    """Return the address in the form's `next` if it is on this site, else that of the page named `default`."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    is_local = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    if is_local and address.startswith("/"):  # `redirect` takes text without a slash for the name of a page
        return address
    return reverse(default)


def sign_in_first(name: str, *args: object) -> HttpResponse:
    """Redirect to the sign-in page, and from there to the page `name`. For views that must not read a body before."""
    return redirect_to_login(reverse(name, args=args))


def is_script(request: HttpRequest) -> bool:
    """Did our script send the request? It gets JSON, and displays that on its page."""
    return request.headers.get("Accept", "") == "application/json"
