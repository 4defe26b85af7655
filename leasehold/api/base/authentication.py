"""Who calls: a program with its token, or a browser with its session."""

from copy import copy
from typing import Any, cast

from django.db import connection
from django.http import HttpRequest, HttpResponse, QueryDict
from django.middleware.csrf import CsrfViewMiddleware
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from leasehold.actions.tokens import digest_of, note_use
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.models import Scope, Token, User

# In the order of the columns, by which `from_db` takes its values, whatever order it is told the names in.
ACCOUNT = [
    field.attname
    for field in User._meta.concrete_fields
    if field.attname in {"id", "username", "name", "kind", "time_zone", "is_active", "is_staff", "is_superuser"}
]


class BearerToken(BaseAuthentication):
    """`Authorization: Bearer lh_…`. One statement finds the token and its account, both in force, or nothing."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        scheme, _, text = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        if (token := _token_in_force(text.strip())) is None:
            raise AuthenticationFailed("This token is unknown, revoked or expired, or its account is disabled.")
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


def _token_in_force(text: str) -> Token | None:
    """By a statement that is written out: every request runs it, and composing it costs Django longer than running it.

    What no door needs of the account (the password, dates) is left out, and read if somebody asks for it after all.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"""SELECT {", ".join(f"account.{column}" for column in ACCOUNT)}, token.id, token.user_id, token.scope,
                   token.last_used_at, {clock.sql().replace("%", "%%")}
            FROM "{Token._meta.db_table}" AS token JOIN "{User._meta.db_table}" AS account ON account.id = token.user_id
            WHERE token.digest = %s AND token.revoked_at IS NULL AND account.is_active
              AND (token.expires_at IS NULL OR token.expires_at > {clock.sql().replace("%", "%%")})
            """,
            [digest_of(text)],
        )
        row = cursor.fetchone()
    if row is None:
        return None
    account, (token_id, user_id, scope, last_used_at, at) = row[: len(ACCOUNT)], row[len(ACCOUNT) :]
    last_used_at = last_used_at and clock.as_utc(last_used_at)
    token = Token.from_db(
        "default", ["id", "user_id", "scope", "last_used_at"], [token_id, user_id, scope, last_used_at]
    )
    token.user = User.from_db("default", ACCOUNT, account)
    note_use(token, clock.as_utc(at))
    return token


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
