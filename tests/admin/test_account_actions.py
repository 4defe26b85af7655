"""The admin's actions on accounts, projects, members and tokens."""

import re

import pytest
from django.test import Client

from checkouts.models import Checkout
from leasehold import leases
from leasehold.actions.sessions import start
from leasehold.actions.tickets import approve, create_ticket
from leasehold.actions.tokens import create_token
from leasehold.actors import Actor
from leasehold.models import Entry, Membership, Project, Token, User
from tests.admin.pages import messages_of, open_action, post_action, text, url
from tests.factories import PASSWORD
from tests.scenes import out, put

GOOD = "a long enough pass phrase"


def test_a_superuser_creates_people_and_agents(browser, admin):
    client = browser(admin)
    response = post_action(client, "leasehold.user", "add", username="zoe", name="Zoe", kind="person", password=GOOD)
    assert "user:zoe has an account" in messages_of(response)
    assert User.objects.get(username="zoe").check_password(GOOD)
    response = post_action(client, "leasehold.user", "add", username="bot", kind="agent", password="")
    assert "agent:bot" in messages_of(response)
    for fault in (
        {"username": "ZOE", "kind": "person", "password": GOOD},
        {"username": "eve", "kind": "person", "password": "short"},
        {"username": "no spaces", "kind": "person", "password": GOOD},
    ):
        assert post_action(client, "leasehold.user", "add", **fault).status_code in (400, 409)
    assert User.objects.count() == 3
    assert Entry.objects.filter(kind="account_created").count() == 2


def test_nobody_else_manages_accounts(browser, staff, olga, alice):
    client = browser(staff(olga, "approve_ticket", "decide_ticket", "break_lease", "view_user"))
    page = client.get(url("leasehold.user"))
    assert page.status_code == 200
    assert "Add an account" not in text(page)
    for name in ("add", "password", "rights", "deactivate", "activate"):
        assert open_action(client, "leasehold.user", name, alice.pk).status_code == 403
        values = {"row": alice.pk, "password": GOOD, "username": "x", "kind": "person"}
        assert client.post(url("leasehold.user", "act", name), values).status_code == 403
    alice.refresh_from_db()
    assert alice.is_active
    assert alice.check_password(PASSWORD)


def test_a_new_password_ends_the_old_sign_ins(browser, admin, staff, alice):
    hers = browser(staff(alice))
    assert hers.get("/admin/").status_code == 200
    post_action(browser(admin), "leasehold.user", "password", alice.pk, password=GOOD)
    assert hers.get("/admin/").status_code == 302
    alice.refresh_from_db()
    assert alice.check_password(GOOD)


def test_staff_change_their_own_password_by_the_action(browser, staff, alice):
    client = browser(staff(alice))
    values = {"old_password": PASSWORD, "new_password1": GOOD, "new_password2": GOOD}
    assert client.post("/admin/password_change/", values | {"old_password": "wrong"}).status_code == 200
    assert client.post("/admin/password_change/", values).status_code == 302
    assert client.get("/admin/").status_code == 200  # this browser stays signed in
    alice.refresh_from_db()
    assert alice.check_password(GOOD)
    assert Entry.objects.filter(kind="password_set", actor=alice).count() == 1


def test_a_superuser_sets_rights_in_the_admin(browser, admin, alice, planner):
    client = browser(admin)
    given = ["leasehold.break_lease", "leasehold.approve_ticket"]
    post_action(client, "leasehold.user", "rights", alice.pk, is_staff="on", permissions=given)
    fresh = User.objects.get(pk=alice.pk)
    assert fresh.is_staff
    assert fresh.has_perm("leasehold.break_lease")
    assert not fresh.has_perm("leasehold.decide_ticket")
    page = open_action(client, "leasehold.user", "rights", alice.pk).content.decode()
    assert re.findall(r'value="([^"]*)" id="[^"]*" checked', page) == [
        "leasehold.approve_ticket",
        "leasehold.break_lease",
    ]
    post_action(client, "leasehold.user", "rights", alice.pk)
    fresh = User.objects.get(pk=alice.pk)
    assert not fresh.is_staff
    assert not fresh.has_perm("leasehold.break_lease")
    assert post_action(client, "leasehold.user", "rights", planner.pk, is_staff="on").status_code == 409
    assert post_action(client, "leasehold.user", "rights", alice.pk, permissions=given).status_code == 409
    assert Entry.objects.filter(kind="staff_rights_set").count() == 2


def test_deactivating_ends_all_access_and_drops_no_lease(browser, admin, alice, bob, olga, staff):
    checkout = out(bob, put(alice)).checkout
    ticket = create_ticket(actor=Actor(alice), project="art", title="Stage", scope=["stage"])
    approve(actor=Actor(olga), ticket_id=ticket.pk)
    session = start(actor=Actor(bob), ticket_id=ticket.pk)
    _, key = create_token(actor=Actor(bob), user=bob, name="script")
    his = browser(staff(bob))
    assert his.get("/admin/").status_code == 200
    by_token = {"Authorization": f"Bearer {key}"}
    assert Client().get("/api/v1/me/", headers=by_token).status_code == 200

    client = browser(admin)
    page = open_action(client, "leasehold.user", "deactivate", bob.pk)
    assert f"check-out {checkout.pk} of art/heroes/hero.psd" in text(page)
    assert f"session {session.pk} at ticket {ticket.pk}" in text(page)
    assert "is stopped" in messages_of(post_action(client, "leasehold.user", "deactivate", page=page))

    assert his.get("/admin/").status_code == 302
    assert Client().get("/api/v1/me/", headers=by_token).status_code == 401
    assert {lease.participant for lease in leases.read([checkout.artifact.resource])} == {"user:bob"}
    assert Checkout.objects.get(pk=checkout.pk).is_open
    assert "user:bob" in text(client.get(url("checkouts.checkout")))
    post_action(client, "leasehold.user", "activate", bob.pk)
    assert Client().get("/api/v1/me/", headers=by_token).status_code == 200
    kinds = Entry.objects.filter(subject=f"user:{bob.pk}").values_list("kind", flat=True)
    assert {"account_deactivated", "account_activated"} <= set(kinds)


def test_nobody_deactivates_themselves(browser, admin):
    client = browser(admin)
    assert "Deactivate" not in text(client.get(url("leasehold.user")))
    assert post_action(client, "leasehold.user", "deactivate", admin.pk).status_code == 409
    admin.refresh_from_db()
    assert admin.is_active


def test_deleting_an_account_offers_deactivation(browser, admin, alice, bob):
    checkout = out(bob, put(alice)).checkout
    client = browser(admin)
    response = client.get(url("leasehold.user", "delete", bob.pk), follow=True)
    assert "never deleted" in text(response)
    assert f"check-out {checkout.pk}" in text(response)
    assert client.post(url("leasehold.user", "delete", bob.pk), {"post": "yes"}).status_code == 302
    client.post(url("leasehold.user"), {"action": "delete_selected", "_selected_action": bob.pk, "index": 0})
    bob.refresh_from_db()
    assert bob.is_active


def test_who_manages_projects_and_members(browser, admin, staff, alice, olga, mallory):
    client = browser(admin)
    post_action(client, "leasehold.project", "add", slug="sea", name="Sea")
    assert post_action(client, "leasehold.project", "add", slug="Sea!", name="Sea").status_code == 409
    sea = Project.objects.get(slug="sea")
    post_action(client, "leasehold.project", "rules", sea.pk, two_person="on", write_policy="propose")
    sea.refresh_from_db()
    assert (sea.two_person, sea.write_policy) == (True, "propose")

    hers = browser(staff(olga))  # the operator of art, by her role
    assert "Add a project" not in text(hers.get(url("leasehold.project")))
    assert open_action(hers, "leasehold.project", "add").status_code == 403
    post_action(hers, "leasehold.membership", "add", project="art", username="mallory", role="viewer")
    member = Membership.objects.get(user=mallory)
    post_action(hers, "leasehold.membership", "role", member.pk, role="editor")
    assert Membership.objects.get(user=mallory).role == "editor"
    post_action(hers, "leasehold.membership", "remove", member.pk)
    assert not Membership.objects.filter(user=mallory).exists()
    response = post_action(hers, "leasehold.membership", "add", project="sea", username="mallory", role="viewer")
    assert response.status_code == 409
    response = post_action(hers, "leasehold.membership", "add", project="art", username="nobody", role="viewer")
    assert "no account of this name" in text(response)
    assert (
        post_action(hers, "leasehold.project", "rename", Project.objects.get(slug="art").pk, name="Arts").status_code
        == 302
    )

    editor = browser(staff(alice))
    assert open_action(editor, "leasehold.membership", "add").status_code == 403


def test_a_token_is_shown_once_and_revoked(browser, admin, planner, staff, alice, bob):
    client = browser(admin)
    page = post_action(client, "leasehold.token", "add", username="planner", name="night run", scope="", days=30)
    key = re.search(r"lh_[\w-]{43}", page.content.decode())
    assert key
    assert "not shown again" in text(page)
    assert page["Cache-Control"].find("no-store") >= 0 or "private" in page["Cache-Control"]
    by_token = {"Authorization": f"Bearer {key[0]}"}
    assert Client().get("/api/v1/me/", headers=by_token).status_code == 200
    token = Token.objects.get()
    for where in (url("leasehold.token"), url("leasehold.token", "change", token.pk)):
        html = client.get(where).content.decode()
        assert key[0] not in html
        assert token.digest not in html
    _, _ = create_token(actor=Actor(alice), user=alice, name="hers")
    hers = Token.objects.get(user=alice)
    other = browser(staff(bob))
    assert other.get(url("leasehold.token")).context["cl"].result_list == []
    assert other.post(url("leasehold.token", "act", "revoke"), {"row": hers.pk}).status_code == 404
    assert post_action(browser(staff(alice)), "leasehold.token", "revoke", hers.pk).status_code == 302
    post_action(client, "leasehold.token", "revoke", token.pk)
    assert Client().get("/api/v1/me/", headers=by_token).status_code == 401
    assert Token.objects.filter(revoked_at=None).count() == 0


@pytest.mark.parametrize("scope", ["", "read", "admin"])
def test_a_token_has_the_selected_scope(scope, browser, admin, planner):
    post_action(browser(admin), "leasehold.token", "add", username="PLANNER", name="x", scope=scope, days=1)
    assert Token.objects.get().scope == (scope or "write")
