"""Simultaneous requests through all surfaces, against the processes of the production server."""

import os
import subprocess
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client as Signing

from checkouts.models import Checkout, Version
from leasehold.actions.tokens import create_token
from leasehold.models import Entry, Lease, Role
from tests.factories import make_account, make_member
from tests.live import ROOT, Answer, Client, Live, at_once, served
from tests.scenes import out, put

pytestmark = [pytest.mark.races, pytest.mark.django_db(transaction=True)]

SECRET = "c" * 32
ROUNDS = 3
SHIFT = """
import datetime, time_machine
at = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes={minutes})
time_machine.travel(at, tick=True).start()
"""


@pytest.fixture(scope="module")
def live(django_db_setup, tmp_path_factory):
    data = tmp_path_factory.mktemp("served")
    collect_static(data)
    with served(data, workers=4) as live:
        yield live


def collect_static(data: Path) -> None:
    """The pages need the collected static files, whose names contain a hash."""
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "leasehold.settings", "LEASEHOLD_DATA": str(data)}
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity=0"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


@pytest.fixture
def here(live: Live, settings) -> Live:
    settings.LEASEHOLD_BLOBS = live.data / "blobs"
    return live


def by_token(live: Live, user) -> Client:
    return Client(live.port, create_token(actor=None, user=user, name="race")[1])


class Signed(Client):
    """A browser: a session's cookie, and the token of a form."""

    def __init__(self, port: int, user) -> None:
        super().__init__(port)
        signing = Signing()
        signing.force_login(user)
        cookies = {"sessionid": signing.cookies["sessionid"].value, "csrftoken": SECRET}
        self.headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
            "X-CSRFToken": SECRET,
            "Content-Type": "application/x-www-form-urlencoded",
        }

    def post(self, path: str, **form: object) -> Answer:
        return self.ask("POST", path, urlencode(form).encode())


def editors(art, count: int, door: str, **columns) -> list:
    found = [make_account(f"{door}{number}", **columns) for number in range(count)]
    for user in found:
        make_member(art, user, Role.EDITOR)
    return found


def test_one_of_many_simultaneous_check_outs_wins(art, alice, here):
    """Five by the API, five by the browser and five by the admin."""
    rest = [by_token(here, user) for user in editors(art, 5, "rest")]
    pages = [Signed(here.port, user) for user in editors(art, 5, "pages")]
    staff = [Signed(here.port, user) for user in editors(art, 5, "staff", is_staff=True)]
    for number in range(ROUNDS):
        hero = put(alice, f"{number}.psd")
        answers = at_once(
            *(partial(client.ask, "POST", f"/api/v1/artifacts/{hero.pk}/checkouts/") for client in rest),
            *(partial(client.post, f"/artifacts/{hero.pk}/checkouts/") for client in pages),
            *(
                partial(client.post, "/admin/checkouts/artifact/act/check-out/", row=hero.pk, hours=1)
                for client in staff
            ),
        )
        statuses = sorted(response.status for response in answers)
        assert statuses[0] in (201, 302)
        assert statuses[1:] == [409] * 14
        checkout = Checkout.objects.get(artifact=hero)
        assert Lease.objects.get(resource=hero.resource).holder == checkout.holder
        for response in answers:
            if response.status == 409:
                assert checkout.actor.username in response.content.decode()


def test_a_form_posted_twice_at_once_has_one_effect(art, alice, here):
    """A check-in, then a discard, each from two tabs at once."""
    hero = put(alice)
    tabs = [Signed(here.port, alice) for _ in range(2)]
    form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="hero.psd"\r\n\r\ntwo\r\n--x--\r\n'
    kind = {"Content_Type": "multipart/form-data; boundary=x"}
    checkout = out(alice, hero).checkout
    answers = at_once(*(partial(tab.ask, "POST", f"/checkouts/{checkout.pk}/check-in/", form, **kind) for tab in tabs))
    assert [response.status for response in answers] == [302, 302]
    assert (Version.objects.count(), Entry.objects.filter(kind="version_committed").count()) == (2, 1)
    checkout = out(alice, hero).checkout
    answers = at_once(*(partial(tab.post, f"/checkouts/{checkout.pk}/discard/") for tab in tabs))
    assert [response.status for response in answers] == [302, 302]
    assert Entry.objects.filter(subject=hero.resource, kind="checkout_discarded").count() == 1


def test_concurrent_requests_never_cause_a_server_error(art, alice, here):
    """Twenty threads request files and pages while `reconcile` runs. They may be slow, but never get 5xx."""
    heroes = [put(alice, f"{number}.psd") for number in range(4)]
    rest = [by_token(here, user) for user in editors(art, 10, "rest")]
    pages = [Signed(here.port, user) for user in editors(art, 10, "pages", is_staff=True)]

    def work(number: int) -> list[int]:
        client, seen = rest[number % 10], []
        page, hero = pages[number % 10], heroes[number % 4].pk
        for turn in range(4):
            if number < 10:
                made = client.ask("POST", f"/api/v1/artifacts/{hero}/checkouts/")
                seen.append(made.status)
                if made.status == 201:
                    address = f"/api/v1/checkouts/{made.body['id']}"
                    content = f"{number} {turn}".encode()
                    seen.append(client.ask("POST", f"{address}/check-in/", content, Content_Type="image/png").status)
                seen.append(client.ask("GET", "/api/v1/leases/").status)
            else:
                seen.append(page.post(f"/artifacts/{hero}/checkouts/").status)
                seen.append(page.ask("GET", "/board/").status)
                seen.append(page.ask("GET", "/admin/checkouts/checkout/").status)
                mine = Checkout.objects.filter(actor__username=f"pages{number % 10}", state="open").first()
                if mine:
                    seen.append(page.post(f"/checkouts/{mine.pk}/discard/").status)
        connection.close()
        return seen

    def sweep() -> list[int]:
        command = [sys.executable, "manage.py", "reconcile"]
        runs = [subprocess.run(command, cwd=ROOT, env=here.environment, check=False, timeout=60) for _ in range(2)]
        return [500 if run.returncode else 200 for run in runs]

    statuses = [status for seen in at_once(*(partial(work, number) for number in range(20)), sweep) for status in seen]
    assert [status for status in statuses if status >= 500] == []
    assert set(statuses) & {201, 302}


@pytest.mark.parametrize("minutes", [10, -10])
def test_a_server_with_a_wrong_clock_agrees_with_the_others(minutes, art, alice, bob, here, tmp_path, monkeypatch):
    """A second process, in which every clock of Python is wrong, uses the same database."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(SHIFT.format(minutes=minutes))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'site'}{os.pathsep}{ROOT}")
    live_one, short_one = put(alice, "live.psd"), put(alice, "short.psd")
    out(alice, live_one, ttl=300)
    collect_static(tmp_path)
    (tmp_path / "blobs").symlink_to(here.data / "blobs")  # several servers share the folder of bytes
    with served(tmp_path, workers=1) as wrong:
        bobs, right = by_token(wrong, bob), by_token(here, bob)
        clock_of = bobs.ask("GET", "/sign-in/").headers["Date"] if minutes else ""
        assert clock_of != right.ask("GET", "/sign-in/").headers["Date"]  # it is wrong indeed
        busy = bobs.ask("POST", f"/api/v1/artifacts/{live_one.pk}/checkouts/")
        assert (busy.status, busy.body["lease"]["participant"]) == (409, "user:alice")
        assert 0 < busy.body["lease"]["expires_in"] <= 300
        made = bobs.ask("POST", f"/api/v1/artifacts/{short_one.pk}/checkouts/", b'{"ttl": 300}',
                        Content_Type="application/json")  # fmt: skip
        assert made.status == 201
        seen = right.ask("GET", f"/api/v1/artifacts/{short_one.pk}/").body["lease"]
        assert 290 <= seen["expires_in"] <= 300
        lease = Lease.objects.get(resource=short_one.resource)
        assert lease.expires_at - lease.acquired_at == timedelta(seconds=300)
