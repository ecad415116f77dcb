"""Randomness that comes back: tapes that a device's secret gives, in place of fresh
ones.

A state file that is restored from a backup, or copied, has forgotten what was sent
since. A device that drew fresh randomness then would answer again with fresh noise, and
be counted twice. One that draws from its secret makes the same report of the same
answer, under the same id, and counts once.

    key      BLAKE2b-512 of the parts, each with its length before it, under the secret
             (32 bytes)
    tape     BLAKE2b-512 of 0, 1, 2, ... (8 bytes, little-endian) under the key, end to
             end

Rules
- The parts say what is drawn: a purpose, question and collector, and what the
  randomizer takes. So two answers have tapes of their own: with one tape for both,
  their two reports together could tell what neither tells alone. The price is that a
  report which comes again shows that the answer is the same one, as permanent responses
  do.
- Given a uniformly random secret, every law is as exact as BLAKE2b is hard to tell from
  a random function: that is all that is assumed beyond an operating system that draws
  the secret.
- Who has both the secret and the reports can try every answer. So `forget` erases the
  secret.
"""

from __future__ import annotations

from ldp.answers.domain import Value

SECRET_SIZE = 32
_BLOCK = 64
_KEYS, _BLOCKS = b"ldp-tape-key-1", b"ldp-tape-1"
"""What keeps these uses of a secret, or of a key, apart from all others."""


class Tape:
    """A source of randomness: the bytes that belong to a secret and some parts, one by
    one.
    """

    __slots__ = ("_blocks", "_key", "_left")

    def __init__(self, secret: bytes, *parts: bytes) -> None:
        # Imported here, as it takes longer to load than the rest of a client.
        from hashlib import blake2b

        message = b"".join(b"%d:%b," % (len(part), part) for part in parts)
        self._key = blake2b(message, key=secret, person=_KEYS).digest()
        self._blocks = 0
        self._left = b""

    def __call__(self, size: int) -> bytes:
        """The next `size` bytes."""
        from hashlib import blake2b

        pieces = [self._left]
        for _ in range(-(-(size - len(self._left)) // _BLOCK)):
            number = self._blocks.to_bytes(8, "little")
            pieces.append(blake2b(number, key=self._key, person=_BLOCKS).digest())
            self._blocks += 1
        tape = b"".join(pieces)
        self._left = tape[size:]
        return tape[:size]


def encode_value(value: Value) -> bytes:
    """Encode the input of a randomizer: no two values are encoded alike."""
    if isinstance(value, bytes):
        return b"b" + value
    return b"i" + value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
