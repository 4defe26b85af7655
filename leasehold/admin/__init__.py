"""The ground floor's admin: lists that write nothing, and verbs that call the same `actions/` as every other door.

Django's own add, change and delete views are off. They open a transaction of their own, in which an action is an error,
and they know no rule.

    base.py            the base class of every admin: read-only, without counts, with pages for verbs
    actions.py         what a verb is in the admin, and how a refusal reads
    action_pages.py    the pages of verbs: what will happen, then what was done and what was refused
    columns.py         people, times and states as cells of a list
    filters.py         filters that an index serves
    accounts.py        accounts and tokens
    projects.py        projects and members
    tickets.py         tickets, and the operators' decisions
    sessions.py        scope keys, sessions, checkpoints and failures
    journal.py         leases and journal entries
    reconcile.py       *Reconcile now*
"""

from leasehold.admin import accounts, journal, projects, sessions, tickets

__all__ = ["accounts", "journal", "projects", "sessions", "tickets"]
