"""Ids as text, as clients send them: in addresses, queries, forms, cookies and search fields."""

BIGGEST_ID = 2**63 - 1


def id_in(text: str) -> int | None:
    """The id that `text` is; none where it can be none. Python reads no number of more than 4,300 digits."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 19):
        return None
    number = int(text)
    return number if 0 < number <= BIGGEST_ID else None
