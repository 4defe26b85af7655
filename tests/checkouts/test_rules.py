"""The verdict table of a check-in: the first row that fits, from the top."""

from itertools import product

import pytest

from checkouts.rules import CheckInFacts, Verdict, judge_check_in

YES, NO, ANY = (True,), (False,), (True, False)
#: whose lease it is: another holder's, live · mine; or free or lapsed · free or lapsed, under another's live ticket
OTHERS, MINE, RESERVED = ("other's",), ("mine",), ("reserved",)
WHOEVERS = OTHERS + MINE + RESERVED
FORBIDDEN, REPLAYED, CLOSED, UNCHANGED, PROPOSED, COMMITTED = Verdict

# fmt: off
TABLE = [
    # #   own  open  ended so  lease now  base = head  digest = head's  editor  archived  propose  verdict
    ( 1,  NO,  ANY,  ANY,      WHOEVERS,  ANY,         ANY,             ANY,    ANY,      ANY,     FORBIDDEN),
    ( 2,  YES, NO,   YES,      WHOEVERS,  ANY,         ANY,             ANY,    ANY,      ANY,     REPLAYED),
    ( 3,  YES, NO,   NO,       WHOEVERS,  ANY,         ANY,             ANY,    ANY,      ANY,     CLOSED),
    ( 4,  YES, YES,  ANY,      WHOEVERS,  ANY,         YES,             ANY,    ANY,      ANY,     UNCHANGED),
    ( 5,  YES, YES,  ANY,      OTHERS,    ANY,         NO,              ANY,    ANY,      ANY,     PROPOSED),
    ( 6,  YES, YES,  ANY,      WHOEVERS,  NO,          NO,              ANY,    ANY,      ANY,     PROPOSED),
    ( 7,  YES, YES,  ANY,      WHOEVERS,  YES,         NO,              NO,     ANY,      ANY,     PROPOSED),
    ( 7,  YES, YES,  ANY,      WHOEVERS,  YES,         NO,              ANY,    YES,      ANY,     PROPOSED),
    ( 8,  YES, YES,  ANY,      RESERVED,  YES,         NO,              ANY,    ANY,      ANY,     PROPOSED),
    ( 9,  YES, YES,  ANY,      WHOEVERS,  YES,         NO,              ANY,    ANY,      YES,     PROPOSED),
    (10,  YES, YES,  ANY,      MINE,      YES,         NO,              YES,    NO,       NO,      COMMITTED),
]
# fmt: on


def facts_of(own, is_open, ended_with, lease, base_is_head, digest_is_head, editor, archived, propose) -> CheckInFacts:
    return CheckInFacts(
        is_own=own,
        is_open=is_open,
        is_what_it_ended_with=ended_with,
        is_head_digest=digest_is_head,
        is_held_by_another=lease == "other's",
        is_base_head=base_is_head,
        may_edit=editor,
        is_archived=archived,
        is_reserved_by_another=lease == "reserved",
        must_propose=propose,
    )


@pytest.mark.parametrize(("row", "verdict"), [(row, row[-1]) for row in TABLE], ids=[f"row {row[0]}" for row in TABLE])
def test_each_row_of_the_verdict_table(row, verdict):
    cases = list(product(*row[1:-1]))
    assert cases
    for case in cases:
        assert judge_check_in(facts_of(*case)) is verdict, case


def test_the_verdict_table_is_complete():
    """For every combination of facts, the first row that fits gives the rule's verdict."""
    for case in product(ANY, ANY, ANY, WHOEVERS, ANY, ANY, ANY, ANY, ANY):
        fitting = [row for row in TABLE if all(value in column for value, column in zip(case, row[1:-1], strict=True))]
        assert judge_check_in(facts_of(*case)) is fitting[0][-1], case


def test_an_upload_on_ones_own_open_check_out_is_never_dropped():
    for case in product(YES, YES, ANY, WHOEVERS, ANY, NO, ANY, ANY, ANY):
        assert judge_check_in(facts_of(*case)) in (Verdict.PROPOSED, Verdict.COMMITTED), case
