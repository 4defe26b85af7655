"""The admin of the ground floor: stock lists, and acts that call the same `actions/` as every other door.

No stock view writes: they open a transaction of their own, in which an action is an error, and know no rule.

    base.py      ReadOnlyAdmin: a list that never counts, a page that nobody edits, and the pages of its acts
    acts.py      what an act is, and how a refusal reads
    filters.py   filters that an index serves
    shown.py     who, when and until when, in words
    act_pages.py the pages of acts: what will happen, then what was done and what refused
    accounts.py projects.py tickets.py sessions.py journal.py   one module for each group of tables
"""

from leasehold.admin import accounts, journal, projects, sessions, tickets

__all__ = ["accounts", "journal", "projects", "sessions", "tickets"]
