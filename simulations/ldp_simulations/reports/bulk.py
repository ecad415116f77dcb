"""Reports by the thousand: what many clients would draw, in numpy and on integers
alone.

    symbol   one uniform 64-bit word below the sum of the weights, by rejection; then as in the
             client; a point by its place in the cyclic order of its space
    bits     every position compares a word of its own with its threshold, one bit-plane at a time;
             after `_PLANES` planes the one position in 2^8 that is still tied draws the rest of its
             word
    chain    the permanent response, and then the instantaneous one, each as above
    subset   every value draws a word, and those with the least are in the set

The source and the law of a report are the client's. Its promise that the number of
bytes drawn tells nothing is not kept, and need not be: the one who randomizes a table
has it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import comb

import numpy as np

from ldp.answers.domain import Value
from ldp.mechanisms import Randomizer
from ldp.mechanisms.chains.bit_flip import BitFlip
from ldp.mechanisms.chains.bloom import bloom_vector
from ldp.mechanisms.chains.longitudinal import Chain
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp.mechanisms.numbers.arcs import Arcs
from ldp.mechanisms.numbers.dithered import DitheredResponse
from ldp.mechanisms.numbers.square_wave import SquareWave
from ldp.mechanisms.numbers.tree import TreeResponse
from ldp.mechanisms.places.stripes import Stripes, frequency_of
from ldp.mechanisms.sets.subsets import SubsetsResponse
from ldp.mechanisms.texts.taxonomy import TaxonomyResponse
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp.mechanisms.values.local_hashing import LocalHashing
from ldp.mechanisms.values.numbered_subsets import NumberedSubsets, members_of_all
from ldp.mechanisms.values.projective import ProjectiveResponse
from ldp.mechanisms.values.subset import SubsetSelection
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp.mechanisms.vectors.codebook import CodebookResponse
from ldp.numbers.randomness import Random
from ldp.survey.survey import Question
from ldp_aggregator.numerics.arrays import Integers, Rows, Words
from ldp_aggregator.numerics.projective.cyclic_design import cyclic_design
from ldp_simulations.field_holders import cells_told
from ldp_simulations.reports.codebook_draws import codebook_rows
from ldp_simulations.reports.rows import hashed_rows, symbol_rows, word_rows
from ldp_simulations.reports.words import SPAN as _SPAN
from ldp_simulations.reports.words import words, words_below

_PLANES = 8
_MOST_BITS = 1 << 14
_MOST_KEYS = 1 << 10
"""Values that have a word each, in every report."""
_MOST_POINTS = 1 << 20
"""Of a projective space, whose cyclic order is found first."""


def bulk_draw(randomizer: Randomizer) -> Callable[[Integers, Random], Rows] | None:
    """A function from values and a source to a report of each: bytes of shape (reports,
    width).

    Values are of shape (reports,), those that are vectors (reports, coordinates).

    None where there is no such draw, and clients have to make the reports one by one.
    """
    match randomizer:
        case RandomizedResponse() if _is_small(randomizer):
            return partial(_grr, randomizer)
        case StochasticMatrix(weights) if max(map(sum, weights)) <= _SPAN:
            return partial(_matrix, randomizer)
        case DitheredResponse() if _fits(randomizer):
            return partial(_dither, randomizer)
        case Arcs() if randomizer.mass <= _SPAN:
            return partial(_arcs, randomizer)
        case Stripes() if randomizer.mass <= _SPAN:
            return partial(_stripes, randomizer)
        case SquareWave(size, width, truth, other) if (
            width * truth + size * other <= _SPAN
        ):
            return partial(_square_wave, randomizer)
        case SubsetsResponse(truth=truth) if truth * randomizer.layout.symbols <= _SPAN:
            return partial(_subsets, randomizer)
        case TaxonomyResponse() if _levels_fit(randomizer):
            return partial(_taxonomy, randomizer)
        case TreeResponse() if _levels_fit(randomizer):
            return partial(_tree, randomizer)
        case CodebookResponse() if randomizer.mass <= _SPAN:
            return partial(codebook_rows, randomizer)
        case ProjectiveResponse(folded=False) if (
            randomizer.layout.symbols <= _MOST_POINTS
            and randomizer.truth * randomizer.layout.symbols <= _SPAN
        ):
            return partial(_points, randomizer)
        case HadamardResponse() if (
            randomizer.truth + 2 * randomizer.blocks * randomizer.other <= _SPAN
        ):
            return partial(_halves, randomizer)
        case LocalHashing() if _is_small(randomizer.response):
            return partial(_hash, randomizer)
        case Chain(lasting, fresh) if bulk_draw(lasting) and _is_small(fresh):
            return partial(_chain, randomizer)
        case Rappor(bits) | BitFlip(sampled=bits) if bits <= _MOST_BITS:
            return partial(_flip, randomizer)
        case UnaryEncoding(size) if size <= _MOST_BITS:
            return partial(_bits, randomizer)
        case SubsetSelection(size, chosen, truth, other) if (
            size <= _MOST_KEYS and chosen * truth + (size - chosen) * other <= _SPAN
        ):
            return partial(_subset, randomizer)
    return None


def draw_rows(question: Question, values: Sequence[Value], random: Random) -> Rows:
    """A report of each value, (reports, width): one by one where there is no draw in
    bulk.
    """
    draw = bulk_draw(question.randomizer)
    if draw is not None:
        return draw(as_array(question, values), random)
    rows = [
        question.randomizer.randomize(value, random).to_bytes(question.width, "little")
        for value in values
    ]
    return np.frombuffer(b"".join(rows), np.uint8).reshape(-1, question.width)


def as_array(question: Question, values: Sequence[Value]) -> Integers:
    """Values as such draws take them: texts are objects."""
    if values and isinstance(values[0], bytes):
        if question.domain.ball is None:
            return np.array(values, dtype=object)
        joined = b"".join(value for value in values if isinstance(value, bytes))
        return (
            np.frombuffer(joined, dtype="<i4").reshape(len(values), -1).astype(np.int64)
        )
    return np.array(values, dtype=np.int64)


def _is_small(response: RandomizedResponse) -> bool:
    """Whether its weights add up to a word."""
    return response.truth + (response.size - 1) * response.other <= _SPAN


def _grr(randomizer: RandomizedResponse, values: Integers, random: Random) -> Rows:
    return _symbol_rows(_responses(randomizer, values, random), randomizer)


def _responses(
    randomizer: RandomizedResponse, values: Integers, random: Random
) -> Integers:
    size, truth, other = randomizer
    drawn = words_below(truth + (size - 1) * other, len(values), random)
    another = ((drawn - np.uint64(truth)) // np.uint64(other)).astype(np.int64)
    another += another >= values
    return np.where(drawn < truth, values, another)


def _fits(randomizer: DitheredResponse) -> bool:
    """Whether weights, and products of a place with the grid, are words."""
    levels, truth, other = randomizer.response
    small = randomizer.size * randomizer.grid < _SPAN >> 1
    return small and truth + (levels - 1) * other <= _SPAN


def _dither(randomizer: DitheredResponse, values: Integers, random: Random) -> Rows:
    count, last, grid = len(values), randomizer.size - 1, randomizer.grid
    places = values
    if grid < last:
        spare = words_below(last, count, random).astype(np.int64)
        places = (values * grid + spare) // last
    dithers = words_below(grid, count, random).astype(np.int64)
    levels = ((randomizer.levels - 1) * places + dithers) // grid
    symbols = _responses(randomizer.response, levels, random)
    return symbol_rows(randomizer.layout, dithers, symbols[:, None])


def _arcs(randomizer: Arcs, values: Integers, random: Random) -> Rows:
    cohorts = _cohorts(randomizer.law, len(values), random)
    return _around(randomizer, cohorts, (cohorts + 1) * values, random=random)


def _stripes(randomizer: Stripes, values: Integers, random: Random) -> Rows:
    cohorts = _cohorts(randomizer.weights, len(values), random)
    across, up = frequency_of(cohorts, randomizer.modulus)
    x, y = np.divmod(values, randomizer.side)
    return _around(randomizer, cohorts, across * x + up * y, random=random)


def _cohorts(weights: Sequence[int], count: int, random: Random) -> Integers:
    below = np.cumsum(np.array(weights, dtype=np.uint64), dtype=np.uint64)
    drawn = words_below(int(below[-1]), count, random)
    return np.searchsorted(below, drawn, side="right").astype(np.int64)


def _around(
    randomizer: Arcs | Stripes, cohorts: Integers, places: Integers, random: Random
) -> Rows:
    """Arcs of a circle, each of which is likelier to hold its place than not."""
    width = randomizer.width
    drawn = words_below(randomizer.mass, len(places), random)
    truth, other = np.uint64(randomizer.truth), np.uint64(randomizer.other)
    within = np.uint64(width) * truth
    # How many places before that of the value its arc begins.
    inside = (drawn // truth).astype(np.int64)
    outside = width + ((drawn - within) // other).astype(np.int64)
    behind = np.where(drawn < within, inside, outside)
    starts = (places - behind) % randomizer.modulus
    return symbol_rows(randomizer.layout, cohorts, starts[:, None])


def _square_wave(randomizer: SquareWave, values: Integers, random: Random) -> Rows:
    size, width, truth, other = randomizer
    within = width * truth
    drawn = words_below(within + (size - 1) * other, len(values), random)
    near = values + (
        np.minimum(drawn, np.uint64(within - 1)) // np.uint64(truth)
    ).astype(np.int64)
    # Of those within the window this is nonsense, which is not looked at.
    far = ((drawn - np.uint64(within)) // np.uint64(other)).astype(np.int64)
    far += width * (far >= values)
    return _symbol_rows(np.where(drawn < within, near, far), randomizer)


def _levels_fit(randomizer: TaxonomyResponse | TreeResponse) -> bool:
    """Whether the weights of levels, and those of every level's symbols, are words."""
    truth, other = randomizer.truth, randomizer.other
    most = max(truth, other) * randomizer.layout.symbols
    return most <= _SPAN and sum(randomizer.law) <= _SPAN


def _taxonomy(randomizer: TaxonomyResponse, values: Integers, random: Random) -> Rows:
    def cells(number: int, values: Integers) -> Integers:
        return np.array(randomizer.levels[number].cells)[values]

    return _by_level(randomizer, values, random, cells=cells)


def _tree(randomizer: TreeResponse, values: Integers, random: Random) -> Rows:
    oracles = randomizer.oracles

    def places(number: int, values: Integers) -> Integers:
        step = randomizer.spaces[number][2]
        return np.asarray(
            randomizer.cell_of(number, values) * step % oracles[number].size
        )

    return _by_level(randomizer, values, random, cells=places)


def _by_level(
    randomizer: TaxonomyResponse | TreeResponse,
    values: Integers,
    random: Random,
    cells: Callable[[int, Integers], Integers],
) -> Rows:
    """A level for each value, and a symbol of the cell that values have there by its
    number.
    """
    ends = np.cumsum(randomizer.law, dtype=np.uint64)
    drawn = words_below(sum(randomizer.law), len(values), random)
    levels = np.searchsorted(ends, drawn, side="right")
    symbols = np.empty(len(values), dtype=np.int64)
    for number, oracle in enumerate(randomizer.oracles):
        there = np.flatnonzero(levels == number)
        symbols[there] = _symbols_of(oracle, cells(number, values[there]), random)
    return symbol_rows(randomizer.layout, levels, symbols[:, None])


def _subsets(randomizer: SubsetsResponse, values: Integers, random: Random) -> Rows:
    numbers = words_below(randomizer.subsets, len(values), random).astype(np.int64)
    held = np.stack(np.unravel_index(values, randomizer.sizes), axis=1)
    cells, of = cells_told(randomizer, held, numbers)
    symbols = np.empty(len(values), dtype=np.int64)
    for size, *space in randomizer.spaces:
        there, oracle = np.flatnonzero(of == size), randomizer.oracle(size)
        symbols[there] = _symbols_of(
            oracle, cells[there] * space[2] % oracle.size, random
        )
    return symbol_rows(randomizer.layout, numbers, symbols[:, None])


def _sets(oracle: NumberedSubsets, values: Integers, random: Random) -> Integers:
    """The sets that hold a value come first in its row, and then the others, by their
    numbers.
    """
    size, chosen, truth, other = oracle
    if chosen == 1:
        return _responses(RandomizedResponse(size, truth, other), values, random)
    sets = np.array(members_of_all(size, chosen))
    # (values, sets)
    lacks = np.array([(sets != value).all(axis=1) for value in range(size)])
    holding = np.argsort(lacks, axis=1, kind="stable")
    within = comb(size - 1, chosen - 1)
    supported = truth * within
    drawn = words_below(supported + other * comb(size - 1, chosen), len(values), random)
    inside = (drawn // np.uint64(truth)).astype(np.int64)
    # Of those within this is nonsense, which is not looked at.
    outside = within + ((drawn - np.uint64(supported)) // np.uint64(other)).astype(
        np.int64
    )
    is_inside = drawn < supported
    return holding[values, np.where(is_inside, inside, outside)]


def _symbols_of(
    oracle: RandomizedResponse | NumberedSubsets | ProjectiveResponse,
    values: Integers,
    random: Random,
) -> Integers:
    if isinstance(oracle, RandomizedResponse):
        return _responses(oracle, values, random)
    if isinstance(oracle, NumberedSubsets):
        return _sets(oracle, values, random)
    design = cyclic_design(oracle.order, oracle.dimension)
    # In the cyclic order of the design, where the supporters of the first value are,
    # and the rest.
    inside, outside = np.flatnonzero(design.zeros), np.flatnonzero(~design.zeros)
    supported = oracle.truth * len(inside)
    drawn = words_below(supported + oracle.other * len(outside), len(values), random)
    beyond = drawn >= supported
    place = np.empty(len(values), dtype=np.int64)
    place[~beyond] = inside[
        (drawn[~beyond] // np.uint64(oracle.truth)).astype(np.int64)
    ]
    rest = (drawn[beyond] - np.uint64(supported)) // np.uint64(oracle.other)
    place[beyond] = outside[rest.astype(np.int64)]
    reports: Integers = design.report_at[
        (place - design.place_of[values]) % len(design.zeros)
    ]
    return reports.astype(np.int64)


def _points(randomizer: ProjectiveResponse, values: Integers, random: Random) -> Rows:
    return _symbol_rows(_symbols_of(randomizer, values, random), randomizer)


def _halves(randomizer: HadamardResponse, values: Integers, random: Random) -> Rows:
    _, blocks, symbols, truth, other = randomizer
    total, rows = truth + (2 * blocks - 1) * other, symbols // blocks
    drawn = words_below(total, len(values), random)
    row = words_below(rows, len(values), random).astype(np.int64)
    own, mask = values % blocks, values // blocks + 1
    # After the half of the supporters comes the other one of their block.
    beyond = 1 + ((drawn - np.uint64(truth)) // np.uint64(other)).astype(np.int64)
    after = np.where(drawn < truth, 0, beyond)
    block = (own + after // 2) % blocks
    turned = (after < 2) & (_parity(row & mask) != after)
    row[turned] ^= (mask & -mask)[turned]
    return _symbol_rows(block * rows + row, randomizer)


def _parity(numbers: Integers) -> Integers:
    for shift in (32, 16, 8, 4, 2, 1):
        numbers = numbers ^ (numbers >> shift)
    return numbers & 1


def _hash(
    randomizer: LocalHashing,
    values: Integers,
    random: Random,
    fresh: RandomizedResponse | None = None,
) -> Rows:
    modulus = randomizer.modulus
    multipliers = 1 + words_below(modulus - 1, len(values), random)
    shifts = words_below(modulus, len(values), random)
    residues = (multipliers * values.astype(np.uint64) + shifts) % np.uint64(modulus)
    buckets = residues * np.uint64(randomizer.buckets) // np.uint64(modulus)
    symbols = _responses(randomizer.response, buckets.astype(np.int64), random)
    if fresh is not None:
        symbols = _responses(fresh, symbols, random)
    seeds = multipliers.astype(np.int64), shifts.astype(np.int64)
    return hashed_rows(randomizer.layout, *seeds, symbols=symbols[:, None])


def _chain(randomizer: Chain, values: Integers, random: Random) -> Rows:
    lasting, fresh = randomizer
    if isinstance(lasting, LocalHashing):
        return _hash(lasting, values, random, fresh=fresh)
    if isinstance(lasting, RandomizedResponse):
        kept = _responses(lasting, values, random)
        return _symbol_rows(_responses(fresh, kept, random), randomizer)
    # Each bit of the permanent response or its opposite.
    bits = _unary_words(lasting, values, random)
    bits ^= _ones(
        len(values), lasting.size, fresh.other, word=lasting.word, random=random
    )
    return word_rows(randomizer.layout, np.zeros(len(values), np.int64), bits)


def _flip(randomizer: Rappor | BitFlip, values: Integers, random: Random) -> Rows:
    """True bits, each flipped by the permanent response; of RAPPOR a fresh report of
    them.
    """
    layout, count, word = randomizer.layout, len(values), randomizer.word
    cohorts = words_below(layout.cohorts, count, random).astype(np.int64)
    bits = _true_bits(randomizer, values, cohorts)
    bits ^= _ones(count, layout.bits, randomizer.flip, word=word, random=random)
    if isinstance(randomizer, Rappor):
        of_zero = _ones(
            count, layout.bits, randomizer.if_zero, word=word, random=random
        )
        of_one = _ones(count, layout.bits, randomizer.if_one, word=word, random=random)
        bits = of_one & bits | of_zero & ~bits
    return word_rows(layout, cohorts, bits)


def _true_bits(
    randomizer: Rappor | BitFlip, values: Integers, cohorts: Integers
) -> Words:
    """The bits of values before any noise, (reports, words)."""
    size = randomizer.layout.bits
    if isinstance(randomizer, BitFlip):
        return _one_hot((values - cohorts) % randomizer.size, size)
    if not randomizer.hashes:
        return _one_hot(values, size)
    known, of = np.unique(values, return_inverse=True)
    pairs, which = np.unique(of * randomizer.cohorts + cohorts, return_inverse=True)
    width = 8 * -(-size // 64)
    vectors = [
        bloom_vector(
            known[pair // randomizer.cohorts],
            pair % randomizer.cohorts,
            randomizer.hashes,
            bits=size,
        ).to_bytes(width, "little")
        for pair in pairs.tolist()
    ]
    # (pairs, words)
    filters = np.frombuffer(b"".join(vectors), "<u8").reshape(len(pairs), -1)
    return filters.astype(np.uint64)[which]


def _one_hot(places: Integers, size: int) -> Words:
    """A bit for each place, (reports, words); none for a place beyond the size."""
    bits = np.zeros((len(places), -(-size // 64)), dtype=np.uint64)
    holders = np.flatnonzero(places < size)
    held = places[holders]
    bits[holders, held >> 6] = np.uint64(1) << (held & 63).astype(np.uint64)
    return bits


def _matrix(randomizer: StochasticMatrix, values: Integers, random: Random) -> Rows:
    symbols = np.empty(len(values), dtype=np.int64)
    for value, row in enumerate(randomizer.weights):
        holders = np.flatnonzero(values == value)
        drawn = words_below(sum(row), len(holders), random)
        ends = np.cumsum(row[:-1], dtype=np.uint64)
        symbols[holders] = np.searchsorted(ends, drawn, side="right")
    return _symbol_rows(symbols, randomizer)


def _subset(randomizer: SubsetSelection, values: Integers, random: Random) -> Rows:
    size, chosen, truth, other = randomizer
    held = chosen * truth
    inside = words_below(
        held + (size - chosen) * other, len(values), random
    ) < np.uint64(held)
    # (reports, size): the set has the values with the least keys, the truth first or
    # last.
    keys = words(len(values) * size, random).reshape(-1, size)
    least, greatest = np.uint64(0), np.uint64(_SPAN - 1)
    keys[np.arange(len(values)), values] = np.where(inside, least, greatest)
    members = np.argpartition(keys, chosen - 1, axis=1)[:, :chosen]
    vectors = np.zeros(keys.shape, dtype=np.uint8)
    np.put_along_axis(vectors, members, 1, axis=1)
    return np.packbits(vectors, axis=1, bitorder="little")


def _bits(randomizer: UnaryEncoding, values: Integers, random: Random) -> Rows:
    bits = _unary_words(randomizer, values, random)
    return word_rows(randomizer.layout, np.zeros(len(values), np.int64), bits)


def _unary_words(randomizer: UnaryEncoding, values: Integers, random: Random) -> Words:
    """The bits of reports, (reports, words)."""
    size, if_true, if_other, word = randomizer
    ones = _ones(len(values), size, if_other, word=word, random=random)
    place, bit = values >> 6, np.uint64(1) << (values & 63).astype(np.uint64)
    holders = np.arange(len(values))
    yes = words(len(values), random) >> np.uint64(64 - word) < np.uint64(if_true)
    ones[holders, place] = np.where(
        yes, ones[holders, place] | bit, ones[holders, place] & ~bit
    )
    return ones


def _ones(count: int, size: int, threshold: int, word: int, random: Random) -> Words:
    """Vectors of `size` bits, (count, words), each 1 with probability `threshold /
    2^word`.
    """
    shape = (count, -(-size // 64))
    planes = min(word, _PLANES)
    ones, tied = np.zeros(shape, dtype=np.uint64), np.full(shape, np.uint64(_SPAN - 1))
    tied[:, -1] >>= np.uint64(-size % 64)
    if threshold >> word:
        return tied
    for plane in range(1, planes + 1):
        # Where the threshold has a 1 and the position a 0 it is below; where it is the
        # other way round it is not.
        drawn = words(ones.size, random).reshape(shape)
        if threshold >> (word - plane) & 1:
            ones |= tied & ~drawn
            tied &= drawn
        else:
            tied &= ~drawn
    _settle(
        ones.reshape(-1), tied.reshape(-1), threshold, rest=word - planes, random=random
    )
    return ones


def _settle(
    ones: Words, tied: Words, threshold: int, rest: int, random: Random
) -> None:
    """Draw the last `rest` bits of every tied position.

    Without any, a tied position equals its threshold: no 1.
    """
    below = np.uint64(threshold & ((1 << rest) - 1))
    places: Integers = np.flatnonzero(tied) if rest else np.empty(0, dtype=np.int64)
    while len(places):
        lowest = tied[places] & -tied[places]
        drawn = words(len(places), random) >> np.uint64(64 - rest)
        ones[places] |= np.where(drawn < below, lowest, np.uint64(0))
        tied[places] ^= lowest
        places = places[tied[places] != 0]


def _symbol_rows(symbols: Integers, randomizer: Randomizer) -> Rows:
    width = randomizer.layout.body_width
    return symbols.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :width]
