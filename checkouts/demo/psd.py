"""A Photoshop document, written by hand after Adobe's file format specification: version 1, 8 bits, RGB, RLE."""

import re
from dataclasses import dataclass
from functools import lru_cache
from struct import pack

from PIL import Image

RUNS = re.compile(rb"(.)\1{7,127}", re.DOTALL)  # shorter runs would save little and cost much time
RGB_MODE = 3
RLE = 1


@dataclass(frozen=True, slots=True)
class Layer:
    """A named RGBA picture of the document's size; only what is not transparent is written."""

    name: str
    picture: Image.Image


def photoshop(layers: list[Layer]) -> bytes:
    """A document of these layers, the lowest first, and the merged picture that previews show."""
    width, height = layers[0].picture.size
    merged = Image.new("RGBA", (width, height), "white")
    for layer in layers:
        merged.alpha_composite(layer.picture)
    header = pack(">4sH6xHIIHH", b"8BPS", 1, 3, height, width, 8, RGB_MODE)
    no_colour_table = pack(">I", 0)
    return header + no_colour_table + sized(resolution(72)) + sized(layer_section(layers)) + merged_image(merged)


def resolution(dots_per_inch: int) -> bytes:
    """Image resource 1005: the resolution, as 16.16 fixed point, shown in dots per inch and in centimetres."""
    info = pack(">IHHIHH", dots_per_inch << 16, 1, 2, dots_per_inch << 16, 1, 2)
    return pack(">4sHH", b"8BIM", 1005, 0) + sized(info)


def layer_section(layers: list[Layer]) -> bytes:
    boxes = [layer.picture.getbbox() or (0, 0, 1, 1) for layer in layers]
    planes = [channels(layer.picture.crop(box)) for layer, box in zip(layers, boxes, strict=True)]
    records = [record(layer.name, box, data) for layer, box, data in zip(layers, boxes, planes, strict=True)]
    body = pack(">h", len(layers)) + b"".join(records) + b"".join(plane for data in planes for plane in data)
    no_global_mask = pack(">I", 0)
    return sized(even(body)) + no_global_mask


def record(name: str, box: tuple[int, int, int, int], planes: list[bytes]) -> bytes:
    """What a layer is: its place, its channels (−1 is transparency), its blend mode and its name."""
    left, top, right, bottom = box
    sizes = b"".join(pack(">hI", channel, len(plane)) for channel, plane in zip((-1, 0, 1, 2), planes, strict=True))
    short = name.encode("mac-roman", "replace")[:31]  # for programs older than Unicode names
    pascal = (bytes([len(short)]) + short).ljust((len(short) + 4) // 4 * 4, b"\0")
    wide = name.encode("utf-16-be")
    unicode_name = b"8BIMluni" + sized(pack(">I", len(wide) // 2) + wide + bytes(-len(wide) % 4))
    no_mask_no_ranges = pack(">II", 0, 0)
    blend = pack(">4s4sBBBx", b"8BIM", b"norm", 255, 0, 0)
    return (
        pack(">IIIIH", top, left, bottom, right, len(planes))
        + sizes
        + blend
        + sized(no_mask_no_ranges + pascal + unicode_name)
    )


def channels(picture: Image.Image) -> list[bytes]:
    """Transparency, red, green and blue, each with its own row lengths."""
    red, green, blue, alpha = picture.split()
    return [pack(">H", RLE) + b"".join(compressed(plane)) for plane in (alpha, red, green, blue)]


def merged_image(picture: Image.Image) -> bytes:
    """The row lengths of all channels come first, then all rows."""
    lengths, rows = zip(*(compressed(plane) for plane in picture.convert("RGB").split()), strict=True)
    return pack(">H", RLE) + b"".join(lengths) + b"".join(rows)


def compressed(plane: Image.Image) -> tuple[bytes, bytes]:
    """A channel's row lengths and its rows."""
    data, width = plane.tobytes(), plane.width
    rows = [packbits(data[start : start + width]) for start in range(0, len(data), width)]
    return pack(f">{len(rows)}H", *map(len, rows)), b"".join(rows)


@lru_cache(maxsize=256)  # neighbouring rows are often the same
def packbits(row: bytes) -> bytes:
    """Apple's PackBits: a run is (257 − length, byte), anything else (length − 1, bytes), each of at most 128."""
    packed = bytearray()
    done = 0
    for start, end in [*(found.span() for found in RUNS.finditer(row)), (len(row), len(row))]:
        for at in range(done, start, 128):
            literal = row[at : min(at + 128, start)]
            packed.append(len(literal) - 1)
            packed += literal
        if end > start:
            packed += bytes((257 - (end - start), row[start]))
        done = end
    return bytes(packed)


def sized(block: bytes) -> bytes:
    return pack(">I", len(block)) + block


def even(block: bytes) -> bytes:
    return block + bytes(len(block) % 2)
