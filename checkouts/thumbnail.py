"""Make a small picture of a large one: `python thumbnail.py SOURCE TARGET`, a program with bounds of its own.

What it reads was sent by anybody. It may ask for more memory or time than there is, or find a fault in a decoder; then
this process dies, and not the server's. It imports nothing of ours. Exit codes: 0 made, 3 no picture that it can show.
"""

import resource
import sys

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "PSD")
WIDTH, HEIGHT = 640, 480
MOST_PIXELS = 64_000_000  # judged by the header, before anything is decoded
MEMORY = 1 << 30  # bytes of address space
SECONDS = 10  # of processor time
NO_PICTURE = 3


def main(source: str, target: str) -> int:
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
        small.save(target, "WEBP", quality=82, method=2)
    except Exception:  # noqa: BLE001 - whatever is wrong with it, there is no picture
        return NO_PICTURE
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
