"""Sign in with a password, with a limit on failed attempts.

An attempt is counted in the database before the password is checked, so that several workers or concurrent connections
do not allow more guesses than the limit. A success takes the count back. A window begins with its first failure, and
further failures do not prolong it, so nobody can be locked out for longer than one window at a time.
"""

from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from ipaddress import ip_address, ip_network
from math import ceil
from typing import NoReturn

from django.contrib.auth.hashers import make_password
from django.db import connection
from django.db.models import F

from leasehold.database import clock
from leasehold.database.transactions import transactional
from leasehold.exceptions import Throttled, Unauthenticated
from leasehold.models import SignInFailure, User

WINDOW = 15 * 60  # seconds
ACCOUNT_LIMIT = 10  # failures in a window for one account name, whether or not the account exists
ADDRESS_LIMIT = 50  # failures in a window from one address; a whole office may share it
SWEPT = 100  # at most so many old counters are deleted after each success
TABLE = SignInFailure._meta.db_table


@dataclass(frozen=True, slots=True)
class Counter:
    """The row that counts failures of one account name or one address, and its limit."""

    key: str
    limit: int


def sign_in(*, username: str, password: str, address: str) -> User:
    """Return the account with this name and password.

    Raises `Unauthenticated` alike for a wrong password and for an unknown, deactivated or program's account, and
    `Throttled` with `retry_after` in seconds. The password is checked outside any transaction, since hashing is slow.
    """
    by_account, by_address = counters = _counters(username, address)
    _refuse_if_exhausted(counters)
    _count(counters=counters)
    user = _account(username)
    if user is None:
        make_password(password)  # takes as long as for an account that exists
        raise Unauthenticated
    if not user.check_password(password) or not user.is_active or user.is_agent:
        raise Unauthenticated
    _settle(by_account=by_account, by_address=by_address)
    return user


def _counters(username: str, address: str) -> tuple[Counter, Counter]:
    return (
        Counter(_key("account", username.strip().lower()), ACCOUNT_LIMIT),
        Counter(_key("address", _network_of(address)), ADDRESS_LIMIT),
    )


def _key(what: str, value: str) -> str:
    """Return a digest: it has a fixed length, and a password typed as the name is not stored."""
    return sha256(f"{what}:{value}".encode(errors="surrogatepass")).hexdigest()


def _network_of(address: str) -> str:
    """Return the /64 network of an IPv6 address, since one customer has 2⁶⁴ addresses; an IPv4 address as it is."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((parsed, 64), strict=False)) if parsed.version == 6 else str(parsed)


def _refuse_if_exhausted(counters: tuple[Counter, ...]) -> None:
    """Raise `Throttled` if a limit is reached. This only reads, so that a refusal costs no write."""
    limits = {counter.key: counter.limit for counter in counters}
    rows = SignInFailure.objects.filter(key__in=limits, window_ends_at__gt=clock.DatabaseNow())
    for row in rows.annotate(at=clock.DatabaseNow()):
        if row.failures >= limits[row.key]:
            _refuse((row.window_ends_at - clock.as_utc(row.at)).total_seconds())


@transactional
def _count(*, counters: tuple[Counter, ...]) -> None:
    now, until = clock.sql().replace("%", "%%"), clock.sql(WINDOW).replace("%", "%%")
    for counter in sorted(counters, key=lambda counter: counter.key):  # always in the same order, against deadlocks
        with connection.cursor() as cursor:
            cursor.execute(
                f"""
                INSERT INTO {TABLE} AS seen (key, failures, window_ends_at) VALUES (%s, 1, {until})
                ON CONFLICT (key) DO UPDATE SET
                    failures = CASE WHEN seen.window_ends_at <= {now} THEN 1 ELSE seen.failures + 1 END,
                    window_ends_at = CASE WHEN seen.window_ends_at <= {now} THEN {until} ELSE seen.window_ends_at END
                RETURNING failures, window_ends_at, {now}
                """,
                [counter.key],
            )
            failures, ends_at, at = cursor.fetchone()
        if failures > counter.limit:
            # The refusal rolls the counts back: an attempt whose password was not checked does not count.
            _refuse((clock.as_utc(ends_at) - clock.as_utc(at)).total_seconds())


def _refuse(seconds: float) -> NoReturn:
    raise Throttled("Too many attempts to sign in. Wait a little.", retry_after=max(1, ceil(seconds)))


def _account(username: str) -> User | None:
    if not username.isascii() or "\0" in username:
        return None
    try:
        return User.objects.get_by_natural_key(username.strip())
    except User.DoesNotExist:
        return None


@transactional
def _settle(*, by_account: Counter, by_address: Counter) -> None:
    """After a success, delete the account's counter, take this attempt off the address's, and delete old counters."""
    at = clock.now()
    for counter in sorted((by_account, by_address), key=lambda counter: counter.key):
        mine = SignInFailure.objects.filter(key=counter.key)
        if counter is by_account:
            mine.delete()
        else:
            mine.filter(failures__gt=0).update(failures=F("failures") - 1)
    ended = SignInFailure.objects.filter(window_ends_at__lt=at - timedelta(seconds=WINDOW)).order_by("key")
    if connection.features.has_select_for_update_skip_locked:
        ended = ended.select_for_update(skip_locked=True, no_key=True)
    SignInFailure.objects.filter(pk__in=list(ended.values_list("pk", flat=True)[:SWEPT])).delete()
