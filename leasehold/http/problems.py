"""Errors as `application/problem+json` (RFC 9457)."""

from typing import Any

from django.http import JsonResponse

from leasehold.http.json_values import to_json
from leasehold.request_ids import request_id

PROBLEM = "application/problem+json"


def problem_response(status: int, code: str, detail: str, **facts: Any) -> JsonResponse:
    """Return the response for an error outside REST framework."""
    return JsonResponse(problem_body(status, code, detail, facts), status=status, content_type=PROBLEM)


def problem_body(status: int, code: str, detail: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a problem; `facts` are added to the standard ones."""
    return {
        "type": f"urn:leasehold:problem:{code}",
        "title": code.replace("_", " ").capitalize(),
        "status": status,
        "code": code,
        "detail": detail,
        **to_json(facts),
        "request_id": request_id.get(),
    }
