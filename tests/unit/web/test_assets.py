"""Static files that a browser may keep for ever."""

import base64
import gzip
import hashlib
import re

import pytest

from toolwatch_web import assets

NAMES = ("css/tokens.css", "css/base.css", "css/parts.css", "js/app.js", "icons.svg", "mark.svg")


@pytest.mark.parametrize("name", NAMES)
def test_an_address_leads_to_its_file(name: str) -> None:
    asset = assets.find(assets.address(name).removeprefix("/static/"))

    assert asset is not None
    assert asset.plain == (assets.STATIC / name).read_bytes()
    assert gzip.decompress(asset.body) == asset.plain


@pytest.mark.parametrize(
    "path",
    ["", "base.css", "css/base.css", "css/base.0000000000.css", "../models/shell.py", "vendor/VENDOR.md"],
)
def test_any_other_address_leads_nowhere(path: str) -> None:
    assert assets.find(path) is None


def test_vendored_scripts_are_what_their_list_says() -> None:
    listed = re.findall(
        r"^\| `([^`]+)` .*`([^`]+)` \|$", (assets.STATIC / "vendor" / "VENDOR.md").read_text(), re.MULTILINE
    )

    found = [
        (file.name, base64.b64encode(hashlib.sha384(file.read_bytes()).digest()).decode())
        for file in (assets.STATIC / "vendor").glob("*.js")
    ]
    assert found == listed


def test_our_own_script_stays_small() -> None:
    assert len((assets.STATIC / "js" / "app.js").read_text().splitlines()) < 200
