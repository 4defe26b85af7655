"""What people read about decisions on tickets: the effects of one to come, and the result of one made.

These are the sentences that the pages and the admin share; what only one of them shows stands there. `scope` is the
ticket's keys in words, or empty.
"""

from collections.abc import Iterable

#: icon and sentence, in the list "What will happen"
Effect = tuple[str, str]

#: verb → what the ticket is now, and what follows from it
RESULTS = {
    "approve": ("approved", "Any editor of the project can start it."),
    "accept": ("done", "Its scope is free."),
    "send_back": ("sent back", "Its scope is free, and it can be started anew."),
    "cancel": ("cancelled", "Its scope is free."),
}


def as_text(effects: Iterable[Effect]) -> str:
    """Return the sentences alone, one after the other."""
    return " ".join(sentence for _, sentence in effects)


def ticket_result(verb: str, ticket_id: int) -> str:
    result, after = RESULTS[verb]
    return f"Ticket {ticket_id} is {result}. {after}"


def still_checked_out(paths: list[str]) -> str:
    """Return a sentence that names the files; empty without any."""
    return f"Still checked out: {', '.join(paths)}." if paths else ""


def approve_effects() -> list[Effect]:
    return [
        ("play", "Any editor of the project, person or agent, can start it."),
        ("scope", "Nothing is reserved yet: starting reserves."),
        ("draft", "If its scope is changed, it goes back to draft."),
    ]


def accept_effects(scope: str = "") -> list[Effect]:
    return [
        ("done", "The ticket is done, for good."),
        ("free", with_scope("Its scope becomes free", scope)),
        ("same", "What was committed stays as it is."),
    ]


def resume_effects(scope: str = "") -> list[Effect]:
    return [
        ("scope", with_scope("Its scope stays reserved", scope)),
        ("session", "A new session begins at once, for the worker named here."),
    ]


def send_back_effects(scope: str = "") -> list[Effect]:
    return [
        ("approved", "The ticket is approved as before, for anyone to start."),
        *end_effects(scope),
    ]


def cancel_effects(scope: str = "", *, has_live_session: bool | None = None) -> list[Effect]:
    """`has_live_session` is None where it is not known."""
    session = {True: ", and the session with it", False: "", None: ", and its session with it, if one is at work"}
    return [
        ("cancelled", f"The ticket ends for good{session[has_live_session]}."),
        *end_effects(scope),
    ]


def end_effects(scope: str) -> list[Effect]:
    """What follows when work at a ticket ends before it was accepted."""
    return [
        ("free", with_scope("Its scope becomes free", scope)),
        ("same", "What was committed stays. What was checked out stays checked out."),
    ]


def stop_effects(worker: str) -> list[Effect]:
    return [
        ("pause", f"{worker} is told on the ticket’s page, and with the next checkpoint."),
        ("session", "The session goes on until its worker ends it."),
    ]


def with_scope(text: str, scope: str) -> str:
    return f"{text}: {scope}." if scope else f"{text}."
