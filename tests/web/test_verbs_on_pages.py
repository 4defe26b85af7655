"""Rename, archive, restore, take over, hand over and the write policy: each has a confirmation page."""

import pytest

from checkouts.models import Artifact, Checkout
from leasehold import leases
from leasehold.models import Lease
from tests.web.conftest import FIRST, SECOND, added, check_in, check_out, text_of

FORMS = {
    "rename": {"path": "heroes/new.psd"},
    "archive": {},
    "versions/1/restore": {},
    "take-over": {"reason": "the client calls at three"},
    "write-policy": {"write_policy": "propose"},
}


def at(artifact: Artifact, verb: str) -> str:
    return f"/artifacts/{artifact.pk}/{verb}/"


def holders() -> list[str]:
    return list(Lease.objects.filter(leases.is_live()).values_list("participant", flat=True))


@pytest.mark.parametrize("verb", ["rename", "archive", "versions/1/restore"])
def test_only_editors_get_the_confirmation_page(as_, alice, vera, mallory, hero, verb):
    assert as_(alice).get(at(hero, verb)).status_code == 200
    for person, status in ((vera, 403), (mallory, 404)):
        assert as_(person).get(at(hero, verb)).status_code == status
        assert as_(person).post(at(hero, verb), FORMS[verb]).status_code == status
    assert Artifact.objects.get().path == "heroes/hero.psd"


@pytest.mark.parametrize("verb", ["take-over", "write-policy"])
def test_only_operators_get_the_confirmation_page(as_, alice, bob, olga, vera, mallory, hero, verb):
    check_out(as_(bob), hero)
    assert as_(olga).get(at(hero, verb)).status_code == 200
    for person, status in ((alice, 403), (vera, 403), (mallory, 404)):
        assert as_(person).get(at(hero, verb)).status_code == status
        assert as_(person).post(at(hero, verb), FORMS[verb]).status_code == status
    assert holders() == ["user:bob"]


def test_verbs_need_a_signed_in_reader(client, hero):
    for verb, form in FORMS.items():
        response = client.post(at(hero, verb), form)
        assert response.status_code == 302
        assert "/sign-in/" in response.url


def test_the_menu_lists_the_allowed_verbs(as_, alice, vera, olga, hero):
    page = f"/artifacts/{hero.pk}/"
    assert "Rename or move…" in text_of(as_(alice).get(page))
    assert "What agents may do…" not in text_of(as_(alice).get(page))
    assert "What agents may do…" in text_of(as_(olga).get(page))
    assert "Rename" not in text_of(as_(vera).get(page))


def test_a_rename_says_the_new_path(as_, alice, hero):
    text = text_of(as_(alice).get(at(hero, "rename")))
    assert "its history and its address on this server stay" in text
    response = as_(alice).post(at(hero, "rename"), {"path": "final/hero.psd"}, follow=True)
    assert "heroes/hero.psd is final/hero.psd now." in text_of(response)
    assert Artifact.objects.get().path == "final/hero.psd"


def test_an_invalid_path_is_shown_beside_the_field(as_, alice, hero):
    response = as_(alice).post(at(hero, "rename"), {"path": "../hero.psd"})
    assert response.status_code == 400
    assert 'aria-invalid="true"' in response.content.decode()
    assert "../hero.psd" in response.content.decode(), "what was typed stays"


def test_a_taken_path_and_a_held_file_are_refused(as_, alice, bob, hero):
    added(alice, "heroes/new.psd")
    taken = as_(alice).post(at(hero, "rename"), {"path": "heroes/new.psd"})
    assert taken.status_code == 409
    assert "There is a file of that name already" in text_of(taken)
    check_out(as_(bob), hero)
    held = as_(alice).post(at(hero, "rename"), {"path": "heroes/other.psd"})
    assert held.status_code == 409
    assert "Held by bob until" in text_of(held)


def test_an_archived_file_leaves_the_list_and_can_be_restored(as_, alice, hero):
    folder = "/projects/art/?folder=heroes"
    response = as_(alice).post(at(hero, "archive"), follow=True)
    assert "hero.psd is archived." in text_of(response)
    assert "hero.psd" not in text_of(as_(alice).get(folder))
    assert "hero.psd" in text_of(as_(alice).get(folder + "&show=archived"))
    assert "Bring it back…" in text_of(as_(alice).get(f"/artifacts/{hero.pk}/"))
    response = as_(alice).post(at(hero, "unarchive"), follow=True)
    assert "hero.psd is back at heroes/hero.psd." in text_of(response)
    assert "hero.psd" in text_of(as_(alice).get(folder))


def test_archived_files_of_one_path_are_paginated(as_, alice, hero, monkeypatch):
    monkeypatch.setattr("checkouts.selectors.folders.PAGE", 2)
    for _ in range(4):
        as_(alice).post(at(Artifact.objects.latest("id"), "archive"))
        added(alice, "heroes/hero.psd")
    as_(alice).post(at(Artifact.objects.latest("id"), "archive"))
    listed, address = [], "/projects/art/?folder=heroes&show=archived"
    while address:
        page = as_(alice).get(address)
        listed += [row.artifact.pk for row in page.context["rows"]]
        address = page.context["more"]
    assert sorted(listed) == sorted(Artifact.objects.values_list("pk", flat=True))


def test_an_old_version_is_restored_as_the_newest(as_, alice, hero):
    check_in(as_(alice), check_out(as_(alice), hero), SECOND)
    text = text_of(as_(alice).get(at(hero, "versions/1/restore")))
    assert "A copy of version 1 becomes version 3" in text
    response = as_(alice).post(at(hero, "versions/1/restore"), {"comment": ""}, follow=True)
    assert "Version 1 is back as version 3." in text_of(response)
    assert "Restored version 1" in text_of(response)
    assert as_(alice).get(at(hero, "versions/9/restore")).status_code == 404
    assert as_(alice).get(at(hero, f"versions/{2**63}/restore")).status_code == 404


def test_restore_is_refused_while_anybody_holds_the_file(as_, alice, bob, hero):
    check_in(as_(alice), check_out(as_(alice), hero), SECOND)
    check_out(as_(bob), hero)
    for person in (alice, bob):
        refused = as_(person).post(at(hero, "versions/1/restore"))
        assert refused.status_code == 409
        assert "until" in text_of(refused)


def test_a_take_over_is_news_for_the_old_holder(as_, olga, bob, hero):
    check_out(as_(bob), hero, purpose="new eyes")
    text = text_of(as_(olga).get(at(hero, "take-over")))
    assert "Take over hero.psd from bob?" in text
    assert "new eyes" in text
    assert as_(olga).post(at(hero, "take-over"), {"reason": ""}).status_code == 400
    assert holders() == ["user:bob"]
    browser = as_(olga)
    taken = browser.post(at(hero, "take-over"), {"reason": "the client calls"})
    response = browser.get(taken.url)
    assert response["Refresh"].endswith("/versions/1/content/")
    assert "hero.psd is yours until" in text_of(response)
    assert holders() == ["user:olga"]
    assert "the client calls" in text_of(as_(bob).get(f"/artifacts/{hero.pk}/"))


def test_a_holder_hands_over_to_an_editor(as_, alice, bob, vera, hero):
    checkout = check_out(as_(bob), hero)
    page = f"/checkouts/{checkout.pk}/hand-over/"
    response = as_(bob).get(page).content.decode()
    assert '<option value="alice">alice (Alice Ames)</option>' in response
    assert 'value="vera"' not in response
    assert 'value="bob"' not in response
    assert as_(bob).post(page, {"to": "vera"}).status_code == 400
    response = as_(bob).post(page, {"to": "alice"}, follow=True)
    assert "hero.psd is alice’s until" in text_of(response)
    assert holders() == ["user:alice"]
    assert as_(bob).get(page).status_code == 409, "there is nothing left to hand over"


def test_only_operators_hand_over_for_others(as_, alice, bob, olga, vera, mallory, hero):
    page = f"/checkouts/{check_out(as_(bob), hero).pk}/hand-over/"
    for person, status in ((alice, 403), (vera, 403), (mallory, 404)):
        assert as_(person).get(page).status_code == status
        assert as_(person).post(page, {"to": "alice", "reason": "mine"}).status_code == status
    assert as_(olga).post(page, {"to": "alice"}).status_code == 400
    as_(olga).post(page, {"to": "alice", "reason": "bob is ill"})
    assert holders() == ["user:alice"]


def test_an_operator_sets_the_write_policy(as_, olga, hero):
    assert "now: commit directly" in text_of(as_(olga).get(at(hero, "write-policy")))
    response = as_(olga).post(at(hero, "write-policy"), {"write_policy": "propose"}, follow=True)
    assert "For hero.psd, what an agent checks in waits for an operator." in text_of(response)
    assert Artifact.objects.get().write_policy == "propose"
    response = as_(olga).post(at(hero, "write-policy"), {"write_policy": ""}, follow=True)
    assert "as the project says" in text_of(response)
    assert as_(olga).post(at(hero, "write-policy"), {"write_policy": "no"}).status_code == 400


def test_a_kept_file_stays_checked_out_after_its_check_in(as_, alice, hero):
    text = text_of(check_in(as_(alice), check_out(as_(alice), hero), SECOND, keep="on"))
    assert "It is still checked out to you." in text
    assert Checkout.objects.filter(state="open").count() == 1
    assert FIRST != SECOND


def test_a_held_files_page_offers_only_what_is_possible(as_, alice, bob, hero):
    check_in(as_(alice), check_out(as_(alice), hero), SECOND)
    page = f"/artifacts/{hero.pk}/"
    assert "Restore version 1" in text_of(as_(bob).get(page))
    check_out(as_(bob), hero)
    theirs, own = text_of(as_(alice).get(page)), text_of(as_(bob).get(page))
    assert [word for word in ("Restore version", "Rename", "Archive…") if word in theirs] == []
    assert [word for word in ("Restore version", "Rename", "Archive…") if word in own] == ["Rename", "Archive…"]
    for verb, expected in (
        ("versions/1/restore", "version 1 was not restored"),
        ("rename", "hero.psd was not renamed"),
        ("archive", "hero.psd was not archived"),
    ):
        for refused in (as_(alice).get(at(hero, verb)), as_(alice).post(at(hero, verb), {"path": "x.psd"})):
            assert refused.status_code == 409
            assert expected in text_of(refused)
            assert "you did not get" not in text_of(refused)
    refused = text_of(as_(bob).post(at(hero, "versions/1/restore")))
    assert "You have it checked out" in refused
    assert "Check in or discard first" in refused
