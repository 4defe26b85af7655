"""Normalising and comparing paths and scope keys."""

import unicodedata

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from leasehold import names
from leasehold.exceptions import Invalid

KEPT = [
    *[
        "hero.psd",
        "heroes/hero.psd",
        "a",
        "a/b/c/d",
        ".gitignore",
        "..a",
        "a..b",
        "...a",
        "-",
        "~",
        "a b.txt",
        "a+b.txt",
    ],
    *["100%.txt", "a%20b.txt", "100%_du.txt", "#1?.txt", "This & that <x>.txt", 'quote".txt', "it's.txt", "a;b,c.txt"],
    *["a:b.txt", "a|b*.txt", "<img src=x onerror=alert(1)>.psd", "名前/英雄.psd", "героИ.blend", "Entwürfe.indd"],
    *["\U0001f600.png", "console.txt", "com0", "com10.txt", "lpt", "null", "a.con", "auxiliary", "con_1"],
    *["a" * 255, "é" * 127 + "b", "a" * 120 + ".v1.final.2.pdf", "/".join(["a" * 255] * 4), "a/" * 511 + "bc"],
    *["می\u200cخواهم.txt", "İstanbul.txt", "Straße.ai", "ﬁnal.psd"],
]


@pytest.mark.parametrize("path", KEPT, ids=lambda path: ascii(path)[:40])
def test_a_good_name_stays_as_it_is(path):
    assert names.normalised(path) == path


REFUSED = {
    "empty": "",
    "a leading slash": "/etc/passwd",
    "a trailing slash": "heroes/",
    "a slash": "/",
    "an empty segment": "a//b",
    "a dot": ".",
    "two dots": "..",
    "a dot inside": "a/./b",
    "a way up": "../x",
    "a way up and down": "a/../../b",
    "a backslash's way up": "..\\x",
    "a backslash at the start": "\\x",
    "a network share": "\\\\host\\share",
    "a leading space": " a",
    "a trailing space": "a ",
    "a trailing space inside": "a /b",
    "a trailing no-break space": "a\u00a0",
    "a trailing dot": "a.",
    "a trailing dot inside": "a./b",
    "three dots": "...",
    "NUL": "a\0b",
    "CR": "a\rb",
    "LF": "a\nb",
    "a header": "a\r\nX-Evil: 1",
    "TAB": "a\tb",
    "DEL": "a\x7fb",
    "C1": "a\x85b",
    "U+202E": "gpj.\u202eexe",
    "U+2066": "a\u2066b",
    "U+200F": "a\u200fb",
    "a lone surrogate": "a\ud800b",
    "the other half": "a\udfff",
    "CON": "CON",
    "CON.txt": "CON.txt",
    "con in a folder": "a/con/b",
    "nul.tar.gz": "nul.tar.gz",
    "COM1": "com1.psd",
    "COM¹": "COM¹",
    "LPT9": "lpt9",
    "CON and a space": "con .txt",
    "CONIN$": "CONIN$",
    "256 bytes": "a" * 256,
    "64 + 1 emoji": "\U0001f600" * 64,
    "é x 130": "é" * 130 + ".psd",
    "1,025 bytes": "a/" * 512 + "b",
    "a decomposed name that is too long composed": "e\u0301" * 128,
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_names_that_some_system_cannot_store_are_refused(text):
    with pytest.raises(Invalid) as refusal:
        names.normalised(text, "to")
    [error] = refusal.value.errors
    assert error["field"] == "to"
    assert error["detail"].endswith(".")


@pytest.mark.parametrize("value", [None, 7, True, b"a", ["a"], {"a": 1}], ids=repr)
def test_values_other_than_text_are_refused(value):
    with pytest.raises(Invalid):
        names.normalised(value)


TWINS = [
    ("Hero.psd", "hero.PSD"),
    ("Entwu\u0308rfe.indd", "Entwürfe.indd"),  # as macOS spells it
    ("ENTWU\u0308RFE.INDD", "entwürfe.indd"),
    ("heroes\\hero.psd", "heroes/hero.psd"),
    ("Straße", "STRASSE"),
    ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
    ("ﬁnal", "FINAL"),
    ("\u01f0", "J\u030c"),
    ("\u1e9b\u0323", "\u1e9b\u0323".upper()),
    ("K\u212a", "kk"),  # the Kelvin sign
    ("\uac00", "\u1100\u1161"),  # Hangul, composed and not
]


@pytest.mark.parametrize(("one", "other"), TWINS, ids=lambda text: ascii(text)[1:-1])
def test_two_spellings_of_one_name_have_one_comparing_form(one, other):
    assert names.comparing_form(names.normalised(one)) == names.comparing_form(names.normalised(other))


@pytest.mark.parametrize(("one", "other"), [("a", "b"), ("a", "á"), ("a/b", "a-b"), ("i", "ı"), ("a", "а"), ("o", "0")])
def test_similar_names_have_different_comparing_forms(one, other):
    assert names.comparing_form(one) != names.comparing_form(other)


#: what people and their machines write, and what nobody does
LETTERS = st.characters(exclude_categories=["Cs"])
SPELLINGS = st.text(LETTERS, min_size=1, max_size=12)


def path_of(text: str) -> str:
    try:
        return names.normalised(text)
    except Invalid:
        reject()


@given(SPELLINGS)
def test_normalising_twice_changes_nothing(text):
    path = path_of(text)
    assert names.normalised(path) == path
    assert path == unicodedata.normalize("NFC", text.replace("\\", "/"))


@given(SPELLINGS)
def test_comparing_twice_changes_nothing(text):
    key = names.comparing_form(path_of(text))
    assert names.comparing_form(key) == key


@given(SPELLINGS)
def test_composed_and_decomposed_letters_are_one_name(text):
    path = path_of(text)
    decomposed = unicodedata.normalize("NFD", path)
    assert names.normalised(decomposed) == path
    assert names.comparing_form(decomposed) == names.comparing_form(path)


@given(SPELLINGS)
def test_names_that_differ_only_in_case_are_one_name(text):
    """Left out are letters whose capitals do not fold back to them, as in Turkish, and the Greek iota subscript."""
    path = path_of(text)
    assume(path.upper().casefold() == path.casefold())
    assume("\u0345" not in unicodedata.normalize("NFD", path))
    assert names.comparing_form(path.upper()) == names.comparing_form(path)


@given(SPELLINGS)
def test_a_comparing_form_has_the_segments_of_its_path(text):
    path = path_of(text)
    key = names.comparing_form(path)
    assert key.count("/") == path.count("/")
    assert names.comparing_form(names.folder_of(path)) == names.folder_of(key)


def test_every_letter_by_itself_has_a_stable_comparing_form():
    unstable = [
        hex(code)
        for code in range(0x110000)
        if not 0xD800 <= code <= 0xDFFF and (key := names.comparing_form(chr(code))) != names.comparing_form(key)
    ]
    assert unstable == []


# --- where a name lies -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "above", "folder"),
    [("a", [], ""), ("a/b", ["a"], "a"), ("a/b/c", ["a", "a/b"], "a/b")],
)
def test_ancestors_are_the_folders_above(key, above, folder):
    assert (names.ancestors(key), names.folder_of(key)) == (above, folder)


@pytest.mark.parametrize("inside", ["repo/api", "repo/api/v1", "repo/ ", "repo/\U0010ffff", "repo//"])
def test_range_below_contains_everything_below_a_folder(inside):
    low, high = names.range_below("repo")
    assert low <= inside < high


@pytest.mark.parametrize("outside", ["repo", "repo0", "repo-2/api", "repo.git", "repoapi", "rep", "repp", "repo api"])
def test_range_below_leaves_out_names_with_the_same_beginning(outside):
    low, high = names.range_below("repo")
    assert not low <= outside < high


# --- free text -------------------------------------------------------------------------------------------------------


def test_free_text_is_stripped():
    assert names.checked_text("  new hat\nand boots ", "comment", 100) == "new hat\nand boots"
    assert names.checked_text(None, "comment", 100) == ""


@pytest.mark.parametrize("value", ["a\0b", "a\ud800", "a" * 11, 7, ["a"], b"a"], ids=repr)
def test_free_text_that_cannot_be_stored_is_refused(value):
    with pytest.raises(Invalid) as refusal:
        names.checked_text(value, "comment", 10)
    assert refusal.value.errors[0]["field"] == "comment"


@pytest.mark.parametrize("value", [None, "", "  \n "])
def test_needed_text_may_not_be_empty(value):
    with pytest.raises(Invalid):
        names.checked_text(value, "reason", 500, needed=True)
