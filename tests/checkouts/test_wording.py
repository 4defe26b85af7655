"""The sentences about results and consequences, which every surface takes from one place."""

import pytest

from checkouts import wording
from checkouts.models import Checkout, Edit, Proposal, Version
from checkouts.outcomes import Committed, Proposed, Unchanged
from checkouts.wording import HOLDER, YOU
from leasehold.wording import as_text

ONE, KEPT_OUT, EDIT = Checkout(), Checkout(next_checkout_id=7), Edit()
THIRD, KEPT = Version(number=3), Proposal(pk=12)

RESULTS = [
    (Committed(ONE, THIRD), "committed as version 3.", "It is free again."),
    (Committed(EDIT, THIRD), "committed as version 3.", "It is free again."),
    (Committed(ONE, THIRD, replayed=True), "committed as version 3.", "Your check-out has ended."),
    (Committed(KEPT_OUT, THIRD), "committed as version 3.", "It is still checked out to you."),
    (Unchanged(ONE, THIRD), "identical to version 3: nothing to commit.", "Your check-out has ended."),
    (Unchanged(KEPT_OUT, THIRD), "identical to version 3: nothing to commit.", "It is still checked out to you."),
    (Proposed(ONE, KEPT), "kept as proposal 12.", "Nothing is lost: it waits for an operator."),
]


@pytest.mark.parametrize(("outcome", "result", "after"), RESULTS)
def test_an_outcome_in_words(outcome, result, after):
    assert (wording.result_of(outcome), wording.what_follows(outcome)) == (result, after)


def test_a_proposal_says_why_and_that_the_file_was_not_kept():
    outcome = Proposed(ONE, Proposal(pk=12, base_version=THIRD))
    assert wording.why_proposed(outcome, "") == "It could not go on top of version 3."
    why = wording.why_proposed(outcome, "version 3 by bob is not in it")
    assert wording.what_follows(outcome, why=why, wanted_to_keep=True).startswith(
        "Version 3 by bob is not in it. Nothing is lost: it waits for an operator. You do not have it checked out"
    )


@pytest.mark.parametrize(
    ("who", "begins", "late"),
    [
        (YOU, "Your lease ends now", "Nothing of yours is lost: what you check in later"),
        (HOLDER, "The holder’s lease ends now", "what the holder checks in later"),
        ("youssef", "youssef’s lease ends now", "what youssef checks in later"),
    ],
)
def test_the_effects_of_a_break(who, begins, late):
    text = as_text(wording.break_effects(who))
    assert text.startswith(begins)
    assert late in text
