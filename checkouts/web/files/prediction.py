"""Predicts the result of a check-in for the form. The check-in itself applies the same rule again, under the locks."""

from dataclasses import dataclass

from checkouts.attempts.situations import Situation
from checkouts.models import Checkout
from checkouts.rules import Verdict, judge_check_in
from checkouts.selectors import ArtifactWithLease
from checkouts.web.rights import may_edit
from leasehold.actors import Actor
from leasehold.web.holds import Hold

NEW_DIGEST = "unlike any"  # stands for the digest of new bytes: no version has it


@dataclass(frozen=True, slots=True)
class Prediction:
    """The result that new bytes would have: `title` and `text` of the notice, and the label of the form's `button`."""

    verdict: Verdict
    role: str
    icon: str
    title: str
    text: str
    button: str


def predict_check_in(actor: Actor, seen: ArtifactWithLease, checkout: Checkout, hold: Hold | None) -> Prediction:
    """Return the result that checking in new bytes on `checkout` would have now.

    The head's own bytes need no prediction: they commit nothing.
    """
    artifact, lease = seen.artifact, seen.live_lease
    head, base = artifact.head, checkout.base_version
    verdict = judge_check_in(Situation(actor, checkout, artifact, lease, seen.at).facts_for(NEW_DIGEST))
    number = head.number if head else 0
    if verdict is Verdict.COMMITTED:
        text = f"Version {number} is still the newest, and the lease is yours."
        if lease is None:
            text = "Your lease has ended, and nobody has taken the file: it is taken again for you as you check in."
        return Prediction(
            verdict,
            "is-mine",
            "done",
            f"This will become version {number + 1}.",
            text,
            f"Check in as version {number + 1}",
        )
    kept = "Nothing of anybody’s is overwritten, and nothing of yours is lost: an operator decides."
    if head != base:
        title, text = f"Version {number} is the newest now.", f"You started from version {base.number}. {kept}"
    elif lease is not None and hold is not None:
        title, text = f"{hold.name} has the file now.", kept
    elif artifact.archived_at:
        title, text = "The file is archived.", kept
    elif not may_edit(actor, seen):
        title, text = "You are no longer an editor here.", kept
    else:
        title, text = "Somebody’s ticket reserves this file now.", kept
    return Prediction(
        verdict, "is-proposal", "proposal", f"{title} Yours will be kept as a proposal.", text, "Check in"
    )
