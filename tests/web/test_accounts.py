"""Profiles, tokens, members and people: what each account can see and post."""

import pytest

from leasehold.models import Entry, Membership, Project, Role, Token, User
from tests import work
from tests.factories import PASSWORD
from tests.web.conftest import check_out, text_of

NEW = "a rather long pass phrase"
PEOPLE_PAGES = ("/people/", "/people/new/", "/people/{pk}/", "/people/{pk}/deactivate/")
PEOPLE_POSTS = ("new/", "{pk}/password/", "{pk}/tokens/", "{pk}/deactivate/", "{pk}/activate/")


def test_alice_changes_her_name_and_time_zone(as_, alice):
    response = as_(alice).post("/profile/", {"name": "Alice A.", "time_zone": "Asia/Tokyo"}, follow=True)
    assert "Saved." in text_of(response)
    assert "(JST)" in text_of(response)
    alice.refresh_from_db()
    assert (alice.name, alice.time_zone) == ("Alice A.", "Asia/Tokyo")
    wrong = as_(alice).post("/profile/", {"name": "x" * 151, "time_zone": "Mars/Olympus"})
    assert wrong.status_code == 400
    assert "name" in wrong.context["errors"]


def test_a_new_password_keeps_this_browser_and_signs_the_others_out(as_, alice):
    here, elsewhere = as_(alice), as_(alice)
    form = {"current": PASSWORD, "password": NEW, "again": NEW}
    assert "Your password is changed." in text_of(here.post("/profile/password/", form, follow=True))
    assert here.get("/profile/").status_code == 200
    assert elsewhere.get("/profile/").status_code == 302
    alice.refresh_from_db()
    assert alice.check_password(NEW)


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"current": "wrong", "password": NEW, "again": NEW}, "current"),
        ({"current": PASSWORD, "password": NEW, "again": NEW + "x"}, "again"),
        ({"current": PASSWORD, "password": "12345", "again": "12345"}, "password"),
    ],
)
def test_errors_of_a_password_are_shown_beside_it(as_, alice, form, field):
    response = as_(alice).post("/profile/password/", form)
    assert response.status_code == 400
    assert field in response.context["errors"]
    assert NEW not in response.content.decode()
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_a_token_is_shown_once_works_and_is_revoked(as_, alice, client):
    browser = as_(alice)
    made = browser.post("/profile/tokens/", {"token_name": "export", "scope": "read", "days": "30"})
    text = made.context["secret"]
    assert made.status_code == 201
    assert text in text_of(made)
    assert "no-store" in made["Cache-Control"]
    assert text not in browser.get("/profile/").content.decode()
    bearer = {"authorization": f"Bearer {text}"}
    assert client.get("/api/v1/me/", headers=bearer).status_code == 200
    token = Token.objects.get()
    assert browser.post(f"/profile/tokens/{token.pk}/revoke/").status_code == 302
    assert client.get("/api/v1/me/", headers=bearer).status_code == 401


@pytest.mark.parametrize("wrong", [{"token_name": " "}, {"scope": "all"}, {"days": "0.5"}, {"days": "99999"}])
def test_an_invalid_token_form_creates_no_token(as_, alice, wrong):
    form = {"token_name": "export", "scope": "read", "days": "30"} | wrong
    assert as_(alice).post("/profile/tokens/", form).status_code == 400
    assert not Token.objects.exists()


def test_nobody_revokes_anothers_token_on_their_profile(as_, alice, bob, admin):
    as_(alice).post("/profile/tokens/", {"token_name": "export"})
    for other in (bob, admin):
        assert as_(other).post(f"/profile/tokens/{Token.objects.get().pk}/revoke/").status_code == 404
    assert Token.objects.get().revoked_at is None


def test_olga_sets_what_agents_may_do_and_asks_for_two_people(as_, olga, art):
    form = {"name": "Art department", "write_policy": "propose", "two_person": "on"}
    assert as_(olga).post("/projects/art/settings/", form).status_code == 302
    art.refresh_from_db()
    assert (art.name, art.write_policy, art.two_person) == ("Art department", "propose", True)
    assert as_(olga).post("/projects/art/settings/", form | {"write_policy": "x"}).status_code == 400


def test_olga_adds_changes_and_removes_a_member(as_, olga, mallory, art):
    browser = as_(olga)
    added = browser.post("/projects/art/members/set/", {"user": "Mallory", "role": "viewer"}, follow=True)
    assert "mallory is viewer in Art." in text_of(added)
    browser.post("/projects/art/members/set/", {"user": "mallory", "role": "editor"})
    assert Membership.objects.get(user=mallory).role == Role.EDITOR
    confirmation = browser.get("/projects/art/members/mallory/remove/")
    assert "no longer sees the project" in text_of(confirmation)
    assert Membership.objects.filter(user=mallory).exists()
    browser.post("/projects/art/members/mallory/remove/")
    assert not Membership.objects.filter(user=mallory).exists()


@pytest.mark.parametrize("form", [{"user": "nobody", "role": "editor"}, {"user": "bob", "role": "king"}, {}])
def test_errors_of_a_new_member_are_shown_beside_the_field(as_, olga, bob, form):
    response = as_(olga).post("/projects/art/members/set/", form)
    assert response.status_code == 400
    assert response.context["errors"]


def test_an_operator_who_gives_up_the_role_is_redirected(as_, olga):
    assert as_(olga).post("/projects/art/members/set/", {"user": "olga", "role": "viewer"}).url == "/projects/art/"
    Membership.objects.update(role=Role.OPERATOR)
    assert as_(olga).post("/projects/art/members/olga/remove/").url == "/"


def test_only_operators_manage_a_project(as_, alice, vera, mallory, bob):
    for user, status in ((alice, 403), (vera, 403), (mallory, 404)):
        browser = as_(user)
        assert browser.get("/projects/art/members/").status_code == status
        assert browser.get("/projects/art/members/bob/remove/").status_code == status
        assert browser.post("/projects/art/members/bob/remove/").status_code == status
        assert browser.post("/projects/art/members/set/", {"user": "bob", "role": "viewer"}).status_code == status
        assert browser.post("/projects/art/settings/", {"name": "Mine", "write_policy": "direct"}).status_code == status
    assert Membership.objects.get(user=bob).role == Role.EDITOR
    assert Project.objects.get().name == "Art"


def test_the_statements_of_the_members_page_do_not_grow(as_, olga, alice, bob, vera, django_assert_max_num_queries):
    browser = as_(olga)
    with django_assert_max_num_queries(7):
        assert len(browser.get("/projects/art/members/").context["members"]) == 4


def test_a_superuser_creates_a_person_who_can_sign_in(as_, admin, client):
    form = {"kind": "person", "username": "carol", "name": "Carol C.", "password": NEW}
    response = as_(admin).post("/people/new/", form, follow=True)
    assert "carol has an account." in text_of(response)
    assert client.login(username="carol", password=NEW)


def test_a_superuser_creates_an_agent_and_its_token(as_, admin, client):
    browser = as_(admin)
    browser.post("/people/new/", {"kind": "agent", "username": "builder"})
    agent = User.objects.get(username="builder")
    assert agent.is_agent
    made = browser.post(f"/people/{agent.pk}/tokens/", {"token_name": "first"})
    me = client.get("/api/v1/me/", headers={"authorization": f"Bearer {made.context['secret']}"})
    assert me.json()["participant"] == "agent:builder"
    token = Token.objects.get()
    assert token.scope == "write"
    assert browser.post(f"/people/{agent.pk}/tokens/{token.pk}/revoke/").status_code == 302
    token.refresh_from_db()
    assert token.revoked_at


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "person", "username": "carol"},
        {"kind": "person", "username": "carol", "password": "12345"},
        {"kind": "person", "username": "ALICE", "password": NEW},
        {"kind": "person", "username": "ünï", "password": NEW},
        {"kind": "robot", "username": "carol", "password": NEW},
    ],
)
def test_an_invalid_account_form_creates_no_account(as_, admin, alice, form):
    response = as_(admin).post("/people/new/", form)
    assert response.status_code == 400
    assert User.objects.count() == 2


def test_a_superuser_creates_no_token_for_a_person(as_, admin, alice):
    assert as_(admin).post(f"/people/{alice.pk}/tokens/", {"token_name": "x"}).status_code == 400
    assert not Token.objects.exists()


def test_deactivating_shows_what_is_held_and_drops_nothing(as_, admin, alice, olga, hero):
    alices = as_(alice)
    check_out(alices, hero)
    session = work.started(alice, olga, "terminal-1")
    browser = as_(admin)
    confirmation = text_of(browser.get(f"/people/{alice.pk}/deactivate/"))
    assert "art/heroes/hero.psd" in confirmation
    assert f"session {session.pk}" in confirmation
    browser.post(f"/people/{alice.pk}/deactivate/")
    assert alices.get("/").status_code == 302
    assert "Account off" in text_of(as_(olga).get("/projects/art/members/"))
    assert "Held by alice" in text_of(as_(olga).get(f"/artifacts/{hero.pk}/"))
    browser.post(f"/people/{alice.pk}/activate/")
    alice.refresh_from_db()
    assert alice.is_active


def test_a_superuser_sets_a_password_and_old_sign_ins_end(as_, admin, alice):
    alices = as_(alice)
    assert as_(admin).post(f"/people/{alice.pk}/password/", {"password": "1"}).status_code == 400
    assert as_(admin).post(f"/people/{alice.pk}/password/", {"password": NEW}).status_code == 302
    assert alices.get("/").status_code == 302
    assert Entry.objects.filter(kind="password_set").count() == 1


def test_nobody_deactivates_themselves(as_, admin):
    assert as_(admin).get(f"/people/{admin.pk}/deactivate/").status_code == 403
    assert as_(admin).post(f"/people/{admin.pk}/deactivate/").status_code == 403


@pytest.mark.parametrize("name", ["alice", "olga", "mallory"])
def test_only_superusers_see_people(as_, request, alice, olga, mallory, name):
    browser = as_(request.getfixturevalue(name))
    form = {"kind": "person", "username": "carol", "password": NEW, "token_name": "x"}
    for address in PEOPLE_PAGES:
        assert browser.get(address.format(pk=alice.pk)).status_code == 403
    for address in PEOPLE_POSTS:
        assert browser.post(f"/people/{address.format(pk=alice.pk)}", form).status_code == 403
    assert User.objects.count() == 3
    assert "People and agents" not in text_of(browser.get("/"))


def test_an_unknown_account_is_not_found(as_, admin):
    for pk in (999, 2**63):
        assert as_(admin).get(f"/people/{pk}/").status_code == 404


def test_people_are_listed_by_state_and_kind(as_, admin, alice, planner):
    browser = as_(admin)
    assert [row.username for row in browser.get("/people/").context["rows"]] == ["admin", "alice", "planner"]
    assert [row.username for row in browser.get("/people/?show=agents").context["rows"]] == ["planner"]
    assert [row.username for row in browser.get("/people/?q=AL").context["rows"]] == ["alice"]
    assert not browser.get("/people/?show=stopped").context["rows"]
