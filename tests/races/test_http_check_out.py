"""Concurrent requests over HTTP to four processes of the production server: one succeeds, the others are refused."""

from functools import partial
from shutil import rmtree

import pytest

from checkouts.models import Artifact, Checkout, Version
from leasehold.actions.tokens import create_token
from leasehold.models import Role
from tests.factories import make_account, make_member
from tests.invariants import assert_sound
from tests.live import Client, Live, at_once, served
from tests.scenes import out, put, stored_files

pytestmark = pytest.mark.races

BINARY = {"Content_Type": "application/octet-stream"}
ROUNDS = 3


@pytest.fixture(scope="module")
def live(django_db_setup, tmp_path_factory):
    with served(tmp_path_factory.mktemp("served"), workers=4) as live:
        yield live


@pytest.fixture
def here(live: Live, settings) -> Live:
    """The server with an empty store, which the test reads too."""
    settings.LEASEHOLD_BLOBS = live.data / "blobs"
    rmtree(settings.LEASEHOLD_BLOBS, ignore_errors=True)
    return live


def client_of(live: Live, user) -> Client:
    _, token = create_token(actor=None, user=user, name="race")
    client = Client(live.port, token)
    assert client.ask("GET", "/api/v1/me/").status == 200
    return client


@pytest.fixture
def twenty(art, here) -> list[tuple[str, Client]]:
    """Participant and client of twenty editors with open connections."""
    found = []
    for number in range(20):
        user = make_account(f"editor{number}")
        make_member(art, user, Role.EDITOR)
        found.append((user.participant, client_of(here, user)))
    return found


def test_of_twenty_check_outs_one_wins(here, alice, twenty):
    for number in range(ROUNDS):
        path = f"/api/v1/artifacts/{put(alice, f'{number}.psd').pk}/checkouts/"
        answers = at_once(*(partial(client.ask, "POST", path) for _, client in twenty))
        assert sorted(answer.status for answer in answers) == [201] + [409] * 19
        winner = next(answer.body for answer in answers if answer.status == 201)
        for (participant, _), answer in zip(twenty, answers, strict=True):
            if answer.status == 201:
                assert answer.body["participant"] == participant
                continue
            assert answer.body["code"] == "artifact_busy"
            assert answer.body["lease"]["holder"] == winner["lease"]["holder"]
            assert answer.body["lease"]["fence"] == winner["lease"]["fence"] == 1
            assert int(answer.headers["Retry-After"]) > 0
    assert Checkout.objects.count() == ROUNDS
    assert_sound()


def test_of_eight_check_ins_with_one_etag_one_commits(here, alice):
    clients = [client_of(here, alice) for _ in range(8)]
    for number in range(ROUNDS):
        checkout = out(alice, put(alice, f"{number}.psd")).checkout
        path = f"/api/v1/checkouts/{checkout.pk}/check-in/"
        if_match = {"If_Match": f'"{checkout.base_digest}"'}
        answers = at_once(
            *(
                partial(client.ask, "POST", path, b"state %d" % index, **BINARY, **if_match)
                for index, client in enumerate(clients)
            )
        )
        assert sorted(answer.status for answer in answers) == [201] + [409] * 7
        assert {answer.body["code"] for answer in answers if answer.status == 409} == {"checkout_closed"}
    assert Version.objects.count() == 2 * ROUNDS
    assert_sound()
    assert_nothing_else_stored(here)


def test_eight_equal_check_ins_make_one_version(here, alice):
    clients = [client_of(here, alice) for _ in range(8)]
    for number in range(ROUNDS):
        checkout = out(alice, put(alice, f"{number}.psd")).checkout
        path = f"/api/v1/checkouts/{checkout.pk}/check-in/"
        answers = at_once(*(partial(client.ask, "POST", path, b"the same", **BINARY) for client in clients))
        assert sorted(answer.status for answer in answers) == [200] * 7 + [201]
        assert [answer.body["replayed"] for answer in answers].count(False) == 1
        assert {answer.body["version"]["number"] for answer in answers} == {2}
    assert Version.objects.count() == 2 * ROUNDS
    assert_sound()
    assert_nothing_else_stored(here)


def test_eight_uploads_to_one_path_make_one_file(here, alice, bob):
    clients = [client_of(here, user) for user in (alice, bob) * 4]
    for number in range(ROUNDS):
        path = f"/api/v1/projects/art/artifacts/?path={number}.psd"
        answers = at_once(*(partial(client.ask, "POST", path, b"a file", **BINARY) for client in clients))
        assert sorted(answer.status for answer in answers) == [201] + [409] * 7
        made = next(answer.body["id"] for answer in answers if answer.status == 201)
        assert {answer.body["artifact"] for answer in answers if answer.status == 409} == {made}
    assert Artifact.objects.count() == ROUNDS
    assert_sound()
    assert_nothing_else_stored(here)


def assert_nothing_else_stored(here: Live) -> None:
    """Assert that refused uploads left no bytes: each stored file has its row."""
    keys = {str(key) for key in Version.objects.values_list("blob__key", flat=True)}
    assert {path.name for path in stored_files(here.data / "blobs")} == keys
