"""The ground floor's queries. Each starts from what the actor may see, so a foreign slug is an unknown slug.

accounts.py    accounts by name, an account's tokens, and what it still holds
projects.py    projects and memberships
tickets.py     tickets by project, state, number and words
sessions.py    sessions
leases.py      live leases, and the filters of their lists
journal.py     journal entries
counts.py      counts that stop at a limit
"""

from leasehold.selectors.accounts import account_named, list_holdings, token_of, tokens_of
from leasehold.selectors.counts import count_rows
from leasehold.selectors.journal import entries_for
from leasehold.selectors.leases import (
    count_leases_by_project,
    has_holder,
    has_holder_kind,
    has_resource_kind,
    held_passes,
    is_in_project,
    leases_for,
    name_workers,
)
from leasehold.selectors.projects import (
    limit_to_projects,
    member_of,
    members_of,
    memberships_of,
    project_for,
    projects_for,
)
from leasehold.selectors.sessions import (
    demand_own_session,
    is_own_session,
    last_sessions,
    session_for,
    sessions_for,
    sessions_in,
)
from leasehold.selectors.tickets import (
    participant_of,
    search_tickets,
    ticket_for,
    tickets_for,
    tickets_in,
    tickets_to_decide,
)

__all__ = [
    "account_named",
    "count_leases_by_project",
    "count_rows",
    "demand_own_session",
    "entries_for",
    "has_holder",
    "has_holder_kind",
    "has_resource_kind",
    "held_passes",
    "is_in_project",
    "is_own_session",
    "last_sessions",
    "leases_for",
    "limit_to_projects",
    "list_holdings",
    "member_of",
    "members_of",
    "memberships_of",
    "name_workers",
    "participant_of",
    "project_for",
    "projects_for",
    "search_tickets",
    "session_for",
    "sessions_for",
    "sessions_in",
    "ticket_for",
    "tickets_for",
    "tickets_in",
    "tickets_to_decide",
    "token_of",
    "tokens_of",
]
