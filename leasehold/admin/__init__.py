"""The ground floor's admin: lists that write nothing, and actions that call the same `actions/` as every other door.

Django's own add, change and delete views are off. They open a transaction of their own, in which an action is an error,
and they know no rule.

    base.py            the base class of every admin: read-only, without counts, with pages for its actions
    actions.py         what an action is in the admin, and how a refusal reads
    action_pages.py    the pages of actions: what will happen, then what was done and what was refused
    columns.py         people, times and states as cells of a list
    filters.py         filters that an index serves
    accounts.py        accounts
    tokens.py          the tokens of accounts
    projects.py        projects and members
    tickets.py         tickets, and the operators' decisions
    sessions.py        scope keys, sessions, checkpoints and failures
    journal.py         leases and journal entries
    reconcile.py       *Reconcile now*
"""

from leasehold.admin import accounts, journal, projects, sessions, tickets, tokens

__all__ = ["accounts", "journal", "projects", "sessions", "tickets", "tokens"]
