"""Each way to lose a check-out is in every table that names it."""

from pathlib import Path

from checkouts import wiring
from checkouts.attempts.losses import ENTRY
from checkouts.models import Checkout
from checkouts.web.desk.desk import LOSSES
from checkouts.web.desk.news import FILE_NEWS
from checkouts.web.files.tenures import ENDED

TEMPLATE = Path(__file__).resolve().parents[2] / "templates" / "files" / "lost_lease.html"


def test_each_loss_has_a_kind_of_entry_that_ends_a_tenure_and_is_news():
    assert set(ENTRY) == set(Checkout.Loss)
    kinds = set(ENTRY.values())
    assert kinds - set(wiring.KINDS) == set()
    assert kinds - set(ENDED) == set()
    assert kinds - set(FILE_NEWS) == {"checkout_handed_over"}, "news for both people, in `text_for`"


def test_each_loss_has_its_words_on_the_desk_and_on_the_files_page():
    assert set(LOSSES) == set(Checkout.Loss.values)
    text = TEMPLATE.read_text()
    assert [loss for loss in Checkout.Loss.values if loss != "broken" and f'"{loss}"' not in text] == []
