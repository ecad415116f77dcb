"""Signatures: what RFC 8032 says, what another library makes, and nothing else."""

import random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ldp.transparency.ed25519 import verifies

ORDER = 2**252 + 27742317777372353535851937790883648493
PUBLISHED = {  # RFC 8032, section 7.1: key, message, signature
    "1": (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bac"
        "c61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    "2": (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e"
        "458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
}


def signed(number):
    """A key, a message and a signature of another library's."""
    draw = random.Random(number)
    private = Ed25519PrivateKey.from_private_bytes(draw.randbytes(32))
    message = draw.randbytes(number)
    return private.public_key().public_bytes_raw(), message, private.sign(message)


@pytest.mark.parametrize("number", PUBLISHED)
def test_published_signatures(number):
    """Those of the specification, and not those of other messages."""
    key, message, signature = (bytes.fromhex(text) for text in PUBLISHED[number])
    assert verifies(key, message, signature)
    assert not verifies(key, message + b"\0", signature)


@pytest.mark.parametrize("number", range(16))
def test_signatures_of_another_library(number):
    """They verify, and no bit of key, message or signature can be changed."""
    key, message, signature = signed(number)
    assert verifies(key, message, signature)
    draw = random.Random(number)
    for part, whole in enumerate((key, message, signature)):
        if not whole:
            continue
        changed = bytearray(whole)
        changed[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        assert not verifies(
            *(key, message, signature)[:part],
            bytes(changed),
            *(key, message, signature)[part + 1 :],
        )


def test_a_signature_has_one_spelling():
    """Numbers and coordinates that are not reduced are refused, and so are other
    lengths.
    """
    key, message, signature = signed(7)
    number = int.from_bytes(signature[32:], "little") + ORDER
    assert not verifies(key, message, signature[:32] + number.to_bytes(32, "little"))
    assert not verifies(key[:31], message, signature)
    assert not verifies(key, message, signature[:63])
    assert not verifies(key, message, signature + bytes(1))
    not_reduced = (2**255 - 19 + 1).to_bytes(
        32, "little"
    )  # y = 1, which is the neutral point
    assert not verifies(not_reduced, message, not_reduced + bytes(32))
    neutral = (1).to_bytes(32, "little")
    assert verifies(neutral, message, neutral + bytes(32))


def test_no_point_is_no_key():
    """Half of all y have no x; the sign of x = 0 has one spelling."""
    _, message, signature = signed(3)
    none = next(
        y.to_bytes(32, "little")
        for y in range(2, 50)
        if not verifies(y.to_bytes(32, "little"), message, signature)
    )
    assert not verifies(none, message, none + bytes(32))
    signed_zero = (1 | 1 << 255).to_bytes(32, "little")
    assert not verifies(signed_zero, message, (1).to_bytes(32, "little") + bytes(32))
