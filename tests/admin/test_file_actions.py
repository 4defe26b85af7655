"""The admin's actions on files, check-outs and proposals, one by one and in bulk."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from checkouts.actions.breaks import break_checkout
from checkouts.models import Artifact, Blob, Checkout, Proposal
from leasehold import leases
from leasehold.actors import Actor
from leasehold.models import Entry, User
from tests.admin.pages import messages_of, open_action, post_action, text, tick, url
from tests.scenes import back, out, put


def holder_of(artifact: Artifact) -> str:
    found = leases.read([artifact.resource])
    return found[0].participant if found else ""


def check_in(client: Client, checkout: Checkout, content: bytes, filename: str = "hero.psd", **fields: str):
    file = SimpleUploadedFile(filename, content)
    page = url("checkouts.checkout", "check_in") + f"?row={checkout.pk}"
    assert client.get(page).status_code == 200
    return client.post(page, {"file": file, "comment": "brighter", **fields})


def test_an_operator_checks_out_downloads_and_checks_in(browser, staff, olga, alice):
    hero = put(alice, content="one")
    client = browser(staff(olga))
    assert "Check out" in text(client.get(url("checkouts.artifact")))
    response = post_action(client, "checkouts.artifact", "check-out", hero.pk, purpose="brighter", hours=2)
    checkout = Checkout.objects.get()
    assert response["Location"] == url("checkouts.checkout", "change", checkout.pk)
    assert (checkout.client, checkout.purpose, checkout.ttl) == ("admin", "brighter", 7200)
    assert holder_of(hero) == "user:olga"
    page = client.get(response["Location"])
    assert url("checkouts.checkout", "file", checkout.pk) in page.content.decode()
    assert b"".join(client.get(url("checkouts.checkout", "file", checkout.pk))) == b"one"
    response = check_in(client, checkout, b"two")
    assert "committed as version 2" in messages_of(response)
    hero.refresh_from_db()
    assert (hero.head.number, hero.head.comment, holder_of(hero)) == (2, "brighter", "")


def test_a_second_check_out_names_the_holder(browser, staff, olga, alice, bob):
    hero = put(alice)
    client = browser(staff(olga))
    page = open_action(client, "checkouts.artifact", "check-out", hero.pk)
    out(bob, hero, purpose="the cover")
    response = post_action(client, "checkouts.artifact", "check-out", page=page, purpose="", hours=2)
    assert response.status_code == 409
    assert "Held by user:bob since" in text(response)
    assert "the cover" in text(response)
    assert Checkout.objects.count() == 1


def test_an_unchanged_check_in_stores_nothing(browser, staff, olga, alice):
    hero = put(alice, content="one")
    checkout = out(olga, hero).checkout
    response = check_in(browser(staff(olga)), checkout, b"one")
    assert "nothing to commit" in messages_of(response)
    assert Blob.objects.count() == 1


def test_keep_opens_a_successor(browser, staff, olga, alice):
    checkout = out(olga, put(alice)).checkout
    response = check_in(browser(staff(olga)), checkout, b"two", keep="on")
    successor = Checkout.objects.get(state="open")
    assert response["Location"] == url("checkouts.checkout", "change", successor.pk)


def test_an_empty_file_must_be_confirmed(browser, staff, olga, alice):
    checkout = out(olga, put(alice)).checkout
    client = browser(staff(olga))
    response = check_in(client, checkout, b"")
    assert response.status_code == 400
    assert "0 bytes" in text(response)
    assert "brighter" in response.content.decode()  # the form keeps its values
    assert check_in(client, checkout, b"", empty="on").status_code == 302


def test_another_kind_of_file_must_be_confirmed(browser, staff, olga, alice):
    checkout = out(olga, put(alice)).checkout
    client = browser(staff(olga))
    response = check_in(client, checkout, b"two", "notes.txt")
    assert response.status_code == 400
    assert "notes.txt is another kind of file than hero.psd." in text(response)
    assert Blob.objects.count() == 1
    assert check_in(client, checkout, b"two", "notes.txt", other="on").status_code == 302


def test_a_form_without_a_file_is_refused(browser, staff, olga, alice):
    checkout = out(olga, put(alice)).checkout
    page = url("checkouts.checkout", "check_in") + f"?row={checkout.pk}"
    response = browser(staff(olga)).post(page, {"comment": "brighter"})
    assert response.status_code == 400
    assert "No file was sent" in text(response)


def test_nobody_checks_in_what_somebody_else_holds(browser, staff, olga, alice, bob, admin):
    checkout = out(bob, put(alice)).checkout
    for user in (staff(olga, "break_lease"), admin):
        client = browser(user)
        assert "act/check-in" not in client.get(url("checkouts.checkout")).content.decode()
        assert check_in_blindly(client, checkout).status_code == 403
    checkout.refresh_from_db()
    assert checkout.is_open


def check_in_blindly(client: Client, checkout: Checkout):
    page = url("checkouts.checkout", "check_in") + f"?row={checkout.pk}"
    return client.post(page, {"file": SimpleUploadedFile("x", b"two")})


def test_a_check_in_needs_the_csrf_token(staff, olga, alice):
    checkout = out(olga, put(alice)).checkout
    client = Client(enforce_csrf_checks=True)
    client.force_login(staff(olga))
    assert check_in_blindly(client, checkout).status_code == 403
    checkout.refresh_from_db()
    assert checkout.is_open
    assert Blob.objects.count() == 1


def test_only_the_holder_discards(browser, staff, olga, alice, bob):
    mine, his = out(olga, put(alice, "a.psd")).checkout, out(bob, put(alice, "b.psd")).checkout
    client = browser(staff(olga))
    assert "discarded" not in messages_of(post_action(client, "checkouts.checkout", "discard", mine.pk))
    mine.refresh_from_db()
    assert mine.outcome == "discarded"
    response = post_action(client, "checkouts.checkout", "discard", his.pk)
    assert response.status_code == 409
    assert "user:bob's" in text(response)
    assert holder_of(his.artifact) == "user:bob"


def test_break_needs_the_permission_and_a_reason(browser, staff, olga, alice, bob, mallory):
    checkout = out(bob, put(alice)).checkout
    without = browser(staff(olga))  # an operator of the project, but not here
    assert "break" not in text(without.get(url("checkouts.checkout"))).lower().replace("broken", "")
    assert open_action(without, "checkouts.checkout", "break", checkout.pk).status_code == 403
    assert (
        without.post(url("checkouts.checkout", "act", "break"), {"row": checkout.pk, "reason": "x"}).status_code == 403
    )
    tick(without, "checkouts.checkout", "break", checkout.pk)
    assert holder_of(checkout.artifact) == "user:bob"

    client = browser(staff(mallory, "break_lease"))  # no member anywhere
    page = open_action(client, "checkouts.checkout", "break", checkout.pk)
    assert "free for everybody" in text(page)
    assert "heroes/hero.psd" in text(page)
    assert post_action(client, "checkouts.checkout", "break", page=page, reason=" ").status_code == 400
    assert holder_of(checkout.artifact) == "user:bob"
    response = post_action(client, "checkouts.checkout", "break", page=page, reason="He is on holiday")
    assert "broken" in messages_of(response)
    checkout.refresh_from_db()
    assert (checkout.is_open, checkout.broken_by, checkout.broken_reason) == (True, mallory, "He is on holiday")
    assert holder_of(checkout.artifact) == ""


@pytest.mark.parametrize("head_moves", [False, True])
def test_what_bob_checks_in_after_the_break_is_never_lost(head_moves, browser, staff, olga, alice, bob):
    hero = put(alice)
    checkout = out(bob, hero).checkout
    post_action(browser(staff(olga, "break_lease")), "checkouts.checkout", "break", checkout.pk, reason="needed")
    if head_moves:
        back(olga, out(olga, hero).checkout, "olga's")
    outcome = back(bob, checkout, "bob's")
    assert outcome.code == ("proposed" if head_moves else "committed")


def test_a_bulk_break_reports_a_check_out_that_was_broken_before(browser, staff, olga, alice, bob):
    checkouts = [out(bob, put(alice, f"{name}.psd")).checkout for name in "abc"]
    client = browser(staff(olga, "break_lease"))
    response = tick(client, "checkouts.checkout", "break", *[checkout.pk for checkout in checkouts])
    page = client.get(response["Location"])
    assert [name for name in ("a.psd", "b.psd", "c.psd") if name in text(page)] == ["a.psd", "b.psd", "c.psd"]
    break_checkout(actor=Actor(olga), checkout_id=checkouts[1].pk, reason="somebody else was quicker")
    report = post_action(client, "checkouts.checkout", "break", page=page, reason="moving house")
    assert "2 done, 1 refused" in text(report)
    assert f"check-out {checkouts[1].pk} There was nothing left to break" in text(report)
    broken = {checkout.pk: checkout.broken_reason for checkout in Checkout.objects.all()}
    assert broken[checkouts[1].pk] == "somebody else was quicker"
    assert Entry.objects.filter(kind="checkout_broken").count() == 3


def test_select_all_pages_is_neither_offered_nor_accepted(browser, staff, olga, alice, bob):
    checkouts = [out(bob, put(alice, f"{name}.psd")).checkout for name in "ab"]
    client = browser(staff(olga, "break_lease"))
    assert "across all pages" not in client.get(url("checkouts.checkout")).content.decode()
    data = {"action": "break", "index": 0, "select_across": 1, "_selected_action": [checkouts[0].pk]}
    assert client.post(url("checkouts.checkout"), data)["Location"].endswith(f"?row={checkouts[0].pk}")


def test_take_over_leaves_no_gap(browser, staff, olga, alice, bob):
    hero = put(alice)
    old = out(bob, hero).checkout
    client = browser(staff(olga, "break_lease"))
    assert "Take over" in text(client.get(url("checkouts.artifact", "change", hero.pk)))
    response = post_action(
        client, "checkouts.artifact", "take-over", hero.pk, reason="print is waiting", purpose="", hours=1
    )
    assert response.status_code == 302
    assert holder_of(hero) == "user:olga"
    old.refresh_from_db()
    assert (old.broken_how, old.broken_reason) == ("taken_over", "print is waiting")
    assert open_action(browser(staff(alice)), "checkouts.artifact", "take-over", hero.pk).status_code == 403


def test_handing_over_needs_the_lease_or_the_permission(browser, staff, olga, alice, bob):
    hero = put(alice)
    checkout = out(bob, hero).checkout
    refused = post_action(
        browser(staff(alice)), "checkouts.checkout", "hand-over", checkout.pk, to="alice", reason="mine!"
    )
    assert refused.status_code == 409
    assert holder_of(hero) == "user:bob"
    response = post_action(browser(staff(bob)), "checkouts.checkout", "hand-over", checkout.pk, to="nobody", reason="")
    assert "Not a person who may edit" in text(response)
    response = post_action(browser(staff(bob)), "checkouts.checkout", "hand-over", checkout.pk, to="alice", reason="")
    assert response.status_code == 302
    assert holder_of(hero) == "user:alice"
    latest = Checkout.objects.latest("pk")
    response = post_action(
        browser(staff(olga, "break_lease")), "checkouts.checkout", "hand-over", latest.pk, to="bob", reason="back"
    )
    assert holder_of(hero) == "user:bob"


def test_a_foreign_row_is_an_unknown_row(browser, staff, mallory, alice, bob):
    checkout = out(bob, put(alice)).checkout
    client = browser(staff(mallory))
    for name in ("discard", "hand-over"):
        assert open_action(client, "checkouts.checkout", name, checkout.pk).status_code == 404
        assert client.post(url("checkouts.checkout", "act", name), {"row": checkout.pk, "to": "x"}).status_code == 404
    for row in ("0", "x", "9" * 30, "-1"):
        assert client.get(url("checkouts.checkout", "act", "discard"), {"row": row}).status_code == 404
    assert client.get(url("checkouts.checkout", "act", "nonsense")).status_code == 404


def test_an_operator_accepts_a_stale_check_in(browser, staff, olga, alice, bob):
    hero = put(alice)
    checkout = out(bob, hero).checkout
    break_checkout(actor=Actor(olga), checkout_id=checkout.pk, reason="needed")
    back(olga, out(olga, hero).checkout, "olga's")
    proposal = back(bob, checkout, "bob's").proposal
    client = browser(staff(olga))
    assert "Accept…" in text(client.get(url("checkouts.proposal")))
    assert b"".join(client.get(url("checkouts.proposal", "file", proposal.pk))) == b"bob's"
    assert "version 3" in messages_of(post_action(client, "checkouts.proposal", "accept", proposal.pk, comment=""))
    again = post_action(client, "checkouts.proposal", "reject", proposal.pk, reason="too late")
    assert again.status_code == 409
    assert Proposal.objects.get().state == "accepted"
    assert "Accept…" not in text(browser(staff(alice)).get(url("checkouts.proposal")))
    assert User.objects.get(pk=bob.pk) == Artifact.objects.get(pk=hero.pk).head.author
