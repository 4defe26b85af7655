"""In which order files are listed, the same at every door: by path, by last change, by size, by holder.

`-` before the name turns it round. Ties are broken by the id, so that a list goes on by key in every order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Case, F, QuerySet, Subquery, TextField, Value, When
from django.db.models.functions import Coalesce, Concat

from checkouts.models import Artifact
from checkouts.selectors import live_leases
from checkouts.selectors.reservations import reserved_files
from leasehold.actors import Actor
from leasehold.database import clock, keyset
from leasehold.database.ids import BIGGEST_ID, id_in
from leasehold.exceptions import Invalid
from leasehold.models import Project

COLUMNS = {
    "path": ("path_key", "id"),
    "changed": ("changed_at", "id"),
    "size": ("head_size", "id"),
    "holder": ("holding", "path_key", "id"),
}
ORDERINGS = tuple(sign + name for name in COLUMNS for sign in ("", "-"))


@dataclass(frozen=True, slots=True)
class Ordering:
    """`name`: one of ORDERINGS."""

    name: str

    @property
    def columns(self) -> tuple[str, ...]:
        """As `order_by` takes them: unique together, not null, all in one direction."""
        sign = "-" if self.name.startswith("-") else ""
        return tuple(f"{sign}{column}" for column in COLUMNS[self.name.removeprefix("-")])

    def prepared(self, files: QuerySet[Artifact], actor: Actor, project: Project) -> QuerySet[Artifact]:
        """The files of this project with what the columns need."""
        return files.annotate(holding=holding(actor, project)) if "holding" in self.columns[0] else files

    def after(self, files: QuerySet[Artifact], place: str) -> QuerySet[Artifact]:
        """Of files that are prepared: those behind a place that `place_of` gave. `Invalid` names `after`."""
        return files.filter(keyset.beyond(self.columns, self._values(place)))

    def place_of(self, row: Any) -> str:
        """Where a row stands, for an address: `<id>/<value>`, and the path behind it where there is one more."""
        *values, pk = (getattr(row, column.removeprefix("-")) for column in self.columns)
        texts = [clock.text(value) if isinstance(value, datetime) else str(value) for value in values]
        return "/".join([str(pk), *map(str, texts)])

    def _values(self, place: str) -> Sequence[Any]:
        number, _, rest = place.partition("/")
        try:
            if (pk := id_in(number)) is None:
                raise ValueError(number)
            match self.columns[0].removeprefix("-"):
                case "changed_at":
                    return [moment(rest), pk]
                case "head_size":
                    return [whole(rest), pk]
                case "holding":
                    holder, _, path = rest.partition("/")
                    return [holder, path, pk]
            return [rest, pk]
        except (ValueError, OverflowError) as error:
            raise Invalid.of("after", "This is no place in the list.") from error


def holding(actor: Actor, project: Project) -> Any:
    """What stands in the order by holder: `0` and the holder; `1` where a ticket reserves the file; `2` if it is free.

    The index serves no part of it. It is judged once for each file of the list, as the filters are.
    """
    held = live_leases().values(text=Concat(Value("0"), F("participant"), output_field=TextField()))
    others = Case(When(pk__in=reserved_files(actor, project), then=Value("1")), default=Value("2"))
    return Coalesce(Subquery(held), others, output_field=TextField())


def moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def whole(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 19 and int(text) <= BIGGEST_ID):
        raise ValueError(text)
    return int(text)
