"""Who had a file when, as its journal tells it: for the picture on its page."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from leasehold.models import Entry
from leasehold.web.tape import Tenure, TenureEnd

OPENED = {"checkout_opened", "edit_opened"}
ENDED = {
    "checkout_broken": TenureEnd.BROKEN,
    "checkout_discarded": TenureEnd.GIVEN,
    "checkout_handed_over": TenureEnd.GIVEN,
    "checkout_taken_over": TenureEnd.BROKEN,
    "edit_broken": TenureEnd.BROKEN,
    "edit_discarded": TenureEnd.GIVEN,
    "lease_lapsed": TenureEnd.LAPSED,
    "proposal_kept": TenureEnd.GIVEN,
    "version_committed": TenureEnd.GIVEN,
    "version_unchanged": TenureEnd.GIVEN,
}


@dataclass(slots=True)
class Held:
    """A tenure that has not ended yet, as far as it was read. `record`: `checkout:12`, `edit:<uuid>`."""

    record: str
    participant: str
    since: datetime
    expires_at: datetime
    renewals: list[datetime] = field(default_factory=list)

    @classmethod
    def begun(cls, entry: Entry) -> "Held":
        expires_at = datetime.fromisoformat(entry.data["expires_at"])
        return cls(record_in(entry), entry.data.get("holder") or entry.participant, entry.at, expires_at)

    def ended(self, at: datetime, ending: TenureEnd) -> Tenure:
        """By the clock, if that was earlier."""
        if self.expires_at <= at:
            at, ending = self.expires_at, TenureEnd.LAPSED
        return Tenure(self.participant, self.since, at, ending, self.renewals)


def tenures(entries: Iterable[Entry], at: datetime) -> list[Tenure]:
    """`entries` of one file, the oldest first; a tenure whose beginning is not among them is left out."""
    found: list[Tenure] = []
    held: Held | None = None
    for entry in entries:
        if entry.kind in OPENED:
            if held:
                found.append(held.ended(entry.at, TenureEnd.GIVEN))
            held = Held.begun(entry)
        elif held is None or record_in(entry) not in (held.record, ""):
            continue  # a late word about what had ended before
        elif entry.kind == "checkout_extended":
            if held.expires_at <= entry.at:  # it had lapsed, and was taken again
                found.append(held.ended(entry.at, TenureEnd.LAPSED))
                held = Held(held.record, held.participant, entry.at, held.expires_at)
            else:
                held.renewals.append(entry.at)
            held.expires_at = datetime.fromisoformat(entry.data["expires_at"])
        elif entry.kind in ENDED:
            found.append(held.ended(entry.at, ENDED[entry.kind]))
            held = None
    if held and held.expires_at <= at:
        found.append(held.ended(at, TenureEnd.LAPSED))
    elif held:
        found.append(Tenure(held.participant, held.since, None, renewals=held.renewals))
    return found


def record_in(entry: Entry) -> str:
    """Which check-out or edit an entry is about; empty where it names none, and so means whatever holds the file."""
    data: dict[str, Any] = entry.data
    if data.get("checkout"):
        return f"checkout:{data['checkout']}"
    if data.get("edit"):
        return f"edit:{data['edit']}"
    lease = str(data.get("lease") or (data.get("holder") if entry.kind == "lease_lapsed" else "") or "")
    return ":".join(lease.split(":")[:2])
