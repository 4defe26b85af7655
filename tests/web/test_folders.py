"""The folders in a folder, read from the paths of files."""

import pytest

from checkouts.actions.moves import archive
from checkouts.selectors.folders import folders_in
from leasehold.actors import Actor
from tests.web.conftest import added

PATHS = [
    "top.bin",
    "a/1.bin",
    "a/2.bin",
    "a.old/1.bin",
    "a-2/x/1.bin",
    "a/sub/deep/1.bin",
    "a/sub2/1.bin",
    "a0/1.bin",
    "Äpfel/Birnen/1.bin",
    "英雄/草稿/1.bin",
    "100%_/x_y/1.bin",
    "z/only/below/1.bin",
]


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        ("", ["100%_", "a", "a-2", "a.old", "a0", "z", "Äpfel", "英雄"]),
        ("a", ["a/sub", "a/sub2"]),
        ("A", ["a/sub", "a/sub2"]),
        ("a/sub", ["a/sub/deep"]),
        ("a-2", ["a-2/x"]),
        ("äpfel", ["Äpfel/Birnen"]),
        ("英雄", ["英雄/草稿"]),
        ("100%_", ["100%_/x_y"]),
        ("z/only", ["z/only/below"]),
        ("nothing", []),
    ],
)
def test_folders_have_files_below_them(art, alice, folder, found):
    for path in PATHS:
        added(alice, path)
    assert folders_in(art, folder) == found


def test_a_folder_disappears_with_its_last_file(art, alice):
    gone = added(alice, "old/1.bin")
    archive(actor=Actor(user=alice), artifact_id=gone.pk)
    assert folders_in(art, "") == []
