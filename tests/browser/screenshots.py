"""Photographs every page, light and dark, wide and narrow, full and empty, into docs/img/pages."""

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import Browser, FloatRect, sync_playwright

from tests.browser.serving import Server, Serving
from tests.browser.stories import everything

SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
PICTURES: Final = Path(__file__).parents[2] / "docs" / "img" / "pages"
TALLEST: Final = 1_800  # pixels: what is below looks like what is above
WIDTHS: Final = {"wide": 1366, "narrow": 360}
FULL: Final = {
    "overview": "/",
    "calls": "/calls",
    "call-charged-three-times": "/c/call_charge_8Kd2",
    "call-wrong-field": "/c/call_plan_1",
    "call-resumed": "/c/call_p03",
    "thread": "/threads/invoice-12",
    "thread-with-a-loop": "/threads/library-1",
    "find": "/find?q=call_w0",
    "tools": "/tools",
    "tool": "/tools/charge_card",
    "tool-before-and-after": "/tools/charge_card?split=-5m",
    "compare": "/compare?a=call_plan_1&b=call_charge_8Kd2",
    "errors": "/errors",
    "status": "/status",
    "settings": "/settings",
    "gallery": "/gallery",
}
EMPTY: Final = {
    "overview": "/",
    "calls": "/calls",
    "find": "/find?q=call_unheard_of",
    "tools": "/tools",
    "errors": "/errors",
}


def take(browser: Browser, server: Server, pages: dict[str, str], folder: Path, suffix: str) -> None:
    for scheme in SCHEMES:
        for width_name, width in WIDTHS.items():
            context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
            page = context.new_page()
            for name, path in pages.items():
                page.goto(server.url + path)
                picture = folder / f"{name}-{suffix}-{scheme}-{width_name}.jpg"
                height = min(int(page.evaluate("document.documentElement.scrollHeight")), TALLEST)
                clip: FloatRect = {"x": 0, "y": 0, "width": width, "height": height}
                page.screenshot(path=picture, full_page=True, clip=clip, type="jpeg", quality=55)
            context.close()


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with (
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory() as full,
        tempfile.TemporaryDirectory() as empty,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with Serving(Path(full)) as server:
            server.send(*everything(time.time_ns()))
            trace = browser.new_page()
            trace.goto(f"{server.url}/c/call_w1")
            href = trace.locator(".verdict a[href^='/traces/']").first.get_attribute("href") or "/"
            take(browser, server, {**FULL, "trace": href}, folder, "full")
        with Serving(Path(empty)) as server:
            take(browser, server, EMPTY, folder, "empty")
        browser.close()


if __name__ == "__main__":
    main()
