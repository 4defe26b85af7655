"""`manage.py backup` saves a site while people work, and `restore` fills an empty one on either kind of database."""

import json
import shutil
import uuid
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from checkouts.backups.folders import Backup, backup_at, backups_in, rules_from, surplus
from checkouts.backups.manifest import NAME, Lines, Manifest
from checkouts.bytes.storage import path_of
from checkouts.models import Artifact, Version
from leasehold.database import clock
from leasehold.models import Entry, Scope, Token, User
from tests.checkouts.backups import digests_in, new_site, rows_in, this_site
from tests.scenes import back, out, put

#: tables that a restore leaves as they are in the backup
SAME_AFTER_A_RESTORE = ["leasehold.user", "leasehold.membership", "checkouts.artifact", "checkouts.checkout"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("blobs")]


def backed_up(target: Path, *options: str) -> dict:
    """Run `backup` in this process and return what it says as JSON; the exit code is in `code`."""
    text, code = StringIO(), 0
    try:
        call_command("backup", str(target), *options, "--json", stdout=text)
    except SystemExit as end:
        code = int(end.code or 0)
    return json.loads(text.getvalue()) | {"code": code}


def new_token(user: User) -> Token:
    return Token.objects.create(
        user=user, name="laptop", digest=uuid.uuid4().hex, scope=Scope.WRITE, created_at=clock.now()
    )


@pytest.fixture
def target(tmp_path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
def work(alice, bob, hero):
    """Two files with versions, a proposal, a check-out that goes on, and a token."""
    back(alice, out(alice, hero).checkout, "two")
    sound = put(bob, "sounds/steps.wav", "tap")
    broken = out(bob, sound).checkout
    put(alice, "sounds/Ünïcode 日本.wav", "\x00\x01")
    out(alice, hero)
    new_token(alice)
    return broken


def all_digests() -> list[tuple[int, int, str]]:
    return [(one.artifact_id, one.number, one.digest) for one in Version.objects.order_by("pk")]


def test_a_backup_has_all_rows_and_all_bytes(work, target):
    made = backed_up(target)
    assert (made["code"], made["copied"], made["linked"], made["lacking"]) == (0, 4, 0, [])
    folder = Path(made["folder"])
    assert digests_in(folder) == all_digests()
    assert len(rows_in(folder, "leasehold.entry")) == Entry.objects.count()
    assert sorted(path.name for path in folder.glob("blobs/??/*")) == sorted(
        str(version.blob.key) for version in Version.objects.all()
    )
    assert (folder / "secret_key").read_text() == settings.SECRET_KEY
    assert (folder / "secret_key").stat().st_mode & 0o777 == 0o600
    assert backed_up(target, "--verify")["is_whole"]


def test_the_secret_key_can_be_left_out(work, target):
    assert not (Path(backed_up(target, "--without-key")["folder"]) / "secret_key").exists()


def test_a_second_backup_copies_nothing_and_links_to_the_first_only(work, target):
    first = Path(backed_up(target)["folder"])
    second = backed_up(target)
    assert (second["copied"], second["linked"]) == (0, 4)
    for path in Path(second["folder"]).glob("blobs/??/*"):
        assert path.samefile(first / path.relative_to(second["folder"]))
        assert not path.samefile(settings.LEASEHOLD_BLOBS / path.parent.name / path.name)


def test_a_backup_is_restored_on_the_other_kind_of_database_and_back(work, alice, target, tmp_path):
    """From the database of this run to SQLite, and on to PostgreSQL if this run has one: nothing changes."""
    last = new_token(alice).pk
    Token.objects.filter(pk=last).delete()
    first = Path(backed_up(target)["folder"])
    ways = ["sqlite", "postgresql"] if connection.vendor == "postgresql" else ["sqlite"]
    for kind in ways:
        site = new_site(tmp_path, kind)
        assert site.run_json("restore", str(target))["blobs"] == 4
        assert site.run_json("verify")["is_whole"]
        assert (site.data / "secret_key").read_text() == settings.SECRET_KEY

        target = tmp_path / f"from {kind}"
        again = Path(site.run_json("backup", str(target))["folder"])
        assert digests_in(again) == all_digests()
        for table in SAME_AFTER_A_RESTORE:
            assert rows_in(again, table) == rows_in(first, table)
        assert backup_at(again).manifest.sequences["leasehold.token"] >= last


def test_a_place_that_is_not_empty_is_refused(work, target, tmp_path):
    backed_up(target)
    with pytest.raises(CommandError, match=r"The database .* is not empty"):
        call_command("restore", str(target))
    site = new_site(tmp_path)
    shutil.copytree(settings.LEASEHOLD_BLOBS, site.data / "blobs")
    code, text = site.run("restore", str(target))
    assert code == 1
    assert "already has bytes" in text
    assert site.run("restore", str(target), "--database-only")[0] == 0
    assert site.run_json("verify")["is_whole"]


def test_a_newer_backup_is_refused(work, target):
    path = Path(backed_up(target)["folder"]) / NAME
    values = json.loads(path.read_text())
    values["migrations"]["checkouts"].append("0999_from_the_future")
    path.write_text(json.dumps(values))
    with pytest.raises(CommandError, match=r"newer than this program: it has checkouts\.0999_from_the_future"):
        call_command("restore", str(target))


def test_a_blob_that_is_missing_is_named_and_the_rest_is_saved(work, hero, target):
    lost = Version.objects.get(artifact=hero, number=1).blob.key
    path_of(lost).unlink()
    made = backed_up(target)
    assert made["code"] == 1
    assert made["lacking"] == [{"key": str(lost), "what": "missing"}]
    assert (made["copied"], backed_up(target)["linked"]) == (3, 3)


def test_a_blob_that_was_swept_is_found(work, hero, target):
    taken = path_of(Version.objects.get(artifact=hero, number=1).blob.key)
    swept = settings.LEASEHOLD_BLOBS / "swept" / "2026-01-01"
    swept.mkdir(parents=True)
    taken.rename(swept / taken.name)
    assert backed_up(target)["lacking"] == []


def test_damaged_live_bytes_are_named(work, hero, target):
    path_of(Version.objects.get(artifact=hero, number=1).blob.key).write_bytes(b"eno")
    made = backed_up(target)
    assert made["code"] == 1
    assert made["lacking"][0]["what"].startswith("damaged: sha256:")


def test_a_damaged_backup_is_found_and_the_next_one_copies_those_bytes_again(work, hero, target):
    first = Path(backed_up(target)["folder"])
    key = str(Version.objects.get(artifact=hero, number=1).blob.key)
    (first / "blobs" / key[:2] / key).write_bytes(b"eno")
    found = backed_up(target, "--verify")
    assert (found["code"], found["is_whole"]) == (1, False)
    assert key in found["faults"][0]

    second = backed_up(target)
    assert (second["copied"], second["linked"]) == (1, 3)
    assert backed_up(Path(second["folder"]), "--verify")["is_whole"]
    assert backed_up(target)["copied"] == 0


def test_damaged_rows_are_found_and_not_restored(work, target, tmp_path):
    path = Path(backed_up(target)["folder"]) / "rows" / "checkouts.version.jsonl.gz"
    content = bytearray(path.read_bytes())
    content[-20] ^= 0xFF
    path.write_bytes(content)
    assert str(path) in backed_up(target, "--verify")["faults"][0]
    code, text = new_site(tmp_path).run("restore", str(target))
    assert code == 1
    assert str(path) in text


def backup_of(at: datetime) -> Backup:
    manifest = Manifest(at.isoformat(), {}, {}, {}, Lines(0, ""), 0)
    return Backup(Path(at.strftime("%Y%m%dT%H%M%SZ")), manifest)


def test_keep_keeps_the_newest_of_each_day_week_and_month():
    start = datetime(2026, 1, 1, 3, tzinfo=UTC)
    backups = [backup_of(start + timedelta(hours=12 * half)) for half in range(200)]
    gone = {one.folder for one in surplus(backups, rules_from("7d,4w,2m"))}
    kept = [one.folder.name[:11] for one in backups if one.folder not in gone]
    assert kept == [
        "20260322T15",
        "20260329T15",
        "20260331T15",
        *(f"202604{day:02}T15" for day in range(4, 11)),
    ]
    assert surplus(backups[:1], rules_from("1d")) == []


@pytest.mark.parametrize("text", ["", "7", "d", "0d", "-1d", "7x", "7d,,4w"])
def test_keep_refuses_what_it_does_not_understand(text):
    with pytest.raises(ValueError, match="expected numbers"):
        rules_from(text)


def test_thinning_leaves_the_bytes_of_kept_backups(work, target):
    for _ in range(3):
        backed_up(target)
    made = backed_up(target, "--keep", "1d")
    assert len(made["removed"]) == 3
    assert [one.folder for one in backups_in(target)] == [Path(made["folder"])]
    assert backed_up(target, "--verify")["is_whole"]


def test_a_writer_is_not_blocked_by_the_snapshot_and_not_in_it(work, alice, target, monkeypatch):
    from checkouts.backups import creation

    written = []

    def save_blob_list(partial, using):
        if not written:
            written.append(put(alice, "late.psd", "late").pk)
        return original(partial, using)

    original = creation.save_blob_list
    monkeypatch.setattr(creation, "save_blob_list", save_blob_list)
    folder = Path(backed_up(target)["folder"])
    assert Artifact.objects.filter(pk__in=written).exists()
    assert written[0] not in [one["id"] for one in rows_in(folder, "checkouts.artifact")]
    assert len(list(folder.glob("blobs/??/*"))) == 4


def test_two_backups_at_once_are_refused(work, target):
    from checkouts.backups.folders import locked

    backed_up(target)
    with locked(target):
        code, text = this_site().run("backup", str(target))
    assert code == 1
    assert "Another backup is writing" in text
