from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from leasehold.actions.tokens import create_token
from leasehold.models import User


@pytest.fixture
def as_() -> Callable[..., APIClient]:
    """A client of the API with a token of this account: `as_(alice).get("/api/v1/me/")`."""

    def client(user: User, scope: str | None = None) -> APIClient:
        _, text = create_token(actor=None, user=user, name="test", scope=scope)
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
        return client

    return client
