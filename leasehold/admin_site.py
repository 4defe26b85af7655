"""The admin site. It signs in through the product's own page, so that one throttle covers every way to sign in.

This is not in the package `admin`, because Django creates the site before it imports the modules that register there.
"""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import PasswordChangeView, redirect_to_login
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from leasehold.actions.accounts import set_password
from leasehold.actors import Actor
from leasehold.exceptions import Refusal
from leasehold.models import User


class OwnPassword(PasswordChangeForm):
    """Django's form for a new password, which calls the action instead of saving the account."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                set_password(actor=Actor(self.user, client="admin"), user=self.user, password=cleaned["new_password1"])
            except Refusal as refusal:
                raise ValidationError(str(refusal)) from refusal
        return cleaned

    def save(self, commit: bool = True) -> User:
        return self.user


class LeaseholdSite(AdminSite):
    """Django's admin site with the product's own pages for signing in and changing the password."""

    site_header = site_title = "Leasehold"
    index_title = "Administration"
    empty_value_display = "–"

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the product's sign-in page, and from there back to the admin.

        A signed-in account that is not staff gets 403: a redirect would send it in a circle.
        """
        after = request.GET.get(REDIRECT_FIELD_NAME, "")
        if not url_has_allowed_host_and_scheme(after, {request.get_host()}, require_https=request.is_secure()):
            after = reverse("admin:index", current_app=self.name)
        if self.has_permission(request):
            return HttpResponseRedirect(after)
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(after)

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return PasswordChangeView.as_view(
            form_class=OwnPassword,
            template_name="registration/password_change_form.html",
            success_url=reverse("admin:password_change_done", current_app=self.name),
            extra_context={**self.each_context(request), **(extra_context or {})},
        )(request)
