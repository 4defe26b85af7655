from typing import Any

from django.core.management.base import CommandError, CommandParser

from leasehold.actions.projects import set_member
from leasehold.exceptions import Invalid
from leasehold.management.site_command import SiteCommand
from leasehold.models import Project, Role, User


class Command(SiteCommand):
    help = "Make an account a member of a project, or give the member another role."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", help="The project's slug.")
        parser.add_argument("name", help="The account's name.")
        parser.add_argument("role", choices=Role.values)

    def handle(self, project: str, name: str, role: str, **_: Any) -> None:
        try:
            member, home = User.objects.get_by_natural_key(name), Project.objects.get(slug=project)
            set_member(actor=None, project=home, user=member, role=role)
        except User.DoesNotExist as error:
            raise CommandError(f"There is no account {name}.") from error
        except Project.DoesNotExist as error:
            raise CommandError(f"There is no project {project}.") from error
        except Invalid as refusal:
            raise CommandError(str(refusal)) from refusal
