import re

from django.db import OperationalError
from django.test import Client
from drf_spectacular.validation import validate_schema

from leasehold.database import clock as the_clock


def test_the_schema_is_valid_and_every_operation_has_a_problem(db):
    answer = Client().get("/api/v1/schema/", headers={"Accept": "application/json"})
    document = answer.json()
    validate_schema(document)
    assert {"/api/v1/me/", "/api/v1/leases/"} <= set(document["paths"])
    for operations in document["paths"].values():
        for operation in operations.values():
            assert "application/problem+json" in operation["responses"]["default"]["content"]
            assert operation["description"]


def test_the_documentation_page_has_nothing_foreign_and_nothing_inline(db):
    answer = Client().get("/api/v1/docs/")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert re.findall(r'(?:src|href)="(.*?)"', page)
    assert all(address.startswith("/") for address in re.findall(r'(?:src|href)="(.*?)"', page))
    assert "<style" not in page
    assert not re.search(r"<script(?! src)", page)
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    script = Client().get("/api/v1/docs/?script=")
    assert script.headers["Content-Type"].startswith("application/javascript")


def test_health_needs_no_database_and_no_account():
    assert Client().get("/healthz").json() == {"status": "ok"}


def test_readyz_asks_the_database(db, monkeypatch):
    assert Client().get("/readyz").json() == {"status": "ok", "database": "ok", "storage": "ok"}

    def gone():
        raise OperationalError

    monkeypatch.setattr(the_clock, "now", gone)
    assert Client().get("/readyz").status_code == 503
