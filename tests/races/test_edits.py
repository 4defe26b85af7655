"""32 agents edit one file over HTTP: one edit at a time, every refusal names the holder, no version is lost."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from checkouts.bytes import storage
from checkouts.models import Edit, Version
from leasehold.actions.tokens import create_token
from leasehold.models import Entry, Role
from tests.factories import make_account, make_member
from tests.live import Client, served
from tests.scenes import put

AGENTS, ROUNDS = 32, 4
BINARY = {"Content_Type": "application/octet-stream"}


@pytest.fixture(scope="module")
def live(django_db_setup, tmp_path_factory):
    with served(tmp_path_factory.mktemp("served"), workers=4) as live:
        yield live


def test_32_agents_edit_one_file_one_at_a_time(live, settings, art, alice):
    settings.LEASEHOLD_BLOBS = live.data / "blobs"
    hero = put(alice)
    clients = []
    for number in range(AGENTS):
        agent = make_account(f"agent{number}", kind="agent")
        make_member(art, agent, Role.EDITOR)
        _, token = create_token(actor=None, user=agent, name="race")
        clients.append(Client(live.port, token))
    barrier = Barrier(AGENTS)

    def work(client: Client) -> list[int]:
        """Open an edit, read the head, add one byte, put it; return the statuses of the responses."""
        statuses = []
        for _ in range(ROUNDS):
            barrier.wait(60)
            opened = client.ask("POST", f"/api/v1/artifacts/{hero.pk}/edits/", b"")
            statuses.append(opened.status)
            if opened.status == 409:
                assert opened.body["code"] == "artifact_busy"
                assert opened.body["lease"] is None or opened.body["lease"]["kind"] == "edit"
                continue
            edit = opened.body
            head = client.ask("GET", f"/api/v1/artifacts/{hero.pk}/content/")
            assert head.headers["ETag"] == f'"{edit["base"]["digest"]}"', "nobody commits under another's edit"
            done = client.ask("PUT", f"/api/v1/edits/{edit['id']}/content/", head.content + b"+", **BINARY)
            statuses.append(done.status)
            assert done.body["version"]["number"] == edit["base"]["number"] + 1
        return statuses

    with ThreadPoolExecutor(AGENTS) as pool:
        statuses = [status for answers in pool.map(work, clients) for status in answers]
    assert set(statuses) <= {201, 409}
    commits = statuses.count(201) // 2
    assert commits >= ROUNDS, "in each round at least one wins"
    versions = list(Version.objects.filter(artifact=hero).order_by("number"))
    assert [version.number for version in versions] == list(range(1, commits + 2))
    assert storage.open_blob(versions[-1].blob.key).read() == b"one" + b"+" * commits
    assert [version.provenance["base_version"] for version in versions[1:]] == list(range(1, commits + 1))
    assert Edit.objects.filter(outcome="committed").count() == Edit.objects.count() == commits
    entries = list(Entry.objects.filter(kind__in=["edit_opened", "version_committed"]).order_by("id"))
    kinds = [entry.kind for entry in entries]
    assert kinds == ["edit_opened", "version_committed"] * commits, "one edit at a time"
