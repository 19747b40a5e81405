"""Takes the pictures of the README: one call of a running demo, in the light and in the dark."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "img"
PICTURED = "the payment that ran three times"
SIZE = {"width": 1280, "height": 900}


@contextmanager
def a_demo() -> Iterator[str]:
    """The address of the pictured call, while the demo runs."""
    command = [str(Path(sys.executable).with_name("toolwatch")), "demo"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 (our own command)
    try:
        lines = iter(process.stdout or ())
        for line in lines:
            if PICTURED in line:
                yield next(lines).strip()
                return
        raise SystemExit("The demo ended before it had said where to look.")
    finally:
        process.terminate()
        process.wait()


def take(browser: Browser, address: str, scheme: Literal["light", "dark"], path: Path) -> None:
    context = browser.new_context(viewport=SIZE, color_scheme=scheme, device_scale_factor=2)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    page.wait_for_load_state("load")
    page.screenshot(path=path)
    context.close()


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with a_demo() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        IMAGES.mkdir(exist_ok=True)
        take(browser, address, "light", IMAGES / "call-light.png")
        take(browser, address, "dark", IMAGES / "call-dark.png")
        browser.close()


if __name__ == "__main__":
    main()
