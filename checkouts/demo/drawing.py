"""Drawing with smooth edges: shapes are written as SVG paths, so that a poster and a painting share them."""

import re
from itertools import pairwise

from PIL import Image, ImageColor, ImageDraw

Point = tuple[float, float]

SMOOTHING = 2  # each pixel is the mean of this many, squared
STEPS = 24  # straight pieces in one curve


def outline(path: str) -> list[Point]:
    """The corners of an SVG path of absolute `M`, `L`, `Q` and `C` commands; curves become short straight pieces."""
    points: list[Point] = []
    for command, text in re.findall(r"([MLQC])([^MLQCZ]*)", path):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", text)]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        size = {"M": 1, "L": 1, "Q": 2, "C": 3}[command]
        for start in range(0, len(pairs), size):
            piece = pairs[start : start + size]
            points += piece if size == 1 else curve([points[-1], *piece])
    return points


def curve(controls: list[Point]) -> list[Point]:
    """A Bézier curve of any degree by de Casteljau's construction, without its first point."""
    found = []
    for step in range(1, STEPS + 1):
        at = step / STEPS
        points = controls
        while len(points) > 1:
            points = [(a + (c - a) * at, b + (d - b) * at) for (a, b), (c, d) in pairwise(points)]
        found.append(points[0])
    return found


class Sheet:
    """A transparent sheet of `width` × `height` pixels to draw on. Shapes are given in units of `unit` pixels."""

    def __init__(self, width: int, height: int, unit: float = 2) -> None:
        self.scale = SMOOTHING * unit
        self.image = Image.new("RGBA", (width * SMOOTHING, height * SMOOTHING))
        self.pen = ImageDraw.Draw(self.image)

    def shape(self, path: str, fill: str) -> None:
        self.pen.polygon(self.scaled(outline(path)), fill=fill)

    def line(self, path: str, fill: str, width: float = 1) -> None:
        self.pen.line(self.scaled(outline(path)), fill=fill, width=round(width * self.scale), joint="curve")

    def oval(self, x: float, y: float, across: float, down: float, fill: str) -> None:
        """An ellipse around (x, y) with these radii."""
        self.pen.ellipse(self.scaled([(x - across, y - down), (x + across, y + down)]), fill=fill)

    def glow(self, x: float, y: float, radius: float, fill: str, strength: int = 110) -> None:
        """Light that fades out from (x, y)."""
        size = round(2 * radius * self.scale)
        fade = Image.radial_gradient("L").point(lambda depth: max(0, 180 - depth) * strength // 180)
        corner = (round((x - radius) * self.scale), round((y - radius) * self.scale))
        self.image.paste(Image.new("RGB", (size, size), fill), corner, fade.resize((size, size)))

    def gradient(self, top: str, bottom: str) -> None:
        """Fill the sheet from `top` to `bottom`."""
        first, last = ImageColor.getrgb(top), ImageColor.getrgb(bottom)
        height = self.image.height
        for y in range(height):
            mixed = tuple(round(a + (b - a) * y / height) for a, b in zip(first, last, strict=True))
            self.pen.line([(0, y), (self.image.width, y)], fill=mixed)

    def finished(self) -> Image.Image:
        return self.image.reduce(SMOOTHING)

    def scaled(self, points: list[Point]) -> list[Point]:
        return [(x * self.scale, y * self.scale) for x, y in points]
