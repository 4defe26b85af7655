"""What the tests read off the admin's pages, and how they fill in its forms."""

import re
from html import unescape
from typing import Any

from django.test import Client
from django.urls import reverse


def url(model: str, page: str = "changelist", *args: object) -> str:
    """`url("checkouts.checkout")`, `url("leasehold.ticket", "act", "approve")`."""
    return reverse(f"admin:{model.replace('.', '_')}_{page}", args=args)


def open_act(client: Client, model: str, name: str, *rows: int) -> Any:
    return client.get(url(model, "act", name), {"row": [*rows]})


def hidden(html: str, name: str) -> list[str]:
    """The values of a form's hidden fields of one name, in order."""
    return [unescape(value) for value in re.findall(rf'name="{name}" value="([^"]*)"', html)]


def post_act(client: Client, model: str, act: str, /, *rows: int, page: Any = None, **values: object) -> Any:
    """Open an act's page and send its form; `page` is one that was opened earlier."""
    page = page or open_act(client, model, act, *rows)
    html = page.content.decode()
    fields = {"row": hidden(html, "row"), "seen": hidden(html, "seen"), **values}
    return client.post(url(model, "act", act), fields)


def tick(client: Client, model: str, name: str, *rows: int) -> Any:
    """Tick rows of a list and choose a bulk action."""
    return client.post(url(model), {"action": name, "index": 0, "_selected_action": [*rows]})


def text(response: Any) -> str:
    """A page's words, its marks and spaces left out."""
    bare = re.sub(r"<(script|style).*?</\1>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", bare)))


def said(response: Any) -> str:
    """The messages of the page to which an answer leads."""
    return " ".join(str(message) for message in response.wsgi_request._messages)
