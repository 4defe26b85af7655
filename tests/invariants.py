"""What must always be true of leases, check-outs, versions, files on disk and the journal, read without selectors."""

import hashlib
from itertools import pairwise

from django.db import connection

from checkouts.bytes.storage import path_of
from checkouts.models import Artifact, Checkout, Edit, Version
from leasehold.database import clock
from leasehold.models import Entry, Lease


def assert_sound() -> None:
    """Assert all of it. Called after each race and each case."""
    assert_one_live_lease_each()
    assert_leases_fit_their_check_outs()
    assert_leases_fit_their_edits()
    assert_fences_count_holders()
    assert_check_outs_fit_their_state()
    assert_versions_are_whole()
    assert_paths_are_apart()
    assert_journal_is_complete()


def assert_one_live_lease_each() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT resource, count(*) FROM leasehold_lease "
            f"WHERE holder <> '' AND (expires_at IS NULL OR expires_at > {clock.sql()}) "
            "GROUP BY resource HAVING count(*) > 1"
        )
        assert cursor.fetchall() == []


def assert_leases_fit_their_check_outs() -> None:
    """A held lease names an open check-out of its artifact; each open, unbroken one has its lease until it expires."""
    artifacts = {artifact.resource: artifact for artifact in Artifact.objects.select_related("project")}
    checkouts = {checkout.holder: checkout for checkout in Checkout.objects.all()}
    held = {lease.holder: lease for lease in Lease.objects.exclude(holder="")}
    for holder, lease in held.items():
        if not holder.startswith("checkout:"):
            continue
        checkout = checkouts[holder]
        assert lease.resource == f"artifact:{checkout.artifact_id}", holder
        assert checkout.is_open, f"{holder} holds a lease after its end"
        assert not checkout.broken_at, f"{holder} holds a lease that was ended against it"
        assert lease.participant == checkout.participant, holder
        assert lease.expires_at == checkout.expires_at, f"{holder}: checkout and lease differ"
        assert lease.place == artifacts[lease.resource].place, holder
    now = clock.now()
    for holder, checkout in checkouts.items():
        if checkout.is_open and not checkout.broken_at and checkout.expires_at > now:
            assert holder in held, f"{holder} lost a lease that was still running"


def assert_leases_fit_their_edits() -> None:
    """A lease names an open edit of its artifact with the same expiry, and an edit's outcome fits its result."""
    for lease in Lease.objects.filter(holder__startswith="edit:"):
        edit = Edit.objects.get(pk=lease.holder.split(":")[1])
        assert lease.resource == f"artifact:{edit.artifact_id}", lease.holder
        assert edit.is_open, f"{lease.holder} holds a lease after its end"
        assert (lease.participant, lease.expires_at) == (edit.participant, edit.expires_at), lease.holder
    for edit in Edit.objects.select_related("result_version", "result_proposal"):
        assert edit.is_open != bool(edit.outcome), edit
        assert (edit.result_version is not None) == (edit.outcome in ("committed", "unchanged")), edit
        assert (edit.result_proposal is not None) == (edit.outcome == "proposed"), edit


def assert_fences_count_holders() -> None:
    """The fence grows with every holder, so it is at least the number of the artifact's check-outs."""
    for lease in Lease.objects.all():
        assert lease.fence >= (1 if lease.holder or lease.acquired_at else 0), lease.resource
        if lease.resource.startswith("artifact:"):
            holders = Checkout.objects.filter(artifact_id=lease.resource.partition(":")[2]).count()
            assert lease.fence >= holders, lease.resource


def assert_check_outs_fit_their_state() -> None:
    outcomes = Checkout.Outcome
    for checkout in Checkout.objects.select_related("result_version", "result_proposal__blob"):
        ended = (
            checkout.outcome,
            checkout.closed_at,
            checkout.result_digest,
            checkout.result_version,
            checkout.result_proposal,
        )
        if checkout.is_open:
            assert ended == ("", None, "", None, None), checkout
            assert checkout.next_checkout_id is None, checkout
            continue
        assert checkout.closed_at, checkout
        assert (checkout.result_version is not None) == (checkout.outcome in (outcomes.COMMITTED, outcomes.UNCHANGED))
        assert (checkout.result_proposal is not None) == (checkout.outcome == outcomes.PROPOSED), checkout
        if checkout.result_version:
            assert checkout.result_digest == checkout.result_version.digest, checkout
        if checkout.result_proposal:
            assert checkout.result_digest == checkout.result_proposal.blob.digest, checkout


def assert_versions_are_whole() -> None:
    """Numbers run from 1 without a gap, the head is the newest version, and the bytes fit the digest."""
    for artifact in Artifact.objects.select_related("head"):
        numbers = sorted(artifact.versions.values_list("number", flat=True))
        assert numbers == list(range(1, len(numbers) + 1)), artifact
        assert artifact.head.number == numbers[-1], artifact
        assert (artifact.head_size, artifact.changed_at) == (artifact.head.size, artifact.head.created_at), artifact
    for version in Version.objects.select_related("blob"):
        assert (version.digest, version.size) == (version.blob.digest, version.blob.size), version
        if (path := path_of(version.blob.key)).exists():
            content = path.read_bytes()
            assert version.digest == "sha256:" + hashlib.sha256(content).hexdigest(), version
            assert version.size == len(content), version


def assert_paths_are_apart() -> None:
    """No two files of a project have one path, and none lies inside another; archived files do not count."""
    places = sorted(
        f"{artifact.place}/" for artifact in Artifact.objects.filter(archived_at=None).select_related("project")
    )
    for before, after in pairwise(places):
        assert not after.startswith(before), f"{after} excludes {before}"


def assert_journal_is_complete() -> None:
    """Each check-out has one entry for its opening, and each version has one."""
    opened = list(Entry.objects.filter(kind="checkout_opened").values_list("data__checkout", flat=True))
    assert sorted(opened) == sorted(Checkout.objects.values_list("pk", flat=True))
    kinds = ["artifact_added", "version_committed", "version_restored", "proposal_accepted"]
    written = Entry.objects.filter(kind__in=kinds).values_list("subject", "data__version")
    versions = Version.objects.values_list("artifact_id", "number")
    assert sorted(written) == sorted((f"artifact:{artifact}", number) for artifact, number in versions)
