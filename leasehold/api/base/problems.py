"""Every "no" of the API as `application/problem+json` (RFC 9457), from one table.

`leasehold.http.statuses` has the status of each refusal. The body is `type title status code detail request_id` and the
refusal's facts.
"""

import logging
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.views import defaults
from rest_framework import exceptions as drf
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from leasehold import exceptions as ground
from leasehold.database.transactions import is_transient
from leasehold.exceptions import Refusal
from leasehold.http.problems import PROBLEM, problem_body, problem_response
from leasehold.http.statuses import status_of
from leasehold.leases import HeldLease

logger = logging.getLogger(__name__)


PREFIX = "/api/"


#: what the framework refuses: status → our code
CODES = {
    400: "invalid",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    411: "length_required",
    413: "too_large",
    415: "unsupported_media_type",
    416: "range_not_satisfiable",
    429: "throttled",
    503: "try_again",
}


DETAILS = {
    401: "Sign in, or send a token: Authorization: Bearer …",
    404: "There is no such thing, or it is not yours to see.",
    500: "Something went wrong here. The request's id finds it in the log.",
}


def problem(error: Exception, context: dict[str, Any] | None = None) -> Response | None:
    """REST framework's exception handler. Return a refusal as a problem, or None for errors that Django reports."""
    if context:  # JSON, even if the request wants the schema or a page
        context["request"].accepted_renderer = JSONRenderer()
        context["request"].accepted_media_type = JSONRenderer.media_type
    if isinstance(error, Refusal):
        status, facts, headers = status_of(error), facts_of(error), _headers_of(error)
        return _response(status, error.code, error.detail, facts, headers)
    if isinstance(error, drf.APIException):
        code, facts, headers = _code_of(error.status_code), _framework_facts(error), _framework_headers(error)
        return _response(error.status_code, code, _detail_of(error), facts, headers)
    if isinstance(error, Http404):
        return _response(404, "not_found", DETAILS[404])
    if isinstance(error, PermissionDenied):
        return _response(403, "forbidden", ground.Forbidden().detail)
    if isinstance(error, RequestDataTooBig):
        return _response(413, "too_large", ground.BodyTooLarge().detail)
    if isinstance(error, SuspiciousOperation | UnreadablePostError):
        return _response(400, "invalid", "The request could not be read.")
    if isinstance(error, OperationalError | InterfaceError) and _may_pass(error):
        logger.error("The database did not answer", exc_info=error)
        return problem(ground.TryAgain())
    return None


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not request.path_info.startswith(PREFIX):
        return defaults.bad_request(request, exception)
    return problem_response(400, "invalid", "The request could not be read.")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not request.path_info.startswith(PREFIX):
        return defaults.permission_denied(request, exception)
    return problem_response(403, "forbidden", ground.Forbidden().detail)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not request.path_info.startswith(PREFIX):
        return defaults.page_not_found(request, exception)
    return problem_response(404, "not_found", DETAILS[404])


def server_error(request: HttpRequest) -> HttpResponse:
    if not request.path_info.startswith(PREFIX):
        return defaults.server_error(request)
    return problem_response(500, "error", DETAILS[500])


def _may_pass(error: Exception) -> bool:
    """Is this error temporary? PostgreSQL raises these two if it is down or overloaded, SQLite for other errors too."""
    return connection.vendor != "sqlite" or (isinstance(error, OperationalError) and is_transient(error))


def _response(
    status: int, code: str, detail: str, facts: dict[str, Any] | None = None, headers: dict[str, str] | None = None
) -> Response:
    return Response(
        problem_body(status, code, detail, facts or {}), status=status, headers=headers, content_type=PROBLEM
    )


def facts_of(refusal: Refusal) -> dict[str, Any]:
    """Return the refusal's facts that are known. Only `lease` may be null: nobody holds it any more."""
    facts = {name: getattr(refusal, name) for name in refusal.facts}
    is_of_many = facts.get("leases") is not None
    return {name: value for name, value in facts.items() if value is not None or (name == "lease" and not is_of_many)}


def _headers_of(refusal: Refusal) -> dict[str, str]:
    if isinstance(refusal, ground.Throttled):
        return {"Retry-After": str(refusal.retry_after)}
    if isinstance(refusal, ground.TryAgain | ground.InProgress):
        return {"Retry-After": "1"}
    if (seconds := _free_in(refusal)) is not None:
        return {"Retry-After": str(max(1, seconds))}
    return {}


def _free_in(refusal: Refusal) -> int | None:
    """Return the seconds until all leases in the way have expired; None if one never does, or none is known."""
    named = [getattr(refusal, "lease", None), *(getattr(refusal, "leases", None) or [])]
    held = [lease for lease in named if isinstance(lease, HeldLease)]
    waits = [lease.expires_in for lease in held if lease.expires_in is not None]
    return max(waits) if waits and len(waits) == len(held) else None


def _code_of(status: int) -> str:
    return CODES.get(status, "invalid" if status < 500 else "error")


def _detail_of(error: drf.APIException) -> str:
    if isinstance(error, drf.NotAuthenticated):
        return DETAILS[401]
    if isinstance(error, drf.NotFound):
        return DETAILS[404]
    if isinstance(error, drf.ValidationError):
        return ground.Invalid().detail
    return str(error.detail)


def _framework_facts(error: drf.APIException) -> dict[str, Any]:
    if isinstance(error, drf.ValidationError):
        return {"errors": list(_flat(error.detail))}
    if isinstance(error, drf.ParseError):
        return {"errors": [{"field": "", "detail": str(error.detail)}]}
    return {}


def _flat(detail: Any, field: str = "") -> Any:
    """Yield REST framework's nested errors as `{field, detail}`, with dotted fields."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            path = field if name == "non_field_errors" else f"{field}.{name}".lstrip(".")
            yield from _flat(inner, path)
    elif isinstance(detail, list):
        for inner in detail:
            yield from _flat(inner, field)
    else:
        yield {"field": field, "detail": str(detail)}


def _framework_headers(error: drf.APIException) -> dict[str, str]:
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(int(wait))
    return headers
