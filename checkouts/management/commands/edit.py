import getpass
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from checkouts import selectors
from checkouts.programs.program_edit import edit_with_program
from checkouts.programs.runner import ProgramFailed
from checkouts.wording import result_of
from leasehold.actors import Actor
from leasehold.exceptions import NotFound, Refusal
from leasehold.management.site_command import SiteCommand
from leasehold.models import User


class Command(SiteCommand):
    help = (
        "Let a local program make a file's next version: take the file, run the program on a copy, commit what it "
        "made, let go however it ends. LEASEHOLD_APPS names the programs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("artifact", help="Its id, or project/path.")
        parser.add_argument("--app", required=True, metavar="NAME", help="One of LEASEHOLD_APPS.")
        parser.add_argument(
            "--as", dest="username", metavar="USER", help="By default the account named as you are here."
        )
        parser.add_argument("--comment", default="", help="What was done; on the version.")

    def handle(self, artifact: str, app: str, username: str | None, comment: str, **_: Any) -> None:
        template, actor = template_of(app), Actor(account_of(username or getpass.getuser()))
        try:
            found = selectors.artifact_at(actor, artifact)
            with exit_on_sigterm():
                outcome = edit_with_program(
                    actor=actor, artifact_id=found.pk, template=template, comment=comment, purpose=f"edit with {app}"
                )
        except NotFound as refusal:
            raise CommandError(f"There is no file {artifact} that {actor.user.username} may see.") from refusal
        except Refusal as refusal:
            raise CommandError(refusal_text(refusal)) from refusal
        except ProgramFailed as failed:
            raise CommandError(f"{failed}\n{failed.stderr}".strip()) from failed
        self.stdout.write(f"{found.path}: {result_of(outcome)}")


def template_of(app: str) -> list[str]:
    if (template := settings.LEASEHOLD_APPS.get(app)) is None:
        known = ", ".join(sorted(settings.LEASEHOLD_APPS)) or "none"
        raise CommandError(f"LEASEHOLD_APPS has no program {app}; it has {known}.")
    return list(template)


def account_of(name: str) -> User:
    try:
        user = User.objects.get_by_natural_key(name)
    except User.DoesNotExist as error:
        raise CommandError(f"There is no account {name}; say one with --as.") from error
    if not user.is_active:
        raise CommandError(f"The account {name} is disabled.")
    return user


@contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Turn SIGTERM into an exception, so that the program is killed and the lease released before the process ends."""

    def stop(number: int, _: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def refusal_text(refusal: Refusal) -> str:
    if lease := getattr(refusal, "lease", None):
        return f"{refusal} It is {lease.participant}'s for {lease.expires_in} seconds more. {lease.purpose}".strip()
    return str(refusal)
