"""Codebook response in bulk: a seed, a sign and a word for each of many vectors.

The integers are those of a client, and so is the source. Products of a vector and a
codeword are below 2^53, so that sums of them in floats are exact, in whatever order
they are added up.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt

import numpy as np

from ldp.answers.balls import UNIT
from ldp.mechanisms.vectors.codebook import CodebookResponse
from ldp.numbers.randomness import Random
from ldp_aggregator.numerics.arrays import Flags, Floats, Integers, Rows, Words
from ldp_aggregator.tallies.counting.codeword_counting import codewords
from ldp_simulations.reports.rows import seeded_rows
from ldp_simulations.reports.words import words, words_below

_AT_ONCE = 1 << 20
"""Coordinates of codewords that are worked out together."""


def codebook_rows(response: CodebookResponse, values: Integers, random: Random) -> Rows:
    """A report of each of `values`, which are vectors: (reports, coordinates)."""
    parts = [
        seeded_rows(response.layout, seeds, symbols[:, None])
        for seeds, symbols in _draw(response, values, random)
    ]
    return np.concatenate(
        [np.empty((0, response.layout.width), dtype=np.uint8), *parts]
    )


def _draw(
    response: CodebookResponse, values: Integers, random: Random
) -> Iterator[tuple[Words, Integers]]:
    """The seeds and symbols, some reports at a time."""
    at_once = max(1, _AT_ONCE // response.dimensions)
    for start in range(0, len(values), at_once):
        part = values[start : start + at_once]
        seeds, signs = (words(len(part), random) for _ in range(2))
        drawn = words_below(response.mass, len(part), random)
        kept = signs <= _last_kept(response, part)
        yield seeds, _symbols(response, part, seeds, kept=kept, drawn=drawn)


def _last_kept(response: CodebookResponse, values: Integers) -> Words:
    """The greatest draw with which a vector keeps its sign, of shape (reports,)."""
    half = 1 << response.word - 1
    squares: list[int] = (values.astype(np.int64) ** 2).sum(axis=1).tolist()
    lasts = [
        half - 1 + min(isqrt(square * half**2) // UNIT, half) for square in squares
    ]
    return np.array(lasts, dtype=np.uint64)


def _symbols(
    response: CodebookResponse,
    values: Integers,
    seeds: Words,
    kept: Flags,
    drawn: Words,
) -> Integers:
    """The words that are reported, by their numbers: (reports,)."""
    near, all_words = response.near, response.words
    products = _products(response, values, seeds)
    products = np.where(kept[:, None], products, -products)
    # (reports, near): the numbers of the nearest vectors, or of their opposites.
    nearest = np.argsort(-np.abs(products), axis=1, kind="stable")[:, :near]
    close = 2 * nearest + (np.take_along_axis(products, nearest, axis=1) < 0)
    # (reports, words): all other words in their order, then those near.
    is_near = np.zeros((len(values), all_words), dtype=np.bool_)
    np.put_along_axis(is_near, close, True, axis=1)
    rest = np.argsort(is_near, axis=1, kind="stable")[:, : all_words - near]
    within = np.uint64(near * response.truth)
    inside = (drawn // np.uint64(response.truth)).astype(np.int64)
    # Of draws within the weights of the near words this is nonsense, which is not
    # looked at.
    outside = near + ((drawn - within) // np.uint64(response.other)).astype(np.int64)
    place = np.where(drawn < within, inside, outside)
    order = np.concatenate([close, rest], axis=1)
    return np.asarray(
        np.take_along_axis(order, place[:, None], axis=1)[:, 0], dtype=np.int64
    )


def _products(response: CodebookResponse, values: Integers, seeds: Words) -> Floats:
    """Multiply each vector by the words of its seed: integers, of shape (reports, words
    / 2).
    """
    whole = values.astype(np.float64)
    columns = []
    for number in range(response.words // 2):
        # The words of even numbers; the others are their opposites.
        symbols = np.full(len(seeds), 2 * number, dtype=np.int64)
        vectors = codewords(seeds, symbols, response.dimensions)
        columns.append(np.einsum("rc,rc->r", whole, vectors, dtype=np.float64))
    return np.stack(columns, axis=1)
