"""The hero: in layers before hills, as a portrait, on a poster. Shapes are given on a sheet of 320 × 240."""

from PIL import Image

from checkouts.demo.drawing import Sheet
from checkouts.demo.psd import Layer, photoshop

WIDTH, HEIGHT = 640, 480
Shapes = list[tuple[str, str]]

CAPES = {1: ("#8b95a0", "#6f7984"), 2: ("#c0303c", "#94202b"), 3: ("#1f5fbf", "#174a96")}  # cloth, folds
HILLS: Shapes = [
    ("M0 158 L38 128 L70 148 L118 104 L160 146 L206 112 L248 150 L286 126 L320 148 L320 240 L0 240", "#9db2c6"),
    ("M0 178 Q60 142 120 172 Q190 140 250 170 Q290 156 320 168 L320 240 L0 240", "#6f9184"),
    ("M0 214 Q80 186 160 202 Q250 186 320 210 L320 240 L0 240", "#47705a"),
]
BODY: Shapes = [
    ("M141 150 L159 150 L157 212 L138 212", "#2c3947"),  # legs
    ("M161 150 L179 150 L182 212 L163 212", "#263240"),
    ("M137 190 L158 190 L157 214 L131 214 Q132 208 138 206", "#6b3f2a"),  # boots
    ("M162 190 L182 190 L182 206 Q188 208 189 214 L163 214", "#5d3624"),
    ("M140 94 Q160 86 180 94 L184 156 L136 156", "#efe6d2"),  # tunic
    ("M160 90 Q172 90 180 94 L184 156 L160 156", "#e2d7bf"),
    ("M136 141 L184 141 L184 149 L136 149", "#7a5c2e"),  # belt
    ("M155 139 L165 139 L165 151 L155 151", "#e5b94a"),
    ("M141 94 Q132 96 129 110 L120 130 Q119 136 124 138 L138 148 L142 141 L131 131 L142 114", "#e2d7bf"),  # arms
    ("M179 94 Q188 96 191 110 L200 130 Q201 136 196 138 L182 148 L178 141 L189 131 L178 114", "#d6cab0"),
]
HEAD: Shapes = [
    ("M153 78 L167 78 L168 94 Q160 99 152 94", "#cfa27f"),  # neck
    ("M143 60 Q142 38 160 38 Q178 38 177 60 Q176 84 160 87 Q144 84 143 60", "#ecc7a4"),
    ("M140 62 Q136 30 162 30 Q186 30 180 64 Q178 52 172 48 Q158 56 147 49 Q142 54 140 62", "#46301f"),  # hair
    ("M147 61 L155 61 L155 66 L147 66 M165 61 L173 61 L173 66 L165 66", "#ecc7a4"),
]
CAPE = (
    "M143 92 Q160 100 177 92 Q206 112 226 150 Q242 178 276 176 "
    "Q250 206 214 200 Q190 212 166 204 Q142 214 118 202 Q132 150 143 92"
)
FOLDS = [
    "M182 104 Q206 150 214 198",
    "M188 118 Q214 166 250 186",
    "M140 120 Q136 170 142 206",
    "M176 150 Q178 180 172 203",
]
HEM = "M118 202 Q142 214 166 204 Q190 212 214 200 Q250 206 276 176"
TITLE = "Der Held am Hafen"
STAR = "M160 106 L163.5 114.5 L172.5 115 L165.5 121 L168 130 L160 125 L152 130 L154.5 121 L147.5 115 L156.5 114.5"


def hero(revision: int) -> bytes:
    """hero.psd. 1: a grey cape, laid out. 2: a red one. 3: a blue one with folds and a golden hem, in the evening."""
    evening = revision >= 3
    return photoshop(
        [
            Layer("Sky", sky(evening)),
            Layer("Hills", drawn(HILLS)),
            Layer("Cape · Umhang", cape(revision)),
            Layer("Body", body(emblem=revision >= 2)),
            Layer("Head", head()),
        ]
    )


def sky(evening: bool) -> Image.Image:
    sheet = Sheet(WIDTH, HEIGHT)
    sheet.gradient("#4b5f9c", "#f6c79a") if evening else sheet.gradient("#8fbbe0", "#eaf2f4")
    sun_at = (252, 118) if evening else (252, 56)
    sheet.glow(*sun_at, 74, "#fff1d0")
    sheet.oval(*sun_at, 24, 24, "#ffe6b0" if evening else "#fffaf0")
    if evening:
        return sheet.finished()
    for x, y in ((58, 48), (104, 74)):
        for shift, rise, across in ((-18, 3, 14), (0, 0, 19), (19, 4, 13)):
            sheet.oval(x + shift, y + rise, across, across / 2.4, "#f7fafc")
    return sheet.finished()


def cape(revision: int) -> Image.Image:
    cloth, fold = CAPES[revision]
    sheet = Sheet(WIDTH, HEIGHT)
    sheet.shape(CAPE, cloth)
    if revision >= 2:
        for path in FOLDS[: 2 * (revision - 1)]:
            sheet.line(path, fold, 2.5)
    if revision >= 3:
        sheet.line(HEM, "#e5b94a", 4)
    return sheet.finished()


def body(*, emblem: bool) -> Image.Image:
    return drawn([*BODY, (STAR, "#d9962b")] if emblem else BODY)


def head() -> Image.Image:
    sheet = Sheet(WIDTH, HEIGHT)
    for path, fill in HEAD:
        sheet.shape(path, fill)
    for x in (152, 168):
        sheet.oval(x, 64, 2.4, 2.8, "#2b333b")
    sheet.line("M154 76 Q160 80 167 75", "#9c5b46", 1.6)
    return sheet.finished()


def drawn(shapes: Shapes) -> Image.Image:
    sheet = Sheet(WIDTH, HEIGHT)
    for path, fill in shapes:
        sheet.shape(path, fill)
    return sheet.finished()


def portrait(revision: int) -> Image.Image:
    """The hero's head and shoulders; the second revision has the blue cape and a warmer ground."""
    sheet = Sheet(480, 480, unit=5)
    sheet.gradient(*(("#d9e4ea", "#b7c9d3") if revision == 1 else ("#f8e3c0", "#e8b98a")))
    sheet.glow(48, 40, 60, "#ffffff", 140)
    cloth, fold = CAPES[min(revision + 1, 3)]
    sheet.shape("M6 96 Q10 70 34 66 L62 66 Q86 70 90 96", cloth)
    sheet.line("M22 74 Q20 86 20 96 M20 96", fold, 1.4)
    sheet.line("M74 74 Q76 86 76 96", fold, 1.4)
    sheet.shape("M34 66 L62 66 L56 96 L40 96", "#efe6d2")
    sheet.shape("M40 58 L56 58 L58 68 Q48 76 38 68", "#cfa27f")
    sheet.shape("M27 38 Q26 12 48 12 Q70 12 69 38 Q68 60 48 66 Q28 60 27 38", "#ecc7a4")
    sheet.shape("M23 42 Q18 4 50 4 Q80 4 73 44 Q70 30 63 24 Q46 34 32 26 Q26 32 23 42", "#46301f")
    for x in (38, 58):
        sheet.oval(x, 41, 4.2, 3.4, "#ffffff")
        sheet.oval(x, 41, 2.6, 2.9, "#2f6f8f")
        sheet.oval(x, 41, 1.3, 1.5, "#1b2228")
        sheet.line(f"M{x - 5} 34 Q{x} 31 {x + 5} 34", "#46301f", 1.5)
    sheet.line("M48 42 Q51 48 47 50", "#c08f6e", 1.1)
    sheet.line("M40 55 Q48 60 57 54", "#9c5b46", 1.4)
    sheet.oval(48, 70, 3, 3, "#e5b94a")
    return sheet.finished()


def poster(revision: int) -> bytes:
    """An SVG of the same hero, with lettering that the second revision sets on a band."""
    cloth, fold = CAPES[revision + 1]
    behind = painted([*HILLS, (CAPE, cloth)])
    before = painted([*BODY, (STAR, "#d9962b"), *HEAD])
    folds = "\n".join(f'  <path d="{path}" fill="none" stroke="{fold}" stroke-width="2.5"/>' for path in FOLDS[:2])
    band = '  <rect y="238" width="320" height="42" fill="#24313d"/>\n' if revision >= 2 else ""
    ink = "#f6efdf" if revision >= 2 else "#24313d"
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 280" width="640" height="560">
  <title>Entwürfe, Blatt {revision}</title>
  <rect width="320" height="280" fill="#eaf2f4"/>
  <circle cx="252" cy="56" r="24" fill="#fffaf0"/>
{behind}
{folds}
{before}
  <circle cx="152" cy="64" r="2.5" fill="#2b333b"/><circle cx="168" cy="64" r="2.5" fill="#2b333b"/>
  <path d="M154 76Q160 80 167 75" fill="none" stroke="#9c5b46" stroke-width="1.6"/>
{band}  <text x="160" y="267" fill="{ink}" font-family="sans-serif" font-size="22" text-anchor="middle">{TITLE}</text>
</svg>
""".encode()


def painted(shapes: Shapes) -> str:
    return "\n".join(f'  <path d="{path}Z" fill="{fill}"/>' for path, fill in shapes)
