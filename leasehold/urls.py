"""All URLs of the product: health checks, API, admin and pages of both floors."""

from django.contrib import admin
from django.urls import include, path

from leasehold.api import health

urlpatterns = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("api/v1/", include("leasehold.api.urls")),
    path("api/v1/", include("checkouts.api.urls")),
    path("api/<path:rest>", health.not_there),
    path("admin/", admin.site.urls),
    path("", include("leasehold.web.urls")),
    path("", include("checkouts.web.urls")),
]
handler400 = "leasehold.api.base.problems.bad_request"
handler403 = "leasehold.api.base.problems.permission_denied"
handler404 = "leasehold.api.base.problems.not_found"
handler500 = "leasehold.api.base.problems.server_error"
