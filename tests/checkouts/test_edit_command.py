"""`manage.py edit`: a local program makes the next version of a real file."""

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from PIL import Image

from checkouts.actions.artifacts import add_artifact
from checkouts.bytes import storage
from checkouts.models import Artifact, Edit, Version
from checkouts.programs import program_edit, runner
from leasehold import leases
from leasehold.actors import Actor
from leasehold.models import Entry
from leasehold.settings.environment import programs_from
from tests.scenes import out, put, stored_files

pytestmark = pytest.mark.usefixtures("blobs")

INVERT = """
import sys
from PIL import Image, ImageOps
ImageOps.invert(Image.open(sys.argv[1]).convert("RGB")).save(sys.argv[2])
print("inverted", file=sys.stderr)
"""
SOUND = """
import sys
from openpyxl import load_workbook
book = load_workbook(sys.argv[1])
book.active["A1"] = "checked"
book.save(sys.argv[2])
"""


@pytest.fixture
def app(settings, tmp_path):
    """Make a program of these lines of Python the app `it`."""

    def make(code: str) -> None:
        script = tmp_path / "app.py"
        script.write_text(code)
        settings.LEASEHOLD_APPS = {"it": [sys.executable, "-I", str(script), "{input}", "{output}"]}

    return make


def red(size=(8, 8)) -> bytes:
    picture = io.BytesIO()
    Image.new("RGB", size, (255, 0, 0)).save(picture, "PNG")
    return picture.getvalue()


@pytest.fixture
def picture(alice) -> Artifact:
    upload = storage.receive([red()], declared_size=None, declared_digest=None, limit=1_000_000)
    return add_artifact(actor=Actor(alice), project="art", path="heroes/Cape (1) ü.png", upload=upload)


def edit(artifact, *options, user="planner"):
    output = io.StringIO()
    where = artifact if isinstance(artifact, str) else str(artifact.pk)
    call_command("edit", where, "--app", "it", "--as", user, *options, stdout=output)
    return output.getvalue()


def newest(artifact) -> bytes:
    return storage.open_blob(Version.objects.filter(artifact=artifact).latest("number").blob.key).read()


def assert_let_go(artifact, blobs):
    assert leases.read([artifact.resource]) == []
    assert Version.objects.filter(artifact=artifact).count() == 1
    assert Edit.objects.get().outcome == "discarded"
    assert len(stored_files(blobs)) == 1


def test_a_picture_is_inverted_by_a_program(planner, picture, app):
    app(INVERT)
    assert edit(picture, "--comment", "Blue") == "heroes/Cape (1) ü.png: committed as version 2.\n"
    assert Image.open(io.BytesIO(newest(picture))).getpixel((3, 3)) == (0, 255, 255)
    version = Version.objects.latest("number")
    assert (version.author, version.comment) == (planner, "Blue")
    assert (version.provenance["kind"], version.provenance["source"]) == ("edit", "command")
    assert Entry.objects.get(kind="version_committed").data["stderr"] == "inverted"
    assert Entry.objects.get(kind="edit_opened").data["purpose"] == "edit with it"
    assert leases.read([picture.resource]) == []


def test_a_workbook_by_its_path(planner, alice, app):
    from openpyxl import Workbook, load_workbook

    file = io.BytesIO()
    Workbook().save(file)
    upload = storage.receive([file.getvalue()], declared_size=None, declared_digest=None, limit=1_000_000)
    book = add_artifact(actor=Actor(alice), project="art", path="costs/Budget.xlsx", upload=upload)
    app(SOUND)
    edit("art/costs/budget.XLSX")
    assert load_workbook(io.BytesIO(newest(book))).active["A1"].value == "checked"


def test_under_the_policy_propose_it_is_kept_as_a_proposal(planner, picture, app):
    Artifact.objects.update(write_policy="propose")
    app(INVERT)
    assert "kept as proposal" in edit(picture)
    assert Entry.objects.get(kind="proposal_kept").data["stderr"] == "inverted"


def test_a_program_that_changes_nothing(planner, picture, app):
    app("import sys, shutil; shutil.copy(sys.argv[1], sys.argv[2])")
    assert "nothing to commit" in edit(picture)


def test_a_failed_program_releases_the_file_and_its_stderr_is_kept(planner, picture, app, blobs):
    app(
        "import sys; open(sys.argv[2], 'w').write('half'); print('no \\0 memory \\udcff', file=sys.stderr); sys.exit(3)"
    )
    with pytest.raises(CommandError, match="ended with code 3"):
        edit(picture)
    assert_let_go(picture, blobs)
    assert "memory" in Entry.objects.get(kind="edit_discarded").data["stderr"]


def test_a_program_that_makes_no_file(planner, picture, app, blobs):
    for code in ("", "import sys, os; os.mkdir(sys.argv[2])", "import sys, os; os.symlink('/etc/passwd', sys.argv[2])"):
        Edit.objects.all().delete()
        app(code)
        with pytest.raises(CommandError, match="made no file"):
            edit(picture)
        assert_let_go(picture, blobs)


def test_a_program_that_cannot_be_started(planner, picture, settings, blobs):
    settings.LEASEHOLD_APPS = {"it": ["/nowhere/app", "{input}", "{output}"]}
    with pytest.raises(CommandError, match="could not be started"):
        edit(picture)
    assert_let_go(picture, blobs)


def test_a_slow_program_is_killed_with_its_children(planner, picture, app, blobs, monkeypatch, tmp_path):
    monkeypatch.setattr(program_edit, "DEADLINE", 1.5)
    marks = tmp_path / "children"
    app(
        "import subprocess, sys, time, pathlib\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"pathlib.Path({str(marks)!r}).write_text(str(child.pid))\n"
        "time.sleep(60)\n"
    )
    with pytest.raises(CommandError, match=r"longer than 1\.5 seconds"):
        edit(picture)
    assert_let_go(picture, blobs)
    assert is_gone(int(marks.read_text()))


def test_children_end_with_a_successful_program(planner, picture, app, tmp_path):
    marks = tmp_path / "children"
    app(
        "import shutil, subprocess, sys, pathlib\n"
        "shutil.copy(sys.argv[1], sys.argv[2])\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"pathlib.Path({str(marks)!r}).write_text(str(child.pid))\n"
    )
    edit(picture)
    assert is_gone(int(marks.read_text()))


def is_gone(pid: int) -> bool:
    """Whether the process has ended, reaped or not."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
    return False


def test_a_program_that_writes_too_much_is_killed(planner, picture, app, settings, blobs):
    settings.LEASEHOLD_UPLOAD_LIMIT = 100_000
    app("import sys\nwith open(sys.argv[2], 'wb') as file:\n    while True: file.write(b'x' * 65536); file.flush()")
    with pytest.raises(CommandError, match="more than 100000 bytes"):
        edit(picture)
    assert_let_go(picture, blobs)


def test_a_program_with_too_much_stderr_is_killed(planner, picture, app, monkeypatch, blobs):
    monkeypatch.setattr(runner, "STDERR_LIMIT", 50_000)
    app("import sys\nwhile True: print('x' * 1000, file=sys.stderr)")
    with pytest.raises(CommandError, match="more than 50000 bytes"):
        edit(picture)
    assert_let_go(picture, blobs)
    assert len(Entry.objects.get(kind="edit_discarded").data["stderr"]) <= runner.MAX_STDERR


def test_a_program_has_a_temporary_home_and_no_secrets(planner, picture, app, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "sesame")
    monkeypatch.setenv("DATABASE_URL", "postgres://secret")
    app(
        "import json, os, sys, shutil\nshutil.copy(sys.argv[1], sys.argv[2])\n"
        "print(json.dumps([dict(os.environ), os.getcwd(), sys.argv[1], sys.stdin.read()]), file=sys.stderr)"
    )
    edit(picture)
    environ, folder, given, stdin = json.loads(Entry.objects.get(kind="version_unchanged").data["stderr"])
    assert set(environ) <= {"PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE"}
    assert environ["HOME"] == environ["TMPDIR"] == folder
    assert (Path(given).name, stdin) == ("Cape (1) ü.png", "")
    assert not Path(folder).exists()


def test_a_busy_file_is_reported_with_its_holder(planner, alice, app):
    hero = put(alice)
    out(alice, hero, purpose="repaint the cape")
    app(INVERT)
    with pytest.raises(CommandError, match=r"user:alice's for \d+ seconds more. repaint the cape"):
        edit(hero)


def test_unknown_arguments_are_refused(planner, mallory, picture, app, settings):
    app(INVERT)
    for unknown in ("0", "999999", "9" * 30, "art/none.png", "nowhere", "art/", "²"):
        with pytest.raises(CommandError, match="There is no file"):
            edit(unknown)
    with pytest.raises(CommandError, match="There is no file"):
        edit(picture, user="mallory")
    with pytest.raises(CommandError, match="There is no account nobody"):
        edit(picture, user="nobody")
    with pytest.raises(CommandError, match="LEASEHOLD_APPS has no program other; it has it"):
        call_command("edit", str(picture.pk), "--app", "other", "--as", "planner")
    planner.is_active = False
    planner.save()
    with pytest.raises(CommandError, match="disabled"):
        edit(picture)


@pytest.mark.races
def test_sigterm_kills_the_program_and_releases_the_file(planner, picture, tmp_path, settings):
    from tests.live import ROOT, database_url

    marks = tmp_path / "pid"
    script = tmp_path / "app.py"
    script.write_text(
        f"import os, time, pathlib\npathlib.Path({str(marks)!r}).write_text(str(os.getpid()))\ntime.sleep(60)"
    )
    (tmp_path / "data").mkdir()
    settings.LEASEHOLD_BLOBS.rename(tmp_path / "data" / "blobs")
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "leasehold.settings",
        "DATABASE_URL": database_url(),
        "LEASEHOLD_DATA": str(tmp_path / "data"),
        "SECRET_KEY": "test",
        "LEASEHOLD_APPS": json.dumps({"it": [sys.executable, str(script), "{input}", "{output}"]}),
    }
    command = [sys.executable, "manage.py", "edit", str(picture.pk), "--app", "it", "--as", "planner"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    until = time.monotonic() + 60
    while not (marks.exists() and marks.read_text()) and time.monotonic() < until and process.poll() is None:
        time.sleep(0.05)
    assert len(leases.read([picture.resource])) == 1
    process.terminate()
    assert process.wait(30) != 0
    assert leases.read([picture.resource]) == []
    assert is_gone(int(marks.read_text()))


@pytest.mark.parametrize(
    "text",
    ["x", "[]", "7", '{"a": "cp"}', '{"a": []}', '{"a": ["cp", "{input}"]}', '{"a": ["{input}", 7, "{output}"]}'],
)
def test_the_setting_is_judged_when_the_server_starts(text):
    with pytest.raises(ImproperlyConfigured, match="LEASEHOLD_APPS"):
        programs_from(text)


def test_without_the_setting_there_are_no_programs():
    assert programs_from("") == {}
    assert programs_from('{"cp": ["cp", "{input}", "{output}"]}') == {"cp": ["cp", "{input}", "{output}"]}
