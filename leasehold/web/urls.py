from django.urls import path

from leasehold.web import views

urlpatterns = [
    path("", views.projects, name="projects"),
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("theme/", views.theme, name="theme"),
]
