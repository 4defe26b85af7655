"""A program that makes a preview and a thumbnail: `python thumbnail.py SOURCE PICTURE SQUARE`.

The source may come from anybody. It may need too much memory or time, or hit a bug in a decoder; then this process
ends, not the server's. It imports no module of this project. Exit codes: 0 made, 3 no preview possible.
"""

import os
import resource
import sys
from typing import Any

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "PSD")
WIDTH, HEIGHT = 640, 480
SQUARE, CHECK = 80, 8  # pixels; displayed at half the size, so that they are sharp on dense screens
MOST_PIXELS = 64_000_000  # checked in the header, before anything is decoded
MEMORY = 1 << 30  # bytes of address space
SECONDS = 10  # of processor time
NO_PICTURE = 3


def main(source: str, picture: str, square: str) -> int:
    os.nice(10)  # check-outs have priority
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 20, 16 << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from PIL import Image, ImageOps  # noqa: PLC0415 - only under the limits

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        with Image.open(source, formats=FORMATS) as image:
            if image.width * image.height > MOST_PIXELS:
                return NO_PICTURE
            image.draft("RGB", (WIDTH, HEIGHT))  # a JPEG is decoded at a fraction of its size
            image.thumbnail((WIDTH * 2, HEIGHT * 2), reducing_gap=2.0)
            upright = ImageOps.exif_transpose(image)
            small = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
        small.thumbnail((WIDTH, HEIGHT))
        small.info.clear()  # drop metadata, such as the location and the camera
        small.save(picture, "WEBP", quality=82, method=2)
        on_checks(ImageOps.fit(small, (SQUARE, SQUARE)), Image).save(square, "WEBP", quality=80, method=4)
    except Exception:  # noqa: BLE001 - any failure means: no preview
        return NO_PICTURE
    return 0


def on_checks(small: Any, image: Any) -> Any:
    """Put a transparent picture on the chequered pattern that image editors use for transparency.

    The thumbnail lies on top of the type's icon, which must not be visible through it.
    """
    if small.mode != "RGBA":
        return small
    light, ground = (255, 255, 255), image.new("RGB", small.size, (214, 218, 224))
    for x in range(0, SQUARE, CHECK):
        for y in range(x % (2 * CHECK), SQUARE, 2 * CHECK):
            ground.paste(light, (x, y, x + CHECK, y + CHECK))
    ground.paste(small, mask=small)
    return ground


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
