"""Scope keys that reserve no file where another would: the form asks, and pages show what each key reserves."""

import pytest

from leasehold.models import Role, Ticket
from tests import work
from tests.factories import make_member, make_project
from tests.web.conftest import added, text_of

FORM = {"project": "art", "title": "Repaint", "description": "", "scope": "Heroes"}


def keys() -> list[str]:
    return [key.key for key in Ticket.objects.get().scope.order_by("key")]


def write(browser, **form):
    return browser.post("/tickets/new/", FORM | form, follow=True)


def answer_of(page, answer: str) -> dict[str, object]:
    """Return the values that the form sends when one of its two buttons is pressed."""
    return {"answer": answer, "questioned": [doubt.place for doubt in page.context["question"].doubts]}


def test_a_key_without_its_project_is_asked_about_first(as_, olga, hero):
    page = write(as_(olga))
    assert page.status_code == 200
    text = text_of(page)
    assert "Did you mean art/Heroes ? That reserves 1 file in Art." in text
    assert "it reserves no file" in text
    assert not Ticket.objects.exists()


def test_the_answer_takes_the_folder_or_keeps_the_name(as_, olga, hero):
    page = write(as_(olga))
    write(as_(olga), **answer_of(page, "files"))
    assert keys() == ["art/Heroes"]
    Ticket.objects.get().scope.all().delete()
    Ticket.objects.all().delete()
    write(as_(olga), **answer_of(page, "names"))
    assert keys() == ["Heroes"]


def test_keys_typed_after_the_question_are_asked_about_too(as_, olga, alice, hero):
    added(alice, "sets/harbour.png")
    page = write(as_(olga))
    again = write(as_(olga), scope="heroes\nsets", **answer_of(page, "names"))
    assert [one.key for one in again.context["question"].doubts] == ["sets"]
    assert not Ticket.objects.exists()
    write(as_(olga), scope="heroes\nsets", confirmed=["heroes"], **answer_of(again, "files"))
    assert keys() == ["art/sets", "heroes"]


@pytest.mark.parametrize("scope", ["terminal-1", "art/heroes", "ART/heroes/hero.psd", "art", "heroes/none"])
def test_nothing_is_asked_where_no_other_key_has_files(as_, olga, hero, scope):
    write(as_(olga), scope=scope)
    assert keys() == [scope]


def test_the_question_reveals_no_foreign_files(as_, alice, bob, hero):
    """Bob writes in docs, which has no heroes. Files that he may not see are not counted."""
    docs = make_project("docs")
    make_member(docs, bob, Role.EDITOR)
    added(bob, "heroes/secret.docx", project="docs")
    write(as_(alice), scope="heroes")
    assert not Ticket.objects.exists(), "art has heroes"
    ticket = work.draft(bob, "docs/heroes", project="docs")
    make_member(docs, alice, Role.VIEWER)
    assert "1 file in Docs" in text_of(as_(alice).get(f"/tickets/{ticket.pk}/"))


def test_an_edit_asks_about_new_keys_only(as_, alice, hero):
    added(alice, "sets/harbour.png")
    ticket = work.draft(alice, "heroes")
    form = {"title": "Anew", "description": "", "scope": "heroes"}
    as_(alice).post(f"/tickets/{ticket.pk}/edit/", form)
    assert Ticket.objects.get().title == "Anew"
    page = as_(alice).post(f"/tickets/{ticket.pk}/edit/", form | {"scope": "heroes\nsets"})
    assert [one.instead for one in page.context["question"].doubts] == ["art/sets"]
    as_(alice).post(f"/tickets/{ticket.pk}/edit/", form | {"scope": "heroes\nsets"} | answer_of(page, "files"))
    assert keys() == ["art/sets", "heroes"]


def test_a_tickets_page_shows_what_each_key_reserves(as_, alice, bob, hero):
    docs = make_project("docs")
    make_member(docs, alice, Role.EDITOR)
    added(alice, "heroes/rig/bones.blend")
    ticket = work.draft(alice, "art/heroes", "art/heroes/hero.psd", "art/empty", "docs/x", "terminal-1", "heroes")
    page = as_(alice).get(f"/tickets/{ticket.pk}/")
    means = {key["key"]: key["means"].words for key in page.context["keys"]}
    assert means == {
        "art/heroes": "2 files in Art",
        "art/heroes/hero.psd": "1 file in Art",
        "art/empty": "no files in Art yet",
        "docs/x": "no files in Docs yet",
        "terminal-1": "a name that tickets share; no files",
        "heroes": "a name that tickets share; no files",
    }
    assert "Art has 2 files at art/heroes , which this does not reserve. Change the scope" in text_of(page)
    assert "Files of a project that you are not in" in text_of(as_(bob).get(f"/tickets/{ticket.pk}/"))


def test_the_form_explains_how_files_are_named(as_, olga):
    text = text_of(as_(olga).get("/tickets/new/"))
    assert "art/sets is the folder sets in Art" in text
    assert "reserves no files" in text


def test_the_admin_shows_what_each_key_reserves(as_, admin, alice, hero):
    ticket = work.draft(alice, "art/heroes", "heroes")
    text = text_of(as_(admin).get(f"/admin/leasehold/ticket/{ticket.pk}/change/"))
    assert "art/heroes : 1 file in Art" in text
    assert "heroes : a name that tickets share; no files; Art has art/heroes" in text


def test_many_keys_take_few_statements(as_, alice, hero, django_assert_max_num_queries):
    ticket = work.draft(alice, *(f"k{number}" for number in range(49)))
    browser = as_(alice)
    with django_assert_max_num_queries(19):
        browser.get(f"/tickets/{ticket.pk}/")
