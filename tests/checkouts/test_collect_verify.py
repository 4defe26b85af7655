"""`manage.py collect` sweeps bytes that no row names; `verify` reads every stored byte."""

import json
import os
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from checkouts.bytes.storage import Incoming, path_of
from checkouts.models import Artifact, Blob, Proposal, Version
from leasehold.models import Answer
from tests.scenes import back, out, put, received, stored_files

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("blobs")]


def run(*command: str) -> tuple[int, str]:
    output, code = StringIO(), 0
    try:
        call_command(*command, stdout=output)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, output.getvalue()


def as_json(*command: str) -> dict:
    return json.loads(run(*command, "--json")[1])


def days_old(path, clock, days: float) -> None:
    at = clock.now().timestamp() - days * 86400
    os.utime(path, (at, at))


@pytest.fixture
def orphan(clock):
    """Stored bytes without a row, two days old."""
    path = path_of(received("orphan").key)
    days_old(path, clock, 2)
    return path


def test_collect_sweeps_old_bytes_without_a_row_and_nothing_else(alice, hero, orphan, clock):
    kept = path_of(hero.head.blob.key)
    days_old(kept, clock, 400)
    young = path_of(received("young").key)
    assert run("collect") == (
        0,
        f"blob {orphan.name}\n1 blobs, 0 temp files and 0 kept answers swept; 6 bytes moved aside, 0 freed.\n",
    )
    assert not orphan.exists()
    assert kept.exists()
    assert young.exists()
    assert as_json("collect")["blobs"] == []


def test_a_dry_run_changes_nothing(orphan):
    found = as_json("collect", "--dry-run")
    assert (found["dry_run"], found["blobs"], found["moved"]) == (True, [orphan.name], 6)
    assert orphan.exists()


def swept_files(blobs) -> list[str]:
    return sorted(path.name for path in (blobs / "swept").rglob("*") if path.is_file())


def test_swept_bytes_are_moved_aside_and_removed_a_month_later(orphan, blobs, clock):
    run("collect")
    assert swept_files(blobs) == [orphan.name]
    clock.forward(days=29)
    assert (as_json("collect")["emptied"], swept_files(blobs)) == ([], [orphan.name])
    clock.forward(days=3)
    assert len(as_json("collect", "--dry-run")["emptied"]) == 1
    assert swept_files(blobs) == [orphan.name]
    assert as_json("collect")["freed"] == 6
    assert list((blobs / "swept").iterdir()) == []


def test_swept_bytes_are_removed_at_once_for_a_full_disk(orphan, blobs):
    run("collect")
    assert swept_files(blobs) == [orphan.name]
    run("collect", "--empty-swept")
    assert swept_files(blobs) == []


def test_a_database_that_was_set_back_loses_nothing_to_the_sweep(alice, hero, blobs, clock):
    """The database of Monday beside the bytes of Tuesday: the sweep takes nothing, and a later restore is whole."""
    for number in range(49):
        put(alice, f"{number}.psd", f"{number}")
    tuesday = Version.objects.exclude(artifact=hero)
    keys = list(tuesday.values_list("blob__key", flat=True))
    Artifact.objects.exclude(pk=hero.pk).update(head=None)
    tuesday.delete()
    Blob.objects.filter(key__in=keys).delete()
    for path in stored_files(blobs):
        days_old(path, clock, 2)
    with pytest.raises(CommandError, match=r"of 50 files .* has no row for 49"):
        call_command("collect", stdout=StringIO())
    assert len(stored_files(blobs)) == 50
    (blobs / "swept" / "2026-01-01").mkdir(parents=True)
    with pytest.raises(CommandError, match="has no row for 49"):
        call_command("collect", "--empty-swept", stdout=StringIO())
    assert list((blobs / "swept").iterdir()) == []
    run("collect", "--yes")
    assert swept_files(blobs) == sorted(map(str, keys))


def test_a_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(orphan, blobs, monkeypatch):
    def fails(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(type(blobs), "iterdir", fails)
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("collect", stdout=StringIO())
    assert orphan.exists()


def test_collect_sweeps_temp_files_of_a_crash(clock):
    old, under_way = Incoming(limit=100), Incoming(limit=100)
    for incoming in (old, under_way):
        incoming.write(b"half")
        incoming._file.flush()
    days_old(old._path, clock, 2)
    assert as_json("collect")["temporary"] == [old._path.name]
    assert (old._path.exists(), under_way._path.exists()) == (False, True)
    for incoming in (old, under_way):
        incoming.abort()


def test_collect_deletes_idempotency_answers_after_a_day(alice, clock):
    for key in ("old", "new"):
        Answer.objects.create(user=alice, key=key, fingerprint="x", status=200, created_at=clock.now())
        clock.forward(hours=20)
    clock.forward(hours=-15)
    assert as_json("collect", "--dry-run")["answers"] == 1
    assert as_json("collect")["answers"] == 1
    assert Answer.objects.get().key == "new"


def test_verify_finds_no_fault(alice, bob, hero):
    back(alice, out(alice, hero).checkout, "two")
    assert run("verify") == (0, "2 blobs, 6 bytes read: 0 missing, 0 damaged, 0 orphaned.\n")


def test_verify_names_missing_and_damaged_blobs_and_their_users(alice, bob, hero, clock):
    late = out(alice, hero, ttl=60).checkout
    clock.forward(seconds=61)
    back(bob, out(bob, hero).checkout, "two")
    back(alice, late, "hers")
    keys = [hero.head.blob.key, hero.versions.get(number=2).blob.key, Proposal.objects.get().blob.key]
    path_of(keys[0]).unlink()
    path_of(keys[1]).write_bytes(b"twx")
    path_of(keys[2]).write_bytes(b"her")
    code, output = run("verify")
    assert code == 1
    lines = output.splitlines()
    assert lines[0] == f"{keys[0]}: missing (art/heroes/hero.psd version 1)"
    assert lines[1].startswith(f"{keys[1]}: sha256:")
    assert lines[1].endswith("(art/heroes/hero.psd version 2)")
    assert lines[2] == f"{keys[2]}: 3 bytes in place of 4 (proposal {Proposal.objects.get().pk} of art/heroes/hero.psd)"
    assert lines[3] == "3 blobs, 10 bytes read: 1 missing, 2 damaged, 0 orphaned."
    found = as_json("verify")
    assert (found["is_whole"], len(found["missing"]), len(found["damaged"])) == (False, 1, 2)


def test_orphaned_bytes_are_reported_and_are_no_fault(hero, orphan):
    code, output = run("verify")
    assert (code, f"{orphan.name}: orphaned" in output) == (0, True)
