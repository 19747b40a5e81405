"""The key of fingerprints: made once, kept in a file, never in the database that holds the marks."""

import os
import secrets
from pathlib import Path
from typing import Final

FILE_NAME: Final = "redaction.key"
KEY_BYTES: Final = 32


def load_or_make(folder: Path) -> bytes:
    """Only its owner may read the file. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / FILE_NAME
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _whole(file)
    with os.fdopen(handle, "w") as new:
        new.write(secrets.token_hex(KEY_BYTES))
    return _whole(file)


def _whole(file: Path) -> bytes:
    """Another process may just be writing it, or may have died doing so."""
    key = file.read_bytes().strip()
    if len(key) < 2 * KEY_BYTES:
        raise OSError(f"{file} holds no whole key; delete it to have a new one made")
    return key
