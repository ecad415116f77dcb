"""Stop lists: by which a collector asks less than its survey says, never more.

    LDPSTOPS1 <signature, 128 hexadecimal digits>
    {"survey": "notes-2026", "serial": 3, "shares": {"sensitive": "0", "theme": "1/10"}}

A share is that of the devices that go on being asked a question: 0 stops it, and of
1/10 each device draws once whether it is among them, whatever its answers are
(`embedding.stop_lists`). Questions that are not listed are asked of all. The serial
number grows with each list of a survey, so that a device does not go back to one before.

The signature is Ed25519 (`ldp.transparency.ed25519`) over `CONTEXT` and everything
behind the first line, under a key that the app has pinned: who only carries the list,
or runs the collector's web server, cannot write one. All that a forger could reach is
that fewer are asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from ldp.errors import WireError
from ldp.transparency.ed25519 import KEY_SIZE, SIGNATURE_SIZE, verifies

MAGIC = b"LDPSTOPS1 "
CONTEXT = b"a list of questions to stop, 1\n"
MOST_BYTES = 1 << 16
MOST_SERIAL = (1 << 63) - 1

_HEAD_SIZE = len(MAGIC) + 2 * SIGNATURE_SIZE + 1
_SHARE = re.compile(r"(0|1|0\.[0-9]{1,9}|[1-9][0-9]{0,8}/[1-9][0-9]{0,8})")


class Stops(NamedTuple):
    """Stop list: questions by name, and the share of devices that is still asked."""

    survey: str
    serial: int
    shares: Mapping[str, Fraction]


def share_of(text: str) -> Fraction:
    """The share that a text such as `0`, `0.25` or `1/10` stands for. Raises
    `ValueError`.
    """
    if _SHARE.fullmatch(text) and (share := Fraction(text)) <= 1:
        return share
    raise ValueError(
        f"expected a share from 0 to 1, such as 0, 0.25 or 1/10, got {text[:40]!r}"
    )


def message_of(stops: Stops) -> bytes:
    """Return the signed message of a list: it is sent without `CONTEXT`."""
    # Imported here, since most devices never need it.
    import json

    shares = {name: str(share) for name, share in sorted(stops.shares.items())}
    text = {"survey": stops.survey, "serial": stops.serial, "shares": shares}
    return CONTEXT + json.dumps(text, ensure_ascii=False).encode() + b"\n"


def encode_stop_list(message: bytes, signature: bytes) -> bytes:
    """The bytes of a list, of what was signed and its signature."""
    return MAGIC + signature.hex().encode() + b"\n" + message.removeprefix(CONTEXT)


def read_stops(data: bytes, key: bytes | None) -> Stops:
    """The list that some bytes are, signed under a public key.

    Without a key the signature is not looked at: for those who have written the list
    themselves. Raises `WireError` (`stop-list`).
    """
    if key is not None and len(key) != KEY_SIZE:
        raise ValueError(f"expected a public key of {KEY_SIZE} bytes, got {len(key)}")
    if len(data) > MOST_BYTES:
        raise _stop_list_error(f"at most {MOST_BYTES} bytes", f"{len(data)}")
    head, text = data[:_HEAD_SIZE], data[_HEAD_SIZE:]
    try:
        signature = bytes.fromhex(head[len(MAGIC) : -1].decode("ascii"))
    except ValueError:
        signature = b""
    if (
        head != MAGIC + signature.hex().encode() + b"\n"
        or len(signature) != SIGNATURE_SIZE
    ):
        raise _stop_list_error(
            f"{MAGIC.decode()}and a signature in the first line", "something else"
        )
    if key is not None and not verifies(key, CONTEXT + text, signature):
        raise _stop_list_error("the signature of the pinned key", "another one")
    return _parse(text)


def _parse(text: bytes) -> Stops:
    import json

    try:
        content = json.loads(text.decode())
    except (ValueError, RecursionError):
        raise _stop_list_error("JSON behind the first line", "something else") from None
    if type(content) is not dict or content.keys() != {"survey", "serial", "shares"}:
        raise _stop_list_error("the keys survey, serial and shares", "others")
    survey, serial, shares = content["survey"], content["serial"], content["shares"]
    if type(survey) is not str or type(shares) is not dict:
        raise _stop_list_error(
            "a survey's name and a table of shares", "something else"
        )
    if type(serial) is not int or not 0 <= serial <= MOST_SERIAL:
        raise _stop_list_error(
            f"a serial number from 0 to {MOST_SERIAL}", "something else"
        )
    try:
        return Stops(
            survey, serial, {name: share_of(text) for name, text in shares.items()}
        )
    except (ValueError, TypeError) as error:
        raise _stop_list_error("shares", str(error)) from None


def _stop_list_error(expected: str, came: str) -> WireError:
    return WireError("stop-list", f"expected {expected}, got {came}")
