"""Forged reports that the aggregator admits, as rows of bytes, of shape (reports,
width).

Whatever a layout allows:

random   anything that can be sent, uniformly: the random perturbed-value attack of Cao,
         Jia and Gong 2021
bits     vectors with as many ones as an honest report has on average, the wanted ones
         among them
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.numbers.layout import Layout
from ldp_aggregator.numerics.arrays import Flags, Integers, Rows, Words


def random_rows(layout: Layout, reports: int, generator: Generator) -> Rows:
    """Uniform reports."""
    cohorts = generator.integers(layout.cohorts, size=reports)
    if layout.ones:
        return bit_rows(
            layout,
            cohorts,
            np.zeros((reports, layout.bits), dtype=bool),
            ones=layout.ones,
            generator=generator,
        )
    if layout.bits:
        bits = generator.integers(2, size=(reports, layout.bits), dtype=np.int8)
        return _rows(_cohort_prefix(layout, cohorts), _pack(bits.astype(bool)))
    symbols = generator.integers(layout.symbols, size=(reports, layout.places))
    if layout.modulus:
        multipliers = generator.integers(1, layout.modulus, reports)
        shifts = generator.integers(layout.modulus, size=reports)
        return hashed_rows(layout, multipliers, shifts, symbols=symbols)
    if layout.codewords:
        seeds = generator.integers(1 << 64, size=reports, dtype=np.uint64)
        return seeded_rows(layout, seeds, symbols)
    return symbol_rows(layout, cohorts, symbols)


def bit_rows(
    layout: Layout, cohorts: Integers, wanted: Flags, ones: int, generator: Generator
) -> Rows:
    """Vectors of `ones` bits: those `wanted`, (reports, bits), as far as they go, and
    others.
    """
    order = generator.random(wanted.shape) - wanted
    vectors = np.zeros(wanted.shape, dtype=bool)
    np.put_along_axis(vectors, np.argsort(order, axis=1)[:, :ones], True, axis=1)
    return _rows(_cohort_prefix(layout, cohorts), _pack(vectors))


def symbol_rows(layout: Layout, cohorts: Integers, symbols: Integers) -> Rows:
    """Symbols, of shape (reports, places)."""
    return _rows(_cohort_prefix(layout, cohorts), _little(symbols, layout.symbol_width))


def hashed_rows(
    layout: Layout, multipliers: Integers, shifts: Integers, symbols: Integers
) -> Rows:
    """Symbols, of shape (reports, 1), each under a hash function of its own."""
    seeds = np.stack([multipliers, shifts], axis=1)
    return _rows(
        _little(seeds, layout.prefix_width // 2), _little(symbols, layout.symbol_width)
    )


def seeded_rows(layout: Layout, seeds: Words, symbols: Integers) -> Rows:
    """Symbols, of shape (reports, 1), each of the codewords of a seed of its own."""
    prefix = seeds.astype("<u8").view(np.uint8).reshape(len(seeds), -1)
    return _rows(prefix, _little(symbols, layout.symbol_width))


def word_rows(layout: Layout, cohorts: Integers, bits: Words) -> Rows:
    """Vectors of bits, as words of shape (reports, words)."""
    body = bits.astype("<u8").view(np.uint8)[:, : layout.body_width]
    return _rows(_cohort_prefix(layout, cohorts), body)


def _rows(prefix: Rows, body: Rows) -> Rows:
    return np.concatenate([prefix, body], axis=1)


def _cohort_prefix(layout: Layout, cohorts: Integers) -> Rows:
    return _little(cohorts[:, None], layout.prefix_width)


def _pack(vectors: Flags) -> Rows:
    return np.packbits(vectors, axis=1, bitorder="little")


def _little(numbers: Integers, width: int) -> Rows:
    """The first `width` bytes of each number, side by side."""
    wide = (
        np.ascontiguousarray(numbers, dtype="<i8")
        .view(np.uint8)
        .reshape(*numbers.shape, 8)
    )
    return wide[..., :width].reshape(len(numbers), -1)
