"""Verbs on several files of a project's list: check out, discard, check in, and the zip."""

import io
import re
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from checkouts.models import Checkout, Proposal, Version
from checkouts.selectors import own_open_checkouts
from checkouts.selectors.matches import Matcher
from leasehold.actors import Actor
from tests.scenes import stored_files
from tests.web.conftest import SECOND, added, check_out, text_of

ART = "/projects/art/"


@pytest.fixture
def files(alice):
    return [added(alice, f"heroes/{name}.psd", name.encode()) for name in ("one", "two", "three")]


def ids(files) -> list[int]:
    return [file.pk for file in files]


def bring(browser, files: dict[str, bytes], **fields):
    sent = [SimpleUploadedFile(name, content) for name, content in files.items()]
    return browser.post("/check-ins/", {"file": sent, **fields})


def blobs_kept(blobs) -> int:
    return len(stored_files(blobs))


def test_only_editors_have_checkboxes(as_, alice, vera, files):
    here = {"folder": "heroes"}
    assert 'name="artifact"' in as_(alice).get(ART, here).content.decode()
    assert 'name="artifact"' not in as_(vera).get(ART, here).content.decode()


def test_several_files_are_checked_out_as_one_zip(as_, alice, files):
    browser = as_(alice)
    pressed = browser.post(f"{ART}checkouts/", {"artifact": ids(files), "folder": "heroes"})
    assert pressed.url == f"{ART}?folder=heroes"
    response = browser.get(pressed.url)
    assert "You have 3 files checked out." in text_of(response)
    address = response["Refresh"].partition("url=")[2]
    with zipfile.ZipFile(io.BytesIO(b"".join(browser.get(address).streaming_content))) as sent:
        assert sent.namelist() == ["heroes/one.psd", "heroes/three.psd", "heroes/two.psd"]
        assert sent.read("heroes/two.psd") == b"two"
    assert "Refresh" not in browser.get(pressed.url), "a reload shows the page only"


def test_a_single_ticked_file_is_downloaded_directly(as_, alice, files):
    browser = as_(alice)
    pressed = browser.post(f"{ART}checkouts/", {"artifact": ids(files)[:1]})
    assert pressed.url == f"/artifacts/{files[0].pk}/"
    assert browser.get(pressed.url)["Refresh"].endswith("/versions/1/content/")


def test_if_one_file_is_held_the_others_are_offered(as_, alice, bob, files):
    check_out(as_(bob), files[1], purpose="a new cape")
    browser = as_(alice)
    refused = browser.post(f"{ART}checkouts/", {"artifact": ids(files)})
    assert refused.status_code == 409
    text = text_of(refused)
    assert "Not all 3 can be checked out" in text
    assert re.search(r"heroes/two\.psd Held by bob until (tomorrow )?\d\d:\d\d, for “a new cape”", text)
    assert f'<a href="/artifacts/{files[1].pk}/">' in refused.content.decode()
    assert "The other 2 will be yours" in text
    assert "Check out 2 files" in text
    assert Checkout.objects.filter(actor=alice).count() == 0
    response = browser.post(f"{ART}checkouts/", {"artifact": ids(files), "some": "on"}, follow=True)
    assert "You have 2 files checked out." in text_of(response)
    assert "two.psd:" in text_of(response)
    assert Checkout.objects.filter(actor=alice).count() == 2


def test_a_folder_is_checked_out_after_a_confirmation(as_, alice, bob, files):
    added(alice, "heroes/rig/bones.blend")
    added(alice, "elsewhere.txt")
    check_out(as_(bob), files[1])
    browser = as_(alice)
    text = text_of(browser.get(f"{ART}folder/", {"folder": "heroes"}))
    assert "4 files in it, 3 of them free." in text
    assert "heroes/two.psd Held by bob until" in text
    pressed = browser.post(f"{ART}folder/?folder=heroes", {"purpose": "polish"})
    assert "Refresh" in browser.get(pressed.url)
    assert Checkout.objects.filter(actor=alice, purpose="polish").count() == 3
    assert browser.get(f"{ART}folder/").status_code == 400
    assert browser.get(f"{ART}folder/", {"folder": "../x"}).status_code == 400


def test_only_own_check_outs_are_discarded(as_, alice, bob, files):
    mine, theirs = check_out(as_(alice), files[0]), check_out(as_(bob), files[1])
    text = text_of(as_(alice).post(f"{ART}discards/", {"artifact": ids(files), "folder": "heroes"}, follow=True))
    assert "Your check-out of one.psd has ended" in text
    assert list(Checkout.objects.filter(state="open")) == [theirs]
    assert mine.pk != theirs.pk
    assert "None of these is checked out to you." in text_of(
        as_(alice).post(f"{ART}discards/", {"artifact": ids(files)}, follow=True)
    )


@pytest.mark.parametrize(("person", "status"), [("vera", 403), ("mallory", 404)])
def test_viewers_and_strangers_check_out_nothing(as_, request, files, person, status):
    browser = as_(request.getfixturevalue(person))
    assert browser.post(f"{ART}checkouts/", {"artifact": ids(files)}).status_code == status
    assert browser.get(f"{ART}folder/", {"folder": "heroes"}).status_code == status
    assert browser.post(f"{ART}folder/?folder=heroes").status_code == status
    if person == "mallory":
        assert browser.post(f"{ART}discards/", {"artifact": ids(files)}).status_code == status
        assert browser.get(f"{ART}zip/", {"checkouts": "1"}).status_code == status
    assert Checkout.objects.count() == 0


def test_an_invalid_form_is_refused_with_a_page(as_, alice, files):
    for form in ({}, {"artifact": "x"}, {"artifact": "9" * 5000}, {"artifact": ids(files), "folder": "a//b"}):
        assert as_(alice).post(f"{ART}checkouts/", form).status_code == 400, form
    assert as_(alice).post(f"{ART}checkouts/", {"artifact": [files[0].pk, 10**9]}).status_code == 404
    for query in ({}, {"checkouts": "1,x"}, {"mine": "../x"}):
        assert as_(alice).get(f"{ART}zip/", query).status_code == 400, query
    assert as_(alice).get(f"{ART}zip/", {"checkouts": "999"}).status_code == 404


def test_a_forged_download_cookie_redirects_nowhere_else(as_, alice, files):
    browser = as_(alice)
    browser.cookies["download"] = "url=https%3A%2F%2Felsewhere.example"
    assert "Refresh" not in browser.get(ART)


def test_several_files_are_checked_in_each_with_its_result(as_, alice, bob, olga, files, clock, blobs):
    late = check_out(as_(alice), files[2], ttl=60)
    clock.forward(minutes=2)
    check_out(as_(bob), files[2])
    for file in files[:2]:
        check_out(as_(alice), file)
    kept = blobs_kept(blobs)
    response = bring(
        as_(alice),
        {"one.psd": b"one again", "two.psd": b"two", "three.psd": b"three again", "four.psd": b"four"},
        project="art",
        folder="heroes",
        comment="all of it",
    )
    assert response.status_code == 200
    text = text_of(response)
    for part in ("Committed as version 2.", "Identical to version 1", "Kept as proposal", "Not matched"):
        assert part in text
    assert Version.objects.get(artifact=files[0], number=2).comment == "all of it"
    late.refresh_from_db()
    assert late.outcome == "proposed"
    assert Proposal.objects.count() == 1
    assert blobs_kept(blobs) == kept + 2, "what got no row is removed again"


def test_a_late_check_in_of_several_says_what_was_not_kept(as_, alice, bob, files, clock):
    check_out(as_(alice), files[0], ttl=60)
    clock.forward(minutes=2)
    check_out(as_(bob), files[0])
    check_out(as_(alice), files[1])
    text = text_of(bring(as_(alice), {"one.psd": b"one again", "two.psd": b"two again"}, project="art", keep="on"))
    assert text.count("You do not have it checked out any more") == 1
    assert list(Checkout.objects.filter(actor=alice, state="open").values_list("artifact", flat=True)) == [files[1].pk]


def test_empty_and_ambiguous_files_are_skipped(as_, alice, files):
    twin = added(alice, "elsewhere/one.psd")
    for file in (files[0], files[1], twin):
        check_out(as_(alice), file)
    text = text_of(bring(as_(alice), {"one.psd": SECOND, "two.psd": b""}, project="art"))
    assert "It could be any of:" in text
    assert "It is empty (0 bytes)." in text
    assert Checkout.objects.filter(state="open").count() == 3
    bring(as_(alice), {"one.psd": SECOND}, project="art", path="art/elsewhere/one.psd")
    assert Version.objects.filter(artifact=twin).count() == 2


def test_another_persons_check_out_is_not_checked_in(as_, alice, bob, mallory, files, blobs):
    check_out(as_(alice), files[0])
    kept = blobs_kept(blobs)
    assert "Not matched" in text_of(bring(as_(bob), {"one.psd": SECOND}))
    assert bring(as_(mallory), {"one.psd": SECOND}, project="art").status_code == 404
    assert Version.objects.filter(artifact=files[0]).count() == 1
    assert blobs_kept(blobs) == kept


def test_an_incomplete_form_changes_nothing(as_, client, alice, files, blobs):
    check_out(as_(alice), files[0])
    kept = blobs_kept(blobs)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert bring(strict, {"one.psd": SECOND}).status_code == 403
    assert "/sign-in/" in bring(client, {"one.psd": SECOND}).url
    assert as_(alice).post("/check-ins/", {"comment": "nothing"}).status_code == 400
    assert as_(alice).post("/check-ins/", {}, content_type="application/json").status_code == 400
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="one.psd"\r\n\r\nhalf of '
    cut = as_(alice).post("/check-ins/", body, content_type="multipart/form-data; boundary=x")
    assert cut.status_code == 400
    assert Version.objects.filter(artifact=files[0]).count() == 1
    assert blobs_kept(blobs) == kept


def test_the_script_gets_a_short_answer(as_, alice, files):
    check_out(as_(alice), files[0])
    sent = {"file": SimpleUploadedFile("one.psd", SECOND), "path": "heroes/one.psd"}
    response = as_(alice).post("/check-ins/", sent, headers={"Accept": "application/json"})
    assert response.json() == {
        "url": f"/artifacts/{files[0].pk}/",
        "title": "Committed as version 2.",
        "role": "is-free",
    }
    missed = {"file": SimpleUploadedFile("none.psd", SECOND)}
    response = as_(alice).post("/check-ins/", missed, headers={"Accept": "application/json"})
    assert response.status_code == 422
    assert response.json()["title"] == "Not matched"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("one.psd", ["heroes/one.psd"]),
        ("HEROES/One.PSD", ["heroes/one.psd"]),
        ("art/heroes/one.psd", ["heroes/one.psd"]),
        ("Downloads\\art\\heroes\\one.psd", ["heroes/one.psd"]),
        ("other/one.psd", ["heroes/one.psd"]),
        ("same.psd", ["a/same.psd", "b/same.psd"]),
        ("b/same.psd", ["b/same.psd"]),
        ("nothing.psd", []),
        ("", []),
    ],
)
def test_an_upload_is_matched_with_its_check_out(as_, alice, files, path, found):
    for file in (files[0], added(alice, "a/same.psd"), added(alice, "b/same.psd")):
        check_out(as_(alice), file)
    matched = Matcher(own_open_checkouts(Actor(alice))).find(path)
    assert sorted(checkout.artifact.path for checkout in matched) == found


def test_the_open_folder_is_matched_first(as_, alice):
    for path in ("same.psd", "a/same.psd"):
        check_out(as_(alice), added(alice, path))
    checkouts = list(own_open_checkouts(Actor(alice)))
    assert [one.artifact.path for one in Matcher(checkouts, folder="A").find("same.psd")] == ["a/same.psd"]
    assert [one.artifact.path for one in Matcher(checkouts).find("same.psd")] == ["same.psd"]


@pytest.mark.parametrize("address", [ART, "/board/", "file"])
def test_an_unchanged_poll_is_304(as_, alice, bob, hero, address, clock):
    address = f"/artifacts/{hero.pk}/" if address == "file" else f"{address}?show=all"
    if address.startswith(ART):
        address += "&folder=heroes"
    check_out(as_(bob), added(bob, "heroes/other.psd"))
    browser = as_(alice)
    poll = {"HX-Request": "true", "If-None-Match": f'W/"{browser.get(address).context["etag"]}"'}
    clock.forward(seconds=30)
    assert browser.get(address, headers=poll).status_code == 304
    assert as_(bob).get(address, headers=poll).status_code == 200, "another reader has another page"
    with CaptureQueriesContext(connection) as caught:
        assert browser.get(address, headers=poll).status_code == 304
    assert len(caught) <= 14
    check_out(as_(bob), hero)
    changed = browser.get(address, headers=poll)
    assert changed.status_code == 200
    assert "bob" in text_of(changed)
    assert changed["ETag"] != poll["If-None-Match"]
