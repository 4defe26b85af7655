"""An operator's action has the same wording on the holder's desk, the file's page and in the journal."""

import pytest

from checkouts.actions import proposals
from checkouts.actions.breaks import break_checkout, take_over
from checkouts.models import Proposal
from leasehold.actors import Actor
from tests.web.conftest import SECOND, THIRD, check_in, check_out, text_of


def break_it(olga, hero, checkout) -> None:
    break_checkout(actor=Actor(olga), checkout_id=checkout.pk, reason="away")


def take_it_over(olga, hero, checkout) -> None:
    take_over(actor=Actor(olga), artifact_id=hero.pk, reason="urgent")


@pytest.mark.parametrize(("break_lease", "verb"), [(break_it, "broke"), (take_it_over, "took over")])
def test_a_break_and_a_take_over_have_one_wording_everywhere(as_, alice, vera, olga, hero, break_lease, verb):
    break_lease(olga, hero, check_out(as_(alice), hero))
    assert f"olga {verb} your check-out of hero.psd" in text_of(as_(alice).get("/desk/"))
    assert f"olga {verb} your check-out" in text_of(as_(alice).get(f"/artifacts/{hero.pk}/"))
    for address in ("/journal/", f"/artifacts/{hero.pk}/"):
        assert f"olga {verb} alice’s check-out" in text_of(as_(vera).get(address))
        assert f"You {verb} alice’s check-out" in text_of(as_(olga).get(address))


def test_a_rebuild_has_one_wording_everywhere(as_, alice, bob, vera, olga, hero, clock):
    mine = check_out(as_(alice), hero, ttl=60)
    clock.forward(minutes=2)
    check_in(as_(bob), check_out(as_(bob), hero), SECOND)
    check_in(as_(alice), mine, THIRD)
    old = Proposal.objects.get()
    check_in(as_(bob), check_out(as_(bob), hero), b"newer")
    proposals.rebuild(actor=Actor(olga), proposal_id=old.pk)
    new = Proposal.objects.exclude(pk=old.pk).get()
    assert f"olga rebuilt your proposal {old.pk} as proposal {new.pk} of hero.psd" in text_of(as_(alice).get("/desk/"))
    assert f"olga rebuilt proposal {old.pk} as proposal {new.pk}" in text_of(as_(vera).get("/journal/"))
