"""The admin's lists: complete, bounded, without counts, and only for those who may see them."""

import re

from django.contrib import admin as django_admin
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkouts.models import Artifact
from leasehold.actions.sessions import checkpoint, start
from leasehold.actions.tickets import approve, create_ticket
from leasehold.actors import Actor
from leasehold.models import Role, User
from tests.admin.pages import text, url
from tests.factories import make_account, make_member, make_project
from tests.scenes import back, out, put

OURS = [model._meta.label_lower for model in django_admin.site._registry]


def a_little_of_everything(alice: User, bob: User, olga: User, admin: User, project: str = "art") -> None:
    """Add files held, lapsed, broken and closed, a proposal, and a ticket at work with a checkpoint."""
    for number in range(3):
        artifact = put(alice, f"heroes/{project}{number}.psd", "one", project=project)
        out(bob, artifact)
    checkout = out(alice, put(alice, f"{project}.png", project=project)).checkout
    back(alice, checkout, "two")
    for key in range(3):
        ticket = create_ticket(actor=Actor(alice), project=project, title="Heroes", scope=[f"{project}-stage-{key}"])
        approve(actor=Actor(admin), ticket_id=ticket.pk)
        session = start(actor=Actor(bob), ticket_id=ticket.pk)
        checkpoint(actor=Actor(bob), session_id=session.pk)


def test_a_superuser_sees_every_list_in_few_uncounted_statements(browser, admin, alice, bob, olga):
    a_little_of_everything(alice, bob, olga, admin)
    client = browser(admin)
    first = {model: statements(client, model) for model in OURS}
    sea = make_project("sea", "Sea")
    for user in (alice, bob, olga):
        make_member(sea, user, Role.EDITOR)
    a_little_of_everything(alice, bob, olga, admin, project="sea")
    for model in OURS:
        second = statements(client, model)
        assert len(second) == len(first[model]) <= 6, "\n".join(second)


def statements(client, model: str) -> list[str]:
    """Return the statements of one list page, with those of the session."""
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url(model)).status_code == 200
    executed = [query["sql"] for query in queries]
    assert not [sql for sql in executed if re.search(r"count\(", sql, re.IGNORECASE)]
    return executed


def test_djangos_own_views_change_nothing(browser, admin, alice, bob, olga):
    a_little_of_everything(alice, bob, olga, admin)
    client = browser(admin)
    for model in django_admin.site._registry:
        if rows := model._default_manager.all():
            refuses_stock_views(client, model._meta.label_lower, rows[0].pk)
            assert model._default_manager.count() == len(rows)


def refuses_stock_views(client, model: str, pk: object) -> None:
    assert client.get(url(model, "change", pk)).status_code == 200
    assert client.post(url(model, "change", pk), {"_save": "Save"}).status_code == 403
    assert client.get(url(model, "add")).status_code == 403
    assert client.post(url(model, "add"), {"_save": "Save"}).status_code == 403
    assert client.post(url(model, "delete", pk), {"post": "yes"}).status_code in (302, 403)
    client.post(url(model), {"action": "delete_selected", "index": 0, "_selected_action": [pk], "post": "yes"})


def test_a_full_page_links_to_the_next(browser, admin, alice):
    model = "checkouts.artifact"
    for number in range(53):
        put(alice, f"{number}.psd")
    client = browser(admin)
    first, second = client.get(url(model)), client.get(url(model), {"p": 2})
    assert len(first.context["cl"].result_list) == 50
    assert "?p=2" in first.content.decode()
    assert len(second.context["cl"].result_list) == 3
    assert client.get(url(model), {"p": 99}).status_code == 200


def test_accounts_that_are_not_staff_see_nothing(browser, alice, client):
    response = client.get(url("checkouts.checkout"))
    assert response.status_code == 302
    assert "/admin/login/" in response["Location"]
    client = browser(alice)
    assert client.get("/admin/login/", {"next": "/admin/"}).status_code == 403  # refused, not redirected in a circle


def test_staff_see_only_their_projects(browser, staff, alice, bob, olga, admin, mallory):
    a_little_of_everything(alice, bob, olga, admin)
    client = browser(staff(mallory))
    for model in ("checkouts.artifact", "checkouts.checkout", "checkouts.version", "leasehold.ticket",
                  "leasehold.session", "leasehold.scopekey", "leasehold.checkpoint", "leasehold.lease",
                  "leasehold.entry", "leasehold.membership", "leasehold.project"):  # fmt: skip
        page = client.get(url(model))
        assert page.context["cl"].result_list == [], model
    artifact = Artifact.objects.all()[0]
    assert client.get(url("checkouts.artifact", "file", artifact.pk)).status_code == 404
    for model in ("leasehold.user", "checkouts.blob"):
        assert client.get(url(model)).status_code == 403
    seen = browser(staff(alice)).get(url("checkouts.artifact")).context["cl"].result_list
    assert len(seen) == 4


def test_one_permission_opens_every_project(browser, staff, mallory, alice, bob, olga, admin):
    a_little_of_everything(alice, bob, olga, admin)
    client = browser(staff(mallory, "break_lease"))
    assert len(client.get(url("checkouts.checkout")).context["cl"].result_list) == 4


def test_no_query_parameter_filters_by_a_column(browser, admin, alice):
    """Django's default lets staff guess a digest or a password, character by character."""
    client = browser(admin)
    for model, query in (
        ("leasehold.user", {"password__startswith": "md5"}),
        ("leasehold.token", {"digest__startswith": "a"}),
        ("checkouts.artifact", {"path__icontains": "a"}),
        ("leasehold.entry", {"data__contains": "a"}),
    ):
        assert client.get(url(model), query).status_code == 400, model


STATES = {
    "checkouts.artifact": {"held": ["free", "me", "others", "expiring", "archived", "nonsense"], "project": ["art"]},
    "checkouts.checkout": {"state": ["held", "lapsed", "broken", "open", "closed"], "project": ["art"]},
    "checkouts.version": {"project": ["art"]},
    "checkouts.proposal": {"state": ["open", "accepted"], "project": ["art"]},
    "leasehold.ticket": {"state": ["DRAFT", "REVIEW"], "stale": ["yes"], "project": ["art"]},
    "leasehold.session": {"state": ["live", "lapsed", "expired"], "project": ["art"]},
    "leasehold.lease": {"state": ["live", "lapsed"], "kind": ["artifact", "scope", "role"]},
    "leasehold.entry": {"kind": ["checkout_opened"], "project": ["art"]},
    "leasehold.failure": {"kind": ["lease_expired"], "project": ["art"]},
    "leasehold.scopekey": {"project": ["art"]},
    "leasehold.token": {"state": ["works", "ended"]},
    "leasehold.user": {"state": ["active", "stopped"], "kind": ["agent"]},
    "leasehold.membership": {"project": ["art"], "role": ["editor"]},
}


def test_every_filter_and_search_works(browser, admin, alice, bob, olga):
    a_little_of_everything(alice, bob, olga, admin)
    client = browser(admin)
    terms = ("1", "alice", "heroes", "artifact:1", "9" * 30, "٣", "%_'\"", "art/heroes", "\0", "a" * 3000)
    for model in OURS:
        for parameter, values in STATES.get(model, {}).items():
            for value in values:
                assert client.get(url(model), {parameter: value}).status_code == 200, (model, parameter, value)
        for term in terms:
            assert client.get(url(model), {"q": term}).status_code == 200, (model, term)


def listed_ids(client, model, **query) -> list[int]:
    return sorted(row.pk for row in client.get(url(model), query).context["cl"].result_list)


def test_search_finds_by_path_person_and_number(browser, admin, alice, bob):
    hero = put(alice, "Heroes/Hero.psd")
    villain = put(alice, "villains/v.psd")
    checkout = out(bob, hero).checkout
    client = browser(admin)
    assert listed_ids(client, "checkouts.artifact", q="heroes/he") == [hero.pk]
    assert listed_ids(client, "checkouts.artifact", q="art/villains/") == [villain.pk]
    assert listed_ids(client, "checkouts.artifact", q=str(villain.pk)) == [villain.pk]
    assert listed_ids(client, "checkouts.checkout", q="BOB") == [checkout.pk]
    assert listed_ids(client, "checkouts.checkout", q=f"artifact:{hero.pk}") == [checkout.pk]
    assert listed_ids(client, "checkouts.checkout", q="alice") == []
    assert len(listed_ids(client, "leasehold.lease", q="user:bob")) == 1
    assert len(listed_ids(client, "leasehold.lease", q="art/heroes")) == 1
    assert len(listed_ids(client, "leasehold.lease", q="art/villains")) == 0


def test_lists_mark_lapsed_rows_without_a_sweeper(browser, admin, alice, bob, clock):
    short = out(alice, put(alice, "a.psd"), ttl=60).checkout
    long = out(bob, put(alice, "b.psd"), ttl=7200).checkout
    clock.forward(minutes=30)
    client = browser(admin)
    assert listed_ids(client, "checkouts.checkout", state="lapsed") == [short.pk]
    assert listed_ids(client, "checkouts.checkout", state="held") == [long.pk]
    assert "lapsed" in text(client.get(url("checkouts.checkout"), {"state": "lapsed"}))
    assert listed_ids(client, "checkouts.artifact", held="free") == [short.artifact_id]
    assert listed_ids(client, "checkouts.artifact", held="others") == [long.artifact_id]


def test_names_are_escaped(browser, admin, alice):
    name = "<img src=x onerror=alert(1)>.psd"
    artifact = put(alice, name)
    out(alice, artifact, purpose="<script>alert(2)</script>")
    client = browser(admin)
    for page in (
        client.get(url("checkouts.artifact")),
        client.get(url("checkouts.artifact", "change", artifact.pk)),
        client.get(url("checkouts.checkout")),
        client.get(url("leasehold.entry")),
        client.get(url("checkouts.artifact", "act", "take-over"), {"row": artifact.pk}),
    ):
        html = page.content.decode()
        assert "<img src=x" not in html
        assert "<script>alert" not in html
        assert "&lt;img src=x" in html or "&lt;script&gt;" in html


def test_files_of_users_are_served_as_attachments(browser, admin, alice, bob):
    artifact = put(alice, "pwn.svg", "<svg onload='alert(1)'/>")
    checkout = out(bob, artifact).checkout
    client = browser(admin)
    for page in (
        url("checkouts.artifact", "file", artifact.pk),
        url("checkouts.version", "file", artifact.head_id),
        url("checkouts.checkout", "file", checkout.pk),
    ):
        response = client.get(page)
        assert response.status_code == 200
        assert b"".join(response) == b"<svg onload='alert(1)'/>"
        assert response["Content-Disposition"].startswith("attachment")
        assert response["Content-Type"] == "application/octet-stream"
        assert response["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in response["Content-Security-Policy"]


def test_each_row_links_to_its_journal(browser, admin, alice):
    artifact = put(alice, "a.psd")
    client = browser(admin)
    assert (
        f"?q=artifact%3A{artifact.pk}" in client.get(url("checkouts.artifact", "change", artifact.pk)).content.decode()
    )
    response = client.get(url("checkouts.artifact", "history", artifact.pk), follow=True)
    assert [entry.kind for entry in response.context["cl"].result_list] == ["artifact_added"]


def test_the_start_page_shows_only_visible_tables(browser, staff, admin, alice):
    assert "Accounts" in text(browser(admin).get("/admin/"))
    page = text(browser(staff(alice)).get("/admin/"))
    assert "Check" in page
    assert "Accounts" not in page


def test_an_account_that_loses_staff_rights_is_out_at_once(browser, staff, alice):
    client = browser(staff(alice))
    assert client.get("/admin/").status_code == 200
    User.objects.filter(pk=alice.pk).update(is_staff=False)
    assert client.get("/admin/").status_code == 302


def test_staff_see_only_their_own_tokens(browser, staff, mallory):
    make_account("zoe")
    assert browser(staff(mallory)).get(url("leasehold.token")).context["cl"].result_list == []


def test_free_text_is_clamped_in_lists_and_whole_on_its_page(browser, admin, alice, bob):
    written = " ".join(f"word{number}" for number in range(60))
    checkout = out(bob, put(alice), purpose=written).checkout
    client = browser(admin)
    for model in ("checkouts.checkout", "checkouts.artifact", "leasehold.lease"):
        html = client.get(url(model)).content.decode()
        assert f'<span class="clamp" title="{written}">{written}</span>' in html, model
        assert "column-purpose" in html, model
    own = client.get(url("checkouts.checkout", "change", checkout.pk)).content.decode()
    assert written in own
    assert "clamp" not in own


def test_the_list_of_leases_has_its_main_columns_first_and_none_empty(browser, admin, bob, alice):
    out(bob, put(alice, "heroes/hero.psd", "one"))
    page = browser(admin).get(url("leasehold.lease"))
    words = text(page)
    assert words.index("art/heroes/hero.psd") < words.index("user:bob")
    assert page.context["cl"].list_display[:4] == ["where", "who", "state", "until"]
    assert "row_actions" not in page.context["cl"].list_display, "nothing here can be broken"
    assert "row_actions" in browser(admin).get(url("checkouts.checkout")).context["cl"].list_display


def test_a_superusers_start_page_links_to_new_projects_and_accounts(browser, admin, olga):
    page = browser(admin).get("/admin/")
    assert "Add a project…" in text(page)
    assert "Add a person or agent…" in text(page)
    for address in ("/admin/leasehold/project/act/add/", "/people/new/"):
        assert f'href="{address}"' in page.content.decode()
        assert browser(admin).get(address, follow=True).status_code == 200
    assert "Add a project" not in text(browser(olga).get("/admin/"))
