"""Compare the site that the database names with the mark in each store of bytes."""

from django.db import connection

from leasehold.database import clock
from leasehold.models import Site
from leasehold.sites.stores import SiteMark, Store, stores


def database_mark() -> SiteMark:
    """Return the mark of the database. Raises `Site.DoesNotExist` before the first migrate."""
    site = Site.objects.get(pk=Site.ONLY)
    return SiteMark(site.identity, site.epoch)


def mismatch() -> str:
    """Return one sentence on the first store that does not belong to this database, or an empty string."""
    return next(filter(None, (mismatch_with(store) for store in stores())), "")


def mismatch_with(store: Store) -> str:
    """Return why `store` does not belong to this database, in one sentence with both places, or an empty string.

    A new site, with nothing in the store and no row that names bytes, matches: its first bytes adopt the store. The
    store may be adopted while this looks, so its mark is read last: bytes are stored after the mark is written.
    """
    site = Site.objects.get(pk=Site.ONLY)
    here = SiteMark(site.identity, site.epoch)
    try:
        may_be_adopted = site.adopted_at is None and store.is_new()
        found = store.read_mark()
    except (OSError, ValueError) as error:
        return f"The mark of the site in {store.location} cannot be read: {error}."
    if found == here or (found is None and may_be_adopted):
        return ""
    if found is None:
        return _unmarked(store, here, is_adopted=site.adopted_at is not None)
    if found.site != here.site:
        return (
            f"The database {database_location()} is of {here}, but the bytes in {store.location} are of {found}. Check "
            "DATABASE_URL and LEASEHOLD_DATA; if the two do belong together, `manage.py adopt --yes` ties them."
        )
    if found.epoch > here.epoch:
        return (
            f"The database {database_location()} was set back: it is in epoch {here.epoch}, and the bytes in "
            f"{store.location} are in epoch {found.epoch}. `manage.py restored` begins a new epoch."
        )
    return (
        f"The bytes in {store.location} are in epoch {found.epoch}, older than the database {database_location()}, "
        f"which is in epoch {here.epoch}. If they are the right ones, `manage.py adopt --yes` ties them."
    )


def _unmarked(store: Store, here: SiteMark, *, is_adopted: bool) -> str:
    if is_adopted:
        return (
            f"There is no mark of a site in {store.location}, where the bytes of {here} should be, as the database "
            f"{database_location()} has it. Is the disk mounted? Check LEASEHOLD_DATA; `manage.py adopt --yes` ties "
            "this folder to the database."
        )
    return (
        f"The database {database_location()} and the bytes in {store.location} are not tied to each other yet: "
        "`manage.py serve` compares and ties them."
    )


def tie(store: Store) -> str:
    """Adopt a new store, or one from before sites had an identity. Return why it was refused, or an empty string.

    Only the start of a server does this, behind the lock that servers take when they start. Raises OSError.
    """
    adopt_if_new(store)
    if not (problem := mismatch_with(store)):
        return ""
    if store.read_mark() is not None or is_adopted():
        return problem
    if strangeness := store.strangeness():
        return (
            f"The database {database_location()} and the bytes in {store.location} do not seem to belong together: "
            f"{strangeness}. Check DATABASE_URL and LEASEHOLD_DATA; `manage.py adopt --yes` ties them all the same."
        )
    adopt(store)
    return ""


def adopt(store: Store) -> None:
    """Tie the store to this database, whatever mark it carries. Repeating it changes nothing. Raises OSError."""
    store.write_mark(database_mark())
    Site.objects.filter(pk=Site.ONLY, adopted_at=None).update(adopted_at=clock.now())


def adopt_if_new(store: Store) -> None:
    """Tie the store of a new site to this database; call this before the first bytes are stored. Raises OSError.

    A start that broke off after it had marked the store is completed.
    """
    if not is_adopted() and (store.read_mark() == database_mark() or store.is_new()):
        adopt(store)


def is_adopted() -> bool:
    """Has a store been tied to this database?"""
    return Site.objects.filter(pk=Site.ONLY).exclude(adopted_at=None).exists()


def database_location() -> str:
    """Return where the database is, without its password."""
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return str(settings["NAME"])
    port = f":{settings['PORT']}" if settings["PORT"] else ""
    return f"postgres://{settings['HOST'] or 'localhost'}{port}/{settings['NAME']}"
