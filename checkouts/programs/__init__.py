"""Edits by a local program. Only the command `manage.py edit` uses this; no request ever starts a program.

edit.py            take a file, have its new bytes made, commit them, release it
program_edit.py    the same, with a program from `LEASEHOLD_APPS`
runner.py          runs the program, with a deadline and without secrets
"""
