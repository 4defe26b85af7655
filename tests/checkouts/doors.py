"""Minimal views for uploads and downloads."""

import uuid

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from rest_framework.decorators import api_view, authentication_classes, permission_classes

from checkouts.exceptions import StorageUnavailable, TooLarge
from checkouts.http.downloads import download
from checkouts.http.uploads import received_upload, streamed_form
from leasehold.exceptions import Forbidden, Invalid, Refusal

STATUS = {Invalid: 400, Forbidden: 403, TooLarge: 413, StorageUnavailable: 507}


def answer_to(request, *, is_stored: bool = True) -> HttpResponse:
    try:
        with received_upload(request, limit=settings.LEASEHOLD_UPLOAD_LIMIT, is_stored=is_stored) as upload:
            if then := upload.fields.get("then"):
                raise {"refuse": Forbidden, "break": RuntimeError}[then]
            received = upload.received if "unused" in upload.fields else upload.commit_with(lambda received: received)
            return JsonResponse(
                {
                    "key": received.key,
                    "digest": received.digest,
                    "size": received.size,
                    "filename": upload.filename,
                    "fields": upload.fields,
                },
                status=201,
            )
    except Refusal as refusal:
        body = {"code": refusal.code} | {name: getattr(refusal, name) for name in refusal.facts}
        return JsonResponse(body, status=STATUS.get(type(refusal), 422))


@csrf_exempt
def take(request: HttpRequest) -> HttpResponse:
    return answer_to(request)


@csrf_exempt
def weigh(request: HttpRequest) -> HttpResponse:
    """Hash only, as for a closed attempt."""
    return answer_to(request, is_stored=False)


@api_view(["POST", "PUT"])
@authentication_classes([])
@permission_classes([])
def take_by_api(request) -> HttpResponse:
    return answer_to(request)


@api_view(["POST"])
@authentication_classes([])
@permission_classes([])
def echo(request) -> HttpResponse:
    """Return the JSON body."""
    return JsonResponse({"data": request.data})


def give(request: HttpRequest, key: uuid.UUID, name: str) -> HttpResponse:
    query = request.GET
    return download(
        request, key=key, name=name, digest=query["digest"], size=int(query["size"]), inline="inline" in query
    )


def token(request: HttpRequest) -> HttpResponse:
    return HttpResponse(get_token(request))


def judge(request: HttpRequest) -> HttpResponse | None:
    if "X-Stranger" in request.headers:
        return HttpResponse("sign in", status=401)
    if "X-Viewer" in request.headers:
        raise Forbidden
    return None


@streamed_form(judge)
def form(request: HttpRequest, upload) -> HttpResponse:
    if upload.fields.get("then") == "refuse":
        raise Forbidden
    received = upload.commit_with(lambda received: received)
    return JsonResponse({"key": received.key, "comment": request.POST["comment"]}, status=201)


urlpatterns = [
    path("take", take),
    path("weigh", weigh),
    path("api/take", take_by_api),
    path("api/echo", echo),
    path("give/<uuid:key>/<path:name>", give),
    path("token", token),
    path("form", form),
    path("", include("leasehold.urls")),  # a refusal's page links into the product
]
