"""Take the README's picture again, of the product with its demo data: docs/images/project.png.

    LEASEHOLD_DATA=$(mktemp -d) LEASEHOLD_DEMO_PASSWORD=demo-pass-9876 make run PORT=8001 &
    .venv/bin/python docs/screenshot.py http://127.0.0.1:8001 demo-pass-9876

alice takes the hero first. So the picture shows a file of hers, one of bob's, and free ones.
"""

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

PICTURE = Path(__file__).parent / "images" / "project.png"
HERE = "/projects/demo/?q=e"


def main(address: str, password: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(base_url=address, viewport={"width": 1280, "height": 800}, color_scheme="light")
        sign_in(page, password)
        page.goto("/projects/demo/?folder=heroes")
        if (button := page.locator("tr:has-text('hero.psd') button")).count():
            with page.expect_download():
                button.click()
        page.goto(HERE)
        taken = page.screenshot()
        browser.close()
    few = Image.open(io.BytesIO(taken)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(PICTURE, optimize=True)
    print(f"{PICTURE}: {PICTURE.stat().st_size // 1000} kB")


def sign_in(page: Page, password: str) -> None:
    page.goto("/")
    page.fill("#username", "alice")
    page.fill("#password", password)
    page.click("button:has-text('Sign in')")
    page.wait_for_selector("h1:has-text('Projects')")


if __name__ == "__main__":
    main(*sys.argv[1:])
