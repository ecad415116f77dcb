"""Stop lists: read as they were written, and refused if anything about them is not
right.
"""

import json
from fractions import Fraction

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ldp.errors import WireError
from ldp.transparency.stops import (
    CONTEXT,
    MOST_BYTES,
    Stops,
    encode_stop_list,
    message_of,
    read_stops,
    share_of,
)

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY = PRIVATE.public_key().public_bytes_raw()
STOPS = Stops("notes", 3, {"mood": Fraction(0), "theme": Fraction(1, 10)})


def signed(text):
    """A list of any text, with the right signature."""
    message = CONTEXT + (text if isinstance(text, bytes) else json.dumps(text).encode())
    return encode_stop_list(message, PRIVATE.sign(message))


def listed(**changed):
    return signed({"survey": "notes", "serial": 3, "shares": {}} | changed)


def test_a_list_is_read_as_it_was_written():
    message = message_of(STOPS)
    assert read_stops(encode_stop_list(message, PRIVATE.sign(message)), KEY) == STOPS


def test_the_last_serial_number():
    """The largest that 64 bits with a sign hold."""
    assert read_stops(listed(serial=(1 << 63) - 1), KEY).serial == (1 << 63) - 1


def test_only_the_pinned_key_signs():
    """Nothing can be changed; who has written a list may read it without its key."""
    message = message_of(STOPS)
    data = encode_stop_list(message, PRIVATE.sign(message))
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))
    for wrong in (
        data.replace(b"1/10", b"1/11"),
        data.replace(b'"serial": 3', b'"serial": 4'),
        encode_stop_list(message, other.sign(message)),
        encode_stop_list(message, PRIVATE.sign(message.removeprefix(CONTEXT))),
        encode_stop_list(message, bytes(64)),
    ):
        with pytest.raises(
            WireError, match="stop-list: expected the signature of the pinned key"
        ):
            read_stops(wrong, KEY)
    assert read_stops(encode_stop_list(message, bytes(64)), None) == STOPS
    with pytest.raises(ValueError, match="expected a public key of 32 bytes, got 3"):
        read_stops(data, b"key")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"LDPSTOPS1 ",
        b"LDPSTOPS1 " + b"zz" * 64 + b"\n{}",
        b"LDPSTOPS1 " + b"AB" * 64 + b"\n{}",
        b"LDPSTOPS1 " + "é".encode() * 64 + b"\n{}",
        b"x" * (MOST_BYTES + 1),
        signed(b"\xff"),
        signed(b"[" * 60_000),
        signed([]),
        signed({"survey": "notes"}),
        listed(survey=7),
        listed(serial=True),
        listed(serial=-1),
        listed(serial=1 << 63),
        listed(shares=[]),
        listed(shares={"mood": "2"}),
        listed(shares={"mood": 1e-400}),
        listed(shares={"mood": "1e9"}),
        listed(shares={"mood": None}),
        listed(more=1),
    ],
)
def test_what_is_no_list_is_refused(data):
    with pytest.raises(WireError, match="stop-list: expected"):
        read_stops(data, KEY)


@pytest.mark.parametrize(
    ("text", "share"),
    [("0", 0), ("1", 1), ("0.25", Fraction(1, 4)), ("1/3", Fraction(1, 3))],
)
def test_shares(text, share):
    assert share_of(text) == share


@pytest.mark.parametrize(
    "text", ["", "2", "3/2", "-1", "1/0", "0.", ".5", "1e-1", "1/1000000000", "١"]
)
def test_no_shares(text):
    with pytest.raises(ValueError, match="expected a share from 0 to 1"):
        share_of(text)
