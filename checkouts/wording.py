"""What people read about check-ins and check-outs: the result of an action, and the effects of one to come.

These are the sentences that several doors share; what only one of them shows stands there. `who` is a person's name,
YOU for the reader, or HOLDER.
"""

from checkouts.doubts import Doubt
from checkouts.models import Checkout
from checkouts.outcomes import Committed, Outcome, Proposed, Unchanged
from leasehold.wording import Effect

YOU, HOLDER = "you", "the holder"

#: of a proposal, where the file was to stay checked out
NOT_KEPT = "You do not have it checked out any more: a proposal leaves no new version to go on from."
SAFE = "Nothing is lost: it waits for an operator."
LATE = "is kept as a proposal if the file has changed by then or somebody has it, and becomes a version otherwise"

CONFIRM = {
    Doubt.EMPTY: "If you mean it, tick “It may be empty”.",
    Doubt.OTHER_KIND: "If you mean it, tick “It may be another kind”.",
}
CONFIRM_ON_ITS_PAGE = "If you mean it, say so on its page."


# --- results ---------------------------------------------------------------------------------------------------------


def result_of(outcome: Outcome) -> str:
    """Return the result, to be put after the file's name and "is"."""
    match outcome:
        case Committed():
            return f"committed as version {outcome.version.number}."
        case Unchanged():
            return f"identical to version {outcome.version.number}: nothing to commit."
    return f"kept as proposal {outcome.proposal.pk}."


def what_follows(outcome: Outcome, *, why: str = "", wanted_to_keep: bool = False) -> str:
    """Return what a check-in leaves behind. `why` is the reason of a proposal, as a sentence.

    Only a new version was certainly under one's own lease. After the same bytes, or the same answer again, somebody
    else may have the file.
    """
    if isinstance(outcome, Proposed):
        return " ".join(filter(None, [why, SAFE, NOT_KEPT if wanted_to_keep else ""]))
    if isinstance(outcome.attempt, Checkout) and outcome.attempt.next_checkout_id:
        return "It is still checked out to you."
    is_free = isinstance(outcome, Committed) and not outcome.replayed
    return "It is free again." if is_free else "Your check-out has ended."


def why_proposed(outcome: Proposed, missing: str) -> str:
    """Return the reason in a sentence. `missing`: which versions are not in it, as `ProposalBase.missing` has it."""
    if missing:
        return f"{missing[:1].upper()}{missing[1:]}."
    return f"It could not go on top of version {outcome.proposal.base_version.number}."


def held_until(name: str, whose: str, until: str) -> str:
    return f"{name} is {whose} until {until}."


def break_result(who: str, name: str) -> str:
    return f"{who}’s check-out of {name} is broken."


def empty_break_result(who: str, name: str) -> str:
    return f"There was nothing left to break: {who} no longer has {name}."


def discard_result(name: str) -> str:
    return f"Your check-out of {name} has ended, and nothing was committed."


# --- doubts ----------------------------------------------------------------------------------------------------------


def doubt_in_words(doubt: Doubt, *, filename: str, next_version_of: str) -> str:
    if doubt is Doubt.EMPTY:
        return "It is empty (0 bytes)."
    return f"{filename} is another kind of file than {next_version_of}."


def doubt_with_box(doubt: Doubt, *, filename: str, next_version_of: str = "") -> str:
    """Return the doubt and which box of the form says that it is meant."""
    return f"{doubt_in_words(doubt, filename=filename, next_version_of=next_version_of)} {CONFIRM[doubt]}"


def doubt_for_its_page(doubt: Doubt, *, filename: str, next_version_of: str) -> str:
    """Return the doubt where there is no box for one file of several."""
    return f"{doubt_in_words(doubt, filename=filename, next_version_of=next_version_of)} {CONFIRM_ON_ITS_PAGE}"


# --- effects ---------------------------------------------------------------------------------------------------------


def break_effects(who: str, name: str = "the file") -> list[Effect]:
    return [
        ("break", f"{owner(who)} lease ends now, and {name} is free for everybody."),
        ("proposal", nothing_is_lost(who)),
        ("person", f"{subject(who)} {'see' if who == YOU else 'sees'} your name and your reason on the file’s page."),
    ]


def take_over_effects(who: str) -> list[Effect]:
    return [
        ("take-over", f"{owner(who)} lease ends and yours begins, in one step. Nobody can slip in between."),
        ("proposal", nothing_is_lost(who)),
        ("person", f"{subject(who)} sees your name and your reason on their desk at once."),
    ]


def hand_over_effects(who: str, version: str = "the newest version") -> list[Effect]:
    return [
        ("hand-over", f"{owner(who)} lease ends and theirs begins, in one step. Nobody can slip in between."),
        ("info", f"They start from {version}, and have it for as long as it was first asked for."),
        ("info", "Send them what is not checked in another way."),
        ("proposal", f"What {who} {checks(who)} in later {LATE}."),
    ]


def discard_effects(files: int, free: Effect | None = None) -> list[Effect]:
    """`free` says of a single file who can have it, where that is not simply whoever takes it first."""
    if files == 1:
        return [
            ("discard", "Your check-out ends; nothing is committed."),
            free or ("free", "The file is free to whoever takes it first."),
            ("info", "Your copy on your disk stays, but cannot be checked in any more."),
        ]
    return [
        ("discard", "Your check-outs end; nothing is committed."),
        ("free", "What you hold is free to whoever takes it first; what somebody else has by now stays theirs."),
        ("info", "Your copies on your disk stay, but cannot be checked in any more."),
    ]


def nothing_is_lost(who: str) -> str:
    return f"Nothing of {'yours' if who == YOU else 'theirs'} is lost: what {who} {checks(who)} in later {LATE}."


def subject(who: str) -> str:
    """Return `who` as the first word of a sentence; a person's name keeps its spelling."""
    return who.capitalize() if who in (YOU, HOLDER) else who


def owner(who: str) -> str:
    """Return whose something is, as the first word of a sentence."""
    return "Your" if who == YOU else f"{subject(who)}’s"


def checks(who: str) -> str:
    return "check" if who == YOU else "checks"
