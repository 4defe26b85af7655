"""The views of `doors` as an application for gunicorn, behind the product's own handler and middleware."""

from django.conf import settings

from leasehold.wsgi import application

settings.ROOT_URLCONF = "tests.checkouts.doors"

__all__ = ["application"]
