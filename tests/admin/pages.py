"""Helpers that read the admin's pages and post its forms."""

import re
from html import unescape
from typing import Any

from django.test import Client
from django.urls import reverse


def url(model: str, page: str = "changelist", *args: object) -> str:
    """`url("checkouts.checkout")`, `url("leasehold.ticket", "act", "approve")`."""
    return reverse(f"admin:{model.replace('.', '_')}_{page}", args=args)


def open_action(client: Client, model: str, name: str, *rows: int) -> Any:
    return client.get(url(model, "act", name), {"row": [*rows]})


def hidden(html: str, name: str) -> list[str]:
    """Return the values of a form's hidden inputs of one name, in order."""
    return [unescape(value) for value in re.findall(rf'name="{name}" value="([^"]*)"', html)]


def post_action(client: Client, model: str, action: str, /, *rows: int, page: Any = None, **values: object) -> Any:
    """Open an action's page and post its form. `page`: one that was opened earlier."""
    page = page or open_action(client, model, action, *rows)
    html = page.content.decode()
    fields = {"row": hidden(html, "row"), "seen": hidden(html, "seen"), **values}
    return client.post(url(model, "act", action), fields)


def tick(client: Client, model: str, name: str, *rows: int) -> Any:
    """Select rows of a list and post a bulk action."""
    return client.post(url(model), {"action": name, "index": 0, "_selected_action": [*rows]})


def text(response: Any) -> str:
    """Return a page's text without markup, in one line."""
    bare = re.sub(r"<(script|style).*?</\1>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", bare)))


def messages_of(response: Any) -> str:
    """Return the messages that a response has left for the next page."""
    return " ".join(str(message) for message in response.wsgi_request._messages)
