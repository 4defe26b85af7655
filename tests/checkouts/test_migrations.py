"""Existing rows after a migration are what the code expects. The tests run the migrations."""

import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from leasehold.database import clock
from tests.factories import make_account, make_project


@pytest.fixture
def migrated(transactional_db):
    """`migrated(name)`: the models of `checkouts` as of this migration, on its tables. At the end all are applied."""

    def to(name: str) -> Any:
        apps = MigrationExecutor(connection).migrate([("checkouts", name)]).apps
        return lambda model: apps.get_model("checkouts", model).objects

    yield to
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_files_get_the_size_and_the_time_of_their_heads(migrated):
    before = migrated("0005_policies_and_edits")
    author, project, at = make_account("alice").pk, make_project("art").pk, clock.now()
    expected: dict[str, tuple[int, datetime]] = {}
    for size in (0, 7):
        path, made_at = f"{size}.psd", at + timedelta(hours=size)
        file = before("Artifact").create(
            project_id=project, path=path, path_key=path, created_at=at, created_by_id=author
        )
        blob = before("Blob").create(key=uuid.uuid4(), digest="sha256:0", size=size, created_at=made_at)
        file.head = before("Version").create(
            artifact=file, number=1, blob=blob, digest="sha256:0", size=size, author_id=author, created_at=made_at
        )
        file.save()
        expected[path] = (size, made_at)

    after = migrated("0006_what_lists_are_ordered_by")
    found = {file.path: (file.head_size, file.changed_at) for file in after("Artifact").all()}
    assert found == expected
