from django.contrib import admin
from django.urls import include, path

from leasehold.api import views as api

urlpatterns = [
    path("healthz", api.healthz),
    path("readyz", api.readyz),
    path("api/v1/", include("leasehold.api.urls")),
    path("api/v1/", include("checkouts.api.urls")),
    path("api/<path:rest>", api.not_there),
    path("admin/", admin.site.urls),
    path("", include("leasehold.web.urls")),
    path("", include("checkouts.web.urls")),
]
handler400 = "leasehold.api.refusals.bad_request"
handler403 = "leasehold.api.refusals.permission_denied"
handler404 = "leasehold.api.refusals.not_found"
handler500 = "leasehold.api.refusals.server_error"
