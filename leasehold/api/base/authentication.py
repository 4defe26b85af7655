"""Authentication: by a bearer token, or by the browser's session with its CSRF token."""

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

# In the order of the model's columns: `from_db` reads its values in that order, whatever the order of the names.
ACCOUNT = [
    field.attname
    for field in User._meta.concrete_fields
    if field.attname in {"id", "username", "name", "kind", "time_zone", "is_active", "is_staff", "is_superuser"}
]


class BearerToken(BaseAuthentication):
    """`Authorization: Bearer lh_…`. One statement finds the token if it is in force and its account active."""

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
    """The browser's session, with the CSRF token in the header `X-CSRFToken`: the body is never read to find it."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        user = getattr(request._request, "user", None)
        if user is None or not user.is_active:
            return None
        if reason := _csrf_fault(request._request):
            raise PermissionDenied(f"{reason} Send the CSRF token in the header X-CSRFToken.")
        return user, None


def _token_in_force(text: str) -> Token | None:
    """Return the token with its account, or None. Records the token's use.

    The SQL is written by hand: every request runs it, and composing it takes Django longer than running it. Columns of
    the account that no request needs (the password, dates) are deferred.
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
    """Return the account as an actor, with the scope of its token. The view's permissions have checked the account."""
    scope = request.auth.scope if isinstance(request.auth, Token) else Scope.ADMIN
    return Actor(user=cast(User, request.user), scope=scope, client="api")


class _CsrfCheck(CsrfViewMiddleware):
    """Django's check, which returns the reason of a refusal in place of a page."""

    def _reject(self, request: HttpRequest, reason: str) -> Any:
        return reason


def _empty_response(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def _csrf_fault(request: HttpRequest) -> str:
    """Return why the CSRF token is missing or wrong; empty if it is right."""
    bare = copy(request)
    bare.POST = QueryDict()  # else Django reads the whole body to look for the token there first
    check = _CsrfCheck(_empty_response)
    check.process_request(bare)
    return str(check.process_view(bare, _empty_response, (), {}) or "")
