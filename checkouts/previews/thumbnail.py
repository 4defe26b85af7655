"""Make small pictures of a large one: `python thumbnail.py SOURCE PICTURE SQUARE`, a program with bounds of its own.

What it reads was sent by anybody. It may ask for more memory or time than there is, or find a fault in a decoder; then
this process dies, and not the server's. It imports nothing of ours. Exit codes: 0 made, 3 no picture that it can show.
"""

import os
import resource
import sys
from typing import Any

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "PSD")
WIDTH, HEIGHT = 640, 480
SQUARE, CHECK = 80, 8  # pixels; shown at half of that, sharp on dense screens
MOST_PIXELS = 64_000_000  # judged by the header, before anything is decoded
MEMORY = 1 << 30  # bytes of address space
SECONDS = 10  # of processor time
NO_PICTURE = 3


def main(source: str, picture: str, square: str) -> int:
    os.nice(10)  # whoever checks a file out comes first
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 20, 16 << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from PIL import Image, ImageOps  # noqa: PLC0415 - within the bounds

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
        small.info.clear()  # where it was taken, and by whose camera, is nobody's business
        small.save(picture, "WEBP", quality=82, method=2)
        on_checks(ImageOps.fit(small, (SQUARE, SQUARE)), Image).save(square, "WEBP", quality=80, method=4)
    except Exception:  # noqa: BLE001 - whatever is wrong with it, there is no picture
        return NO_PICTURE
    return 0


def on_checks(small: Any, image: Any) -> Any:
    """Without holes, since something lies below it: on the pattern by which image programs show that there is none."""
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
