"""The questions before an unusual upload is accepted: by the table, and on each surface."""

import uuid

import pytest

from checkouts.bytes.intake import Upload
from checkouts.bytes.storage import Received
from checkouts.doubts import Doubt, doubts_about, open_doubts

EMPTY, OTHER = Doubt.EMPTY, Doubt.OTHER_KIND

TABLE = [
    # size, name of the upload, name of the file, confirmed, doubts
    (9, "hero.psd", "hero.psd", (), []),
    (9, "Hero copy (2).PSD", "hero.psd", (), []),
    (9, "hero.psd", "", (), []),
    (0, "hero.psd", "hero.psd", (), [EMPTY]),
    (0, "hero.psd", "", (), [EMPTY]),
    (0, "hero.psd", "hero.psd", ("empty",), []),
    (0, "hero.psd", "hero.psd", ("other",), [EMPTY]),
    (9, "hero.png", "hero.psd", (), [OTHER]),
    (9, "hero", "hero.psd", (), [OTHER]),
    (9, "hero.psd", "hero", (), [OTHER]),
    (9, "hero.png", "hero.psd", ("other",), []),
    (9, "hero.png", "hero.psd", ("empty",), [OTHER]),
    (9, "", "hero.psd", (), []),
    (9, "x.png", "", (), []),
    (0, "hero.png", "hero.psd", (), [EMPTY, OTHER]),
    (0, "hero.png", "hero.psd", ("empty",), [OTHER]),
    (0, "hero.png", "hero.psd", ("empty", "other"), []),
]


@pytest.mark.parametrize(("size", "filename", "name", "confirmed", "doubts"), TABLE)
def test_doubts(size, filename, name, confirmed, doubts):
    assert open_doubts(size=size, filename=filename, next_version_of=name, confirmed=confirmed) == doubts


def test_a_box_that_is_ticked_confirms_and_an_empty_field_does_not():
    empty = Received(uuid.uuid4(), "sha256:0", 0)
    assert doubts_about(Upload(empty, "hero.png", {"other": "on", "empty": ""}), "hero.psd") == [EMPTY]
