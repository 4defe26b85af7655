"""PATCH of write_policy, on /artifacts/{id}/ and /projects/{slug}/."""

import pytest

from leasehold.models import Entry, Membership
from tests.checkouts.api.conftest import API


def change(client, address, **body):
    return client.patch(f"{API}/{address}/", body, format="json")


def test_an_operator_sets_the_write_policy_of_a_file(as_, olga, planner, hero):
    address = f"artifacts/{hero['id']}"
    assert (hero["write_policy"], hero["effective_write_policy"]) == (None, "direct")
    changed = change(as_(olga), address, write_policy="propose")
    assert changed.status_code == 200
    assert (changed.json()["write_policy"], changed.json()["effective_write_policy"]) == ("propose", "propose")
    assert as_(planner).get(f"{API}/{address}/").json() == changed.json()
    change(as_(olga), "projects/art", write_policy="propose")
    assert change(as_(olga), address, write_policy="direct").json()["effective_write_policy"] == "direct"
    back = change(as_(olga), address, write_policy=None).json()
    assert (back["write_policy"], back["effective_write_policy"]) == (None, "propose")
    entries = Entry.objects.filter(kind="write_policy_changed").order_by("id").values_list("data", flat=True)
    assert [(entry["before"], entry["policy"]) for entry in entries] == [
        ("", "propose"),
        ("propose", "direct"),
        ("direct", ""),
    ]


def test_an_operator_sets_the_write_policy_of_a_project(as_, olga, art):
    assert as_(olga).get(f"{API}/projects/art/").json()["write_policy"] == "direct"
    changed = change(as_(olga), "projects/art", write_policy="propose", two_person=True)
    assert changed.status_code == 200
    assert (changed.json()["write_policy"], changed.json()["two_person"], changed.json()["name"]) == (
        "propose",
        True,
        "Art",
    )
    change(as_(olga), "projects/art", write_policy="propose", name="Artwork")
    entries = Entry.objects.filter(kind="project_changed").order_by("id").values_list("data", flat=True)
    assert list(entries) == [
        {
            "write_policy": "propose",
            "write_policy_before": "direct",
            "two_person": True,
            "two_person_before": False,
        },
        {"name": "Artwork", "name_before": "Art"},
    ]


def test_only_human_operators_set_the_policy(as_, alice, vera, planner, mallory, olga, art, hero):
    Membership.objects.filter(user=planner).update(role="operator")
    for address in (f"artifacts/{hero['id']}", "projects/art"):
        for client in (as_(alice), as_(vera), as_(planner, "admin"), as_(olga, "write"), as_(olga, "read")):
            assert change(client, address, write_policy="propose").status_code == 403, address
        assert change(as_(mallory), address, write_policy="propose").status_code == 404
    assert change(as_(planner, "admin"), "projects/art", two_person=True).status_code == 403
    assert not Entry.objects.filter(kind__in=["write_policy_changed", "project_changed"]).exists()


@pytest.mark.parametrize("policy", ["", "Direct", "ask", 1, True, ["propose"]])
def test_an_unknown_policy_is_refused(as_, olga, art, hero, policy):
    for address in (f"artifacts/{hero['id']}", "projects/art"):
        refused = change(as_(olga), address, write_policy=policy)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "write_policy")


def test_setting_the_policy_changes_nothing_else(as_, olga, art, hero):
    for body in ({}, {"write_policy": "direct", "head": 7}):
        assert change(as_(olga), f"artifacts/{hero['id']}", **body).status_code == 400
    assert change(as_(olga), "projects/art", two_person="yes").json()["errors"][0]["field"] == "two_person"
    assert change(as_(olga), "projects/art", write_policy=None).status_code == 400
    assert change(as_(olga), "projects/art", slug="other").status_code == 400
    assert change(as_(olga), "projects/art").status_code == 200


def test_if_match_is_honoured(as_, olga, hero):
    address, body = f"{API}/artifacts/{hero['id']}/", {"write_policy": "propose"}
    stale = as_(olga).patch(address, body, format="json", headers={"If-Match": '"sha256:00"'})
    assert (stale.status_code, stale.json()["etag"]) == (412, hero["head"]["digest"])
    fits = as_(olga).patch(address, body, format="json", headers={"If-Match": f'"{hero["head"]["digest"]}"'})
    assert fits.status_code == 200
