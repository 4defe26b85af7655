"""The demo project's files are real: independent readers open them."""

import io
import json
import re
import struct
import wave
import zipfile
from collections import Counter
from functools import cache
from xml.etree import ElementTree as ET

import openpyxl
import pytest
from PIL import Image, ImageChops

from checkouts.demo.files import DEMO_FILES, DemoFile
from leasehold import names

BY_PATH = {file.path: file for file in DEMO_FILES}


@cache
def made(path: str, revision: int = 1) -> bytes:
    return BY_PATH[path].make(revision)


def parsed(xml: bytes) -> ET.Element:
    return ET.fromstring(xml)  # noqa: S314  our own


def opened(content: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(content))
    picture.load()
    return picture


def test_there_are_a_dozen_files_with_valid_names():
    assert len(DEMO_FILES) == 12
    assert all(names.normalised(file.path) == file.path for file in DEMO_FILES)
    assert len({names.comparing_form(file.path) for file in DEMO_FILES}) == 12


@pytest.mark.parametrize("file", DEMO_FILES, ids=lambda file: file.path)
def test_revisions_differ_and_are_always_the_same(file: DemoFile):
    revisions = [file.make(number) for number in range(1, len(file.comments) + 1)]
    assert len(revisions) > 1
    assert len(set(revisions)) == len(revisions)
    assert revisions == [file.make(number) for number in range(1, len(file.comments) + 1)]
    assert all(500 < len(content) < 500_000 for content in revisions)


@pytest.mark.parametrize("revision", [1, 2, 3])
def test_the_hero_is_a_photoshop_document_with_named_layers(revision: int):
    picture = opened(made("heroes/hero.psd", revision))
    assert (picture.format, picture.mode, picture.size) == ("PSD", "RGB", (640, 480))
    names_of_layers = [name for name, _, _ in layers_of(made("heroes/hero.psd", revision))]
    assert names_of_layers == ["Sky", "Hills", "Cape · Umhang", "Body", "Head"]


def test_the_heros_layers_compose_to_the_merged_picture():
    merged = opened(made("heroes/hero.psd", 3))
    laid = Image.new("RGBA", merged.size)
    for _, corner, picture in layers_of(made("heroes/hero.psd", 3)):
        laid.alpha_composite(picture, corner)
    assert max(high for _, high in ImageChops.difference(laid.convert("RGB"), merged).getextrema()) <= 1


def layers_of(document: bytes) -> list[tuple[str, tuple[int, int], Image.Image]]:
    """Name, corner and picture of each layer. Pillow reads merged pictures well, layers less so."""
    stream = io.BytesIO(document)

    def read(form: str) -> tuple:
        return struct.unpack(f">{form}", stream.read(struct.calcsize(f">{form}")))

    stream.seek(26)
    for _ in ("colour table", "image resources"):
        stream.seek(*read("I"), io.SEEK_CUR)
    _, _, count = read("IIh")
    records = []
    for _ in range(count):
        top, left, bottom, right, channels = read("IIIIH")
        planes = [read("hI") for _ in range(channels)]
        assert stream.read(8) == b"8BIMnorm"
        extra = stream.read(read("4xI")[0])
        at = extra.index(b"8BIMluni") + 12
        (length,) = struct.unpack_from(">I", extra, at)
        name = extra[at + 4 :][: 2 * length].decode("utf-16-be")
        records.append((name, (left, top), (right - left, bottom - top), planes))
    found = []
    for name, corner, size, planes in records:
        bands = {}
        for channel, length in planes:
            plane = stream.read(length)
            assert plane[:2] == b"\0\1"  # run lengths
            packed = plane[2 + 2 * size[1] :]
            bands[channel] = Image.frombytes("L", size, unpacked(packed))
        found.append((name, corner, Image.merge("RGBA", [bands[channel] for channel in (0, 1, 2, -1)])))
    return found


def unpacked(packed: bytes) -> bytes:
    content, at = bytearray(), 0
    while at < len(packed):
        mark = packed[at]
        if mark < 128:
            content += packed[at + 1 : at + 2 + mark]
            at += 2 + mark
        else:
            content += packed[at + 1 : at + 2] * (257 - mark)
            at += 2
    return bytes(content)


def test_the_heros_cape_is_another_colour_in_each_version():
    on_the_cape = (400, 350)
    grey, red, blue = (opened(made("heroes/hero.psd", revision)).getpixel(on_the_cape) for revision in (1, 2, 3))
    assert max(grey) - min(grey) < 30
    assert red[0] > 2 * red[2]
    assert blue[2] > 2 * blue[0]


@pytest.mark.parametrize(
    ("path", "kind", "size"),
    [
        ("人物/主角.png", "PNG", (480, 480)),
        ("sets/harbour.png", "PNG", (640, 480)),
        ("sets/harbour at dusk.jpg", "JPEG", (640, 480)),
    ],
)
def test_pictures_open_and_show_more_than_one_colour(path: str, kind: str, size: tuple[int, int]):
    picture = opened(made(path))
    assert (picture.format, picture.size) == (kind, size)
    assert len(picture.getcolors(640 * 480)) > 100


@pytest.mark.filterwarnings("error::UserWarning")
def test_the_budget_adds_up_in_a_spreadsheet():
    formulas = openpyxl.load_workbook(io.BytesIO(made("costs/Budget 2026.xlsx"))).active
    values = openpyxl.load_workbook(io.BytesIO(made("costs/Budget 2026.xlsx")), data_only=True).active
    assert formulas.title == "Budget 2026"
    *items, total = list(values.iter_rows(min_row=2, values_only=True))
    assert [cell.value for cell in formulas[6]] == ["Total", "=SUM(B2:B5)", "=SUM(C2:C5)", "=SUM(D2:D5)"]
    assert total == ("Total", *(sum(column) for column in list(zip(*items, strict=True))[1:]))
    assert all(planned - spent == left for _, planned, spent, left in items)


@pytest.mark.parametrize("path", ["costs/Budget 2026.xlsx", "docs/brief.docx"])
def test_office_files_are_whole_packages(path: str):
    archive = zipfile.ZipFile(io.BytesIO(made(path)))
    assert archive.testzip() is None
    for name in archive.namelist():
        parsed(archive.read(name))
    types = archive.read("[Content_Types].xml").decode()
    parts = re.findall(r'PartName="/([^"]+)"', types)
    assert set(parts) == {name for name in archive.namelist() if not name.endswith(".rels") and "[" not in name}
    main = re.findall(r'Target="([^"]+)"', archive.read("_rels/.rels").decode())
    assert main == parts[:1]


def test_the_brief_can_be_read():
    archive = zipfile.ZipFile(io.BytesIO(made("docs/brief.docx", 2)))
    word = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
    texts = [node.text for node in parsed(archive.read("word/document.xml")).iter(f"{word}t")]
    assert texts[0] == "The Hero at the Harbour"
    assert texts[-1].endswith("The lighthouse stays.")


def test_the_poster_is_an_svg_with_no_script():
    svg = "{http://www.w3.org/2000/svg}"
    tree = parsed(made("print/Entwürfe.svg"))
    assert tree.tag == f"{svg}svg"
    assert [node.text for node in tree.iter(f"{svg}text")] == ["Der Held am Hafen"]
    assert tree.find(f".//{svg}script") is None


@pytest.mark.parametrize("revision", [1, 2])
def test_the_bracket_is_a_closed_solid_that_faces_outwards(revision: int):
    content = made("models/bracket.stl", revision)
    (count,) = struct.unpack_from("<I", content, 80)
    assert len(content) == 84 + 50 * count
    triangles = []
    for number in range(count):
        values = struct.unpack_from("<12f", content, 84 + 50 * number)
        triangles.append(tuple(values[start : start + 3] for start in (3, 6, 9)))
    edges = Counter((corners[at], corners[(at + 1) % 3]) for corners in triangles for at in range(3))
    assert all(edges[start, end] == 1 == edges[end, start] for start, end in edges)
    assert (
        sum(six_volumes(*corners) for corners in triangles) / 6 > 20_000
    )  # mm³; a solid turned inside out is negative


def six_volumes(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])


@pytest.mark.parametrize("revision", [1, 2])
def test_the_crate_is_a_binary_gltf_whose_sides_face_outwards(revision: int):
    content = made("models/crate.glb", revision)
    magic, version, length = struct.unpack_from("<4sII", content)
    assert (magic, version, length) == (b"glTF", 2, len(content))
    json_length, json_kind = struct.unpack_from("<I4s", content, 12)
    scene = json.loads(content[20 : 20 + json_length])
    binary_length, binary_kind = struct.unpack_from("<I4s", content, 20 + json_length)
    binary = content[28 + json_length :]
    assert (json_kind, binary_kind, binary_length) == (b"JSON", b"BIN\0", len(binary))
    views = [binary[view["byteOffset"] :][: view["byteLength"]] for view in scene["bufferViews"]]
    corners = list(struct.iter_unpack("<3f", views[0]))
    low, high = scene["accessors"][0]["min"], scene["accessors"][0]["max"]
    assert [min(axis) for axis in zip(*corners, strict=True)] == pytest.approx(low)
    assert [max(axis) for axis in zip(*corners, strict=True)] == pytest.approx(high)
    indices = [index for (index,) in struct.iter_unpack("<H", views[2])]
    triangles = [tuple(corners[index] for index in indices[at : at + 3]) for at in range(0, 36, 3)]
    assert sum(six_volumes(*three) for three in triangles) / 6 == pytest.approx((high[0] - low[0]) ** 3)


def test_the_theme_sounds_for_a_few_seconds():
    with wave.open(io.BytesIO(made("sound/theme.wav"))) as sound:
        assert (sound.getnchannels(), sound.getsampwidth()) == (1, 2)
        assert 2 < sound.getnframes() / sound.getframerate() < 6
        loudest = max(abs(sample) for (sample,) in struct.iter_unpack("<h", sound.readframes(sound.getnframes())))
    assert 8_000 < loudest < 32_000


def test_the_props_are_an_archive_of_crates():
    archive = zipfile.ZipFile(io.BytesIO(made("sets/props.zip", 2)))
    assert archive.testzip() is None
    assert archive.namelist() == ["props.txt", "crates/crate-1.glb", "crates/crate-2.glb"]
    assert archive.read("crates/crate-1.glb") == made("models/crate.glb")


def test_the_ground_is_a_square_of_heights():
    heights = [height for (height,) in struct.iter_unpack("<H", made("100%_final.bin"))]
    assert len(heights) == 128 * 128
    assert len(set(heights)) > 5_000
