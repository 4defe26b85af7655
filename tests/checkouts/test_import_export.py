"""`manage.py import` and `export`: a tree of files is the same after both."""

import hashlib
import os
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from checkouts.exceptions import StorageUnavailable
from checkouts.models import Artifact, Version
from leasehold.actors import Actor
from leasehold.models import Entry
from tests.scenes import back, out, put

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]

TREE = {
    "hero.psd": b"a hero",
    "heroes/Entwürfe/100% fertig.psd": b"two",
    "heroes/a b+c#1.png": b"\x89PNG",
    "sheets/empty.xlsx": b"",
    "图/英雄.blend": b"BLENDER",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return planted(tmp_path / "tree", TREE)


def planted(root: Path, files: dict[str, bytes]) -> Path:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


def digests_of(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file()
    }


def run(*command: str | Path, **options) -> tuple[int, str]:
    """Exit code and output."""
    output, code = StringIO(), 0
    try:
        call_command(*map(str, command), stdout=output, **options)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, output.getvalue()


def run_import(tree: Path, *more: str) -> tuple[int, str]:
    return run("import", tree, "--project", "art", "--as", "alice", *more)


def test_an_import_and_an_export_preserve_a_tree(alice, tree: Path, tmp_path: Path):
    assert run_import(tree) == (0, "5 added, 0 there already, 0 refused.\n")
    assert set(Artifact.objects.values_list("path", flat=True)) == set(TREE)
    assert set(Version.objects.values_list("author__username", "comment")) == {("alice", "Imported")}
    assert run("export", "art", tmp_path / "out") == (0, "5 written, 0 there already, 0 refused.\n")
    assert digests_of(tmp_path / "out") == digests_of(tree)


def test_a_second_import_copies_nothing(alice, tree: Path, tmp_path: Path, settings):
    run_import(tree)
    run("export", "art", tmp_path / "out")
    before = (Version.objects.count(), Entry.objects.count(), digests_of(settings.LEASEHOLD_BLOBS))
    assert run_import(tree) == (0, "0 added, 5 there already, 0 refused.\n")
    assert run("export", "art", tmp_path / "out") == (0, "0 written, 5 there already, 0 refused.\n")
    assert (Version.objects.count(), Entry.objects.count(), digests_of(settings.LEASEHOLD_BLOBS)) == before


def test_an_interrupted_import_continues(alice, tree: Path, monkeypatch):
    from checkouts import trees

    real, seen = trees.add_artifact, []

    def full_after_two(**values):
        seen.append(values["path"])
        if len(seen) == 3:
            raise StorageUnavailable
        return real(**values)

    monkeypatch.setattr(trees, "add_artifact", full_after_two)
    with pytest.raises(CommandError, match="2 added"):
        run_import(tree)
    monkeypatch.undo()
    assert run_import(tree) == (0, "3 added, 2 there already, 0 refused.\n")


def test_other_bytes_are_reported_and_not_overwritten(alice, tree: Path, tmp_path: Path):
    run_import(tree)
    (tree / "hero.psd").write_bytes(b"another hero")
    code, output = run_import(tree)
    assert (code, "hero.psd: Another file lies there" in output) == (1, True)
    assert Version.objects.count() == len(TREE)
    planted(tmp_path / "out", {"hero.psd": b"my own"})
    code, output = run("export", "art", tmp_path / "out")
    assert (code, "hero.psd: Other bytes lie there." in output) == (1, True)
    assert (tmp_path / "out/hero.psd").read_bytes() == b"my own"
    assert run("export", "art", tmp_path / "out", "--force")[0] == 0
    assert (tmp_path / "out/hero.psd").read_bytes() == b"a hero"


def test_invalid_names_are_refused_one_by_one(alice, tmp_path: Path):
    """Invalid names, and different names that are the same file here."""
    tree = planted(tmp_path / "tree", {"good.psd": b"1", "CON.txt": b"2", "dot.": b"3", "Good.PSD": b"1"})
    (tree / os.fsdecode(b"latin-\xfc.psd")).write_bytes(b"4")
    (tree / "e\u0301.psd").write_bytes(b"5")
    (tree / "\u00e9.psd").write_bytes(b"6")
    (tree / "link.psd").symlink_to("/etc/passwd")
    (tree / "linked").symlink_to(tmp_path)
    os.mkfifo(tree / "pipe")
    code, output = run_import(tree)
    assert (code, output.splitlines()[-1]) == (1, "2 added, 0 there already, 8 refused.")
    lines = dict(line.split(": ", 1) for line in output.splitlines()[:-1])
    assert "device name" in lines["CON.txt"]
    assert "same name as Good.PSD" in lines["good.psd"]
    assert "surrogate" in lines["latin-\\xfc.psd"]
    assert "link" in lines["link.psd"]
    assert "link" in lines["linked"]
    assert "pipe" in lines["pipe"]
    assert sorted(Artifact.objects.values_list("path", flat=True)) == ["Good.PSD", "\u00e9.psd"]


def test_the_prefix_is_the_target_folder(alice, tree: Path):
    assert run_import(tree, "--prefix", "old/2025/")[0] == 0
    assert Artifact.objects.filter(path__startswith="old/2025/").count() == len(TREE)


def test_an_import_that_is_not_allowed_adds_nothing(alice, vera, mallory, tree: Path):
    for name in ("vera", "mallory", "nobody"):
        with pytest.raises(CommandError):
            run("import", tree, "--project", "art", "--as", name)
    for bad in (["--project", "none"], ["--project", "art", "--prefix", "../x"]):
        with pytest.raises(CommandError):
            run("import", tree, "--as", "alice", *bad)
    with pytest.raises(CommandError):
        run("import", tree / "missing", "--project", "art", "--as", "alice")
    assert not Artifact.objects.exists()


def test_an_export_follows_no_link_out_of_its_folder(alice, tmp_path: Path):
    put(alice, "heroes/hero.psd")
    put(alice, "top.psd")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out/heroes").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "out/top.psd").symlink_to(tmp_path / "elsewhere/top.psd")
    code, output = run("export", "art", tmp_path / "out")
    assert (code, output.splitlines()[-1]) == (1, "0 written, 0 there already, 2 refused.")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_export_writes_the_newest_version(alice, hero, tmp_path: Path):
    back(alice, out(alice, hero).checkout, "two")
    run("export", "art", tmp_path)
    assert (tmp_path / "heroes/hero.psd").read_text() == "two"
    assert [path.name for path in (tmp_path / "heroes").iterdir()] == ["hero.psd"]


def test_damaged_bytes_are_not_exported(alice, hero, tmp_path: Path):
    from checkouts.bytes.storage import path_of

    path_of(hero.head.blob.key).write_bytes(b"onf")
    code, output = run("export", "art", tmp_path)
    assert (code, "damaged" in output) == (1, True)
    assert not list((tmp_path / "heroes").iterdir())
    path_of(hero.head.blob.key).write_bytes(b"one")


def test_an_unknown_project_is_an_error(db, tmp_path: Path):
    with pytest.raises(CommandError, match="no project"):
        run("export", "none", tmp_path)


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_the_progress_bar_is_drawn_on_terminals_only():
    from leasehold.management.progress import Progress

    for into, is_drawn in ((Terminal(), True), (StringIO(), False)):
        with Progress(3, into=into) as bar:
            for name in ("a.psd", "b.psd", "a long way down the folders/of this project/c.psd"):
                bar.step(name)
        assert ("100 %" in into.getvalue()) is is_drawn
        assert into.getvalue().endswith("\033[K" if is_drawn else "")


def test_the_actor_is_named_in_the_journal(alice, tree: Path):
    run_import(tree)
    assert set(Entry.objects.values_list("participant", flat=True)) == {Actor(alice).participant}
