"""The orders in which files are listed, in the API and on pages: by path, last change, size or holder.

`-` before the name reverses the order. Ties are broken by the id, so that every order supports keyset pagination.
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
    "holder": ("holder_key", "path_key", "id"),
}
ORDERINGS = tuple(sign + name for name in COLUMNS for sign in ("", "-"))


@dataclass(frozen=True, slots=True)
class Ordering:
    """`name`: one of ORDERINGS."""

    name: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Return columns for `order_by`: unique together, not null, all in one direction."""
        sign = "-" if self.name.startswith("-") else ""
        return tuple(f"{sign}{column}" for column in COLUMNS[self.name.removeprefix("-")])

    def prepared(self, files: QuerySet[Artifact], actor: Actor, project: Project) -> QuerySet[Artifact]:
        """Annotate the files of this project with what the columns need."""
        return files.annotate(holder_key=holder_key(actor, project)) if "holder_key" in self.columns[0] else files

    def after(self, files: QuerySet[Artifact], cursor: str) -> QuerySet[Artifact]:
        """Return the prepared files that come after `cursor`. Raises `Invalid`, naming `after`, for a bad cursor."""
        return files.filter(keyset.rows_after(self.columns, self._values(cursor)))

    def cursor_of(self, row: Any) -> str:
        """Return the row's cursor for a URL: `<id>/<value>`, or `<id>/<holder>/<path>` in the order by holder."""
        *values, pk = (getattr(row, column.removeprefix("-")) for column in self.columns)
        texts = [clock.as_iso(value) if isinstance(value, datetime) else str(value) for value in values]
        return "/".join([str(pk), *map(str, texts)])

    def _values(self, cursor: str) -> Sequence[Any]:
        number, _, rest = cursor.partition("/")
        try:
            if (pk := id_in(number)) is None:
                raise ValueError(number)
            match self.columns[0].removeprefix("-"):
                case "changed_at":
                    return [parse_time(rest), pk]
                case "head_size":
                    return [parse_size(rest), pk]
                case "holder_key":
                    holder, _, path = rest.partition("/")
                    return [holder, path, pk]
            return [rest, pk]
        except (ValueError, OverflowError) as error:
            raise Invalid.of("after", "This is no place in the list.") from error


def holder_key(actor: Actor, project: Project) -> Any:
    """Return the sort key by holder: `0` and the holder, `1` if a ticket reserves the file, `2` if it is free.

    No index helps here: the key is computed once for each file of the list, as the filters are.
    """
    held = live_leases().values(text=Concat(Value("0"), F("participant"), output_field=TextField()))
    others = Case(When(pk__in=reserved_files(actor, project), then=Value("1")), default=Value("2"))
    return Coalesce(Subquery(held), others, output_field=TextField())


def parse_time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def parse_size(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 19 and int(text) <= BIGGEST_ID):
        raise ValueError(text)
    return int(text)
