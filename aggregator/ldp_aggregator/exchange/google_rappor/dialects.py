"""How google/rappor's three clients differ. A report does not say which of them made
it.

    all     Bloom bits from digest = MD5(big-endian uint32 cohort || text), modulo k
    python  one byte of the digest a hash; the app gives the cohort
    cpp     one byte a hash, two little-endian bytes if k > 256; cohort = the first 4
            bytes, little-endian, of HMAC-SHA256(secret, ""), or of HMAC-DRBG(secret) if
            k > 32, modulo m; m a power of two
    java    two big-endian bytes a hash; cohort = |the first 4 bytes, big-endian, of
            HMAC-DRBG(secret, 0)|, modulo 128, then modulo m; m a power of two up to 128

They draw bits with other probabilities than they are given:

    python  f rounded up to a multiple of 1/128; p and q up to one of 2^-53
    cpp     f rounded down to 1/128, p and q down to 1/256, modulo 1: a 1 becomes 0
    java    f rounded to the nearest 1/128; p and q up to multiples of 2^-24

Reports must be decoded with what they were drawn with: `as_run`. It may deliver less
privacy than was declared; the probabilities of a survey file with the same parameters
never do (`ldp_aggregator.exchange.google_rappor.survey`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from hashlib import md5
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldp.errors import EstimateError
from ldp.mechanisms.chains.rappor import Rappor
from ldp.numbers.layout import MOST_COHORTS
from ldp_aggregator.decoders.moments.bit_designs import Places, design_of, place_type
from ldp_aggregator.decoders.other_results import Candidates
from ldp_aggregator.exchange.google_rappor.bulk_md5 import Messages, blocks_of
from ldp_aggregator.exchange.google_rappor.cohorts import cpp_cohort, java_cohort
from ldp_aggregator.exchange.google_rappor.files import Parameters

_COIN = 128
"""f is compared with 7 random bits; the eighth is the bit that replaces."""

_DIGEST = 16
"""Bytes of an MD5."""
_AT_ONCE = 1 << 14
"""Candidates whose digests stay in the processor's cache."""

Rounding = Callable[[Fraction], int]


class Dialect(NamedTuple):
    """One client. `word` is the number of random bits that p and q are compared
    with.
    """

    name: str
    hash_order: Literal["big", "little"]
    hash_width: Callable[[int], int]
    """Bytes of the digest for one hash, by the number of bits."""
    report_order: Literal["big", "little"]
    """Of the bytes of a raw report."""
    word: int
    f_rounding: Rounding
    pq_rounding: Rounding
    most_cohorts: int
    cohort_rule: Callable[[bytes, int, int], int] | None
    """The cohort by secret, number of cohorts (a power of two) and number of bits.

    None where the app gives it.
    """

    def check(self, parameters: Parameters) -> None:
        """Raises `EstimateError` for parameters that this client refuses."""
        most_hashes = _DIGEST // self.hash_width(parameters.bits)
        if parameters.hashes > most_hashes:
            raise EstimateError(
                f"expected h up to {most_hashes} for the {self.name} client, got "
                f"{parameters.hashes}"
            )
        cohorts = parameters.cohorts
        if cohorts > self.most_cohorts or (
            self.cohort_rule and cohorts & (cohorts - 1)
        ):
            kind = "a power of two" if self.cohort_rule else "a number"
            raise EstimateError(
                f"expected m to be {kind} up to {self.most_cohorts} for the "
                f"{self.name} client, got {cohorts}"
            )

    def positions(self, text: bytes, cohort: int, hashes: int, bits: int) -> list[int]:
        """The positions that `text` sets in `cohort`, one per hash; they need not
        differ.
        """
        digest = md5(cohort.to_bytes(4, "big") + text, usedforsecurity=False).digest()
        width = self.hash_width(bits)
        pieces = (
            digest[start : start + width] for start in range(0, hashes * width, width)
        )
        return [int.from_bytes(piece, self.hash_order) % bits for piece in pieces]

    def candidates(self, texts: tuple[str, ...], parameters: Parameters) -> Candidates:
        """Texts with the bits that this client sets for them, in place of a map."""
        self.check(parameters)
        bits, hashes = parameters.bits, parameters.hashes
        places = np.empty((parameters.cohorts, hashes, len(texts)), place_type(bits))
        encoded = [text.encode() for text in texts]
        by_size: dict[int, list[int]] = {}
        for number, text in enumerate(encoded):
            by_size.setdefault(blocks_of(text), []).append(number)
        for numbers in by_size.values():
            for start in range(0, len(numbers), _AT_ONCE):
                some = numbers[start : start + _AT_ONCE]
                messages = Messages([encoded[number] for number in some])
                for cohort in range(parameters.cohorts):
                    places[cohort][:, some] = self._many(
                        messages.digests(cohort), hashes, bits
                    )
        return Candidates(texts, design_of(places, bits))

    def _many(self, digests: NDArray[np.uint32], hashes: int, bits: int) -> Places:
        """`positions` from digests (4, M), of shape (hashes, M)."""
        width = self.hash_width(bits)
        # (hashes, width, M): the bytes of each hash.
        content = np.ascontiguousarray(digests.T).astype("<u4").view(np.uint8)
        pieces = (
            content[:, : hashes * width].T.reshape(hashes, width, -1).astype(np.uint32)
        )
        numbers = pieces[:, 0]
        if width > 1:
            low, high = (1, 0) if self.hash_order == "big" else (0, 1)
            numbers = pieces[:, low] + (pieces[:, high] << 8)
        return (numbers % bits).astype(place_type(bits))

    def vector(self, report: bytes) -> int:
        """A raw report as an integer whose bit i is position i."""
        return int.from_bytes(report, self.report_order)

    def as_run(self, parameters: Parameters) -> Rappor:
        """The integers that this client drew its reports with, whatever it was told."""
        span = 1 << self.word
        flip = self.f_rounding(parameters.f * _COIN) * span // (2 * _COIN)
        one = self.pq_rounding(parameters.q * span)
        zero = self.pq_rounding(parameters.p * span)
        if self.pq_rounding is math.floor:
            # Where 1 is one more than the largest number of that many bits, it
            # overflows.
            one %= span
            zero %= span
        return Rappor(
            parameters.bits,
            parameters.hashes,
            parameters.cohorts,
            flip=flip,
            if_one=one,
            if_zero=zero,
            word=self.word,
        )


def _nearest(number: Fraction) -> int:
    return math.floor(number + Fraction(1, 2))


_PYTHON = Dialect(
    name="python",
    hash_order="big",
    hash_width=lambda bits: 1,  # noqa: ARG005
    report_order="big",
    word=53,
    f_rounding=math.ceil,
    pq_rounding=math.ceil,
    most_cohorts=MOST_COHORTS,
    cohort_rule=None,
)
_CPP = Dialect(
    name="cpp",
    hash_order="little",
    hash_width=lambda bits: 1 if bits <= 256 else 2,
    report_order="big",
    word=8,
    f_rounding=math.floor,
    pq_rounding=math.floor,
    most_cohorts=MOST_COHORTS,
    cohort_rule=cpp_cohort,
)
_JAVA = Dialect(
    name="java",
    hash_order="big",
    hash_width=lambda bits: 2,  # noqa: ARG005
    report_order="little",
    word=24,
    f_rounding=_nearest,
    pq_rounding=math.ceil,
    most_cohorts=128,
    cohort_rule=java_cohort,
)
DIALECTS = {dialect.name: dialect for dialect in (_PYTHON, _CPP, _JAVA)}
