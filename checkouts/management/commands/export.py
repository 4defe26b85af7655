import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from checkouts.models import Artifact
from checkouts.trees import Came, take_out
from leasehold.management.progress import Progress
from leasehold.models import Project


class Command(BaseCommand):
    help = (
        "Write the newest version of every file of a project into a folder. Done again, it goes on where it was. "
        "Exit code 1 if any file was refused; each is listed with the reason."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="The slug.")
        parser.add_argument("directory", type=Path, help="Made if it is missing.")
        parser.add_argument("--force", action="store_true", help="replace files that have other bytes")

    def handle(self, project: str, directory: Path, *, force: bool, **_: Any) -> None:
        if (home := Project.objects.filter(slug=project).first()) is None:
            raise CommandError(f"There is no project {project}.")
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"{directory}: {error.strerror}") from error
        came: Counter[str] = Counter()
        with Progress(Artifact.objects.filter(project=home, archived_at=None).count()) as bar:
            for done in take_out(project=home, root=directory, is_forced=force):
                bar.step(done.path)
                came[done.came] += 1
                if done.came == Came.REFUSED:
                    self.stdout.write(f"{done.path}: {done.why}")
        self.stdout.write(
            f"{came[Came.COPIED]} written, {came[Came.SAME]} there already, {came[Came.REFUSED]} refused."
        )
        if came[Came.REFUSED]:
            sys.exit(1)
