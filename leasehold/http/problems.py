"""Problem bodies as `application/problem+json` (RFC 9457), for every door that answers in JSON."""

from typing import Any

from django.http import JsonResponse

from leasehold.http.middleware import request_id
from leasehold.http.plain import plain

PROBLEM = "application/problem+json"


def problem_response(status: int, code: str, detail: str, **facts: Any) -> JsonResponse:
    """The same body outside REST framework."""
    return JsonResponse(body(status, code, detail, facts), status=status, content_type=PROBLEM)


def body(status: int, code: str, detail: str, facts: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": f"urn:leasehold:problem:{code}",
        "title": code.replace("_", " ").capitalize(),
        "status": status,
        "code": code,
        "detail": detail,
        **plain(facts),
        "request_id": request_id.get(),
    }
