"""The commands of `manage.py`, and what they share.

commands/          one module for each command
site_command.py    the base class of the commands that touch stored bytes or rows
startup.py         what `serve` does before the first request
progress.py        a progress bar on the terminal
"""
