"""The tenures of a file (who held it from when to when), read from its journal for the tape on its page."""

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
class OpenTenure:
    """A tenure whose end has not been found yet. `attempt`: `checkout:12` or `edit:<uuid>`."""

    attempt: str
    participant: str
    since: datetime
    expires_at: datetime
    renewals: list[datetime] = field(default_factory=list)

    @classmethod
    def from_entry(cls, entry: Entry) -> "OpenTenure":
        expires_at = datetime.fromisoformat(entry.data["expires_at"])
        return cls(attempt_in(entry), entry.data.get("holder") or entry.participant, entry.at, expires_at)

    def close(self, at: datetime, ending: TenureEnd) -> Tenure:
        """Return the finished tenure. If the lease had lapsed before `at`, it ended then."""
        if self.expires_at <= at:
            at, ending = self.expires_at, TenureEnd.LAPSED
        return Tenure(self.participant, self.since, at, ending, self.renewals)


def tenures_in(entries: Iterable[Entry], at: datetime) -> list[Tenure]:
    """Return the tenures of one file, without those whose first entry is missing. `entries`: the oldest first."""
    found: list[Tenure] = []
    held: OpenTenure | None = None
    for entry in entries:
        if entry.kind in OPENED:
            if held:
                found.append(held.close(entry.at, TenureEnd.GIVEN))
            held = OpenTenure.from_entry(entry)
        elif held is None or attempt_in(entry) not in (held.attempt, ""):
            continue  # a late entry about an earlier tenure
        elif entry.kind == "checkout_extended":
            if held.expires_at <= entry.at:  # the lease had lapsed, and extending took it again
                found.append(held.close(entry.at, TenureEnd.LAPSED))
                held = OpenTenure(held.attempt, held.participant, entry.at, held.expires_at)
            else:
                held.renewals.append(entry.at)
            held.expires_at = datetime.fromisoformat(entry.data["expires_at"])
        elif entry.kind in ENDED:
            found.append(held.close(entry.at, ENDED[entry.kind]))
            held = None
    if held and held.expires_at <= at:
        found.append(held.close(at, TenureEnd.LAPSED))
    elif held:
        found.append(Tenure(held.participant, held.since, None, renewals=held.renewals))
    return found


def attempt_in(entry: Entry) -> str:
    """Return the check-out or edit that an entry names, or an empty string if it means the current holder."""
    data: dict[str, Any] = entry.data
    if data.get("checkout"):
        return f"checkout:{data['checkout']}"
    if data.get("edit"):
        return f"edit:{data['edit']}"
    lease = str(data.get("lease") or (data.get("holder") if entry.kind == "lease_lapsed" else "") or "")
    return ":".join(lease.split(":")[:2])
