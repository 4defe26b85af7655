def test_alice_sees_who_she_is_and_where_she_is_a_member(as_, alice):
    answer = as_(alice).get("/api/v1/me/")
    assert answer.status_code == 200
    assert answer.json() == {
        "username": "alice",
        "name": "Alice Ames",
        "kind": "person",
        "participant": "user:alice",
        "time_zone": "",
        "is_superuser": False,
        "scope": "admin",
        "memberships": [{"project": {"slug": "art", "name": "Art"}, "role": "editor"}],
    }


def test_only_a_superuser_creates_a_project(as_, admin, alice):
    new = {"slug": "tools", "name": "Tools"}
    assert as_(alice).post("/api/v1/projects/", new, format="json").status_code == 403
    made = as_(admin).post("/api/v1/projects/", new, format="json")
    assert made.status_code == 201
    assert made.json()["slug"] == "tools"
    assert [row["slug"] for row in as_(admin).get("/api/v1/projects/").json()["results"]] == ["art", "tools"]
    again = as_(admin).post("/api/v1/projects/", new, format="json")
    assert again.status_code == 400
    assert again.json()["errors"] == [{"field": "slug", "detail": "There is a project with this slug."}]


def test_a_foreign_project_is_the_same_404_as_an_unknown_one(as_, mallory, art):
    client = as_(mallory)
    foreign, unknown = client.get("/api/v1/projects/art/"), client.get("/api/v1/projects/nothing/")
    assert foreign.status_code == unknown.status_code == 404
    assert {**foreign.json(), "request_id": ""} == {**unknown.json(), "request_id": ""}
    assert client.get("/api/v1/projects/").json() == {"next": None, "previous": None, "results": []}


def test_only_an_operator_renames_a_project(as_, olga, alice):
    change = {"name": "Artwork"}
    assert as_(alice).patch("/api/v1/projects/art/", change, format="json").status_code == 403
    assert as_(olga).patch("/api/v1/projects/art/", change, format="json").json()["name"] == "Artwork"


def test_an_operator_adds_changes_and_removes_a_member(as_, olga, mallory, alice):
    client, members = as_(olga), "/api/v1/projects/art/members/"
    new = {"user": "Mallory", "role": "viewer"}
    assert client.post(members, new, format="json").json() == {
        "user": "mallory",
        "name": "",
        "kind": "person",
        "role": "viewer",
    }
    assert client.post(members, new | {"role": "editor"}, format="json").status_code == 201
    assert {row["user"]: row["role"] for row in client.get(members).json()["results"]} == {
        "olga": "operator",
        "alice": "editor",
        "mallory": "editor",
    }
    assert as_(alice).delete(f"{members}mallory/").status_code == 403
    assert client.delete(f"{members}MALLORY/").status_code == 204
    assert client.delete(f"{members}mallory/").status_code == 404


def test_an_unknown_account_cannot_become_a_member(as_, olga):
    answer = as_(olga).post("/api/v1/projects/art/members/", {"user": "nobody", "role": "viewer"}, format="json")
    assert answer.status_code == 400
    assert answer.json()["errors"] == [{"field": "user", "detail": "There is no account of this name."}]
