"""Signing in and out, and the theme."""

from datetime import timedelta

from django.contrib.auth import login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from leasehold.actions import sign_in as action
from leasehold.exceptions import Throttled, Unauthenticated
from leasehold.templatetags.parts import left
from leasehold.web.reader import THEME_COOKIE, THEMES, address_of, safe_next

YEAR = int(timedelta(days=365).total_seconds())


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated and request.method != "POST":
        return HttpResponseRedirect(safe_next(request))
    facts = {"next": request.POST.get("next") or request.GET.get("next", "")}
    if request.method != "POST":
        return render(request, "leasehold/sign_in.html", facts)
    facts["username"] = request.POST.get("username", "")
    try:
        user = action.sign_in(
            username=facts["username"], password=request.POST.get("password", ""), address=address_of(request)
        )
    except Unauthenticated:
        facts |= {"refusal": "That name and password do not match.", "advice": "Capitals count in the password."}
        return render(request, "leasehold/sign_in.html", facts, status=401)
    except Throttled as refusal:
        facts |= {"refusal": "Too many attempts.", "advice": f"Wait {left(refusal.retry_after)}, then try again."}
        answer = render(request, "leasehold/sign_in.html", facts, status=429)
        answer["Retry-After"] = str(refusal.retry_after)
        return answer
    login(request, user)
    return HttpResponseRedirect(safe_next(request))


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign-in")


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Light, dark, or what the system says: kept in a cookie, so that the server renders it and nothing flashes."""
    answer = HttpResponseRedirect(safe_next(request))
    if (chosen := request.POST.get("theme", "")) in THEMES:
        answer.set_cookie(THEME_COOKIE, chosen, max_age=YEAR, samesite="Lax", secure=request.is_secure(), httponly=True)
    else:
        answer.delete_cookie(THEME_COOKIE, samesite="Lax")
    return answer
