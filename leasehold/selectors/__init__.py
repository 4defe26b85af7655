"""The ground floor's queries. Each starts from what the actor may see, so a foreign slug is an unknown slug.

accounts.py    an account's tokens, and what it still holds
projects.py    projects and memberships
tickets.py     tickets by project, state, number and words
sessions.py    sessions
leases.py      live leases, and the filters of their lists
journal.py     journal entries
counts.py      counts that stop at a limit
"""

from leasehold.selectors.accounts import in_hand, token_of, tokens_of
from leasehold.selectors.counts import capped
from leasehold.selectors.journal import entries_for
from leasehold.selectors.leases import (
    held_by,
    in_project,
    leases_for,
    of_holder,
    of_kind,
    on_kind,
    passes,
    with_workers,
)
from leasehold.selectors.projects import member_of, members_of, memberships_of, of_projects, project_for, projects_for
from leasehold.selectors.sessions import (
    is_own_session,
    last_sessions,
    own_session,
    session_for,
    sessions_for,
    sessions_in,
)
from leasehold.selectors.tickets import finding, participant_of, ticket_for, tickets_for, tickets_in, to_decide

__all__ = [
    "capped",
    "entries_for",
    "finding",
    "held_by",
    "in_hand",
    "in_project",
    "is_own_session",
    "last_sessions",
    "leases_for",
    "member_of",
    "members_of",
    "memberships_of",
    "of_holder",
    "of_kind",
    "of_projects",
    "on_kind",
    "own_session",
    "participant_of",
    "passes",
    "project_for",
    "projects_for",
    "session_for",
    "sessions_for",
    "sessions_in",
    "ticket_for",
    "tickets_for",
    "tickets_in",
    "to_decide",
    "token_of",
    "tokens_of",
    "with_workers",
]
