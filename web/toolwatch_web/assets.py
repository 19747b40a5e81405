"""Static files under addresses with a hash of their content, so that browsers may keep them for ever."""

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

STATIC: Final = Path(__file__).parent / "static"
_SERVED: Final = frozenset({".css", ".js", ".svg"})
_HASH_DIGITS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """body is gzip; plain is the same, unpacked. etag identifies the content."""

    media_type: str
    etag: str
    body: bytes
    plain: bytes


@cache
def _assets() -> dict[str, Asset]:
    found = {}
    for file in sorted(STATIC.rglob("*")):
        if file.suffix in _SERVED:
            found[file.relative_to(STATIC).as_posix()] = _load(file)
    return found


def _load(file: Path) -> Asset:
    plain = file.read_bytes()
    return Asset(
        media_type=mimetypes.guess_type(file.name)[0] or "application/octet-stream",
        etag=hashlib.sha256(plain).hexdigest()[:_HASH_DIGITS],
        body=gzip.compress(plain, 9, mtime=0),
        plain=plain,
    )


def address(name: str) -> str:
    """/static/css/base.0a1b2c3d4e.css for css/base.css. Raises KeyError for a file that is not there."""
    path = PurePosixPath(name)
    return f"/static/{path.parent}/{path.stem}.{_assets()[name].etag}{path.suffix}".replace("/./", "/")


def find(address_path: str) -> Asset | None:
    """The asset behind an address (without /static/). None: there is none, or its content has changed."""
    path = PurePosixPath(address_path)
    stem, _, etag = path.stem.rpartition(".")
    asset = _assets().get(str(path.with_name(stem + path.suffix))) if stem else None
    return asset if asset and asset.etag == etag else None
