"""Who calls: a program with its token, or a browser with its session."""

from copy import copy
from datetime import datetime
from typing import Any, cast

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.middleware.csrf import CsrfViewMiddleware
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from leasehold.actions.tokens import digest_of, note_use
from leasehold.actors import Actor
from leasehold.clock import DatabaseNow
from leasehold.models import Scope, Token, User


class BearerToken(BaseAuthentication):
    """`Authorization: Bearer lh_…`. One statement finds the token and its account, both in force, or nothing."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        scheme, _, text = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        in_force = Q(expires_at=None) | Q(expires_at__gt=DatabaseNow())
        token: Any = (
            Token.objects.select_related("user")
            .filter(in_force, digest=digest_of(text.strip()), revoked_at=None, user__is_active=True)
            .annotate(at=DatabaseNow())
            .first()
        )
        if token is None:
            raise AuthenticationFailed("This token is unknown, revoked or expired, or its account is disabled.")
        at: datetime = token.at
        note_use(token, at)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Leasehold"'


class BrowserSession(BaseAuthentication):
    """The signed-in browser, with its CSRF token in the header `X-CSRFToken`: a body is never read to find it."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        user = getattr(request._request, "user", None)
        if user is None or not user.is_active:
            return None
        if reason := _csrf_fault(request._request):
            raise PermissionDenied(f"{reason} Send the CSRF token in the header X-CSRFToken.")
        return user, None


def actor_of(request: Request) -> Actor:
    """Who acts, and how far the credential reaches. The view has judged before that somebody is signed in."""
    scope = request.auth.scope if isinstance(request.auth, Token) else Scope.ADMIN
    return Actor(user=cast(User, request.user), scope=scope, client="api")


class _Judge(CsrfViewMiddleware):
    def _reject(self, request: HttpRequest, reason: str) -> Any:
        return reason


def _nothing(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def _csrf_fault(request: HttpRequest) -> str:
    bare = copy(request)
    bare.POST = QueryDict()  # or Django would look for the token in the body first, and read all of it
    judge = _Judge(_nothing)
    judge.process_request(bare)
    return str(judge.process_view(bare, _nothing, (), {}) or "")
