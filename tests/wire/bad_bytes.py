"""Bytes that are nearly reports of the example survey: one thing wrong with each."""

import msgpack
from wire_samples import BATCHES, TEXT, file_of
from xxhash import xxh64_digest

from ldp import parse_survey
from ldp.wire.wire import FORMAT, MOST_REPORTS, encode_batch

_NAMES = ("symbol", "wide", "bits", "set", "levels", "hash", "filter")
_SYMBOL, _WIDE, _BITS, _SET, _LEVELS, _HASHED, _FILTERED = (
    BATCHES[name] for name in _NAMES
)
_PARTS = [FORMAT, *_SYMBOL[:4]]
_FRAME = file_of(_SYMBOL)
_OTHER = parse_survey(TEXT.replace('epsilon = "1"', 'epsilon = "2"'))


def _with(place, part):
    return msgpack.packb([*_PARTS[:place], part, *_PARTS[place + 1 :]])


BAD_PAYLOADS = {
    "nothing at all": ("not-a-batch", b""),
    "text": ("not-a-batch", msgpack.packb("batch")),
    "a map": ("not-a-batch", msgpack.packb({})),
    "an empty array": ("not-a-batch", msgpack.packb([])),
    "a sixth part": ("not-a-batch", msgpack.packb([*_PARTS, 0])),
    "a missing part": ("not-a-batch", msgpack.packb(_PARTS[:-1])),
    "a trailing byte": ("not-a-batch", msgpack.packb(_PARTS) + b"\x00"),
    "a byte too few": ("not-a-batch", msgpack.packb(_PARTS)[:-1]),
    "a batch in a batch": ("not-a-batch", msgpack.packb([_PARTS])),
    "true for the version": ("not-a-batch", _with(0, True)),
    "an array header longer than it has to be": (
        "not-a-batch",
        b"\xdc\x00\x05" + msgpack.packb(_PARTS)[1:],
    ),
    "a float for the version": ("not-a-batch", _with(0, 1.0)),
    "text for the fingerprint": ("not-a-batch", _with(1, "f" * 16)),
    "a fingerprint of 15 bytes": ("not-a-batch", _with(1, _SYMBOL.fingerprint[:-1])),
    "an id of 17 bytes": ("not-a-batch", _with(2, _SYMBOL.id + b"\x00")),
    "a float for the count": ("not-a-batch", _with(3, 3.0)),
    "no reports": ("not-a-batch", _with(3, 0)),
    "a negative count": ("not-a-batch", _with(3, -3)),
    "too many reports": ("not-a-batch", _with(3, MOST_REPORTS + 1)),
    "an array for the rows": ("not-a-batch", _with(4, list(_SYMBOL.rows))),
    "an extension for the rows": (
        "not-a-batch",
        _with(4, msgpack.ExtType(1, _SYMBOL.rows)),
    ),
    "an array of 4,294,967,295 parts": ("not-a-batch", b"\xdd\xff\xff\xff\xff\x01"),
    "rows of 4,294,967,295 bytes": (
        "not-a-batch",
        msgpack.packb([*_PARTS[:-1], b""])[:-2] + b"\xc6\xff\xff\xff\xff",
    ),
    "version 0": ("format-version", _with(0, 0)),
    "sealed for a collector behind a relay": (
        "sealed",
        msgpack.packb([3, bytes(16), bytes(16), b"envelope"]),
    ),
    "version 2": ("format-version", _with(0, 2)),
    "version 2, of two parts": ("format-version", msgpack.packb([2, b"something new"])),
    "no such question": ("fingerprint", _with(1, bytes(16))),
    "another epsilon": ("fingerprint", _with(1, _OTHER["symbol"].fingerprint)),
    "no rows": ("report-width", _with(4, b"")),
    "two rows for three": ("report-width", _with(4, _SYMBOL.rows[:2])),
    "rows twice as wide": ("report-width", _with(4, _SYMBOL.rows * 2)),
    "the first symbol there is not": ("symbol-range", _with(4, bytes([0, 4, 1]))),
    "a symbol of 300": (
        "symbol-range",
        encode_batch(_WIDE._replace(rows=(300).to_bytes(2, "little") * 3)),
    ),
    "level 46 of 46, at the last place": (
        "symbol-range",
        encode_batch(_LEVELS._replace(rows=(bytes(3) + b"\x2e") * 3)),
    ),
    "cohort 3 of 3": (
        "cohort-range",
        encode_batch(_FILTERED._replace(rows=(b"\x03\x00" + bytes(16)) * 3)),
    ),
    "a set of one": ("ones", encode_batch(_SET._replace(rows=b"\x01\x00\x00" * 3))),
    "a hash function with a = 0": (
        "seed-range",
        encode_batch(_HASHED._replace(rows=bytes(9) * 3)),
    ),
    "a hash function with b = P": (
        "seed-range",
        encode_batch(
            _HASHED._replace(rows=b"\x01\x00\x00\x00\xff\xff\xff\x7f\x00" * 3)
        ),
    ),
    "attributes of a question without any": (
        "attribute-range",
        encode_batch(_BITS._replace(combination=1)),
    ),
    "combination 1,000": ("not-a-batch", msgpack.packb([2, *_PARTS[1:], 1000])),
    "combination 0 that is written out": (
        "not-a-batch",
        msgpack.packb([2, *_PARTS[1:], 0]),
    ),
    "bit 20 of 20": (
        "padding-bits",
        encode_batch(_BITS._replace(rows=b"\x00\x00\x10" * 3)),
    ),
}
"""What else a sound frame may hold, by what it is: the reason for which it is rejected,
and the payload.
"""

BAD_FILES = {
    "a flipped bit in the payload": _FRAME[:-1] + bytes([_FRAME[-1] ^ 1]),
    "a flipped bit in the checksum": _FRAME[:8] + bytes([_FRAME[8] ^ 1]) + _FRAME[9:],
    "a cut frame": _FRAME[:-1],
    "half a header": _FRAME[:10],
    "another magic": b"LDPX" + _FRAME[4:],
    "a length beyond 2^24": _FRAME[:4] + b"\x01\x00\x00\x01" + _FRAME[8:],
    "a checksum without its seed": _FRAME[:8]
    + xxh64_digest(_FRAME[16:])[::-1]
    + _FRAME[16:],
    "no frame": b"not a report file",
}
"""Files that hold no sound frame."""
