"""The decorator for views that need a signed-in reader."""

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.http import HttpResponseBase

View = Callable[..., HttpResponseBase]


def signed_in(view: View) -> View:
    """`login_required`, typed for views that return a file or a page."""
    return login_required(view)
