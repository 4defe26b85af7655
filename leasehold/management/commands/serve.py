import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core.management import CommandError, call_command, get_commands
from django.core.management.base import BaseCommand
from django.db import OperationalError, connections

from leasehold.actions import accounts
from leasehold.management import startup
from leasehold.settings.environment import is_true


class Command(BaseCommand):
    help = "Make everything ready (tables, first administrator, static files) and serve with gunicorn."
    requires_system_checks = ()  # `prepare` runs the database's checks; the others are for developers and take time

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
        parser.add_argument("--port", type=port_from, default=os.environ.get("PORT") or "8000", help="the port (8000)")

    def handle(self, *, host: str, port: int, **_: Any) -> None:
        startup.demand_free_address(host, port)
        try:
            with startup.start_up_lock():
                self.prepare()
        except OperationalError as error:
            raise CommandError(f"The database cannot be reached: {error}") from error
        connections.close_all()
        self.stdout.flush()
        serve(host, port)

    def prepare(self) -> None:
        for warning in startup.check_database():
            self.stderr.write(self.style.WARNING(warning))
        if problem := startup.unknown_migrations():
            raise CommandError(problem)
        if startup.migrate():
            self.stdout.write("The database is up to date.")
        startup.tie_stores()
        if startup.collect_static():
            self.stdout.write("The static files are collected.")
        if password := accounts.create_first_administrator(password=os.environ.get("LEASEHOLD_ADMIN_PASSWORD")):
            self.first_start(password)

    def first_start(self, password: str) -> None:
        description = "the password in LEASEHOLD_ADMIN_PASSWORD"
        if not os.environ.get("LEASEHOLD_ADMIN_PASSWORD"):
            description = f"the password {password} (shown this once)"
        self.stdout.write(f"The first administrator is admin, with {description}.")
        if is_true(os.environ.get("LEASEHOLD_DEMO", "1")) and "demo" in get_commands():
            call_command("demo", stdout=self.stdout, stderr=self.stderr)


def port_from(text: str) -> int:
    """Return the port that `text` spells. Raises `ArgumentTypeError` unless it is from 1 to 65535."""
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:6]) <= 65_535):
        raise ArgumentTypeError(f"{text!r} is no port: a whole number from 1 to 65535, as in PORT=9000")
    return int(text)


def serve(host: str, port: int) -> None:
    """Replace this process by gunicorn, so that signals to the started process reach it."""
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    os.environ.setdefault("LEASEHOLD_URL", f"http://127.0.0.1:{port}")
    # gunicorn must find the code from any working folder. That folder stays: paths in the environment may be relative.
    path = [str(settings.BASE_DIR), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(path)
    command = [sys.executable, "-m", "gunicorn", "--config", "python:leasehold.http.gunicorn_conf", "--bind", address]
    os.execv(sys.executable, command)  # noqa: S606  # nosec B606
