"""The files of the demo project: path, a function that makes each revision, and the revisions' comments."""

from collections.abc import Callable
from dataclasses import dataclass

from checkouts.demo import hero, models, office, pictures, sound
from checkouts.demo.packing import zipped


@dataclass(frozen=True, slots=True)
class DemoFile:
    """`make(revision)` returns the bytes of revisions 1, 2, …; there is one for each of `comments`, in that order."""

    path: str
    make: Callable[[int], bytes]
    comments: list[str]


def budget(revision: int) -> bytes:
    rows = [
        ("Storyboard", 4_200, 3_950),
        ("Painting, 12 sets", 18_000, 9_400),
        ("Music and sound", 6_500, 1_200),
        ("Print, 500 posters", 1_850, 0),
    ]
    return office.workbook("Budget 2026", rows if revision == 1 else [*rows, ("Travel to the festival", 2_400, 310)])


def brief(revision: int) -> bytes:
    text = [
        "A short film about a hero who comes home by sea. Twelve sets, one hero, four minutes.",
        "# What we need",
        "The hero in three capes, the harbour by day and at dusk, a poster for the festival.",
        "# How we work",
        "Check a file out before you open it. Say why. Check it in when you go to lunch.",
    ]
    later = ["# Decided since", "The cape is blue, with a golden hem. The lighthouse stays."]
    return office.document("The Hero at the Harbour", text if revision == 1 else text + later)


def portrait(revision: int) -> bytes:
    return pictures.png(hero.portrait(revision))


def harbour(revision: int) -> bytes:
    return pictures.png(pictures.harbour(revision))


def dusk(revision: int) -> bytes:
    return pictures.jpeg(pictures.harbour(revision, dusk=True))


def bracket(revision: int) -> bytes:
    return models.bracket(thickness=5, fillet=8) if revision == 1 else models.bracket(thickness=7, fillet=16)


def crate(revision: int) -> bytes:
    return models.crate(1.0, (0.55, 0.36, 0.18)) if revision == 1 else models.crate(1.2, (0.2, 0.42, 0.55))


def theme(revision: int) -> bytes:
    notes = [0, 4, 7, 12, 11, 7, 4, 2, 0]
    return sound.tune(notes, beat=0.3) if revision == 1 else sound.tune([*notes[:-1], 5, 9, 12], beat=0.25)


def props(revision: int) -> bytes:
    members: dict[str, bytes | str] = {"props.txt": "Crates for the quay. One unit is one metre.\n"}
    for number in range(1, revision + 1):
        members[f"crates/crate-{number}.glb"] = crate(number)
    return zipped(members)


def ground(revision: int) -> bytes:
    return models.height_map(roughness=0.1 * revision)


HERO_COMMENTS = [
    "Pose and layers, cape in grey",
    "Cape in red, with the star",
    "Blue cape with folds and a golden hem, evening light",
]
DEMO_FILES = [
    DemoFile("heroes/hero.psd", hero.hero, HERO_COMMENTS),
    DemoFile("人物/主角.png", portrait, ["Portrait for the cast list", "The new cape, warmer ground"]),
    DemoFile("sets/harbour.png", harbour, ["The harbour by day", "Lighthouse added"]),
    DemoFile("sets/harbour at dusk.jpg", dusk, ["The harbour at dusk", "The lighthouse, its lamp burns"]),
    DemoFile("sets/props.zip", props, ["Crate for the quay", "A second crate"]),
    DemoFile("models/bracket.stl", bracket, ["Bracket for the model stage", "Thicker, with a rounder corner"]),
    DemoFile("models/crate.glb", crate, ["One crate", "Larger, painted blue"]),
    DemoFile("docs/brief.docx", brief, ["What the film is about", "What was decided since"]),
    DemoFile("costs/Budget 2026.xlsx", budget, ["Planned and spent", "Travel added"]),
    DemoFile("print/Entwürfe.svg", hero.poster, ["Poster, first sheet", "Lettering on a band"]),
    DemoFile("sound/theme.wav", theme, ["The theme, slow", "Faster, with another end"]),
    DemoFile("100%_final.bin", ground, ["Ground as a height map", "Rougher ground"]),
]
