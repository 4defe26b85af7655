"""The database and the folder of bytes belong together: a site's identity in both, compared before anything is kept."""

import io
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from checkouts.bytes import site_file
from checkouts.bytes.blob_folder import BlobFolder
from checkouts.exceptions import StorageUnavailable
from checkouts.models import Blob
from leasehold.database import clock
from leasehold.management import startup
from leasehold.models import Site
from leasehold.sites import identity, readiness
from leasehold.sites.stores import SiteMark
from tests.scenes import back, out, put, received, stored_files

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = {
    "collect": [],
    "verify": [],
    "reconcile": [],
    "import": [".", "--project", "art"],
    "export": ["art", "out"],
    "create_user": ["carla"],
}

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("blobs")]


def from_before(blobs: Path) -> None:
    """Make the site one from before sites had an identity: rows and bytes, and nothing that ties them."""
    Site.objects.update(adopted_at=None)
    (blobs / "site.json").unlink()


def age(blobs: Path, **by: int) -> None:
    at = (clock.now() - timedelta(**by)).timestamp()
    for path in stored_files(blobs):
        os.utime(path, (at, at))


def test_the_first_bytes_tie_a_new_folder_to_the_database(alice, blobs):
    assert not Site.objects.get().adopted_at
    put(alice)
    assert Site.objects.get().adopted_at
    assert site_file.read_mark() == identity.database_mark()


def test_an_upload_into_an_empty_folder_of_another_disk_is_refused(hero, alice, blobs):
    taken = out(alice, hero)
    blobs.rename(blobs.with_name("not mounted"))
    with pytest.raises(StorageUnavailable):
        back(alice, taken.checkout, "two")
    assert not blobs.exists() or stored_files(blobs) == []
    blobs.with_name("not mounted").rename(blobs)
    assert back(alice, taken.checkout, "two").version.number == 2


def test_an_upload_over_http_into_an_empty_folder_is_507(hero, alice, blobs, client):
    client.force_login(alice)
    blobs.rename(blobs.with_name("not mounted"))
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["storage"]) == (503, "not the folder of this site")
    blobs.mkdir()
    assert Client().get("/readyz").status_code == 503
    assert stored_files(blobs) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_with_another_database_does_nothing(command, hero, blobs):
    Site.objects.update(identity=uuid4(), adopted_at=None)  # the other database knows nothing of this folder
    before = stored_files(blobs)
    with pytest.raises(CommandError) as refused:
        call_command(command, *COMMANDS[command], stdout=io.StringIO())
    assert str(blobs) in str(refused.value) and identity.database_location() in str(refused.value)
    assert stored_files(blobs) == before


def test_collect_with_another_database_sweeps_nothing(hero, blobs, tmp_path):
    age(blobs, days=2)
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "leasehold.settings",
        "LEASEHOLD_DATA": str(blobs.parent),
        "DATABASE_URL": f"sqlite:///{tmp_path}/old.sqlite3",
    }

    def manage(*command: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "manage.py", *command],
            check=False,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
        )

    never_migrated = manage("collect")
    assert never_migrated.returncode == 1
    assert "old.sqlite3" in never_migrated.stderr
    assert manage("migrate", "--verbosity", "0").returncode == 0
    migrated = manage("collect")
    assert migrated.returncode == 1
    assert str(blobs) in migrated.stderr
    assert len(stored_files(blobs)) == 1


def test_serve_adopts_a_site_from_before(hero, blobs):
    from_before(blobs)
    with pytest.raises(CommandError, match="serve"):
        call_command("collect", stdout=io.StringIO())
    startup.tie_stores()
    assert site_file.read_mark() == identity.database_mark()


def test_serve_refuses_a_folder_that_lacks_the_bytes(alice, hero, blobs):
    for number in range(4):
        put(alice, f"{number}.psd", f"{number}")
    from_before(blobs)
    for path in stored_files(blobs)[:3]:
        path.unlink()
    with pytest.raises(CommandError, match="of 5 stored files that the database names, 3 are not in the folder"):
        startup.tie_stores()
    assert site_file.read_mark() is None


def test_serve_refuses_a_folder_whose_bytes_the_database_does_not_know(hero, blobs):
    for number in range(3):
        received(f"{number}")
    age(blobs, days=2)
    from_before(blobs)
    with pytest.raises(CommandError, match="of 4 files in the folder, the database does not know 3"):
        startup.tie_stores()


def test_two_lost_files_do_not_stop_a_site_from_before(alice, hero, blobs):
    for number in range(4):
        put(alice, f"{number}.psd", f"{number}")
    from_before(blobs)
    for path in stored_files(blobs)[:2]:
        path.unlink()
    startup.tie_stores()
    assert identity.mismatch() == ""


def test_adopt_ties_what_serve_refuses(hero, blobs):
    site_file.write_mark(SiteMark(uuid4(), 1))
    with pytest.raises(CommandError):
        startup.tie_stores()
    said = io.StringIO()
    call_command("adopt", stdout=said)
    assert identity.mismatch()
    call_command("adopt", "--yes", stdout=said)
    assert identity.mismatch() == ""
    startup.tie_stores()


def test_a_start_that_broke_off_after_it_had_marked_the_folder_is_completed(blobs):
    site_file.write_mark(identity.database_mark())
    startup.tie_stores()
    assert Site.objects.get().adopted_at


def test_a_database_of_an_earlier_epoch_was_set_back(hero, blobs):
    here = identity.database_mark()
    site_file.write_mark(SiteMark(here.site, here.epoch + 1))
    assert "was set back" in identity.mismatch()


def test_a_damaged_mark_is_named(hero, blobs):
    (blobs / "site.json").write_text("{}")
    assert "site.json is damaged" in identity.mismatch()
    with pytest.raises(StorageUnavailable):
        received("two")


def test_a_folder_that_cannot_be_written_is_not_ready(hero, blobs, monkeypatch):
    def full(self):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(BlobFolder, "probe", full)
    assert Client().get("/readyz").json()["storage"] == "cannot be written"


def test_a_result_of_readiness_is_used_again_for_seconds(hero, blobs, monkeypatch):
    assert readiness.storage_status() == "ok"
    monkeypatch.setattr(readiness, "SECONDS", 60)
    blobs.rename(blobs.with_name("not mounted"))
    assert readiness.storage_status() == "ok"


def test_the_probe_leaves_nothing_behind(hero, blobs):
    BlobFolder().probe()
    assert sorted(path.name for path in blobs.iterdir() if path.is_file()) == ["site.json"]


def test_a_program_older_than_its_database_refuses_to_start_and_to_work(hero, blobs):
    MigrationRecorder(connection).record_applied("checkouts", "0999_of_tomorrow")
    assert "checkouts.0999_of_tomorrow" in startup.unknown_migrations()
    with pytest.raises(CommandError, match="older than its database"):
        call_command("collect", stdout=io.StringIO())
    MigrationRecorder(connection).record_unapplied("checkouts", "0999_of_tomorrow")
    assert startup.unknown_migrations() == ""


def test_an_upload_compares_the_mark_without_a_statement(hero, blobs, django_assert_num_queries):
    with django_assert_num_queries(0):
        received("two")
    assert Blob.objects.count() == 1


@pytest.mark.races
def test_simultaneous_first_uploads_all_succeed(blobs):
    start = Barrier(8)

    def upload(number: int) -> str:
        try:
            start.wait()
            return received(f"{number}").digest
        finally:
            connection.close()

    for _round in range(10):
        Site.objects.update(adopted_at=None)
        shutil.rmtree(blobs, ignore_errors=True)
        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(upload, range(8)))) == 8
        assert identity.mismatch() == ""
