"""Proposals: the lists, the page and the decisions, for each of the cast."""

import io

import pytest
from PIL import Image

from checkouts.models import Proposal, Version
from leasehold.models import Membership
from tests.web.conftest import SECOND, THIRD, added, check_in, check_out, text_of

State = Proposal.State
VERBS = ("accept", "reject", "rebuild", "withdraw")


@pytest.fixture
def kept(as_, alice, bob, olga, hero) -> Proposal:
    """Alice's check-in based on version 1, after her lease lapsed and bob committed version 2."""
    return propose(as_, alice, bob, olga, hero)


def propose(as_, alice, bob, olga, hero, content: bytes = THIRD) -> Proposal:
    checkout = check_out(as_(alice), hero)
    as_(olga).post(f"/checkouts/{checkout.pk}/break/", {"reason": "urgent"})
    check_in(as_(bob), check_out(as_(bob), hero), SECOND + content, comment="new eyes")
    check_in(as_(alice), checkout, content, comment="cape in red")
    return Proposal.objects.latest("id")


def page(browser, kept: Proposal):
    response = browser.get(f"/proposals/{kept.pk}/")
    assert response.status_code == 200
    return response


def listed(browser, show: str) -> list[int]:
    return [row.pk for row, _ in browser.get("/proposals/", {"show": show}).context["rows"]]


def test_base_head_and_proposal_are_compared(as_, vera, kept):
    response = page(as_(vera), kept)
    assert [column.heading for column in response.context["columns"]] == [
        "Version 1",
        "Version 2",
        f"Proposal {kept.pk}",
    ]
    text = text_of(response)
    for part in ("Base, where alice began", "new eyes", "cape in red", "Neither holds the other’s change"):
        assert part in text
    for column in response.context["columns"]:
        assert as_(vera).get(column.download).status_code == 200
        assert as_(vera).get(column.preview).status_code == 200


@pytest.mark.parametrize("name", ["alice", "bob", "vera", "olga", "admin"])
@pytest.mark.parametrize("is_stale", [False, True])
def test_the_page_offers_exactly_the_allowed_verbs(as_, request, alice, bob, olga, hero, name, is_stale):
    browser = as_(request.getfixturevalue(name))
    for number, verb in enumerate(VERBS):
        kept = propose(as_, alice, bob, olga, hero, f"work {number}".encode())
        if is_stale:
            check_in(as_(bob), check_out(as_(bob), hero), f"newer {number}".encode())
        offered = page(browser, kept).context["offered"]
        response = browser.post(f"/proposals/{kept.pk}/{verb}/", {"reason": "because"})
        assert response.status_code in (302, 403, 409)
        assert (verb in offered) == (response.status_code == 302), f"{name} {verb} {response.status_code}"


def test_accepting_makes_the_announced_version(as_, olga, alice, kept):
    assert "It becomes version 3, by alice." in text_of(page(as_(olga), kept))
    response = as_(olga).post(f"/proposals/{kept.pk}/accept/", follow=True)
    assert "hero.psd is at version 3 now, by alice." in text_of(response)
    assert Version.objects.get(number=3).author == alice


def test_a_held_files_proposal_names_the_holder(as_, bob, olga, hero, kept):
    check_out(as_(bob), hero)
    response = page(as_(olga), kept)
    assert response.context["offered"] == ["reject"]
    assert "bob has the file until" in text_of(response)
    refused = as_(olga).post(f"/proposals/{kept.pk}/accept/")
    assert refused.status_code == 409
    assert Proposal.objects.get(pk=kept.pk).state == State.OPEN


def test_a_stale_proposal_is_rebuilt_and_accepted(as_, bob, olga, hero, kept):
    check_in(as_(bob), check_out(as_(bob), hero), b"newer")
    assert "Version 3 came after it." in text_of(page(as_(olga), kept))
    response = as_(olga).post(f"/proposals/{kept.pk}/rebuild/", follow=True)
    anew = Proposal.objects.latest("id")
    assert response.request["PATH_INFO"] == f"/proposals/{anew.pk}/"
    assert "Superseded by olga" in text_of(page(as_(olga), kept))
    as_(olga).post(f"/proposals/{anew.pk}/accept/")
    assert Version.objects.get(number=4).blob == kept.blob


def test_a_rejections_reason_is_shown_to_the_author(as_, alice, olga, kept):
    missing = as_(olga).post(f"/proposals/{kept.pk}/reject/", {"reason": " "})
    assert missing.status_code == 400
    assert "so that alice understands" in text_of(missing)
    as_(olga).post(f"/proposals/{kept.pk}/reject/", {"reason": "the eyes are gone"})
    text = text_of(page(as_(alice), kept))
    assert "Rejected by olga" in text
    assert "the eyes are gone" in text
    assert as_(alice).get(f"/proposals/{kept.pk}/content/").status_code == 200


def test_the_tabs(as_, alice, bob, olga, kept):
    assert listed(as_(olga), "waiting") == [kept.pk]
    assert listed(as_(alice), "mine") == [kept.pk]
    assert listed(as_(bob), "mine") == []
    as_(olga).post(f"/proposals/{kept.pk}/accept/")
    assert listed(as_(olga), "waiting") == []
    assert listed(as_(olga), "decided") == [kept.pk]


def test_authors_who_left_still_see_their_proposals(as_, alice, mallory, kept):
    assert listed(as_(mallory), "waiting") == []
    for address in ("", "content/", "preview/"):
        assert as_(mallory).get(f"/proposals/{kept.pk}/{address}").status_code == 404
    for verb in VERBS:
        assert as_(mallory).post(f"/proposals/{kept.pk}/{verb}/", {"reason": "x"}).status_code == 404
    Membership.objects.filter(user=alice).delete()
    assert page(as_(alice), kept).context["offered"] == ["withdraw"]
    assert as_(alice).post(f"/proposals/{kept.pk}/withdraw/").status_code == 302


def test_the_navigation_counts_open_proposals(as_, alice, olga, kept):
    assert "Proposals 1 waiting for you to decide" in text_of(as_(olga).get("/"))
    assert "waiting for you" not in text_of(as_(alice).get("/"))


def test_a_long_list_is_paginated_with_constant_statements(
    as_, alice, bob, olga, hero, monkeypatch, django_assert_max_num_queries
):
    monkeypatch.setattr("checkouts.web.proposals.proposal_list.PAGE", 2)
    expected = [propose(as_, alice, bob, olga, hero, f"work {number}".encode()).pk for number in range(5)]
    browser, seen, address = as_(olga), [], "/proposals/"
    while address:
        with django_assert_max_num_queries(9):
            response = browser.get(address)
        seen += [row.pk for row, _ in response.context["rows"]]
        address = response.context["more"]
    assert seen == expected


def test_pictures_are_shown_as_pictures(as_, alice, bob, olga, settings, tmp_path):
    settings.LEASEHOLD_PREVIEWS = tmp_path / "previews"
    sky = added(alice, "sky.png", png("grey"))
    kept = propose(as_, alice, bob, olga, sky, png("red"))
    for column in page(as_(olga), kept).context["columns"]:
        response = as_(olga).get(column.preview)
        assert response["Content-Type"] in ("image/webp", "image/svg+xml")
    assert as_(olga).get(f"/proposals/{kept.pk}/preview/")["Content-Type"] == "image/webp"


STARTED = "started from version 1; version 2 by bob is not in it"


def test_every_page_names_the_versions_missing_from_the_base(as_, alice, olga, hero, kept):
    """Alice started from version 1; bob committed 2 first, so her proposal is kept against 2."""
    for browser in (as_(alice), as_(olga)):
        for address in (f"/proposals/{kept.pk}/", f"/artifacts/{hero.pk}/"):
            assert STARTED in text_of(browser.get(address)), address
    assert STARTED in text_of(as_(alice).get("/desk/"))
    assert STARTED in text_of(as_(olga).get("/operators/"))
    assert "version 1 ; 1 newer" in text_of(as_(alice).get("/proposals/"))


def test_the_accept_form_names_the_missing_versions(as_, olga, kept):
    text = text_of(page(as_(olga), kept))
    assert f"Accept It {STARTED}." in text


def test_the_admin_names_the_missing_versions(as_, admin, kept):
    assert STARTED in text_of(as_(admin).get(f"/admin/checkouts/proposal/act/accept/?row={kept.pk}"))
    assert STARTED in text_of(as_(admin).get(f"/admin/checkouts/proposal/{kept.pk}/change/"))


def test_later_versions_are_missing_too(as_, alice, bob, olga, hero, kept):
    check_in(as_(olga), check_out(as_(olga), hero), b"newer")
    assert "versions 2 to 3, by bob, olga, are not in it" in text_of(page(as_(olga), kept))
    as_(olga).post(f"/proposals/{kept.pk}/rebuild/")
    anew = Proposal.objects.latest("id")
    assert "versions 2 to 3, by bob, olga, are not in it" in text_of(page(as_(olga), anew))


def test_the_author_reads_it_at_check_in(as_, alice, bob, olga, hero):
    checkout = check_out(as_(alice), hero)
    as_(olga).post(f"/checkouts/{checkout.pk}/break/", {"reason": "urgent"})
    check_in(as_(bob), check_out(as_(bob), hero), SECOND)
    response = check_in(as_(alice), checkout, THIRD)
    assert "Version 2 by bob is not in it. Nothing is lost" in text_of(response)


def png(colour: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (60, 40), colour).save(buffer, "PNG")
    return buffer.getvalue()
