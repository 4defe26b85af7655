import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from checkouts.trees import FileResult, files_below, import_tree
from leasehold import names
from leasehold.actions.accounts import ADMINISTRATOR
from leasehold.actors import Actor
from leasehold.exceptions import NotFound, Refusal
from leasehold.management.progress import Progress
from leasehold.management.site_command import SiteCommand
from leasehold.models import Role, User
from leasehold.selectors import project_for


class Command(SiteCommand):
    help = (
        "Put a tree of files under care. Done again, it goes on where it was: what is there with the same bytes stays "
        "as it is, and nothing is overwritten. Exit code 1 if any file was refused; each is listed with the reason."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path, help="The folder whose files are brought in.")
        parser.add_argument("--project", required=True, help="The slug.")
        parser.add_argument("--as", dest="account", default=ADMINISTRATOR, help="Who adds them (admin).")
        parser.add_argument("--prefix", default="", help="The folder in the project that they come to lie in.")

    def handle(self, directory: Path, project: str, account: str, prefix: str, **_: Any) -> None:
        if not directory.is_dir():
            raise CommandError(f"There is no folder {directory}.")
        results: Counter[str] = Counter()
        try:
            actor = Actor(User.objects.get_by_natural_key(account))
            home = project_for(actor, project)
            actor.demand(Role.EDITOR, home.role)
            folder = prefix.strip("/") and f"{names.normalised(prefix.strip('/'), 'prefix')}/"
            files = files_below(directory)
            with Progress(len(files)) as bar:
                for file in import_tree(actor=actor, project=home, root=directory, files=files, prefix=folder):
                    bar.step(file.path)
                    results[file.result] += 1
                    if file.result == FileResult.REFUSED:
                        self.stdout.write(f"{printable(file.path)}: {file.reason}")
        except User.DoesNotExist as error:
            raise CommandError(f"There is no account {account}.") from error
        except NotFound as error:
            raise CommandError(f"There is no project {project} that {account} may see.") from error
        except (Refusal, OSError) as error:
            raise CommandError(f"{error} {summary(results)}") from error
        self.stdout.write(summary(results))
        if results[FileResult.REFUSED]:
            sys.exit(1)


def summary(results: Counter[str]) -> str:
    copied, same, refused = (results[result] for result in (FileResult.COPIED, FileResult.SAME, FileResult.REFUSED))
    return f"{copied} added, {same} there already, {refused} refused."


def printable(path: str) -> str:
    """Return a name that is safe to print: control characters, and bytes that are not UTF-8, are escaped."""
    text = path.encode(errors="surrogateescape").decode(errors="backslashreplace")
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
