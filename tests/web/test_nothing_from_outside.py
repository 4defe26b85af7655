"""No page loads anything foreign, and none has inline scripts or styles."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from checkouts.models import Proposal
from tests import work
from tests.web.conftest import SECOND, THIRD, added, check_in, check_out

STATIC = Path(__file__).resolve().parents[2] / "leasehold" / "static" / "leasehold"
ADDRESSES = (
    "href",
    "src",
    "action",
    "formaction",
    "srcset",
    "poster",
    "data",
    "data-hx-get",
    "data-hx-post",
    "xlink:href",
)


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []
        self.inline: list[str] = []
        self.script = False

    def handle_starttag(self, tag, attrs):
        facts = dict(attrs)
        for name in ADDRESSES:
            value = facts.get(name) or ""
            if "//" in value.partition("?")[0] or value.lower().startswith(("javascript:", "data:")):
                self.outside.append(value)
        self.inline += [name for name in facts if name == "style" or name.startswith(("on", "hx-on", "data-hx-on"))]
        if tag == "style" or (tag == "script" and not facts.get("src")):
            self.inline.append(tag)


@pytest.fixture
def pages(as_, alice, bob, olga, admin, hero, client):
    checkout = check_out(as_(bob), hero)
    late = kept_late(as_, alice, olga)
    reserved = work.started(bob, olga, "terminal-1").ticket
    ticket = work.approved(alice, olga, "terminal-1/left")
    return [
        client.get("/sign-in/"),
        client.get("/nowhere/"),
        as_(alice).get("/"),
        as_(alice).get("/projects/art/"),
        as_(alice).get("/projects/art/?folder=heroes"),
        as_(alice).get(f"/artifacts/{hero.pk}/"),
        as_(bob).get(f"/artifacts/{hero.pk}/"),
        as_(alice).get("/board/"),
        as_(alice).post(f"/artifacts/{hero.pk}/checkouts/"),
        as_(alice).get("/projects/art/?show=x"),
        as_(olga).get(f"/checkouts/{checkout.pk}/break/"),
        as_(alice).get("/tickets/"),
        as_(alice).get("/tickets/new/"),
        as_(alice).get(f"/tickets/{ticket.pk}/edit/"),
        as_(alice).get(f"/tickets/{ticket.pk}/"),
        as_(bob).get(f"/tickets/{reserved.pk}/"),
        as_(alice).post(f"/tickets/{ticket.pk}/start/"),
        as_(alice).get("/proposals/"),
        as_(olga).get(f"/proposals/{late.pk}/"),
        as_(alice).get("/profile/"),
        as_(alice).post("/profile/tokens/", {"token_name": "export"}),
        as_(olga).get("/projects/art/members/"),
        as_(olga).get("/projects/art/members/bob/remove/"),
        as_(admin).get("/people/"),
        as_(admin).get("/people/new/"),
        as_(admin).get(f"/people/{bob.pk}/"),
        as_(admin).get(f"/people/{bob.pk}/deactivate/"),
        as_(olga).get("/journal/"),
    ]


def kept_late(as_, alice, olga) -> Proposal:
    checkout = check_out(as_(alice), added(alice, "sky.png"))
    as_(olga).post(f"/checkouts/{checkout.pk}/break/", {"reason": "urgent"})
    check_in(as_(olga), check_out(as_(olga), checkout.artifact), SECOND)
    check_in(as_(alice), checkout, THIRD)
    return Proposal.objects.latest("id")


def test_no_page_has_foreign_addresses_or_inline_code(pages):
    for response in pages:
        reader = Reader()
        reader.feed(response.content.decode())
        assert reader.outside == [], response.request["PATH_INFO"]
        assert reader.inline == [], response.request["PATH_INFO"]


def test_every_page_has_the_content_security_policy(pages):
    for response in pages:
        policy = response["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_every_icon_that_a_page_shows_is_in_the_sprite(pages):
    sprite = Path(finders.find("leasehold/icons.svg")).read_text()
    for response in pages:
        for part in response.content.decode().split("icons.svg#")[1:]:
            assert f'id="{part.partition(chr(34))[0]}"' in sprite


@pytest.mark.parametrize("path", sorted(STATIC.rglob("*.*")), ids=lambda path: path.name)
def test_static_files_request_nothing_foreign(path):
    text = path.read_text().replace("http://www.w3.org/2000/svg", "")
    assert "http:" not in text
    assert "https:" not in text
    assert "eval(" not in text
