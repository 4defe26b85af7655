from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("leasehold.api.urls")),
    path("api/v1/", include("checkouts.api.urls")),
    path("admin/", admin.site.urls),
    path("", include("leasehold.web.urls")),
    path("", include("checkouts.web.urls")),
]
