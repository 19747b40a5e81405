"""Which names of fields stand before a secret: password, X-Auth-Token, clientSecret, 密码."""

import re
from functools import lru_cache
from typing import Final

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_NOUNS: Final = frozenset(
    "password passwd passphrase passwort kennwort contrasena senha pwd pass passcode secret secrets"
    " token credential credentials creds authorization cookie cookies apikey accesskey secretkey"
    " privatekey authtoken accesstoken refreshtoken bearer jwt otp totp pat psk pw signature".split()
)
# A "key" is a secret only with one of these before it: sort, primary, cache and foreign keys are none.
_KEYS: Final = frozenset(
    "api access secret private encryption encrypt signing sign master account shared sas auth app application"
    " ssh hmac storage subscription deploy admin root license service functions crypt cipher aes rsa"
    " wrapping unseal recovery session consumer token write ingest integration webhook verification sdk"
    " server client hash jwt fernet vapid instrumentation publishable".split()
)
_ENDINGS: Final = (
    *("password", "passwd", "passphrase", "secretkey", "apikey", "accesskey", "privatekey", "accountkey"),
    *("authtoken", "accesstoken", "refreshtoken", "idtoken", "sessiontoken", "clientsecret"),
    *("connectionstring", "connstring", "connstr", "bindpw", "rootpw", "userpw"),
)
_EXACT: Final = frozenset(
    "pin cvv cvc cvv2 auth sid sessionid phpsessid jsessionid connectsid mfacode verificationcode"
    " securitycode onetimecode authcode authorizationcode smscode accesscode appid xcsrf csrf xsrf"
    " setcookie sessioncookie sastoken sig otpcode".split()
)
_NOT_FIRST: Final = frozenset(
    "has is was needs need no num count max min total use show hide allow require requires required forgot"
    " page next continuation sync cursor start stop eos bos pad unk sep cls mask special first last end"
    " input output prompt completion public per cached reasoning invalid missing change reset unexpected".split()
)
_AFTER: Final = frozenset(
    "value val text str string plain raw hash hashed encrypted enc b64 base64 current new old prod production"
    " dev test staging live sandbox primary secondary confirm confirmation main backup default key header"
    " dict data env bytes content".split()
)
_PLURAL: Final = frozenset("access refresh auth api bearer session".split())
_FOREIGN: Final = (
    *("密码", "口令", "密钥", "令牌", "私钥", "验证码", "凭证", "秘密鍵", "パスワード", "비밀번호"),
    *("пароль", "contraseña", "mot_de_passe", "mot de passe"),
)
_PERSONAL: Final = frozenset(
    "ssn socialsecuritynumber cardnumber creditcard creditcardnumber pan ccnumber passportnumber"
    " nationalid iban taxid".split()
)
_NUMBERS: Final = frozenset(
    "password passwd pwd passcode pin otp totp cvv cvc cvv2 secret mfacode verificationcode"
    " securitycode otpcode smscode".split()
)


@lru_cache(maxsize=8192)
def is_sensitive(name: str) -> bool:
    """Whether a field of this name holds a credential. Snake, camel, kebab, dotted and Chinese names."""
    if not name or len(name) > 128:
        return False
    if not name.isascii():
        return any(word in name.lower() for word in _FOREIGN)
    words = [word.lower() for word in _WORDS.findall(name)]
    while len(words) > 1 and (words[-1].isdigit() or len(words[-1]) == 1):
        words.pop()
    compact = "".join(words)
    if compact in _EXACT:
        return True
    if not words or words[0] in _NOT_FIRST:
        return False
    while len(words) > 1 and words[-1] in _AFTER and not _is_key(words):
        words.pop()
    return _names_secret(words)


def _names_secret(words: list[str]) -> bool:
    last = words[-1]
    if last in _NOUNS or _is_key(words) or "".join(words[-2:]) in _ENDINGS:
        return True
    if last == "tokens":
        return len(words) > 1 and words[-2] in _PLURAL
    return "".join(words).endswith(_ENDINGS)


def _is_key(words: list[str]) -> bool:
    return words[-1] == "key" and len(words) > 1 and words[-2] in _KEYS


@lru_cache(maxsize=8192)
def is_personal(name: str) -> bool:
    """Whether a field of this name holds a card, bank or national number."""
    return normal(name) in _PERSONAL


@lru_cache(maxsize=2048)
def hides_numbers(name: str) -> bool:
    """Whether even a number is the secret: a PIN is, the count of a token is not."""
    words = [word.lower() for word in _WORDS.findall(name)]
    return bool(words) and (words[-1] in _NUMBERS or "".join(words) in _NUMBERS)


def split(name: str) -> list[str]:
    """The words of a name: ``clientSecret`` holds ``client`` and ``Secret``."""
    return _WORDS.findall(name) if name.isascii() else [name]


def normal(name: str) -> str:
    """``Card-Number``, ``card_number`` and ``cardNumber`` are one name: ``cardnumber``."""
    return "".join(split(name)).lower()
