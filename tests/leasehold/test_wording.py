"""The sentences about decisions on tickets, which the pages and the admin take from one place."""

import pytest

from leasehold import wording
from leasehold.wording import as_text


@pytest.mark.parametrize("effects", [wording.accept_effects, wording.send_back_effects, wording.cancel_effects])
def test_the_scope_is_named_where_it_is_known(effects):
    assert "Its scope becomes free: art/capes." in as_text(effects("art/capes"))
    assert "Its scope becomes free. " in as_text(effects())


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        (True, "The ticket ends for good, and the session with it."),
        (False, "The ticket ends for good."),
        (None, "The ticket ends for good, and its session with it, if one is at work."),
    ],
)
def test_a_cancel_ends_a_live_session(known, sentence):
    assert wording.cancel_effects(has_live_session=known)[0][1] == sentence


def test_a_result_says_what_follows():
    assert wording.ticket_result("accept", 7) == "Ticket 7 is done. Its scope is free."
    assert wording.still_checked_out(["a.psd", "b.psd"]) == "Still checked out: a.psd, b.psd."
    assert wording.still_checked_out([]) == ""
