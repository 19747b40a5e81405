"""Numbers that prove themselves by a check digit, and addresses that only exist inside."""

import ipaddress
from typing import Final

IBAN_LENGTHS: Final = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19,
    "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29,
    "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28,
    "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip
_PRIVATE: Final = tuple(
    ipaddress.ip_network(net)
    for net in (
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",
        "169.254.0.0/16",
        "fc00::/7",
        "fe80::/10",
    )
)


def luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def card(digits: str) -> bool:
    """A number that an issuer of payment cards could have given, check digit included."""
    two, four = int(digits[:2]), int(digits[:4])
    length = len(digits)
    issued = (
        (digits[0] == "4" and length in (13, 16, 19))
        or ((51 <= two <= 55 or 2221 <= four <= 2720) and length == 16)
        or (two in (34, 37) and length == 15)
        or ((four == 6011 or two in (64, 65)) and length in (16, 19))
        or (3528 <= four <= 3589 and length == 16)
        or ((300 <= four // 10 <= 305 or two in (36, 38, 39)) and length == 14)
        or (two in (62, 81) and 16 <= length <= 19)
        or (two in (50, 56, 57, 58, 63, 67) and length in (16, 18, 19))
    )
    return issued and len(set(digits)) > 1 and luhn(digits)


def iban(text: str) -> bool:
    """An IBAN of its country's length whose remainder by 97 is 1."""
    compact = text.replace(" ", "").replace("-", "").upper()
    if IBAN_LENGTHS.get(compact[:2]) != len(compact):
        return False
    turned = compact[4:] + compact[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


def private_address(text: str) -> bool:
    """An IP address that is not routed in public and is not this machine itself."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return any(address in net for net in _PRIVATE if net.version == address.version)


def chinese_id(text: str) -> bool:
    """A resident identity number of 18 places with its check character."""
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    rest = sum(int(d) * w for d, w in zip(text[:17], weights, strict=True)) % 11
    return text[17].upper() == "10X98765432"[rest] and 1 <= int(text[10:12]) <= 12


def cpf(digits: str) -> bool:
    """A Brazilian tax number of 11 digits with its two check digits."""
    for size in (9, 10):
        rest = sum(int(d) * (size + 1 - i) for i, d in enumerate(digits[:size])) * 10 % 11 % 10
        if rest != int(digits[size]):
            return False
    return len(set(digits)) > 1
