"""The harbour by day and at dusk, and how pictures become files. Shapes are given on a sheet of 320 × 240."""

import io

from PIL import Image

from checkouts.demo.drawing import Sheet


def harbour(revision: int, *, dusk: bool = False) -> Image.Image:
    """Boats before a town. From the second revision on the lighthouse stands, and its lamp burns at dusk."""
    sheet = Sheet(640, 480)
    sheet.gradient("#34406b", "#f0a876") if dusk else sheet.gradient("#9fc9e8", "#f2f4ea")
    sheet.glow(70, 112 if dusk else 50, 80, "#fff0c8")
    sheet.oval(70, 112 if dusk else 50, 18, 18, "#ffe2a8" if dusk else "#fffbe8")
    sheet.shape("M0 150 Q70 110 150 142 Q230 104 320 140 L320 180 L0 180", "#5b6487" if dusk else "#8fae9f")
    town(sheet, dusk)
    if revision >= 2:
        lighthouse(sheet, dusk)
    sheet.shape("M0 170 L320 170 L320 240 L0 240", "#3d4d78" if dusk else "#4f93b5")
    for x, y, length in ((20, 182, 40), (120, 190, 56), (230, 180, 44), (60, 212, 70), (190, 222, 60), (270, 206, 40)):
        sheet.line(f"M{x} {y} Q{x + length / 2} {y - 3} {x + length} {y}", "#e9a77c" if dusk else "#8fc3da", 1.2)
    boat(sheet, 96, 196, 1.0, "#b5443c", "#f6efdf")
    boat(sheet, 214, 212, 1.35, "#2f5d7c", "#f0d9a8")
    return sheet.finished()


def town(sheet: Sheet, dusk: bool) -> None:
    walls = ("#6a5a72", "#7d6576", "#5c5270") if dusk else ("#e8d3b4", "#d99b7c", "#f1e7d2")
    for number, (x, width, height) in enumerate(
        ((128, 26, 34), (154, 22, 46), (176, 30, 30), (206, 24, 40), (230, 28, 28))
    ):
        top = 170 - height
        sheet.shape(f"M{x} {top} L{x + width} {top} L{x + width} 170 L{x} 170", walls[number % 3])
        sheet.shape(
            f"M{x - 2} {top} L{x + width / 2} {top - 13} L{x + width + 2} {top}", "#4a3a4d" if dusk else "#a8503f"
        )
        for left in (x + 5, x + width - 11):
            lit = "#ffd98a" if dusk else "#6d8796"
            sheet.shape(f"M{left} {top + 8} L{left + 6} {top + 8} L{left + 6} {top + 16} L{left} {top + 16}", lit)


def lighthouse(sheet: Sheet, dusk: bool) -> None:
    if dusk:
        sheet.glow(289, 86, 46, "#ffe9a8", 170)
    sheet.shape("M268 170 Q290 154 312 170", "#6b6f74")
    sheet.shape("M280 162 L283 94 L295 94 L298 162", "#f4efe6")
    for top in (104, 128):
        sheet.shape(f"M282 {top} L296 {top} L297 {top + 11} L281 {top + 11}", "#c0303c")
    sheet.shape("M283 94 L283 82 L295 82 L295 94", "#ffe08a" if dusk else "#cfe3ec")
    sheet.shape("M280 82 L289 72 L298 82", "#3a434d")


def boat(sheet: Sheet, x: float, y: float, size: float, hull: str, sail: str) -> None:
    def placed(*points: tuple[float, float]) -> str:
        return "M" + " L".join(f"{x + across * size} {y + down * size}" for across, down in points)

    sheet.shape(placed((0, -56), (0, -6), (24, -8)), sail)
    sheet.shape(placed((-3, -48), (-3, -8), (-18, -8)), "#ffffff")
    sheet.line(placed((-1, -60), (-1, 0)), "#4a3626", 1.5)
    sheet.shape(placed((-26, -4), (28, -4), (20, 10), (-18, 10)), hull)


def png(picture: Image.Image) -> bytes:
    return encoded(picture, "PNG", optimize=False)


def jpeg(picture: Image.Image) -> bytes:
    return encoded(picture, "JPEG", quality=88)


def encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
    target = io.BytesIO()
    picture.convert("RGB").save(target, kind, **options)
    return target.getvalue()
