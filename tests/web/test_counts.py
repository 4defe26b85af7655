"""Counts of files and held files by folder and project, and links to loose check-outs."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkouts.actions.moves import archive
from checkouts.selectors import counts
from checkouts.selectors.counts import Counts, counts_in
from leasehold.actors import Actor
from leasehold.models import Role
from tests.factories import make_member, make_project
from tests.web.conftest import added, check_out, text_of

ART = "/projects/art/"


def counted(user, *places) -> list[Counts]:
    return counts_in(Actor(user=user), list(places))


def test_a_folder_counts_only_the_files_below_it(as_, art, alice, bob, clock):
    for path in ("a/1.bin", "a/2.bin", "a/deep/er/3.bin", "a.b/4.bin", "a0/5.bin", "Ä_%/6.bin", "7.bin"):
        added(alice, path)
    archive(actor=Actor(user=alice), artifact_id=added(alice, "a/gone.bin").pk)
    check_out(as_(alice), added(alice, "a/mine.bin"))
    check_out(as_(bob), added(alice, "A/Deep/his.bin"))
    check_out(as_(bob), added(alice, "Ä_%/lapsed.bin"), ttl=60)
    clock.forward(minutes=2)
    assert counted(alice, (art, "a"), (art, "a/DEEP"), (art, "a.b"), (art, "ä_%"), (art, ""), (art, "none")) == [
        Counts(5, 1, 1),
        Counts(2, 1, 0),
        Counts(1, 0, 0),
        Counts(2, 0, 0),
        Counts(10, 1, 1),
        Counts(0, 0, 0),
    ]
    assert counted(bob, (art, "a")) == [Counts(5, 1, 1)]
    assert counted(alice) == []


def test_projects_with_the_same_beginning_are_counted_separately(as_, art, alice):
    other = make_project("art-2", "Art 2")
    make_member(other, alice, Role.EDITOR)
    added(alice, "1.bin")
    check_out(as_(alice), added(alice, "2.bin", project="art-2"))
    assert counted(alice, (art, ""), (other, "")) == [Counts(1, 0, 0), Counts(1, 0, 1)]


def test_counts_stop_at_99(as_, art, alice, bob, monkeypatch):
    monkeypatch.setattr(counts, "MOST", 2)
    for number in range(4):
        check_out(as_(bob), added(alice, f"a/{number}.bin"))
    assert counted(alice, (art, "a")) == [Counts(2, 2, 0)]


@pytest.mark.parametrize("folders", [1, 12])
def test_all_folders_of_a_page_are_counted_in_one_statement(art, alice, folders):
    with CaptureQueriesContext(connection) as caught:
        assert len(counted(alice, *[(art, f"{number}") for number in range(folders)])) == folders
    assert len(caught) == 1


def test_a_projects_page_counts_held_files_by_folder(as_, alice, bob):
    added(alice, "readme.txt")
    added(alice, "costs/plan.xlsx")
    check_out(as_(bob), added(alice, "costs/Budget 2026.xlsx"))
    check_out(as_(alice), added(alice, "sets/harbour.png"))
    page = as_(alice).get(ART)
    text = text_of(page)
    assert "costs 2 files 1 held by others" in text
    assert "sets 1 file 1 yours" in text
    assert "1 file here, 4 with those in the folders" in text
    assert "?folder=costs&amp;show=others" in page.content.decode()
    home = text_of(as_(alice).get("/"))
    assert "art Editor 4 1 1" in home


def test_a_poll_notices_a_check_out_in_a_folder(as_, alice, bob, hero):
    browser = as_(alice)
    first = browser.get(ART, headers={"HX-Request": "true"})
    known = {"HX-Request": "true", "If-None-Match": first["ETag"]}
    assert browser.get(ART, headers=known).status_code == 304
    check_out(as_(bob), hero)
    assert browser.get(ART, headers=known).status_code == 200


def test_a_broken_check_out_is_linked_from_three_pages(as_, alice, olga, hero):
    checkout = check_out(as_(alice), hero)
    for address in ("/", ART, "/board/?show=mine"):
        assert "without a lease" not in text_of(as_(alice).get(address))
    as_(olga).post(f"/checkouts/{checkout.pk}/break/", {"reason": "urgent"})
    assert "1 to check in" in text_of(as_(alice).get("/"))
    for address in (ART, f"{ART}?show=mine", "/board/?show=mine", "/board/?show=lapsed"):
        page = as_(alice).get(address)
        assert "1 of your check-outs is open without a lease." in text_of(page)
        assert 'class="btn" href="/desk/"' in page.content.decode()
        assert "without a lease" not in text_of(as_(olga).get(address))


def test_the_list_of_projects_costs_the_same_for_many(as_, alice):
    browser = as_(alice)

    def statements() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert browser.get("/").status_code == 200
        return len(caught)

    added(alice, "1.bin")
    few = statements()
    for number in range(5):
        make_member(make_project(f"p{number}"), alice, Role.EDITOR)
        added(alice, "1.bin", project=f"p{number}")
    assert statements() == few
