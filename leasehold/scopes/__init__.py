"""Scope keys: what a ticket's reservations cover, and what a key means.

reservations.py    which reservations cover a place, and the refusals that follow
meanings.py        whether a key reserves files of a project or only a name
"""
