"""Normalise and validate the paths of artifacts and the keys of scopes, in one way for the whole project.

`normalised` gives the spelling that is stored and shown, `comparing_form` the form in which names are compared. So
`Hero.psd` and `hero.PSD` are the same file, and so are names with composed and decomposed accents.
"""

import unicodedata

from leasehold.exceptions import Invalid

MAX_SEGMENT = 255  # bytes of UTF-8
MAX_PATH = 1_024  # bytes of UTF-8
LAST = "\U0010ffff"  # sorts after every path
MAX_COMPARING = 2_048  # bytes: case folding can lengthen a name, and PostgreSQL indexes at most 2,704

BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
DEVICE_NAMES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{device}{digit}" for device in ("com", "lpt") for digit in "123456789¹²³"]
)


def normalised(text: object, field: str = "path") -> str:
    """Return `text` as a path in NFC with `/` between segments. Raises `Invalid` on `field` with the fault."""
    if not isinstance(text, str):
        raise Invalid.of(field, "Expected text.")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise Invalid.of(field, "Contains half of a surrogate pair, which is no character.")
    path = unicodedata.normalize("NFC", text.replace("\\", "/"))
    if fault := fault_of_path(path):
        raise Invalid.of(field, fault)
    return path


def comparing_form(path: str) -> str:
    """Return the form in which a normalised name is compared and ordered. It may be longer than the name.

    Case folding decomposes some letters, so the name is normalised before and after it. With only one normalisation,
    `ẛ̣` and its own capital would be two names.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def fault_of_path(path: str) -> str:
    """Return what is wrong with a path, as a sentence; empty if nothing is."""
    if not path:
        return "A name is needed."
    if len(path.encode()) > MAX_PATH or len(comparing_form(path).encode()) > MAX_COMPARING:
        return f"Longer than {MAX_PATH} bytes."
    if path.startswith("/") or path.endswith("/"):
        return "A path neither begins nor ends with a slash."
    return next((fault for segment in path.split("/") if (fault := fault_of_segment(segment))), "")


def fault_of_segment(segment: str) -> str:
    """Return what is wrong with one folder or file name, as a sentence; empty if nothing is."""
    if not segment:
        return "A folder or file name is empty."
    if segment in {".", ".."}:
        return f"“{segment}” is not a name."
    if any(unicodedata.category(char) == "Cc" for char in segment):
        return "Contains a control character."
    if any(char in BIDI_CONTROLS for char in segment):
        return "Contains a character that reverses the direction of writing."
    if segment[0].isspace() or segment[-1].isspace():
        return f"“{segment}” begins or ends with a space."
    if segment.endswith("."):
        return f"“{segment}” ends with a dot."
    if segment.partition(".")[0].rstrip(" ").casefold() in DEVICE_NAMES:
        return f"“{segment}” is a device name on Windows."
    if len(segment.encode()) > MAX_SEGMENT:
        return f"A folder or file name is longer than {MAX_SEGMENT} bytes."
    return ""


def folder_of(path: str) -> str:
    """Return the folder of a path; empty at the top."""
    return path.rpartition("/")[0]


def ancestors(key: str) -> list[str]:
    """Return every folder above a key, from the top down: `a/b/c` → `a`, `a/b`."""
    segments = key.split("/")
    return ["/".join(segments[:depth]) for depth in range(1, len(segments))]


def range_below(folder: str) -> tuple[str, str]:
    """Return the half-open range of keys below `folder`: `a` → (`a/`, `a0`), since `0` follows `/`."""
    return f"{folder}/", f"{folder}0"


def checked_text(value: object, field: str, limit: int, *, needed: bool = False) -> str:
    """Return free text without the space around it; None becomes the empty text.

    Raises `Invalid` on `field` for more than `limit` characters, for an empty text if it is `needed`, and for a NUL or
    a lone surrogate, which PostgreSQL refuses.
    """
    if value is None:
        value = ""
    if not isinstance(value, str):
        raise Invalid.of(field, "Expected text.")
    value = value.strip()
    if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in value):
        raise Invalid.of(field, "Contains a character that cannot be stored.")
    if len(value) > limit:
        raise Invalid.of(field, f"Longer than {limit} characters.")
    if needed and not value:
        raise Invalid.of(field, "Needed.")
    return value
