"""The commands of `manage.py` on files.

commands/    one module for each command
"""
