"""The checks of load balancers, and the answer for unknown API paths."""

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import is_valid_path
from django.views.decorators.csrf import csrf_exempt

from leasehold.api.base.problems import DETAILS
from leasehold.database import clock
from leasehold.http.problems import problem_response
from leasehold.sites.readiness import storage_status


@csrf_exempt  # nothing changes here, and the API answers in JSON
def not_there(request: HttpRequest, rest: str) -> HttpResponse:
    """Answer any other path below /api/ with a problem, never with a redirect, which would turn a POST into a GET."""
    detail = DETAILS[404]
    if not rest.endswith("/") and is_valid_path(f"{request.path_info}/"):
        detail = f"Paths end with a slash: {request.path_info}/"
    return problem_response(404, "not_found", detail)


def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 while the process runs."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 while the database answers and the folder of bytes is this site's and can be written, else 503."""
    try:
        clock.now()
        storage = storage_status()
    except DatabaseError:
        return JsonResponse({"status": "unavailable", "database": "no answer"}, status=503)
    if storage != "ok":
        return JsonResponse({"status": "unavailable", "database": "ok", "storage": storage}, status=503)
    return JsonResponse({"status": "ok", "database": "ok", "storage": "ok"})
