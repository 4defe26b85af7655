"""The one write path of the ground floor, and `@action`, the frame of every verb on both floors.

An action is a keyword-only verb that takes the actor and values, never a request, and is the transaction. Actions do
not call each other; they share the verbs of the engine.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from leasehold.actions.reconcile import expire_sessions
from leasehold.database.transactions import transactional

P = ParamSpec("P")
R = TypeVar("R")


def action(verb: Callable[P, R]) -> Callable[P, R]:
    """Write down the sessions that have lapsed, then run `verb` in a transaction of its own.

    The first commits by itself, so a refusal of the verb does not undo it. With nothing lapsed it is one index look-up.
    """
    in_transaction = transactional(verb)

    @wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        expire_sessions()
        return in_transaction(*args, **kwargs)

    return run
