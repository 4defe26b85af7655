import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from checkouts.models import Artifact
from checkouts.trees import FileResult, export_tree
from leasehold.management.progress import Progress
from leasehold.management.site_command import SiteCommand
from leasehold.models import Project


class Command(SiteCommand):
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
        results: Counter[str] = Counter()
        with Progress(Artifact.objects.filter(project=home, archived_at=None).count()) as bar:
            for file in export_tree(project=home, root=directory, is_forced=force):
                bar.step(file.path)
                results[file.result] += 1
                if file.result == FileResult.REFUSED:
                    self.stdout.write(f"{file.path}: {file.reason}")
        copied, same, refused = (results[result] for result in (FileResult.COPIED, FileResult.SAME, FileResult.REFUSED))
        self.stdout.write(f"{copied} written, {same} there already, {refused} refused.")
        if results[FileResult.REFUSED]:
            sys.exit(1)
