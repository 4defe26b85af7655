"""Decisions on proposals, and the file's history afterwards."""

import pytest

from checkouts.actions.moves import archive
from checkouts.actions.policies import set_write_policy
from checkouts.actions.proposals import accept, rebuild, reject, withdraw
from checkouts.bytes import storage
from checkouts.exceptions import ArtifactBusy, StaleProposal
from checkouts.models import Artifact, Proposal, Version
from checkouts.programs.edit import edit
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid, NotFound, PreconditionFailed, ScopeReserved, WrongState
from leasehold.models import Entry, Lease, Membership
from tests.scenes import back, out

pytestmark = pytest.mark.usefixtures("blobs", "sound")


@pytest.fixture
def careful(hero) -> Artifact:
    """The hero, where agents must propose."""
    Artifact.objects.update(write_policy="propose")
    return Artifact.objects.get(pk=hero.pk)


def proposed(user, artifact, content) -> Proposal:
    return edit(actor=Actor(user), artifact_id=artifact.pk, transform=lambda _: content.encode()).proposal


def bytes_of(row) -> bytes:
    return storage.open_blob(row.blob.key).read()


def test_three_proposals_and_their_decisions(planner, olga, careful):
    one, two, three = (proposed(planner, careful, text) for text in ("red", "green", "blue"))
    first = accept(actor=Actor(olga), proposal_id=one.pk)
    with pytest.raises(StaleProposal) as refused:
        accept(actor=Actor(olga), proposal_id=two.pk)
    assert (refused.value.base, refused.value.head) == (1, 2)
    again = rebuild(actor=Actor(olga), proposal_id=two.pk)
    second = accept(actor=Actor(olga), proposal_id=again.pk, comment="Greener")
    rejected = reject(actor=Actor(olga), proposal_id=three.pk, reason="Too blue")

    history = Version.objects.filter(artifact=careful).order_by("number")
    assert [(row.number, row.author.username, bytes_of(row)) for row in history] == [
        (1, "alice", b"one"),
        (2, "planner", b"red"),
        (3, "planner", b"green"),
    ]
    assert (first.provenance["proposal"], first.provenance["accepted_by"]) == (one.pk, "user:olga")
    assert (second.provenance["proposal"], second.provenance["rebuilt_from"], second.comment) == (
        again.pk,
        two.pk,
        "Greener",
    )
    assert second.provenance["base_version"] == 1, "where its author began"
    assert rejected.reason == "Too blue"
    assert dict(Proposal.objects.values_list("pk", "state")) == {
        one.pk: "accepted",
        two.pk: "superseded",
        again.pk: "accepted",
        three.pk: "rejected",
    }
    assert [bytes_of(row) for row in Proposal.objects.order_by("pk")] == [b"red", b"green", b"blue", b"green"]
    entries = Entry.objects.filter(kind__startswith="proposal").order_by("id").values_list("kind", "participant")
    assert list(entries) == [
        *[("proposal_kept", "agent:planner")] * 3,
        ("proposal_accepted", "user:olga"),
        ("proposal_rebuilt", "user:olga"),
        ("proposal_accepted", "user:olga"),
        ("proposal_rejected", "user:olga"),
    ]
    assert not Lease.objects.exclude(holder="").exists()


def test_a_held_file_blocks_accepting(planner, alice, olga, careful):
    kept = proposed(planner, careful, "red")
    hers = out(alice, careful)
    with pytest.raises(ArtifactBusy) as refused:
        accept(actor=Actor(olga), proposal_id=kept.pk)
    assert refused.value.lease.holder == hers.lease.holder
    assert back(alice, hers.checkout, "hers").version.number == 2
    with pytest.raises(StaleProposal):
        accept(actor=Actor(olga), proposal_id=kept.pk)


def test_a_decided_proposal_is_final(planner, olga, careful):
    kept = proposed(planner, careful, "red")
    withdraw(actor=Actor(planner), proposal_id=kept.pk)
    for verb, user, more in (
        (accept, olga, {}),
        (reject, olga, {"reason": "no"}),
        (rebuild, olga, {}),
        (withdraw, planner, {}),
    ):
        with pytest.raises(WrongState) as refused:
            verb(actor=Actor(user), proposal_id=kept.pk, **more)
        assert refused.value.state == "withdrawn"
    assert Version.objects.count() == 1


def test_an_archived_files_proposals_are_only_rejected_or_withdrawn(planner, alice, olga, careful):
    kept = proposed(planner, careful, "red")
    archive(actor=Actor(alice), artifact_id=careful.pk)
    for verb in (accept, rebuild):
        with pytest.raises(WrongState) as refused:
            verb(actor=Actor(olga), proposal_id=kept.pk)
        assert refused.value.state == "archived"
    assert reject(actor=Actor(olga), proposal_id=kept.pk, reason="gone").state == "rejected"


def test_under_anothers_ticket_it_is_not_accepted(planner, olga, careful, clock):
    kept = proposed(planner, careful, "red")
    Lease.objects.create(
        resource="scope:art/heroes", place="art/heroes", holder="ticket:7", fence=1, acquired_at=clock.now()
    )
    with pytest.raises(ScopeReserved):
        accept(actor=Actor(olga), proposal_id=kept.pk)
    assert Lease.objects.exclude(holder="").count() == 1


def test_only_human_operators_decide_and_a_stranger_sees_nothing(planner, alice, vera, mallory, olga, careful):
    kept = proposed(planner, careful, "red")
    Membership.objects.filter(user=planner).update(role="operator")
    for verb, more in ((accept, {}), (reject, {"reason": "no"}), (rebuild, {})):
        for actor in (Actor(planner), Actor(alice), Actor(vera), Actor(olga, scope="write")):
            with pytest.raises(Forbidden):
                verb(actor=actor, proposal_id=kept.pk, **more)
        with pytest.raises(NotFound):
            verb(actor=Actor(mallory), proposal_id=kept.pk, **more)
    with pytest.raises(Forbidden):
        withdraw(actor=Actor(olga), proposal_id=kept.pk)


@pytest.mark.parametrize("reason", ["", "  ", None, 7, "x" * 501, "a\0"])
def test_a_rejection_needs_its_reason(planner, olga, careful, reason):
    kept = proposed(planner, careful, "red")
    with pytest.raises(Invalid, match="reason"):
        reject(actor=Actor(olga), proposal_id=kept.pk, reason=reason)


def test_only_operators_set_the_policy_and_it_is_journalled_once(planner, alice, olga, hero):
    for actor in (Actor(alice), Actor(planner), Actor(olga, scope="write")):
        with pytest.raises(Forbidden):
            set_write_policy(actor=actor, artifact_id=hero.pk, policy="propose")
    with pytest.raises(Invalid, match="write_policy"):
        set_write_policy(actor=Actor(olga), artifact_id=hero.pk, policy="ask")
    with pytest.raises(PreconditionFailed):
        set_write_policy(actor=Actor(olga), artifact_id=hero.pk, policy="propose", if_match={"sha256:0"})
    for _ in range(2):
        set_write_policy(actor=Actor(olga), artifact_id=hero.pk, policy="propose")
    assert Entry.objects.filter(kind="write_policy_changed").count() == 1
    archive(actor=Actor(alice), artifact_id=hero.pk)
    with pytest.raises(WrongState):
        set_write_policy(actor=Actor(olga), artifact_id=hero.pk, policy="direct")


def test_an_agents_check_in_follows_the_current_policy(planner, olga, hero):
    taken = out(planner, hero)
    set_write_policy(actor=Actor(olga), artifact_id=hero.pk, policy="propose")
    assert back(planner, taken.checkout, "red").proposal.provenance["kind"] == "check_in"
    taken = out(planner, hero)
    set_write_policy(actor=Actor(olga), artifact_id=hero.pk, policy="direct")
    assert back(planner, taken.checkout, "green").version.number == 2
