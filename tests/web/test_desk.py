"""The desk: the reader's check-outs, and news about them."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkouts.actions import proposals
from checkouts.actions.breaks import break_checkout, take_over
from checkouts.actions.holds import hand_over
from checkouts.models import Checkout, Proposal
from leasehold.actions import sessions
from leasehold.actors import Actor
from tests.web.conftest import SECOND, THIRD, added, check_in, check_out, text_of
from tests.work import started

DESK = "/desk/"


def test_an_empty_desk_says_what_to_do_next(as_, alice, mallory):
    for person in (alice, mallory):
        text = text_of(as_(person).get(DESK))
        assert "Your desk is empty" in text
        assert "Check a file out and it is here" in text


def test_nobody_sees_a_desk_without_signing_in(client):
    for address in (DESK, "/desk/extend/", "/desk/discard/"):
        assert "/sign-in/" in client.post(address).url
    assert "/sign-in/" in client.get(DESK).url


def test_the_desk_lists_only_own_check_outs(as_, alice, bob, hero):
    theirs = added(bob, "heroes/theirs.psd")
    check_out(as_(alice), hero, purpose="repaint the cape")
    check_out(as_(bob), theirs)
    text = text_of(as_(alice).get(DESK))
    assert "You hold 1 file." in text
    assert "repaint the cape" in text
    assert "theirs.psd" not in text


def test_the_next_check_out_to_end_is_on_top(as_, alice):
    for name, ttl in (("late.psd", 9000), ("soon.psd", 600), ("middle.psd", 3000)):
        check_out(as_(alice), added(alice, name), ttl=ttl)
    rows = as_(alice).get(DESK).context["rows"]
    assert [one.checkout.artifact.name for one in rows] == ["soon.psd", "middle.psd", "late.psd"]


def test_a_lapsed_check_out_stays_with_the_new_holder(as_, alice, bob, hero, clock):
    check_out(as_(alice), hero, ttl=60)
    clock.forward(minutes=2)
    assert "nobody has it" in text_of(as_(alice).get(DESK))
    check_out(as_(bob), hero)
    assert "bob has it now" in text_of(as_(alice).get(DESK))


def test_a_broken_check_out_says_who_and_why(as_, alice, olga, hero):
    checkout = check_out(as_(alice), hero)
    break_checkout(actor=Actor(olga), checkout_id=checkout.pk, reason="the client calls at three")
    page = as_(alice).get(DESK)
    text = text_of(page)
    assert "olga broke it" in text
    assert "olga broke your check-out of hero.psd" in text
    assert text.count("the client calls at three") == 2, "beside the file, and in what others did"
    assert f"/checkouts/{checkout.pk}/extend/" not in page.content.decode()
    assert "Check in…" in text


def test_take_overs_hand_overs_and_decisions_are_news(as_, alice, bob, olga, hero, clock):
    taken = added(alice, "taken.psd")
    check_out(as_(alice), taken)
    take_over(actor=Actor(olga), artifact_id=taken.pk, reason="for the release")
    given = check_out(as_(bob), added(bob, "given.psd"))
    hand_over(actor=Actor(bob), checkout_id=given.pk, to="alice")
    mine = check_out(as_(alice), hero, ttl=60)
    clock.forward(minutes=2)
    check_in(as_(bob), check_out(as_(bob), hero), SECOND)
    check_in(as_(alice), mine, THIRD)
    proposals.reject(actor=Actor(olga), proposal_id=Proposal.objects.get().pk, reason="Bob's is better")
    text = text_of(as_(alice).get(DESK))
    for part in (
        "olga took over your check-out of taken.psd",
        "bob handed you given.psd",
        "olga rejected your proposal",
    ):
        assert part in text
    assert "Bob's is better" in text
    assert "took over your check-out" not in text_of(as_(bob).get(DESK))


def test_sessions_show_their_end_and_stop_requests(as_, alice, bob, olga, art):
    session = started(alice, olga, "capes")
    sessions.stop(actor=Actor(olga), session_id=session.pk, reason="we wait for the client")
    text = text_of(as_(alice).get(DESK))
    assert "of your time" in text
    assert "Stop requested by olga" in text
    assert "olga asked you to stop at" in text
    assert "Work" not in text_of(as_(bob).get(DESK))


def test_extend_all_extends_only_what_can_be_extended(as_, alice, olga, hero):
    check_out(as_(alice), hero, ttl=60)
    broken = check_out(as_(alice), added(alice, "broken.psd"))
    break_checkout(actor=Actor(olga), checkout_id=broken.pk, reason="now")
    browser = as_(alice)
    before = Checkout.objects.get(artifact=hero).expires_at
    text = text_of(browser.post("/desk/extend/", {"all": "on"}, follow=True))
    assert "hero.psd extended." in text
    assert Checkout.objects.get(artifact=hero).expires_at > before
    text = text_of(browser.post("/desk/extend/", {"checkout": [broken.pk]}, follow=True))
    assert "1 left as before." in text
    assert "broken.psd:" in text


def test_others_check_outs_are_not_extended_or_discarded(as_, alice, bob, vera, mallory, hero):
    checkout = check_out(as_(alice), hero)
    for person in (bob, vera, mallory):
        for verb in ("extend", "discard"):
            as_(person).post(f"/desk/{verb}/", {"checkout": [checkout.pk]})
    checkout.refresh_from_db()
    assert checkout.is_open


def test_ticked_check_outs_are_discarded(as_, alice):
    checkouts = [check_out(as_(alice), added(alice, f"{n}.psd")) for n in range(3)]
    response = as_(alice).post("/desk/discard/", {"checkout": [one.pk for one in checkouts[:2]]}, follow=True)
    assert "Your check-out of 2 files has ended" in text_of(response)
    assert list(Checkout.objects.filter(state="open")) == checkouts[2:]


def test_an_invalid_form_is_refused_with_a_page(as_, alice):
    for form in ({}, {"checkout": "x"}, {"checkout": "0"}, {"checkout": str(2**63)}, {"checkout": "9" * 5000}):
        assert as_(alice).post("/desk/discard/", form).status_code == 400


def test_a_rows_buttons_redirect_back_to_the_desk(as_, alice, hero):
    checkout = check_out(as_(alice), hero)
    assert as_(alice).post(f"/checkouts/{checkout.pk}/extend/?next=/desk/").url == DESK
    assert as_(alice).post(f"/checkouts/{checkout.pk}/discard/?next=//elsewhere.example/").url == "/"


def test_the_desk_costs_the_same_statements_for_few_and_for_many(as_, alice, bob, olga):
    def statements() -> int:
        browser = as_(alice)
        with CaptureQueriesContext(connection) as caught:
            assert browser.get(DESK).status_code == 200
        return len(caught)

    check_out(as_(alice), added(alice, "first.psd"))
    few = statements()
    for n in range(8):
        checkout = check_out(as_(alice), added(alice, f"{n}.psd"))
        if n % 2:
            break_checkout(actor=Actor(olga), checkout_id=checkout.pk, reason="now")
    assert statements() <= few + 1, "only the names of the files in the news come on top"
    assert few <= 15


def test_an_unchanged_poll_is_304(as_, alice, olga, hero, clock):
    checkout = check_out(as_(alice), hero)
    browser = as_(alice)
    mark = browser.get(DESK).context["etag"]
    poll = {"HX-Request": "true", "If-None-Match": f'W/"{mark}"'}
    clock.forward(seconds=30)
    same = browser.get(DESK, headers=poll)
    assert same.status_code == 304
    assert same.content == b""
    assert same["As-Of"]
    assert browser.get(DESK).status_code == 200, "a reload is always the page"
    break_checkout(actor=Actor(olga), checkout_id=checkout.pk, reason="now")
    changed = browser.get(DESK, headers=poll)
    assert changed.status_code == 200
    assert "olga broke it" in text_of(changed)
