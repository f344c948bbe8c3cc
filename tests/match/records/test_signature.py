"""Signatures as ggp-base's servers make them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, HashAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given

from ggp.errors import RecordError
from ggp.match.records.signature import Signature, canonical_json, find_signature
from tests.match.records.test_record import JSON

# Made with `openssl dgst -sha1 -sign` from a canonical text that was written by hand.
KEY = (
    "0MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1mL+3AopYjBFZ9FpJVMvOmwlECUYFpdXCAlKUnDtpN"
    "CnpVRs+sH1EXvYaK9ZH7K/Pwjf72hYn3ipy8C4fTxYcyFFXPEyhwAWrUyDyaZ8Um9MixtdXZDeMnDZwAdkZlITda"
    "qweWU+d4GS0DRWVKu22HlQU37VZ8vehb8H64NWoofoewwzcjdREiKvSgXCAspzNrlsQ4UYcOKnkvmwmQpGPIfPMG"
    "I1dpQQLKOxxTSAsiBpKvSO2a/KmGkpqGbWFZfg9Py0gbYLVqM2CeK2W6MfbINJ7/zlnFht8cqCuwOcM0tVnnjcZZ"
    "OI0Zdeo4HRS2EprhcESLBgum0Zz5YUSZmtwIDAQAB"
)
SIGNATURE = (
    "A0pE2ghow7P4ZLXY/dsz88XISX80fCY0YX4lwhn9dFt6b5n/7ukOWMI7nUzw4YIy82kn92qmHW6MeKBqiv/BQIhz"
    "+65gBvaON9Whq6FCxl9bs2ZHQI9lr0ywz7eLBlDdVr6Hj2YhixW3BrDed2m04yX8DsYs0DKqttf3zLj85f9sWjZi"
    "c3XhBAIwUoxjj3+sdqU9YegT/+i9GyF6dzDeKd26tXaqlSyAkMGiUDHKJ0cMOIVWAa1UkYWrYVrYjPrjl+rYibOh"
    "ELosOs7xiw1UlGx5t2dNDN1oVHso/KJ0k9fdh9JUA/aOxs5InbqADJZ0uvp0drczj1BoYtCzboHllLcg=="
)
FIELDS: dict[str, Any] = {
    "matchId": '</b>\u2028"caf\u00e9',
    "startTime": 1_700_000_000_000,
    "ratio": 2.50,
    "playClock": 15.0,
    "nothing": None,
    "moves": [["( mark 1 1 )", "noop"]],
    "isCompleted": True,
    "goalValues": [100, 0],
    "matchHostPK": KEY,
    "matchHostSignature": SIGNATURE,
}


def test_a_signature_that_another_program_made_is_valid() -> None:
    assert find_signature(json.dumps(FIELDS)) == Signature(KEY, is_valid=True)


def test_only_what_is_said_counts_not_how() -> None:
    for text in (
        json.dumps(FIELDS, ensure_ascii=False, indent=4),
        json.dumps(FIELDS, sort_keys=True, separators=(",", ":")),
    ):
        assert find_signature(text) == Signature(KEY, is_valid=True)


@pytest.mark.parametrize(
    "changes",
    [
        {"goalValues": [0, 100]},
        {"goalValues": ["100", 0]},
        {"isCompleted": False},
        {"moves": [["( mark 1 2 )", "noop"]]},
        {"startTime": 1_700_000_000_001},
        {"more": 1},
        {"matchHostSignature": SIGNATURE[:-8] + "AAAAAAAA"},
        {"matchHostSignature": "A0"},
        {"matchHostSignature": "A0****"},
        {"matchHostSignature": "B" + SIGNATURE[1:]},
        {"matchHostSignature": "A1" + SIGNATURE[2:]},
        {"matchHostSignature": SIGNATURE[1:]},
        {"matchHostPK": KEY[:-8] + "AAAAAAAA"},
        {"matchHostPK": "1" + KEY[1:]},
        {"matchHostPK": ""},
    ],
)
def test_any_change_invalidates_the_signature(changes: dict[str, object]) -> None:
    found = find_signature(json.dumps(FIELDS | changes))
    assert found is not None
    assert not found.is_valid


@pytest.mark.parametrize("missing", ["matchHostPK", "matchHostSignature"])
def test_a_record_without_key_or_signature_is_not_signed(missing: str) -> None:
    assert find_signature(json.dumps({**FIELDS, missing: None})) is None
    assert find_signature(json.dumps({k: v for k, v in FIELDS.items() if k != missing})) is None


@pytest.mark.parametrize("text", ["", "[]", "7", "{"])
def test_text_that_is_not_an_object_is_not_a_record(text: str) -> None:
    with pytest.raises(RecordError):
        find_signature(text)


def signed(fields: dict[str, Any], digest: HashAlgorithm) -> str:
    key = rsa.generate_private_key(65537, 2048)
    der = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    fields = {**fields, "matchHostPK": "0" + base64.b64encode(der).decode()}
    # For strings and integers this is the canonical form, too.
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    signature = key.sign(text.encode(), padding.PKCS1v15(), digest)
    return json.dumps(fields | {"matchHostSignature": "A0" + base64.b64encode(signature).decode()})


def test_only_the_digest_of_ggp_base_will_do() -> None:
    fields = {"matchId": "m", "startClock": 30}
    results = [find_signature(signed(fields, digest)) for digest in (SHA1(), SHA256())]
    assert [found and found.is_valid for found in results] == [True, False]


def test_a_key_of_another_kind_is_not_ggp_bases() -> None:
    key = ec.generate_private_key(ec.SECP256R1()).public_key()
    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    pk = "0" + base64.b64encode(der).decode()
    found = find_signature(json.dumps(FIELDS | {"matchHostPK": pk}))
    assert found == Signature(pk, is_valid=False)


# The first ones are those of ggp-base's own test of its canonical form; the numbers are what
# Java 17 makes of them.
@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (
            '{"3": {"c": 4, "7": 9, "2": 5, "a": 6}, "2": 3, "1": 2}',
            '{"1":2,"2":3,"3":{"2":5,"7":9,"a":6,"c":4}}',
        ),
        ('{"def": 4, "abc": 3, "ghi": 5}', '{"abc":3,"def":4,"ghi":5}'),
        ("[true, false, null]", "[true,false,null]"),
        ("[2.5, 100.0, 0.001, 0.00012]", "[2.5,100,0.001,1.2E-4]"),
        ("[1e7, 12345678.9, 9999999.0, -0.0]", "[1.0E7,1.23456789E7,9999999,0]"),
        ("[1.0E10, 123456789012345680000.0]", "[1.0E10,1.2345678901234568E20]"),
        ('["a/b </p> \\u0007\\u0085\\u2028"]', '["a/b <\\/p> \\u0007\\u0085\\u2028"]'),
        ('["\\b\\f\\n\\r\\t\\\\\\""]', '["\\b\\f\\n\\r\\t\\\\\\""]'),
    ],
)
def test_the_canonical_form_is_that_of_ggp_base(text: str, canonical: str) -> None:
    assert canonical_json(json.loads(text)) == canonical


@given(JSON)
def test_the_canonical_form_is_one_and_says_the_same(value: object) -> None:
    try:
        text = canonical_json(value)
    except ValueError:
        return  # not a number that JSON has
    again = json.loads(text)
    assert canonical_json(again) == text
    assert json.dumps(again, sort_keys=True) == json.dumps(_whole(value), sort_keys=True)


def _whole(value: object) -> object:
    """The value with those floats made whole that are written without a point."""
    match value:
        case float() if value.is_integer() and abs(value) < 1e7:
            return int(value)
        case list():
            return [_whole(each) for each in value]
        case dict():
            return {key: _whole(each) for key, each in value.items()}
        case _:
            return value
