"""Python values as JSON values."""

from datetime import datetime
from typing import Any
from uuid import UUID

from leasehold.database import clock
from leasehold.leases import HeldLease


def to_json(value: Any) -> Any:
    """Return `value` as JSON values: times as text in UTC with `Z`, leases as `HeldLease.as_facts` gives them."""
    match value:
        case datetime():
            return clock.as_iso(value)
        case HeldLease():
            return to_json(value.as_facts())
        case dict():
            return {key: to_json(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [to_json(item) for item in value]
        case UUID():
            return str(value)
    return value
