"""The list of tickets, and the forms that write and edit one."""

import pytest

from leasehold.models import Role, Ticket
from leasehold.web.tickets import ticket_list
from tests import work
from tests.factories import make_member, make_project
from tests.web.conftest import text_of

Status = Ticket.Status
FORM = {"project": "art", "title": "Rig the cape", "scope": "art/capes\n\n terminal-1 \n", "description": "In red."}


def listed(browser, **query) -> list[int]:
    response = browser.get("/tickets/", query)
    assert response.status_code == 200
    return [row.ticket.pk for row in response.context["rows"]]


@pytest.fixture
def of_each(alice, olga):
    return {status: work.in_state(status, alice, olga, f"k/{status}") for status in Status.values}


@pytest.mark.parametrize(
    ("show", "status"),
    [
        ("draft", Status.DRAFT),
        ("approved", Status.APPROVED),
        ("in-progress", Status.IN_PROGRESS),
        ("blocked", Status.BLOCKED),
        ("review", Status.REVIEW),
        ("done", Status.DONE),
        ("cancelled", Status.CANCELLED),
    ],
)
def test_a_tab_lists_its_state_and_counts_it(as_, vera, of_each, show, status):
    response = as_(vera).get("/tickets/", {"show": show})
    assert [row.ticket.pk for row in response.context["rows"]] == [of_each[status].pk]
    assert {name: count for name, _, count, _ in response.context["tabs"]}[show] == 1


def test_the_open_tab_lists_live_tickets_newest_first(as_, vera, of_each):
    over = (Status.DONE, Status.CANCELLED)
    expected = [ticket.pk for status, ticket in of_each.items() if status not in over]
    assert listed(as_(vera)) == sorted(expected, reverse=True)


def test_the_mine_tab_lists_what_i_wrote_or_work_at(as_, alice, bob, olga):
    written, other = work.draft(bob, "a"), work.approved(alice, olga, "b")
    assert listed(as_(bob), show="mine") == [written.pk]
    work.start(bob, other)
    assert listed(as_(bob), show="mine") == [other.pk, written.pk]


def test_a_lapsed_session_counts_as_blocked_at_once(as_, vera, alice, olga, clock):
    ticket = work.started(alice, olga, "k", ttl=60).ticket
    assert listed(as_(vera), show="in-progress") == [ticket.pk]
    clock.forward(minutes=2)
    assert listed(as_(vera), show="in-progress") == []
    response = as_(vera).get("/tickets/", {"show": "blocked"})
    assert [row.ticket.pk for row in response.context["rows"]] == [ticket.pk]
    assert "Blocked" in text_of(response)
    assert Ticket.objects.get().status == Status.IN_PROGRESS, "a read writes nothing"


def test_a_ticket_that_waits_too_long_is_stale(as_, olga, alice, clock):
    ticket = work.in_state(Status.REVIEW, alice, olga)
    assert listed(as_(olga), show="stale") == []
    clock.forward(hours=25)
    assert listed(as_(olga), show="stale") == [ticket.pk]


@pytest.mark.parametrize(("words", "found"), [("CAPE", True), ("art/cap", True), ("nothing", False), ("%", False)])
def test_search_finds_words_of_the_title_and_parts_of_keys(as_, alice, words, found):
    ticket = work.draft(alice, "Art/Capes", title="Rig the cape")
    assert listed(as_(alice), q=words) == ([ticket.pk] if found else [])
    assert listed(as_(alice), q=str(ticket.pk)) == [ticket.pk]


def test_a_long_list_goes_on_page_by_page(as_, alice, monkeypatch):
    monkeypatch.setattr(ticket_list, "PAGE", 2)
    expected = [work.draft(alice, f"k{number}").pk for number in range(5)][::-1]
    seen, address = [], "/tickets/"
    while address:
        response = as_(alice).get(address)
        seen += [row.ticket.pk for row in response.context["rows"]]
        address = response.context["more"]
    assert seen == expected


def test_the_number_of_statements_does_not_grow_with_the_list(as_, alice, olga, django_assert_max_num_queries):
    for number in range(12):
        work.started(alice, olga, f"k{number}")
    browser = as_(alice)
    with django_assert_max_num_queries(11):
        assert len(listed(browser)) == 12


def test_a_tab_counts_to_99(as_, alice, monkeypatch):
    monkeypatch.setattr("leasehold.selectors.counts.COUNT_LIMIT", 100)
    for number in range(101):
        work.draft(alice, f"k{number}")
    assert "Draft 99+" in text_of(as_(alice).get("/tickets/"))


def test_a_stranger_sees_no_ticket_and_no_project(as_, mallory, alice):
    work.draft(alice, "k", title="Secret")
    assert listed(as_(mallory)) == []
    assert as_(mallory).get("/tickets/", {"project": "art"}).status_code == 404
    assert "Secret" not in text_of(as_(mallory).get("/tickets/?show=draft"))


def test_tickets_are_filtered_by_project(as_, alice):
    docs = make_project("docs")
    make_member(docs, alice, Role.EDITOR)
    here, there = work.draft(alice, "a"), work.draft(alice, "b", project="docs")
    assert listed(as_(alice)) == [there.pk, here.pk]
    assert listed(as_(alice), project="docs") == [there.pk]


@pytest.mark.parametrize("query", [{"show": "x"}, {"before": "x"}, {"before": str(2**63)}, {"q": "\0"}])
def test_a_malformed_address_is_refused(as_, alice, query):
    assert as_(alice).get("/tickets/", query).status_code == 400


def test_alice_drafts_a_ticket(as_, alice):
    response = as_(alice).post("/tickets/new/", FORM, follow=True)
    ticket = Ticket.objects.get()
    assert response.request["PATH_INFO"] == f"/tickets/{ticket.pk}/"
    assert "is drafted. An operator approves it" in text_of(response)
    assert [key.key for key in ticket.scope.all()] == ["art/capes", "terminal-1"]
    assert (ticket.title, ticket.description, ticket.created_by) == ("Rig the cape", "In red.", alice)


@pytest.mark.parametrize("wrong", [{"title": " "}, {"scope": " \n"}, {"scope": "../up"}, {"title": "x" * 201}])
def test_errors_are_shown_beside_their_fields_and_values_stay(as_, alice, wrong):
    response = as_(alice).post("/tickets/new/", FORM | wrong)
    assert response.status_code == 400
    assert response.context["errors"].keys() == wrong.keys()
    assert response.context["values"]["description"] == "In red."
    assert not Ticket.objects.exists()


def test_a_viewer_has_no_form_and_cannot_post_one(as_, vera, mallory):
    assert "New ticket" not in text_of(as_(vera).get("/tickets/"))
    assert as_(vera).get("/tickets/new/").status_code == 403
    assert as_(vera).post("/tickets/new/", FORM).status_code == 403
    assert as_(mallory).post("/tickets/new/", FORM).status_code == 403
    assert not Ticket.objects.exists()


def test_editing_the_scope_takes_the_approval_back(as_, alice, olga):
    ticket = work.approved(alice, olga, "art/capes")
    page = as_(alice).get(f"/tickets/{ticket.pk}/edit/")
    assert "takes the approval back" in text_of(page)
    same = {"title": "Anew", "description": "", "scope": "art/capes"}
    as_(alice).post(f"/tickets/{ticket.pk}/edit/", same)
    assert Ticket.objects.get().status == Status.APPROVED
    response = as_(alice).post(f"/tickets/{ticket.pk}/edit/", same | {"scope": "art/boots"}, follow=True)
    assert "waits for approval again" in text_of(response)
    assert Ticket.objects.get().status == Status.DRAFT


def test_a_ticket_is_edited_by_its_author_until_it_starts(as_, alice, bob, olga, mallory):
    ticket = work.approved(alice, olga)
    form = {"title": "Mine", "description": "", "scope": "repo"}
    assert as_(bob).get(f"/tickets/{ticket.pk}/edit/").status_code == 403
    assert as_(bob).post(f"/tickets/{ticket.pk}/edit/", form).status_code == 403
    assert as_(mallory).get(f"/tickets/{ticket.pk}/edit/").status_code == 404
    work.start(alice, ticket)
    assert as_(alice).get(f"/tickets/{ticket.pk}/edit/").status_code == 403
    assert as_(alice).post(f"/tickets/{ticket.pk}/edit/", form).status_code == 409
    assert Ticket.objects.get().title == "Work"
