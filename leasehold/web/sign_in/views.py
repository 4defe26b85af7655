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
    context = {"next": request.POST.get("next") or request.GET.get("next", "")}
    if request.method != "POST":
        return render(request, "sign_in/sign_in.html", context)
    context["username"] = request.POST.get("username", "")
    try:
        user = action.sign_in(
            username=context["username"], password=request.POST.get("password", ""), address=address_of(request)
        )
    except Unauthenticated:
        context |= {"refusal": "That name and password do not match.", "advice": "Capitals count in the password."}
        return render(request, "sign_in/sign_in.html", context, status=401)
    except Throttled as refusal:
        context |= {"refusal": "Too many attempts.", "advice": f"Wait {left(refusal.retry_after)}, then try again."}
        response = render(request, "sign_in/sign_in.html", context, status=429)
        response["Retry-After"] = str(refusal.retry_after)
        return response
    login(request, user)
    return HttpResponseRedirect(safe_next(request))


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign-in")


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Set the theme: light, dark, or as the system. A cookie keeps it, so the server renders it and nothing flashes."""
    response = HttpResponseRedirect(safe_next(request))
    if (selected := request.POST.get("theme", "")) in THEMES:
        response.set_cookie(
            THEME_COOKIE, selected, max_age=YEAR, samesite="Lax", secure=request.is_secure(), httponly=True
        )
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    return response
