"""Values as JSON knows them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from leasehold.database import clock
from leasehold.leases import HeldLease


def plain(value: Any) -> Any:
    """`value` as JSON knows it: times in UTC with `Z`, leases as section 10 of the design shows them."""
    match value:
        case datetime():
            return clock.text(value)
        case HeldLease():
            return plain(value.as_facts())
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(item) for item in value]
        case UUID():
            return str(value)
    return value
