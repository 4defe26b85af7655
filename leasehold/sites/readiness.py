"""Whether the stores of bytes are in place and can be written, for load balancers."""

import logging
import time

from leasehold.sites import identity
from leasehold.sites.stores import stores

SECONDS = 3  # a result is used again for so long, so that nobody can keep the disk busy by asking

log = logging.getLogger(__name__)

_last: tuple[float, str] = (float("-inf"), "")


def storage_status() -> str:
    """Return `ok`, or what is wrong with the stores in a few words without paths; the log has the details."""
    global _last  # noqa: PLW0603  (one result for the process)
    if time.monotonic() - _last[0] > SECONDS:
        _last = (time.monotonic(), _probe())
    return _last[1]


def _probe() -> str:
    if problem := identity.mismatch():
        log.error(problem)
        return "not the folder of this site"
    for store in stores():
        try:
            if not store.is_new():
                store.probe()
        except OSError as error:
            log.error("The folder %s cannot be written: %s", store.location, error)
            return "cannot be written"
    return "ok"
