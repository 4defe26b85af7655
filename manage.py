#!/usr/bin/env python3
"""Django's command line for Leasehold: `python manage.py help` lists the commands."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leasehold.settings")
    try:
        from django.core.management import execute_from_command_line
        from django.db import DatabaseError
    except ModuleNotFoundError as error:
        sys.exit(f"{error}: say `.venv/bin/python manage.py`, whose Python `make run` has made ready.")

    try:
        execute_from_command_line(sys.argv)
    except DatabaseError as error:
        from django.conf import settings

        if "no such table" not in str(error) and "does not exist" not in str(error):
            raise
        database = settings.DATABASES["default"]["NAME"]
        sys.exit(
            f"There are no tables in {database}: is LEASEHOLD_DATA or DATABASE_URL set as for the server?\n"
            "`make run` and `manage.py migrate` make them."
        )


if __name__ == "__main__":
    main()
