"""The same verbs through every surface: the REST API, the pages and the admin."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Permission
from django.test import Client
from rest_framework.test import APIClient

from checkouts.models import Artifact, Checkout
from leasehold.actions.tokens import create_token
from leasehold.models import User
from tests.admin.pages import open_action, url
from tests.factories import browser_of

API = "/api/v1"


@dataclass(frozen=True)
class Rest:
    client: APIClient

    def check_out(self, artifact: Artifact, ttl: Any = 3600) -> Any:
        return self.post(f"{API}/artifacts/{artifact.pk}/checkouts/", {"ttl": ttl})

    def check_in(self, checkout: Checkout, file: Any, **fields: str) -> Any:
        return self.client.post(f"{API}/checkouts/{checkout.pk}/check-in/", {"file": file, **fields})

    def discard(self, checkout: Checkout) -> Any:
        return self.post(f"{API}/checkouts/{checkout.pk}/discard/", {})

    def break_(self, checkout: Checkout) -> Any:
        return self.post(f"{API}/checkouts/{checkout.pk}/break/", {"reason": "because"})

    def add(self, path: str, file: Any) -> Any:
        return self.client.post(f"{API}/projects/art/artifacts/", {"path": path, "file": file})

    def download(self, artifact: Artifact) -> Any:
        return self.client.get(f"{API}/artifacts/{artifact.pk}/content/")

    def post(self, address: str, body: dict[str, Any]) -> Any:
        return self.client.post(address, json.dumps(body), content_type="application/json")


@dataclass(frozen=True)
class Browser:
    client: Client

    def check_out(self, artifact: Artifact, ttl: Any = 3600) -> Any:
        return self.client.post(f"/artifacts/{artifact.pk}/checkouts/", {"ttl": ttl})

    def check_in(self, checkout: Checkout, file: Any, **fields: str) -> Any:
        # Whatever its name: a page asks whether a file of another kind is meant.
        return self.client.post(f"/checkouts/{checkout.pk}/check-in/", {"file": file, "other": "on", **fields})

    def discard(self, checkout: Checkout) -> Any:
        return self.client.post(f"/checkouts/{checkout.pk}/discard/")

    def break_(self, checkout: Checkout) -> Any:
        return self.client.post(f"/checkouts/{checkout.pk}/break/", {"reason": "because"})

    def add(self, path: str, file: Any) -> Any:
        return self.client.post("/projects/art/files/", {"path": path, "file": file})

    def download(self, artifact: Artifact) -> Any:
        return self.client.get(f"/artifacts/{artifact.pk}/content/")


@dataclass(frozen=True)
class Admin:
    client: Client

    def check_out(self, artifact: Artifact, ttl: Any = 3600) -> Any:
        return self.act("checkouts.artifact", "check-out", artifact.pk, hours=ttl // 3600 or 1)

    def check_in(self, checkout: Checkout, file: Any, **fields: str) -> Any:
        address = url("checkouts.checkout", "check_in") + f"?row={checkout.pk}"
        return self.client.post(address, {"file": file, "other": "on", **fields})

    def discard(self, checkout: Checkout) -> Any:
        return self.act("checkouts.checkout", "discard", checkout.pk)

    def break_(self, checkout: Checkout) -> Any:
        return self.act("checkouts.checkout", "break", checkout.pk, reason="because")

    def download(self, artifact: Artifact) -> Any:
        return self.client.get(url("checkouts.artifact", "file", artifact.pk))

    def act(self, model: str, name: str, row: int, **values: Any) -> Any:
        return self.client.post(url(model, "act", name), {"row": [row], **values})

    def page(self, model: str, name: str, row: int) -> Any:
        return open_action(self.client, model, name, row)


def rest(user: User) -> Rest:
    _, text = create_token(actor=None, user=user, name="test", scope=None)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return Rest(client)


def browser(user: User) -> Browser:
    return Browser(browser_of(user))


def admin(user: User) -> Admin:
    """A staff account with the permission to break. Its role in the project counts as on every surface."""
    user.is_staff = True
    user.save(update_fields=["is_staff"])
    user.user_permissions.set(Permission.objects.filter(codename="break_lease") if user.username == "olga" else [])
    return Admin(browser_of(user))


Door = Callable[[User], Any]
DOORS: dict[str, Door] = {"rest": rest, "browser": browser, "admin": admin}
