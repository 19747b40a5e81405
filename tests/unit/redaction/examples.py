"""Values that look like secrets, made here so that none stands in a file."""

import re

_ALPHABETS = {
    "a": "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0z",
    "h": "3f9c1a7e5b2d8064",
    "d": "7294816305",
    "l": "k3v9q2m7x4c8w1z6",
    "H": "K7M2Q9X4C8W1Z6V3",
}


def filled(text: str) -> str:
    """``{a20}`` becomes 20 letters and digits, ``{h32}`` hex, ``{d6}`` digits; l and H have one case."""

    def value(match: re.Match[str]) -> str:
        alphabet, length = _ALPHABETS[match[1]], int(match[2])
        return (alphabet * (length // len(alphabet) + 1))[:length]

    return re.sub(r"\{([ahdlH])(\d+)\}", value, text)
