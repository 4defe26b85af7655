"""Check out, check in, extend, discard and break in the browser."""

import re

import pytest
from django.test import Client

from checkouts.models import Checkout, Proposal, Version
from leasehold.models import Lease
from tests.scenes import stored_files
from tests.web.conftest import FIRST, SECOND, THIRD, a_file, check_in, check_out, text_of


def test_a_check_out_gives_the_page_and_the_download(as_, alice, hero):
    browser = as_(alice)
    pressed = browser.post(f"/artifacts/{hero.pk}/checkouts/", {"purpose": "repaint"})
    assert pressed.url == f"/artifacts/{hero.pk}/"
    response = browser.get(pressed.url)
    assert response["Refresh"] == f"0; url=/artifacts/{hero.pk}/versions/1/content/"
    assert "hero.psd is yours until" in text_of(response)
    sent = browser.get(response["Refresh"].partition("url=")[2])
    assert b"".join(sent.streaming_content) == FIRST
    assert "Refresh" not in browser.get(pressed.url), "a reload shows the page only"


def test_a_double_click_shows_the_first_check_out(as_, alice, hero):
    browser = as_(alice)
    check_out(browser, hero)
    again = browser.post(f"/artifacts/{hero.pk}/checkouts/", follow=True)
    assert again.status_code == 200
    assert "You have hero.psd checked out already" in text_of(again)
    assert again["Refresh"].endswith("/versions/1/content/")
    assert Checkout.objects.count() == 1


def test_a_busy_page_says_who_why_until_when_and_what_next(as_, alice, bob, olga, hero):
    check_out(as_(alice), hero, purpose="repaint the cape")
    refused = as_(bob).post(f"/artifacts/{hero.pk}/checkouts/")
    assert refused.status_code == 409
    text = text_of(refused)
    for part in ("Held by alice until", "repaint the cape", "Read it meanwhile", "Ask alice", "olga can help"):
        assert part in text
    assert "Break…" not in text
    assert "Break…" in text_of(as_(olga).post(f"/artifacts/{hero.pk}/checkouts/"))


def test_vera_may_not_check_out(as_, vera, olga, hero):
    refused = as_(vera).post(f"/artifacts/{hero.pk}/checkouts/")
    assert refused.status_code == 403
    assert "You may read here, not change" in text_of(refused)
    assert not Lease.objects.exclude(holder="").exists()


@pytest.mark.parametrize("ttl", ["0", "-1", "0.5", "1e9", "nan", "٣", "99999999999999999999", "2592001"])
def test_an_invalid_duration_is_refused(as_, alice, hero, ttl):
    assert as_(alice).post(f"/artifacts/{hero.pk}/checkouts/", {"ttl": ttl}).status_code == 400
    assert not Checkout.objects.exists()


def test_alice_checks_in_a_new_version(as_, alice, hero):
    browser = as_(alice)
    done = check_in(browser, check_out(browser, hero), SECOND, comment="cape in red")
    assert "hero.psd is committed as version 2. It is free again." in text_of(done)
    assert Version.objects.get(number=2).comment == "cape in red"
    assert not Lease.objects.exclude(holder="").exists()


def test_keep_opens_the_next_check_out(as_, alice, hero):
    browser = as_(alice)
    done = check_in(browser, check_out(browser, hero), SECOND, keep="on")
    assert "It is still checked out to you." in text_of(done)
    assert "You have it until" in text_of(done)


def test_identical_bytes_commit_nothing(as_, alice, hero, blobs):
    browser = as_(alice)
    done = check_in(browser, check_out(browser, hero), FIRST)
    assert "identical to version 1: nothing to commit" in text_of(done)
    assert Version.objects.count() == 1
    assert len(stored_files(blobs)) == 1


def test_the_result_does_not_call_a_held_file_free(as_, alice, bob, hero, clock):
    browser = as_(alice)
    late = check_out(browser, hero, ttl=60)
    clock.forward(minutes=5)
    check_out(as_(bob), hero)
    text = text_of(check_in(browser, late, FIRST))
    assert "identical to version 1: nothing to commit. Your check-out has ended." in text
    assert "free again" not in text


def test_a_repeated_check_in_gives_the_same_answer(as_, alice, hero):
    browser = as_(alice)
    checkout = check_out(browser, hero)
    check_in(browser, checkout, SECOND)
    assert "committed as version 2" in text_of(check_in(browser, checkout, SECOND))
    assert Version.objects.count() == 2
    other = check_in(browser, checkout, THIRD)
    assert other.status_code == 409
    assert "This check-out has ended" in text_of(other)


def test_a_stale_check_in_becomes_a_proposal(as_, alice, bob, hero, clock):
    late = check_out(as_(alice), hero, ttl=60)
    clock.forward(minutes=5)
    check_in(as_(bob), check_out(as_(bob), hero), SECOND)
    done = check_in(as_(alice), late, THIRD)
    assert f"hero.psd is kept as proposal {Proposal.objects.get().pk}." in text_of(done)


def test_a_late_check_in_cannot_keep_the_file(as_, alice, bob, hero, clock):
    browser, box = as_(alice), re.compile(r"<label[^>]* data-keep( hidden)?>")
    late = check_out(browser, hero, ttl=60)
    assert box.search(browser.get(f"/artifacts/{hero.pk}/").content.decode()).group(1) is None
    clock.forward(minutes=5)
    check_in(as_(bob), check_out(as_(bob), hero), SECOND)
    assert box.search(browser.get(f"/artifacts/{hero.pk}/").content.decode()).group(1) == " hidden"
    done = text_of(check_in(browser, late, THIRD, keep="on"))
    assert "hero.psd is kept as proposal" in done
    assert "You do not have it checked out any more" in done


def test_the_script_gets_the_next_url(as_, alice, hero):
    browser = as_(alice)
    checkout = check_out(browser, hero)
    accept = {"Accept": "application/json"}
    address = f"/checkouts/{checkout.pk}/check-in/"
    refused = browser.post(address, {"file": a_file(b"")}, headers=accept)
    assert refused.status_code == 400
    assert "It is empty (0 bytes)" in refused.json()["detail"]
    done = browser.post(address, {"file": a_file(SECOND)}, headers=accept)
    assert done.json() == {"url": f"/artifacts/{hero.pk}/", "title": "committed"}
    assert "committed as version 2" in text_of(browser.get(done.json()["url"]))


def test_an_empty_file_needs_confirmation(as_, alice, hero):
    browser = as_(alice)
    checkout = check_out(browser, hero)
    assert check_in(browser, checkout, b"").status_code == 400
    assert "committed as version 2" in text_of(check_in(browser, checkout, b"", empty="on"))


def test_no_file_leaves_the_check_out_open(as_, alice, hero):
    browser = as_(alice)
    checkout = check_out(browser, hero)
    assert browser.post(f"/checkouts/{checkout.pk}/check-in/", {"comment": "x"}).status_code == 400
    checkout.refresh_from_db()
    assert checkout.is_open


def test_bob_cannot_check_in_what_alice_holds(as_, alice, bob, hero, blobs):
    checkout = check_out(as_(alice), hero)
    refused = check_in(as_(bob), checkout, SECOND)
    assert refused.status_code == 403
    assert Version.objects.count() == 1
    assert len(stored_files(blobs)) == 1


def test_a_file_over_the_limit_is_refused_with_the_limit(as_, alice, hero, settings):
    settings.LEASEHOLD_UPLOAD_LIMIT = 1_000
    browser = as_(alice)
    checkout = check_out(browser, hero)
    refused = check_in(browser, checkout, b"x" * 1_001)
    assert refused.status_code == 413
    assert "up to 1 kB" in text_of(refused)
    checkout.refresh_from_db()
    assert checkout.is_open


def test_alice_extends_and_discards(as_, alice, hero, clock):
    browser = as_(alice)
    checkout = check_out(browser, hero, ttl=3600)
    clock.forward(minutes=30)
    before = Lease.objects.get().expires_at
    extended = browser.post(f"/checkouts/{checkout.pk}/extend/", follow=True)
    assert "hero.psd is yours until" in text_of(extended)
    assert Lease.objects.get().expires_at > before
    discarded = browser.post(f"/checkouts/{checkout.pk}/discard/", follow=True)
    assert "nothing was committed" in text_of(discarded)
    assert not Lease.objects.exclude(holder="").exists()


def test_a_break_page_says_what_happens_and_needs_a_reason(as_, bob, olga, hero):
    checkout = check_out(as_(bob), hero)
    browser, address = as_(olga), f"/checkouts/{checkout.pk}/break/"
    text = text_of(browser.get(address))
    assert "Break bob’s check-out of hero.psd?" in text
    assert "What will happen" in text
    unsaid = browser.post(address, {"reason": "  "})
    assert unsaid.status_code == 400
    assert "Say it in a few words" in text_of(unsaid)
    assert Lease.objects.exclude(holder="").count() == 1
    done = browser.post(address, {"reason": "bob is away"}, follow=True)
    assert "bob’s check-out of hero.psd is broken. The file is free." in text_of(done)
    text = text_of(as_(bob).get(f"/artifacts/{hero.pk}/"))
    assert "olga broke your check-out" in text
    assert "bob is away" in text
    again = browser.post(address, {"reason": "once more"}, follow=True)
    assert "There was nothing left to break" in text_of(again)


def test_editors_neither_see_nor_post_the_break(as_, alice, bob, hero):
    checkout = check_out(as_(bob), hero)
    address = f"/checkouts/{checkout.pk}/break/"
    assert as_(alice).get(address).status_code == 403
    assert as_(alice).post(address, {"reason": "mine now"}).status_code == 403
    assert Lease.objects.exclude(holder="").count() == 1


def test_an_extension_after_a_break_says_who_and_why(as_, bob, olga, hero):
    checkout = check_out(as_(bob), hero)
    as_(olga).post(f"/checkouts/{checkout.pk}/break/", {"reason": "bob is away"})
    refused = as_(bob).post(f"/checkouts/{checkout.pk}/extend/")
    assert refused.status_code == 409
    assert "bob is away" in text_of(refused)


@pytest.mark.parametrize("verb", ["extend", "discard", "check-in", "break"])
def test_every_verb_needs_a_csrf_token(alice, olga, as_, hero, verb):
    checkout = check_out(as_(alice), hero)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(olga if verb == "break" else alice)
    assert browser.post(f"/checkouts/{checkout.pk}/{verb}/", {"file": a_file(SECOND), "reason": "x"}).status_code == 403
    assert Lease.objects.exclude(holder="").count() == 1


def test_verbs_need_post(as_, alice, hero):
    checkout = check_out(as_(alice), hero)
    assert as_(alice).get(f"/checkouts/{checkout.pk}/extend/").status_code == 405
    assert as_(alice).get(f"/checkouts/{checkout.pk}/discard/").status_code == 200, "which only asks"
    assert Lease.objects.exclude(holder="").count() == 1


def test_get_of_a_verb_redirects_to_the_file(as_, alice, hero):
    browser = as_(alice)
    checkout = check_out(browser, hero)
    page = f"/artifacts/{hero.pk}/"
    assert browser.get(f"/artifacts/{hero.pk}/checkouts/").url == page
    assert browser.get(f"/checkouts/{checkout.pk}/check-in/", follow=True).redirect_chain[-1][0] == page
    assert browser.get("/projects/art/files/").url == "/projects/art/"


def test_a_double_click_shows_one_message(as_, alice, hero):
    browser = as_(alice)
    browser.post(f"/artifacts/{hero.pk}/checkouts/")
    text = text_of(browser.post(f"/artifacts/{hero.pk}/checkouts/", follow=True))
    assert "You have hero.psd checked out already" in text
    assert "being downloaded" not in text


def test_a_poll_consumes_no_message(as_, alice, hero):
    browser = as_(alice)
    browser.post(f"/artifacts/{hero.pk}/checkouts/")
    browser.get("/projects/art/?folder=heroes", headers={"HX-Request": "true"})
    assert "hero.psd is yours until" in text_of(browser.get(f"/artifacts/{hero.pk}/"))


def test_another_file_type_needs_confirmation(as_, alice, hero):
    browser = as_(alice)
    page = f"/checkouts/{check_out(browser, hero, ttl=3600).pk}/check-in/"
    typed = {"comment": "a cape", "keep": "on"}
    response = browser.post(page, {"file": a_file(SECOND, "notes.txt"), **typed})
    assert response.status_code == 400
    assert "notes.txt is another kind of file than hero.psd." in text_of(response)
    source = response.content.decode()
    assert ">a cape</textarea>" in source, "what was typed stays"
    assert 'name="keep" checked' in source
    assert "Something is not as it must be" not in source
    assert hero.versions.count() == 1
    meant = browser.post(page, {"file": a_file(SECOND, "notes.txt"), "other": "on", **typed}, follow=True)
    assert "committed as version 2" in text_of(meant)
    renamed = browser.post(f"/checkouts/{Checkout.objects.latest('id').pk}/check-in/", {"file": a_file(b"3", "x.PSD")})
    assert renamed.status_code == 302
    assert hero.versions.count() == 3


def test_the_script_is_asked_about_another_file_type_too(as_, alice, hero):
    browser = as_(alice)
    page = f"/checkouts/{check_out(browser, hero).pk}/check-in/"
    script = {"Accept": "application/json"}
    response = browser.post(page, {"file": a_file(SECOND, "hero")}, headers=script)
    assert response.status_code == 400
    assert "another kind of file" in response.json()["detail"]


def test_after_a_confirmation_request_the_comment_stays(as_, alice, hero):
    browser = as_(alice)
    page = f"/checkouts/{check_out(browser, hero).pk}/check-in/"
    response = browser.post(page, {"file": a_file(b""), "comment": "cleared <b>"})
    assert text_of(response).count("It is empty (0 bytes).") == 1
    assert ">cleared &lt;b&gt;</textarea>" in response.content.decode()
    assert "must be" not in text_of(response)
