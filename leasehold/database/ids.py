"""Ids as clients send them, as text: in URLs, query strings, forms, cookies and search fields."""

BIGGEST_ID = 2**63 - 1


def id_in(text: str) -> int | None:
    """Return the id that `text` spells, or None. The length is checked first: `int()` refuses over 4,300 digits."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 19):
        return None
    number = int(text)
    return number if 0 < number <= BIGGEST_ID else None
