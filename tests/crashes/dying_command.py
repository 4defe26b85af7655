"""A command of `manage.py` that is killed (-9) when a function is called the n-th time.

`python -m tests.crashes.dying_command checkouts.backups.rows.write_lines 3 backup /backups`
"""

import os
import signal
import sys
from importlib import import_module
from itertools import count
from typing import Any

import django
from django.core.management import call_command


def main(dotted: str, number: str, *command: str) -> None:
    django.setup()
    module_name, _, name = dotted.rpartition(".")
    module = import_module(module_name)
    original, calls = getattr(module, name), count(1)

    def counted(*args: Any, **kwargs: Any) -> Any:
        if next(calls) == int(number):
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*args, **kwargs)

    setattr(module, name, counted)
    call_command(*command)


main(*sys.argv[1:])
