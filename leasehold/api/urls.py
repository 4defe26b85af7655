from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from leasehold.api import (
    converters,  # noqa: F401  (registers <id:>, <project:> and <account:>)
    schema,  # noqa: F401  (registers how the document names the ways to sign in)
    views,
)

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path(
        "docs/",
        SpectacularSwaggerSplitView.as_view(template_name="leasehold/api_docs.html", title="Leasehold API"),
        name="api-docs",
    ),
    path("me/", views.Me.as_view()),
    path("projects/", views.Projects.as_view()),
    path("projects/<project:slug>/", views.ProjectDetail.as_view()),
    path("projects/<project:slug>/members/", views.Members.as_view()),
    path("projects/<project:slug>/members/<account:name>/", views.MemberDetail.as_view()),
    path("leases/", views.Leases.as_view()),
    path("entries/", views.Entries.as_view()),
]
