"""Measure checking out a thousand files in one atomic call over HTTP, and the refusal that names all conflicts.

    python bench/bench_many.py [sqlite|postgres|postgres://…] [files]

It starts the production server with its own database and data folder.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests import postgres

DATABASE = sys.argv[1] if len(sys.argv) > 1 else "sqlite"
FILES = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
ROUNDS, GOAL, FLOOR = 5, 1.0, 2.0  # seconds
DATA = tempfile.TemporaryDirectory(prefix="leasehold-bench-")

os.environ["DJANGO_SETTINGS_MODULE"] = "leasehold.settings"
os.environ["LEASEHOLD_DATA"] = DATA.name
os.environ["DATABASE_URL"] = postgres.url_for(DATABASE)

import django

django.setup()

from django.core.management import call_command
from django.db import transaction

from leasehold import leases
from leasehold.actions.tokens import create_token
from leasehold.models import Lease, Role
from tests.factories import make_account, make_member, make_project
from tests.live import Client, served
from tests.scenes import out, put


def main() -> None:
    call_command("migrate", verbosity=0)
    art = make_project("art")
    people = {name: make_account(name) for name in ("alice", "bob")}
    for user in people.values():
        make_member(art, user, Role.EDITOR)
    artifacts = [put(people["alice"], f"heroes/{number:05}.psd", str(number)) for number in range(FILES)]
    tokens = {name: create_token(actor=None, user=user, name="bench")[1] for name, user in people.items()}
    with served(Path(DATA.name), workers=2) as live:
        alice, bob = (Client(live.port, tokens[name]) for name in ("alice", "bob"))
        body = {"artifacts": [artifact.pk for artifact in artifacts], "purpose": "Colours"}
        taken, refused = [], []
        for _ in range(ROUNDS):
            status, seconds, answer = timed(alice, body | {"ttl": 3600})
            assert (status, len(answer["checkouts"])) == (201, FILES), answer
            taken.append(seconds)
            status, seconds, answer = timed(bob, body)
            assert (status, len(answer["leases"])) == (409, FILES), answer
            refused.append(seconds)
            free_all()
        held = out(people["bob"], artifacts[0])
        status, seconds, answer = timed(alice, body)
        assert (status, [lease["holder"] for lease in answer["leases"]]) == (409, [held.lease.holder])
    kind, load = DATABASE.partition(":")[0], os.getloadavg()[0]
    print(f"{kind}, {FILES} files in one atomic call over HTTP, median of {ROUNDS}, load {load:.1f}:")
    print(
        f"  granted             {median(taken):6.2f} s   (goal {GOAL} s, floor {FLOOR} s; the best {min(taken):.2f} s)"
    )
    print(f"  refused, all named  {median(refused):6.2f} s")
    print(f"  refused, one busy   {seconds:6.2f} s")


def timed(client, body) -> tuple[int, float, dict]:
    began = time.perf_counter()
    answer = client.ask(
        "POST", "/api/v1/projects/art/checkouts/", json.dumps(body).encode(), Content_Type="application/json"
    )
    return answer.status, time.perf_counter() - began, answer.body


def free_all() -> None:
    """Free all leases directly, for the next round."""
    with transaction.atomic():
        leases.free(Lease.objects.all())


if __name__ == "__main__":
    main()
