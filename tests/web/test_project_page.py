"""A project's page: folders, files with their holders, filters, search, and adding files."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from checkouts.models import Artifact
from checkouts.selectors import folders
from tests.scenes import stored_files
from tests.web.conftest import a_file, added, check_out, text_of

ART = "/projects/art/"


def test_a_foreign_project_looks_like_an_unknown_one(as_, mallory, hero):
    browser = as_(mallory)
    foreign, unknown = browser.get(ART), browser.get("/projects/nothing/")
    assert foreign.status_code == unknown.status_code == 404
    assert text_of(foreign).rpartition("request")[0] == text_of(unknown).rpartition("request")[0]
    assert "You are in no project yet" in text_of(browser.get("/"))


def test_an_empty_project_says_what_to_do_next(as_, alice, vera):
    assert "Drop files anywhere" in text_of(as_(alice).get(ART))
    assert "An editor of the project adds the first file" in text_of(as_(vera).get(ART))


def test_folders_come_before_files_and_lead_into_each_other(as_, alice, hero):
    added(alice, "notes.txt")
    added(alice, "heroes/rig/bones.blend")
    top = as_(alice).get(ART)
    assert "notes.txt" in text_of(top)
    assert "hero.psd" not in text_of(top)
    inside = as_(alice).get(ART, {"folder": "heroes"})
    assert "hero.psd" in text_of(inside)
    assert "/projects/art/?folder=heroes%2Frig" in inside.content.decode()
    assert "bones.blend" not in text_of(inside)


def test_a_rows_button_shows_its_state(as_, alice, bob, vera, hero):
    here = {"folder": "heroes"}
    assert "Check out & download" in text_of(as_(alice).get(ART, here))
    check_out(as_(bob), hero, purpose="new eyes")
    assert "Check in…" in text_of(as_(bob).get(ART, here))
    seen = text_of(as_(alice).get(ART, here))
    assert "Held by bob until" in seen
    assert "new eyes" in seen
    assert "Check out & download" not in text_of(as_(vera).get(ART, here))


def test_a_lapsed_file_looks_free(as_, alice, bob, hero, clock):
    check_out(as_(bob), hero, ttl=60)
    clock.forward(minutes=2)
    seen = text_of(as_(alice).get(ART, {"folder": "heroes"}))
    assert "Lapsed" in seen
    assert "so it is free" in seen
    assert "Check out & download" in seen


@pytest.mark.parametrize(
    ("show", "names"),
    [
        ("free", ["free.psd"]),
        ("mine", ["mine.psd"]),
        ("others", ["theirs.psd"]),
        ("expiring", ["mine.psd"]),
    ],
)
def test_the_tabs_filter_everything_below_the_folder(as_, alice, bob, show, names):
    added(alice, "deep/free.psd")
    check_out(as_(alice), added(alice, "deep/mine.psd"), ttl=600)
    check_out(as_(bob), added(alice, "deep/theirs.psd"))
    seen = text_of(as_(alice).get(ART, {"show": show}))
    assert [name for name in ("free.psd", "mine.psd", "theirs.psd") if name in seen] == names


def test_search_looks_below_the_folder_ignoring_case(as_, alice, hero):
    added(alice, "docs/HERO_brief.docx")
    added(alice, "docs/costs.xlsx")
    seen = text_of(as_(alice).get(ART, {"q": "Hero"}))
    assert "hero.psd" in seen
    assert "HERO_brief.docx" in seen
    assert "costs.xlsx" not in seen
    assert "No file is called that" in text_of(as_(alice).get(ART, {"q": "100%_"}))


def test_a_long_list_is_paginated_without_duplicates(as_, alice, monkeypatch):
    monkeypatch.setattr(folders, "PAGE", 3)
    for number in range(5):
        added(alice, f"many/{number}.bin")
    browser = as_(alice)
    first = browser.get(ART, {"folder": "many"})
    assert first.context["more"]
    second = browser.get(first.context["more"])
    assert not second.context["more"]
    names = [row.artifact.name for page in (first, second) for row in page.context["rows"]]
    assert names == [f"{number}.bin" for number in range(5)]


def test_a_page_costs_the_same_for_any_content(as_, alice, bob):
    browser = as_(alice)

    def statements() -> int:
        with CaptureQueriesContext(
            connection,
        ) as caught:
            assert browser.get(ART).status_code == 200
        return len(caught)

    added(alice, "one.psd")
    statements()  # the first page ever asks SQLite what it knows
    few = statements()
    for number in range(8):
        check_out(as_(bob), added(alice, f"{number}.psd"))
        added(alice, f"folder-{number}/x.psd")
    # session, account, project, files, what tickets reserve, folders, their counts, own check-outs, clock or navigation
    assert statements() == few <= 9


def test_alice_adds_a_file_to_a_folder(as_, alice):
    response = as_(alice).post(
        f"{ART}files/", {"folder": "heroes", "file": a_file(b"x", "Hälfte 100%.psd")}, follow=True
    )
    assert response.redirect_chain == [("/projects/art/?folder=heroes", 302)]
    assert "Hälfte 100%.psd is added as version 1." in text_of(response)
    assert Artifact.objects.get().path == "heroes/Hälfte 100%.psd"


def test_the_script_gets_json(as_, alice, hero):
    browser = as_(alice)
    accept = {"Accept": "application/json"}
    response = browser.post(f"{ART}files/", {"path": "a/b.psd", "file": a_file(b"x")}, headers=accept)
    assert (response.status_code, response.json()["title"]) == (201, "Added")
    taken = browser.post(f"{ART}files/", {"path": "heroes/Hero.PSD", "file": a_file(b"x")}, headers=accept)
    assert taken.status_code == 409
    assert taken.json()["next"] == {"label": "Open hero.psd", "url": f"/artifacts/{hero.pk}/"}


def test_a_taken_name_is_refused(as_, bob, hero):
    response = as_(bob).post(f"{ART}files/", {"folder": "heroes", "file": a_file(b"x", "HERO.psd")})
    assert response.status_code == 409
    assert "There is a file of that name already" in text_of(response)
    assert "Open hero.psd" in text_of(response)


def test_a_missing_or_empty_file_is_refused_first(as_, alice):
    browser = as_(alice)
    assert browser.post(f"{ART}files/", {"folder": ""}).status_code == 400
    empty = browser.post(f"{ART}files/", {"file": a_file(b"")})
    assert empty.status_code == 400
    assert "It is empty (0 bytes)" in text_of(empty)
    assert "Open Art" in text_of(empty)
    assert browser.post(f"{ART}files/", {"file": a_file(b""), "empty": "on"}).status_code == 302
    assert Artifact.objects.get().head.size == 0


def test_viewers_and_strangers_cannot_add(as_, vera, mallory, blobs):
    assert as_(vera).post(f"{ART}files/", {"file": a_file(b"x")}).status_code == 403
    assert as_(mallory).post(f"{ART}files/", {"file": a_file(b"x")}).status_code == 404
    assert Client().post(f"{ART}files/", {"file": a_file(b"x")}).url == "/sign-in/?next=/projects/art/"
    assert not stored_files(blobs)


def test_adding_needs_a_csrf_token(alice, blobs):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    assert browser.post(f"{ART}files/", {"file": a_file(b"x")}).status_code == 403
    assert not stored_files(blobs)


@pytest.mark.parametrize(
    "query", [{"folder": "../x"}, {"folder": "a\0b"}, {"q": "\0"}, {"after": "\0"}, {"show": "everything"}]
)
def test_an_invalid_query_is_refused_with_a_page(as_, alice, query):
    response = as_(alice).get(ART, query)
    assert response.status_code == 400
    assert "Something is not as it must be" in text_of(response)


def test_adding_over_ones_own_check_out_links_to_its_check_in(as_, alice, bob, hero):
    form = {"folder": "heroes", "path": "hero.psd"}
    script = {"Accept": "application/json"}
    free = text_of(as_(alice).post(f"{ART}files/", {**form, "file": a_file(b"x")}))
    assert "Art has heroes/hero.psd already. Nothing was added." in free
    assert "Check the file out first" in free
    check_out(as_(alice), hero)
    mine = as_(alice).post(f"{ART}files/", {**form, "file": a_file(b"x")})
    assert "You have it checked out" in text_of(mine)
    assert f'href="/artifacts/{hero.pk}/#check-in">Check in as version 2…' in mine.content.decode()
    step = as_(alice).post(f"{ART}files/", {**form, "file": a_file(b"x")}, headers=script).json()["next"]
    assert step == {"label": "Check in as version 2…", "url": f"/artifacts/{hero.pk}/#check-in"}
    theirs = text_of(as_(bob).post(f"{ART}files/", {**form, "file": a_file(b"x")}))
    assert "alice has it now." in theirs


def test_an_error_is_shown_once(as_, alice):
    empty = text_of(as_(alice).post(f"{ART}files/", {"file": a_file(b"")}))
    assert "Something in the request is not as it must be" not in empty, "the heading says it"
    assert "Nothing was changed." in empty


def test_without_a_script_one_file_is_added(as_, alice, hero):
    source = as_(alice).get(ART).content.decode()
    assert "<span hidden data-with-script>Add files</span><noscript>Add a file</noscript>" in source
