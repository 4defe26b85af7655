"""The commands of `manage.py`, and what they share.

commands/      one module for each command
startup.py     what `serve` does before the first request
progress.py    a progress bar on the terminal
"""
