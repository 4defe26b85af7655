"""The views of `doors` as an application for gunicorn, behind the product's own handler and middleware."""

from django.conf import settings

from leasehold.wsgi import application

settings.ROOT_URLCONF = "tests.checkouts.doors"

from checkouts.bytes import site_file  # noqa: E402  (the apps are set up by now)

site_file.demand_own_folder = lambda: None  # this server has no tables, with which the folder could be compared

__all__ = ["application"]
