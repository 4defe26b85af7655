"""Discarding: a confirmation page says what will happen."""

import pytest

from checkouts.models import Checkout
from leasehold.models import Lease
from tests.web.conftest import added, check_out, text_of


def test_every_discard_link_leads_to_the_confirmation_page(as_, alice, hero):
    checkout = check_out(as_(alice), hero)
    for address in (f"/artifacts/{hero.pk}/", "/desk/"):
        source = as_(alice).get(address).content.decode()
        assert f'href="/checkouts/{checkout.pk}/discard/' in source
        assert f'action="/checkouts/{checkout.pk}/discard/' not in source


def test_a_discard_is_confirmed_first(as_, alice, hero):
    checkout = check_out(as_(alice), hero)
    page = f"/checkouts/{checkout.pk}/discard/?next=/desk/"
    response = as_(alice).get(page)
    assert "Discard your check-out of hero.psd?" in text_of(response)
    assert "Your check-out ends; nothing is committed." in text_of(response)
    assert 'href="/desk/">Keep it' in response.content.decode()
    assert Lease.objects.exclude(holder="").count() == 1, "the page only asks"
    assert as_(alice).post(page).url == "/desk/"
    assert not Lease.objects.exclude(holder="").exists()


def test_a_discard_page_of_another_or_closed_check_out_redirects(as_, alice, bob, mallory, hero):
    checkout = check_out(as_(alice), hero)
    page = f"/checkouts/{checkout.pk}/discard/"
    assert as_(bob).get(page).url == f"/artifacts/{hero.pk}/"
    assert as_(mallory).get(page).status_code == 404
    as_(alice).post(page)
    assert as_(alice).get(page).url == f"/artifacts/{hero.pk}/"


@pytest.mark.parametrize("address", ["/desk/discard/", "/projects/art/discards/"])
def test_a_discard_of_several_names_them_first(as_, alice, address):
    browser = as_(alice)
    checkouts = [check_out(browser, added(alice, f"{name}.psd")) for name in "abc"]
    ticked = {
        "checkout": [one.pk for one in checkouts[:2]],
        "artifact": [one.artifact_id for one in checkouts[:2]],
    }
    response = browser.post(address, {**ticked, "ask": "on"})
    assert "Discard your check-outs of 2 files?" in text_of(response)
    assert "a.psd, b.psd." in text_of(response)
    assert Checkout.objects.filter(state="open").count() == 3
    carried = {}
    for field in response.context["fields"]:
        carried[field.name] = list(field.options)
    browser.post(address, carried)
    assert list(Checkout.objects.filter(state="open")) == checkouts[2:]


def test_confirmation_pages_do_not_show_a_held_file_as_free(as_, alice, hero):
    browser = as_(alice)
    checkouts = [check_out(browser, hero), check_out(browser, added(alice, "b.psd"))]
    one = browser.get(f"/checkouts/{checkouts[0].pk}/discard/").content.decode()
    assert 'class="asked is-mine"' in one
    several = browser.post("/desk/discard/", {"checkout": [one.pk for one in checkouts], "ask": "on"}).content.decode()
    assert "ring-glyph" not in one + several


def test_the_discard_page_does_not_call_a_held_file_free(as_, alice, bob, hero, clock):
    checkout = check_out(as_(alice), hero, ttl=60)
    clock.forward(minutes=2)
    check_out(as_(bob), hero)
    text = text_of(as_(alice).get(f"/checkouts/{checkout.pk}/discard/"))
    assert "bob has the file now, and keeps it." in text
    assert "is free to whoever" not in text
