"""The verbs of the ground floor, and `@action`, the frame of every verb on both floors.

An action is a function with keyword arguments only. It takes the actor and values, never a request, and it is one
transaction (`durable`, so an action called by another fails). Actions share the engines below them (`leases`, `scopes`,
`journal`) and plain functions of these modules, such as `tickets.lock_ticket`. What calls several actions stands above
them and says so; `leases.break_lease` only picks the one action to call.

    accounts.py       accounts: create, set the password, activate, deactivate
    sign_in.py        signing in with a password, and the throttle on guesses
    profile.py        one's own name, time zone and password
    tokens.py         create and revoke a token
    projects.py       projects and their members
    tickets.py        create, edit, approve, accept, send back and cancel a ticket
    sessions.py       start, resume, checkpoint, submit, block and stop
    passes.py         acquire, renew, release and break a pass
    leases.py         break a lease by the name of its resource
    reconcile.py      write down what time alone has decided
    idempotency.py    the first answers to requests with an `Idempotency-Key`
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from leasehold.actions.reconcile import expire_sessions
from leasehold.database.transactions import transactional

P = ParamSpec("P")
R = TypeVar("R")


def action(verb: Callable[P, R]) -> Callable[P, R]:
    """Decorate `verb` to expire lapsed sessions first, then to run in a transaction of its own.

    Expiring commits by itself, so a refusal of the verb does not undo it. If nothing has lapsed, it is one index
    look-up.
    """
    in_transaction = transactional(verb)

    @wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        expire_sessions()
        return in_transaction(*args, **kwargs)

    return run
