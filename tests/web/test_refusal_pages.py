"""Each refusal has one status and one heading, for every surface."""

import pytest

from checkouts.exceptions import ArtifactBusy, TooLarge
from leasehold.exceptions import BodyTooLarge, Forbidden, Refusal, ScopeReserved, TryAgain
from leasehold.http.statuses import STATUSES, nearest, status_of
from leasehold.web.refusal_pages import HEADINGS


def below(kind: type[Refusal]) -> set[type[Refusal]]:
    return {kind, *(deeper for child in kind.__subclasses__() for deeper in below(child))}


def test_every_refusal_of_both_floors_has_one_status_and_one_heading():
    refusals = below(Refusal) - {Refusal}
    assert set(STATUSES) == refusals
    assert set(HEADINGS) == refusals


@pytest.mark.parametrize(
    ("refusal", "status"),
    [(Forbidden, 403), (ArtifactBusy, 409), (TooLarge, 413), (BodyTooLarge, 413), (TryAgain, 503)],
)
def test_a_refusal_s_status(refusal, status):
    assert status_of(refusal()) == status


def test_the_nearest_class_counts():
    assert nearest({Refusal: "any", ScopeReserved: "this"}, ScopeReserved, "none") == "this"
    assert nearest({Refusal: "any", ScopeReserved: "this"}, TooLarge, "none") == "any"
    assert nearest({ScopeReserved: "this"}, TooLarge, "none") == "none"


def test_the_ground_floor_s_headings_say_nothing_of_files_that_are_sent():
    assert HEADINGS[BodyTooLarge].text == "This is too large"
    assert HEADINGS[TooLarge].text == "This file is too large"
