import os
import secrets
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core.management.base import CommandError

from checkouts.actions.artifacts import add_artifact
from checkouts.actions.check_in import check_in
from checkouts.actions.check_out import check_out
from checkouts.bytes.intake import upload_from
from checkouts.demo.files import DEMO_FILES, DemoFile
from checkouts.models import Artifact
from leasehold.actions.accounts import create_first_administrator, create_user
from leasehold.actions.projects import create_project, set_member
from leasehold.actors import Actor
from leasehold.management.site_command import SiteCommand
from leasehold.models import Project, Role, User

SLUG = "demo"
CAST = {  # account → (name, role)
    "alice": ("Alice Ames", Role.EDITOR),
    "bob": ("Bob Byrne", Role.EDITOR),
    "vera": ("Vera Voss", Role.VIEWER),
    "olga": ("Olga Orr", Role.OPERATOR),
}
ADMIN_PASSWORD, DEMO_PASSWORD = "LEASEHOLD_ADMIN_PASSWORD", "LEASEHOLD_DEMO_PASSWORD"
REPAINTED = "heroes/hero.psd"
HELD = "costs/Budget 2026.xlsx"
TO_TRY = f"""Try this:
  1. As alice, check out {REPAINTED}, change it in its own app, check it in.
  2. As alice, try to check out {HELD}: bob has it, and you are told until when.
  3. As olga, break bob's check-out. As alice, check the file out and in.
  4. As bob, check in what you had: it is kept as a proposal, on which olga decides, and nothing is lost.
  5. As vera, look and download; nothing else is offered."""

Revisions = dict[str, list[bytes]]


class Command(SiteCommand):
    help = (
        "Make the project “demo”: a dozen real files, people in every role, a file with three versions and one that "
        f"is held. Passwords are made and printed once, or {DEMO_PASSWORD} is everybody's. An existing project "
        "“demo” is left as it is."
    )

    def handle(self, **_: Any) -> None:
        if Project.objects.filter(slug=SLUG).exists():
            self.stdout.write("The project “demo” is there already; nothing was changed.")
            return
        refuse_disabled()
        # Hashing passwords releases the GIL, so drawing runs beside it; both end before the project is created.
        with ThreadPoolExecutor(1) as painter:
            drawn = painter.submit(draw)
            passwords = make_accounts()
        people = {name: User.objects.get_by_natural_key(name) for name in CAST}
        make_project(people)
        add_history(drawn.result(), alice=Actor(people["alice"]), bob=Actor(people["bob"]))

        self.stdout.write(f"The project “demo” is ready: {len(DEMO_FILES)} files, {REPAINTED} in three versions.\n\n")
        for name, password in passwords.items():
            role = CAST[name][1] if name in CAST else "superuser"
            self.stdout.write(f"  {name:8}{role:12}{password}")
        self.stdout.write("\nNew passwords are shown this once.\n\n" + TO_TRY)


def refuse_disabled() -> None:
    for name in CAST:
        if User.objects.filter(username__iexact=name, is_active=False).exists():
            raise CommandError(f"The account {name} is disabled, and the demo needs it. Nothing was changed.")


def draw() -> Revisions:
    """Return the first revision of each file, and all revisions of the repainted file."""
    return {
        file.path: [file.make(number) for number in range(1, len(file.comments) + 1 if file.path == REPAINTED else 2)]
        for file in DEMO_FILES
    }


def make_accounts() -> dict[str, str]:
    """Create the missing accounts. Return the text to print as the password of each."""
    passwords = {}
    for name, (full_name, _) in CAST.items():
        if User.objects.filter(username__iexact=name).exists():
            passwords[name] = "(as before)"
            continue
        password = os.environ.get(DEMO_PASSWORD) or secrets.token_urlsafe(9)
        create_user(actor=None, username=name, name=full_name, password=password)
        passwords[name] = f"(in {DEMO_PASSWORD})" if os.environ.get(DEMO_PASSWORD) else password
    if first := create_first_administrator(password=os.environ.get(ADMIN_PASSWORD)):
        passwords["admin"] = f"(in {ADMIN_PASSWORD})" if os.environ.get(ADMIN_PASSWORD) else first
    return passwords


def make_project(people: dict[str, User]) -> None:
    superuser = Actor(User.objects.filter(is_superuser=True).order_by("pk")[0])
    project = create_project(actor=superuser, slug=SLUG, name="Demo")
    for name, (_, role) in CAST.items():
        set_member(actor=superuser, project=project, user=people[name], role=role)


def add_history(drawn: Revisions, *, alice: Actor, bob: Actor) -> None:
    """Alice and Bob add the files and repaint the hero in turn; Bob keeps the budget checked out."""
    files: dict[str, Artifact] = {}
    for index, file in enumerate(DEMO_FILES):
        files[file.path] = add_demo_file(file, drawn[file.path][0], actor=(alice, bob)[index % 2])
    hero = next(file for file in DEMO_FILES if file.path == REPAINTED)
    for painter, content, comment in zip((bob, alice), drawn[REPAINTED][1:], hero.comments[1:], strict=True):
        granted = check_out(actor=painter, artifact_id=files[REPAINTED].pk, purpose="Repaint the cape")
        check_in_bytes(content, actor=painter, checkout_id=granted.checkout.pk, comment=comment)
    check_out(actor=bob, artifact_id=files[HELD].pk, purpose="Add the travel to the festival")


def add_demo_file(file: DemoFile, content: bytes, *, actor: Actor) -> Artifact:
    return upload_from([content]).commit_with(
        lambda received: add_artifact(
            actor=actor, project=SLUG, path=file.path, upload=received, comment=file.comments[0]
        )
    )


def check_in_bytes(content: bytes, *, actor: Actor, checkout_id: int, comment: str) -> None:
    upload_from([content]).commit_with(
        lambda received: check_in(actor=actor, checkout_id=checkout_id, upload=received, comment=comment)
    )
