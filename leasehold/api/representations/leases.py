"""Leases as plain dicts."""

from typing import Any

from leasehold.http.json_values import to_json
from leasehold.leases import HeldLease


def lease_row(lease: HeldLease) -> dict[str, Any]:
    """Return a lease of a list, which can contain lapsed ones."""
    return to_json({**lease.as_facts(), "is_lapsed": lease.is_lapsed})
