"""The names of passes in the lease table, and the limits of a role, a context, a pass_id and a ttl."""

from urllib.parse import quote, unquote

from leasehold.exceptions import Invalid

PREFIX = "role:"
MAX_TTL = 30 * 24 * 3600  # seconds, as for every lease
MAX_NAME = 200  # bytes of UTF-8 in a role, a context and a pass_id


def demand_ttl(ttl: object) -> None:
    """Raise `Invalid` unless `ttl` is a whole number of seconds, 0 to 30 days."""
    if isinstance(ttl, bool) or not isinstance(ttl, int):
        raise Invalid.of("ttl", "Expected a whole number of seconds.")
    if not 0 <= ttl <= MAX_TTL:
        raise Invalid.of("ttl", f"Expected 0 to {MAX_TTL} seconds.")


def demand_names(**names: str) -> None:
    """Raise `Invalid` on the first field that is empty, no text, too long, or that PostgreSQL cannot store."""
    for field, value in names.items():
        if not isinstance(value, str) or not value.strip():
            raise Invalid.of(field, "Needed.")
        if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
            raise Invalid.of(field, "Contains a character that cannot be stored.")
        if len(value.encode()) > MAX_NAME:
            raise Invalid.of(field, f"Longer than {MAX_NAME} bytes.")


def pass_resource(role: str, context: str) -> str:
    """Return the resource of a pass. Both parts are percent-encoded, so `a/b` + `c` and `a` + `b/c` differ."""
    return f"{PREFIX}{quote(role, safe='')}/{quote(context, safe='')}"


def role_and_context(resource: str) -> tuple[str, str]:
    """Return the role and the context that `pass_resource` made this resource of."""
    role, _, context = resource.removeprefix(PREFIX).partition("/")
    return unquote(role), unquote(context)


def pass_id_of(holder: str) -> str:
    """Return the pass_id of a holder `pass:<uuid>:<pass_id>`."""
    return holder.split(":", 2)[2]
