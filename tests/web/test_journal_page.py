"""The journal's page: sentences, filters and the export, as far as the reader may see."""

import json

import pytest

from leasehold import journal as kinds
from leasehold.models import Role, User
from leasehold.web.journal import journal, sentences
from tests import work
from tests.factories import make_member, make_project
from tests.web.conftest import SECOND, added, check_in, check_out, text_of


def texts(browser, **query) -> list[str]:
    response = browser.get("/journal/", query)
    assert response.status_code == 200
    return [line.text for line, _, _ in response.context["rows"]]


def test_entries_are_sentences_newest_first(as_, alice, vera, hero):
    check_in(as_(alice), check_out(as_(alice), hero), SECOND)
    expected = ["alice checked in version 2", "alice checked out version 1", "alice added the file"]
    assert texts(as_(vera)) == expected
    assert texts(as_(alice))[0] == "You checked in version 2"
    assert "art/heroes/hero.psd" in text_of(as_(vera).get("/journal/"))


def test_every_kind_of_entry_has_a_sentence():
    assert set(kinds.KINDS) - set(sentences.SENTENCES) == set()


def test_a_lapse_names_no_actor(as_, alice, olga, vera, clock):
    session = work.started(alice, olga, "k", ttl=60)
    clock.forward(minutes=5)
    work.draft(alice, "other")
    assert f"alice’s session {session.pk} lapsed; the ticket is blocked" in texts(as_(vera))


def test_the_journal_is_filtered(as_, alice, bob, olga, vera, hero):
    ticket = work.draft(bob, "k")
    browser = as_(vera)
    assert texts(browser, kind="ticket_created") == ["bob wrote it"]
    assert texts(browser, actor="alice") == texts(browser, actor="user:alice") == ["alice added the file"]
    assert texts(browser, subject=f"ticket:{ticket.pk}") == ["bob wrote it"]
    assert texts(browser, project="art", kind="ticket_created", actor="alice") == []


def test_people_are_found_by_the_name_that_the_page_shows(as_, alice, bob, vera, hero):
    User.objects.filter(pk=alice.pk).update(name="Alice Ames")
    work.draft(bob, "k")
    for who in ("Alice Ames", "alice ames", "ALICE", "alice", "user:alice"):
        assert texts(as_(vera), actor=who) == ["alice added the file"], who
    assert texts(as_(vera), actor="Ames") == []


def test_a_file_is_found_by_its_path_or_its_name(as_, alice, bob, vera, hero):
    two = added(alice, "hero.psd")
    added(alice, "other.psd")
    make_member(make_project("docs"), bob, Role.EDITOR)
    added(bob, "hero.psd", project="docs")

    def found(words: str) -> list[int]:
        rows = as_(vera).get("/journal/", {"subject": words}).context["rows"]
        return sorted(entry.subject for _, _, entry in rows)

    one, other = hero.resource, two.resource
    for words in ("heroes/hero.psd", "Heroes/HERO.psd", "art/heroes/hero.psd", one):
        assert found(words) == [one], words
    assert found("hero.psd") == sorted([one, other]), "every one of that name, and none of a project unseen"
    assert found("art/hero.psd") == [other]
    for words in ("hero", "docs/hero.psd", "nothing.psd", "/"):
        assert found(words) == [], words


def test_the_export_has_the_files_that_a_name_finds(as_, alice, vera, hero):
    added(alice, "hero.psd")
    added(alice, "other.psd")
    page = as_(vera).get("/journal/", {"subject": "hero.psd", "actor": "Alice"})
    address = dict(page.context["exports"])["JSON"]
    rows = json.loads(b"".join(as_(vera).get(address).streaming_content))
    assert len(rows) == len(page.context["rows"]) == 2


def test_the_labels_of_kinds_match_their_sentences():
    assert set(sentences.KIND_LABELS) == set(kinds.KINDS)
    for kind, words in sentences.KIND_LABELS.items():
        if kind not in sentences.IMPERSONAL:
            sentence = sentences.SENTENCES[kind][1]({"role": "editor", "member": "user:bob"})
            assert words.split()[0].lower() == sentence.split()[0], kind


def test_readers_see_only_their_projects_journal(as_, alice, bob, mallory, hero):
    make_member(make_project("docs"), bob, Role.EDITOR)
    added(bob, "secret.docx", project="docs")
    assert "secret" not in text_of(as_(alice).get("/journal/"))
    assert as_(alice).get("/journal/", {"project": "docs"}).status_code == 404
    assert texts(as_(mallory)) == []
    assert "Nothing has happened yet" in text_of(as_(mallory).get("/journal/"))


def test_every_page_of_a_long_journal_costs_the_same(as_, alice, monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr(journal, "PAGE", 3)
    for number in range(7):
        work.draft(alice, f"k{number}")
        added(alice, f"{number}.psd")
    browser, seen, address = as_(alice), 0, "/journal/"
    while address:
        with django_assert_max_num_queries(8):
            response = browser.get(address)
        seen += len(response.context["rows"])
        address = response.context["more"]
    assert seen == 14


def test_the_journal_is_exported(as_, alice, hero):
    for words, address in as_(alice).get("/journal/", {"kind": "artifact_added"}).context["exports"]:
        response = as_(alice).get(address)
        assert response.status_code == 200
        assert b"artifact_added" in b"".join(response.streaming_content), words


@pytest.mark.parametrize("query", [{"kind": "x"}, {"before": "-1"}, {"actor": "\0"}, {"subject": "x" * 201}])
def test_a_malformed_address_is_refused(as_, alice, query):
    assert as_(alice).get("/journal/", query).status_code == 400
