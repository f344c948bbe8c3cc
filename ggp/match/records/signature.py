"""Verifies the signatures that ggp-base's servers put into their records.

The field ``matchHostPK`` is the server's public key, ``matchHostSignature`` its signature of all
other fields and the key: RSA with SHA-1 (PKCS #1 v1.5) over a canonical form of the JSON. As in
`SignableJSON`, `CanonicalJSON` and `BaseCryptography` of `org.ggp.base.util.crypto`.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from math import isfinite

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.serialization import load_der_public_key

from ggp.match.records.record import parse_fields

__all__ = ["Signature", "canonical_json", "find_signature"]

_KEY, _SIGNATURE = "matchHostPK", "matchHostSignature"

#: The prefixes by which ggp-base marks base-64 text and its canonical form of JSON.
_BASE64, _CANONICAL = "0", "A"

_ESCAPED = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
}
_SPECIAL = re.compile('["\\\\\x00-\x1f\x80-\x9f\u2000-\u20ff]|(?<=<)/')


@dataclass(frozen=True, slots=True)
class Signature:
    """The signature of a record."""

    #: The public key, as in the record. Its owner must be known from elsewhere.
    public_key: str
    #: Whether the signature matches the record.
    is_valid: bool


def find_signature(text: str) -> Signature | None:
    """Return the signature of a record in JSON; None if it is not signed.

    Raises:
        RecordError: the text is not a JSON object.
    """
    fields = parse_fields(text)
    key, signature = fields.get(_KEY), fields.pop(_SIGNATURE, None)
    if not (isinstance(key, str) and isinstance(signature, str)):
        return None
    try:
        signed = canonical_json(fields).encode("utf-8", "replace")
        public_key = load_der_public_key(_decoded(key, _BASE64))
        if not isinstance(public_key, RSAPublicKey):
            return Signature(key, is_valid=False)
        public_key.verify(_decoded(signature, _CANONICAL + _BASE64), signed, PKCS1v15(), SHA1())
    except (ValueError, RecursionError, InvalidSignature, UnsupportedAlgorithm):
        return Signature(key, is_valid=False)
    return Signature(key, is_valid=True)


def canonical_json(value: object) -> str:
    r"""Return the canonical text of a JSON value, which is signed: keys sorted, no blanks.

    Strings and numbers are written as the library `org.json` of ggp-base does.

    >>> canonical_json({"b": [1, 2.50, None], "a": "</p>"})
    '{"a":"<\\/p>","b":[1,2.5,null]}'

    Raises:
        ValueError: a number is not finite.
    """
    if isinstance(value, dict):
        # Java compares strings by the units of UTF-16.
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_quoted(key)}:{canonical_json(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return f"[{','.join(map(canonical_json, value))}]"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, float):
        return _float(value)
    return json.dumps(value)


def _quoted(text: str) -> str:
    return f'"{_SPECIAL.sub(lambda found: _escaped(found[0]), text)}"'


def _escaped(character: str) -> str:
    if character == "/":
        return "\\/"
    return _ESCAPED.get(character) or f"\\u{ord(character):04x}"


def _float(value: float) -> str:
    """Write a number as Java does, without needless zeros after the point."""
    if not isfinite(value):
        raise ValueError("a number is not finite")
    if value == 0:
        return "0"  # without a sign, as ggp-base writes and reads it once before it signs
    if 1e-3 <= abs(value) < 1e7:
        return repr(value).removesuffix(".0")
    digits, _, exponent = f"{value!r}".partition("e")
    if not exponent:
        digits, _, exponent = f"{value:.16e}".partition("e")
        digits = digits.rstrip("0")
    whole, _, fraction = digits.partition(".")
    return f"{whole}.{fraction or '0'}E{int(exponent)}"


def _decoded(text: str, prefix: str) -> bytes:
    """Return the bytes of a key or signature. Raises `ValueError`."""
    if not text.startswith(prefix):
        raise ValueError("of a kind that ggp-base does not write")
    return base64.b64decode(text.removeprefix(prefix), validate=True)
