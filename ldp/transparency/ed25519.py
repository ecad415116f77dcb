"""Ed25519 signatures, checked in the integers of Python.

What is checked is public, so it does not matter how long it takes: a few milliseconds,
once for each list that a device fetches (`ldp.transparency.stops`). Nothing is signed
here, as a key that signs is a secret and wants a library that takes constant time.

A signature is R, a point, and S, a number; with h the hash of R, the key A and the
message, it is right where

    S B = R + h A

Points lie on -x^2 + y^2 = 1 + d x^2 y^2 modulo 2^255 - 19, and are added in extended
coordinates (X : Y : Z : T), x = X/Z, y = Y/Z, x y = T/Z. Their bytes are y,
little-endian, and the lowest bit of x above it. Numbers that are not reduced are
refused, so that a signature has one spelling.

Source: RFC 8032, section 5.1; Hisil, Wong, Carter and Dawson 2008 (addition).
"""

from __future__ import annotations

KEY_SIZE, SIGNATURE_SIZE = 32, 64

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)
_SIGN = 1 << 255

Point = tuple[int, int, int, int]
_ZERO: Point = (0, 1, 1, 0)


def verifies(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether a signature of 64 bytes is that of a message under a public key of 32
    bytes.

    False for bytes that are no signature or no key at all.
    """
    if len(key) != KEY_SIZE or len(signature) != SIGNATURE_SIZE:
        return False
    public, commitment = _point(key), _point(signature[:KEY_SIZE])
    number = int.from_bytes(signature[KEY_SIZE:], "little")
    if public is None or commitment is None or number >= _ORDER:
        return False
    # Imported here, as it takes longer to load than the rest of a client.
    import hashlib

    digest = hashlib.sha512(signature[:KEY_SIZE] + key + message).digest()
    challenge = int.from_bytes(digest, "little") % _ORDER
    return _same(_times(number, _base()), _sum(commitment, _times(challenge, public)))


def _point(text: bytes) -> Point | None:
    """The point that 32 bytes stand for; None if there is none."""
    number = int.from_bytes(text, "little")
    odd, y = divmod(number, _SIGN)
    if y >= _P:
        return None
    # x^2 = u / v, of which (u / v)^((p + 3) / 8) is a root, or is one times a root of
    # -1.
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if (x * x - square) % _P or (x == 0 and odd):
        return None
    if x % 2 != odd:
        x = _P - x
    return x, y, 1, x * y % _P


def _sum(one: Point, other: Point) -> Point:
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a = (y1 - x1) * (y2 - x2) % _P
    b = (y1 + x1) * (y2 + x2) % _P
    c = 2 * _D * t1 * t2 % _P
    d = 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(number: int, point: Point) -> Point:
    product = _ZERO
    while number:
        if number & 1:
            product = _sum(product, point)
        point = _sum(point, point)
        number >>= 1
    return product


def _same(one: Point, other: Point) -> bool:
    x1, y1, z1, _ = one
    x2, y2, z2, _ = other
    return (x1 * z2 - x2 * z1) % _P == 0 and (y1 * z2 - y2 * z1) % _P == 0


def _base() -> Point:
    """The point with y = 4/5 and an even x."""
    point = _point((4 * pow(5, -1, _P) % _P).to_bytes(KEY_SIZE, "little"))
    if point is None:
        raise ArithmeticError("expected the base point to lie on the curve")
    return point
