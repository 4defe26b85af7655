"""3D models: an STL solid for a printer, a glTF crate for a game engine, and a height map."""

import json
import math
from itertools import pairwise
from struct import pack

Vector = tuple[float, float, float]


def bracket(thickness: float, fillet: float) -> bytes:
    """Return a binary STL of an angle bracket, in millimetres: an L profile with a rounded inner corner, 40 wide."""
    reach, width = 60.0, 40.0
    arc = [
        (thickness + fillet * (1 - math.sin(angle)), thickness + fillet * (1 - math.cos(angle)))
        for angle in (step * math.pi / 32 for step in range(17))
    ]
    profile = [(0.0, 0.0), (reach, 0.0), (reach, thickness), *arc, (thickness, reach), (0.0, reach)]
    triangles: list[tuple[Vector, Vector, Vector]] = []
    # The whole profile can be seen from its outer corner, so a fan from there covers both ends.
    for (a, b), (c, d) in pairwise(profile[1:]):
        triangles.append(((0.0, 0.0, width), (a, b, width), (c, d, width)))
        triangles.append(((0.0, 0.0, 0.0), (c, d, 0.0), (a, b, 0.0)))
    for (a, b), (c, d) in zip(profile, [*profile[1:], profile[0]], strict=True):
        triangles.append(((a, b, 0.0), (c, d, 0.0), (c, d, width)))
        triangles.append(((a, b, 0.0), (c, d, width), (a, b, width)))
    return stl("angle bracket", triangles)


def stl(title: str, triangles: list[tuple[Vector, Vector, Vector]]) -> bytes:
    """Return a binary STL. The corners of each triangle run anticlockwise, seen from outside."""
    facets = [pack("<12fH", *normal(*corners), *corners[0], *corners[1], *corners[2], 0) for corners in triangles]
    return title.encode().ljust(80) + pack("<I", len(facets)) + b"".join(facets)


def normal(first: Vector, second: Vector, third: Vector) -> Vector:
    (a, b, c), (d, e, f) = ((to[0] - first[0], to[1] - first[1], to[2] - first[2]) for to in (second, third))
    across = (b * f - c * e, c * d - a * f, a * e - b * d)
    length = math.hypot(*across)
    return (across[0] / length, across[1] / length, across[2] / length)


def crate(size: float, colour: tuple[float, float, float]) -> bytes:
    """Return a binary glTF 2.0 of a cube, with four corners for each side so that its edges are sharp."""
    corners: list[Vector] = []
    normals: list[Vector] = []
    for axis in range(3):
        for sign in (1, -1):
            for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                # The two other axes in cyclic order, swapped on the far side, keep every side facing outwards.
                place = (sign, u, v) if sign > 0 else (sign, v, u)
                corners.append(turned(place, axis, size / 2))
                normals.append(turned((sign, 0, 0), axis, 1))
    indices = [side * 4 + corner for side in range(6) for corner in (0, 1, 2, 0, 2, 3)]
    blocks = [
        b"".join(pack("<3f", *corner) for corner in corners),
        b"".join(pack("<3f", *direction) for direction in normals),
        pack(f"<{len(indices)}H", *indices),
    ]
    return glb(crate_description(size, colour, [len(block) for block in blocks]), b"".join(blocks))


def turned(place: tuple[int, int, int], axis: int, scale: float) -> Vector:
    """Rotate the axes cyclically, which keeps the orientation."""
    x, y, z = (place[(index - axis) % 3] * scale for index in range(3))
    return (x, y, z)


def crate_description(size: float, colour: tuple[float, float, float], lengths: list[int]) -> dict[str, object]:
    offsets = [sum(lengths[:index]) for index in range(len(lengths))]
    half = size / 2
    return {
        "asset": {"version": "2.0", "generator": "Leasehold demo"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "Crate"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1}, "indices": 2, "material": 0}]}],
        "materials": [
            {
                "name": "Paint",
                "pbrMetallicRoughness": {"baseColorFactor": [*colour, 1], "metallicFactor": 0, "roughnessFactor": 0.8},
            }
        ],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": 24,
                "type": "VEC3",
                "min": [-half] * 3,
                "max": [half] * 3,
            },
            {"bufferView": 1, "componentType": 5126, "count": 24, "type": "VEC3"},
            {"bufferView": 2, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": offset, "byteLength": length, "target": target}
            for offset, length, target in zip(offsets, lengths, (34962, 34962, 34963), strict=True)
        ],
        "buffers": [{"byteLength": sum(lengths)}],
    }


def glb(description: dict[str, object], binary: bytes) -> bytes:
    """Return the glTF container: a header, a JSON chunk padded with spaces, a binary chunk padded with zeros."""
    text = json.dumps(description, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary += bytes(-len(binary) % 4)
    chunks = pack("<I4s", len(text), b"JSON") + text + pack("<I4s", len(binary), b"BIN\0") + binary
    return pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def height_map(roughness: float) -> bytes:
    """Return a raw height map: 128 × 128 heights, 16 bits each, little-endian, without a header."""
    side = 128
    heights = []
    for y in range(side):
        for x in range(side):
            hills = math.sin(x / 17) * math.cos(y / 23) + roughness * math.sin((x + 2 * y) / 5)
            heights.append(round(32767 + 16000 * hills / (1 + roughness)))
    return pack(f"<{len(heights)}H", *heights)
