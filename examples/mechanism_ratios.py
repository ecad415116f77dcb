"""What each mechanism's reports reveal, worked out from its integers, for
`check_certificate.py`.

A mechanism has a row in the table at the end: the types of question that it serves, its
integers with their ranges, and a function of these integers, which says in its first
line what a report is, and works out the largest ratio of the chances of a report, given
any two answers. Its natural logarithm is epsilon.

Sizes and bounds that a function needs beyond the ranges are required where it needs
them; otherwise nothing is proven.
"""

import itertools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

from certificate_reading import require

SPAN = 2**64
PRIME = 2**31 - 1
MOST_KEPT = 1000
"""Permanent responses of a question that a device may keep."""


class Revealed(NamedTuple):
    """What follows from a question's integers.

    A ratio is that of the chances of a report, given any two answers.
    """

    ratio: Fraction
    """Of one report."""
    width: int
    """Bytes of a report."""
    forever: Fraction | None
    """The ratio of all reports of one unchanged answer; None if it has no bound."""
    responses: int = 0
    """The most permanent responses that a device may come to keep.

    0 if it keeps none, and answers once.
    """
    shown: int = 1
    """How many values there are for what a device keeps and shows in each report."""


def once(ratio, width):
    """Of a device that answers once."""
    return Revealed(ratio, width, ratio)


def wide_matrix(weights):
    """A report is a column, drawn by the weights in the row of the answer."""
    columns = len(weights[0])
    require({len(row) for row in weights} == {columns}, "all rows have as many columns")
    require(
        len(weights) <= columns <= 256,
        "there are as many outputs as values, or more, and at most 256",
    )
    require(
        len({sum(row) for row in weights}) == 1, "the weights of all rows have one sum"
    )
    ratio = max(
        Fraction(max(column), min(column)) for column in zip(*weights, strict=True)
    )
    return once(ratio, symbol_bytes(columns))


def matrix(weights):
    """The same, with a column for each row."""
    require(len(weights) == len(weights[0]), "the matrix is square")
    return wide_matrix(weights)


def two_by_two(weights):
    """The same, for answers of yes and no."""
    require(len(weights) == 2, "there are two values")
    return matrix(weights)


def odds(truth, other):
    """The ratio where reports for the answer have weight `truth` each, any others
    `other`.

    There must be equally many of the former for every answer, so that the sum of all
    weights is one.
    """
    require(
        truth > other, "reports that speak for the answer have more weight than others"
    )
    return Fraction(truth, other)


def symbols(size, truth, other):
    """A report is a value: the answer, or another."""
    return once(odds(truth, other), symbol_bytes(size))


def one_bit(size, truth, other):
    """A report is a bit; from the first to the last answer, a 1 gets steadily more
    likely.

    Of (truth + other) (size - 1) equal chances a 1 has other (size - 1) + (truth -
    other) answer.
    """
    require(2 <= size <= 2**16, "there are two numbers or more, and at most 2^16")
    return once(odds(truth, other), symbol_bytes(2))


def dithered(size, grid, levels, truth, other):
    """A report is an offset, drawn whatever the answer is, and a level: the answer's or
    another.

    The answer is rounded to the grid first, where that is coarser, and to a level by
    the offset.
    """
    require(
        grid == min(size - 1, 2**12),
        "the grid has all answers, or as many steps as it may",
    )
    return once(odds(truth, other), symbol_bytes(levels) + cohort_bytes(grid))


def words(dimensions, words, near, truth, other, word):
    """A report is a seed, drawn whatever the answer is, and one of the words that it
    gives.

    For each seed and each answer, with its sign or the other, as many words are near to
    it.
    """
    require(dimensions > 1, "a vector has two numbers or more")
    require(words % 2 == 0, "words are vectors and their opposites")
    require(near <= words // 2, "at most half of them are near")
    return once(odds(truth, other), bit_bytes(word) + symbol_bytes(words))


def arcs(size, modulus, width, truth, other, weights):
    """A report is a frequency, drawn whatever the answer is, and an arc: with it, or
    without it.

    Under each frequency as many arcs hold one answer as another. Without weights there
    are as many frequencies as there may be.
    """
    require(
        size <= modulus and width < modulus,
        "the circle has room, and is longer than an arc",
    )
    require(
        all(modulus % divisor for divisor in range(2, modulus)), "its length is prime"
    )
    (of_frequencies,) = weights
    frequencies = min((modulus - 1) // 2, 2**10)
    require(
        len(of_frequencies) <= frequencies, "there are no more weights than frequencies"
    )
    require(not of_frequencies or any(of_frequencies), "some frequency has a weight")
    cohorts = len(of_frequencies) or frequencies
    return once(odds(truth, other), symbol_bytes(modulus) + cohort_bytes(cohorts))


def stripes(size, modulus, width, truth, other, law):
    """A report is a frequency, drawn whatever the answer is, and an arc: with its cell,
    or without.

    Under each frequency, one along either axis, as many arcs hold one cell as another.
    """
    depth = (size.bit_length() - 1) // 2
    require(
        size == 4**depth, "the map has as many cells along both axes, a power of two"
    )
    require(
        2**depth <= modulus and width < modulus,
        "the circle has room, and is longer than arcs",
    )
    require(
        all(modulus % divisor for divisor in range(2, modulus)), "its length is prime"
    )
    (law,) = law
    half = modulus // 2
    require(
        len(law) == half * (half + 3) // 2,
        "there is a weight for frequencies as far from 0",
    )
    require(any(law), "some frequency has a weight")
    return once(
        odds(truth, other), symbol_bytes(modulus) + cohort_bytes((modulus**2 - 1) // 2)
    )


def square_wave(size, width, truth, other):
    """A report is a place; `width` of them, from that of the answer on, are the
    likelier ones.

    Beyond the last answer there are as many more places as a window needs.
    """
    require(width <= size, "a window is no wider than there are answers")
    return once(odds(truth, other), symbol_bytes(size + width - 1))


def subsets(size, chosen, truth, other):
    """A report is a set of `chosen` values: one that holds the answer, or one that does
    not.
    """
    require(chosen < size, "a set leaves out some values")
    return once(odds(truth, other), bit_bytes(size))


def halves(size, blocks, symbols, truth, other):
    """A report is one of the symbols of some blocks.

    Each value is supported by half of those of its own block.
    """
    require(
        blocks & (blocks - 1) == 0 and blocks <= size,
        "blocks are a power of two, and no more than the values",
    )
    fullest = -(-size // blocks)
    require(
        symbols == blocks << fullest.bit_length(),
        "each block has just room for as many values as the fullest",
    )
    return once(odds(truth, other), symbol_bytes(symbols))


def points(size, order, dimension, truth, other):
    """A report is a point of a projective space.

    Each value, a point as well, is supported by one hyperplane.
    """
    prime = all(order % factor for factor in range(2, math.isqrt(order) + 1))
    require(prime or order in (4, 8, 16), "there is a field of this order")
    many = sum(order**power for power in range(dimension))
    require(
        size <= many < 2**32,
        "the space has room for all values, and reports for all points",
    )
    return once(odds(truth, other), symbol_bytes(many))


def hashed(size, buckets, truth, other, modulus):
    """A hash function, drawn whatever the answer is, and a bucket: the answer's, or
    another.
    """
    require(size <= modulus, "the hash functions tell all values apart")
    return once(odds(truth, other), 8 + symbol_bytes(buckets))


def bits(size, if_true, if_other, word):
    """A report is a bit for each value; two answers have two different bits, one each
    way.
    """
    require(if_other < if_true, "the bit of the answer is set more often than others")
    return once(
        two_bits(Fraction(if_true, 2**word), Fraction(if_other, 2**word)),
        bit_bytes(size),
    )


def levels(size, levels, flip, word):
    """A number for each value: its side of 1/2 as a bit is, and how far, whatever is
    held.
    """
    require(levels % 2 == 0, "there are as many levels on either side")
    return bits(size, 2**word - flip, flip, word=word)._replace(width=size)


def sketch_of_bits(size, cohorts, buckets, if_true, if_other, hash_seed, word):  # noqa: ARG001
    """A cohort, drawn whatever the answer is, and a bit for each bucket of its hash
    function.
    """
    revealed = bits(buckets, if_true, if_other, word=word)
    return revealed._replace(width=revealed.width + cohort_bytes(cohorts))


def sketch_of_signs(size, cohorts, buckets, truth, other, hash_seed):  # noqa: ARG001
    """A cohort and a coordinate, drawn whatever the answer is, and the right or wrong
    sign.
    """
    require(buckets & (buckets - 1) == 0, "buckets are a power of two")
    return once(odds(truth, other), symbol_bytes(2 * buckets) + cohort_bytes(cohorts))


def noise(size, margin, near, far, least):
    """A report is a whole number plus noise, cut at both ends.

    In each column the nearest answer is the likeliest.
    """
    require(size + 2 * margin <= 2**16, "two bytes tell all outputs apart")
    require(near > far, "a step away from the answer is less likely")
    require(least * (near - far) >= far, "no weight of the noise is zero")
    tails, weight = [least], least * (near - far) // far
    for _ in range(size + margin - 1):
        require(
            weight.bit_length() <= 2**10, "weights of the noise have a sensible size"
        )
        tails.append(tails[-1] + weight)
        weight = weight * near // far
    tails.reverse()
    worst = 1, 1
    for output in range(-margin, size + margin):
        nearest = max(0, -output, output - size + 1)
        farthest = max(output, size - 1 - output)
        if output in (-margin, size + margin - 1):
            high, low = tails[nearest], tails[farthest]
        else:
            high = tails[nearest] - tails[nearest + 1]
            low = tails[farthest] - tails[farthest + 1]
        if high * worst[1] > worst[0] * low:
            worst = high, low
    return once(Fraction(*worst), symbol_bytes(size + 2 * margin))


def bits_of_a_set(size, most, if_true, if_other, word):
    """A bit for each value: an answer may hold `most`, so that `most` bits may differ
    each way.
    """
    require(most <= size, "an answer holds some of all values")
    require(
        if_other < if_true,
        "the bits of values that are held are set more often than others",
    )
    one, other = Fraction(if_true, 2**word), Fraction(if_other, 2**word)
    less, more = sorted((one / other, (1 - other) / (1 - one)))
    return once(more**most * less ** min(most, size - most), bit_bytes(size))


def padded_symbols(size, most, truth, other):
    """One of `most` entries, with different dummies, is reported as one of values and
    dummies.
    """
    require(most <= size, "an answer holds some of all values")
    revealed = symbols(size + most, truth, other)
    gained = (revealed.ratio + most - 1) / most
    return revealed._replace(ratio=gained, forever=gained)


def levels_of_a_tree(size, parents, law, spaces, truth, other):
    """A level, drawn whatever the answer is, and a symbol for the answer's cell of that
    level.

    Nodes are told by their parents: the number of each plus 1, or 0. The last are the
    answers.
    """
    (parents,), (law,) = parents, law
    inner = len(parents) - size
    depths: list[int] = []
    require(
        inner > 0 and sum(law) > 0,
        "there are nodes above the answers, and levels to draw",
    )
    for node, above in enumerate(parents):
        require(
            above <= min(node, inner),
            "a node's parent stands before it, and is no answer",
        )
        depths.append(1 + depths[above - 1] if above else 1)
    depth = max(depths[inner:])
    require(
        len(law) == len(spaces) == depth,
        "there is a weight and a response for each level",
    )
    width = 1
    for level, space in enumerate(spaces, 1):
        at_level = sum(own == level for own in depths)
        cells = at_level + sum(own < level for own in depths[inner:])
        require(cells >= 2, "each level tells some answers apart")
        if tuple(space) == (0, 0):
            revealed = symbols(cells, truth, other)
        else:
            require(
                len(space) == 2 and space[0] > 1 and space[1] > 2,
                "there is such a space",
            )
            revealed = points(cells, space[0], space[1], truth=truth, other=other)
        width = max(width, revealed.width)
    return once(odds(truth, other), width + cohort_bytes(len(law)))


def halves_of_a_line(size, law, spaces, truth, other):
    """A level, drawn whatever the answer is, and a symbol for the answer's cell of that
    level.

    The line is cut into halves, these into halves, and so on. A space has a step that
    takes cells to different places of it, among which the response is.
    """
    depth = (size - 1).bit_length()
    every = [((size - 1) >> (depth - level)) + 1 for level in range(1, depth + 1)]
    return cells_of_a_view(every, law, spaces, truth=truth, other=other)


def grids_over_a_map(size, law, spaces, truth, other):
    """The same of a view of a map: its axes are halved so many times, each up to the
    finest.
    """
    depth = (size.bit_length() - 1) // 2
    require(
        size == 4**depth, "the map has as many cells along both axes, a power of two"
    )
    every = [2 ** (x + y) for x in range(depth + 1) for y in range(depth + 1) if x + y]
    return cells_of_a_view(every, law, spaces, truth=truth, other=other)


def cells_of_a_view(every, law, spaces, truth, other):
    """A view, drawn whatever the answer is, and a symbol for one of its cells, of
    `every` view.
    """
    (law,) = law
    require(sum(law) > 0, "there are levels to draw")
    require(
        len(law) == len(spaces) == len(every),
        "there is a weight and a response for each",
    )
    width = 1
    for cells, space in zip(every, spaces, strict=True):
        width = max(width, cell_bytes(cells, space, truth, other=other))
    return once(odds(truth, other), width + cohort_bytes(len(law)))


def cell_bytes(cells, space, truth, other):
    """Bytes of a symbol for one of some cells: the number of a set of cells, or a
    point.

    A space has a step that takes cells to different places of it.
    """
    require(len(space) == 3, "a response has an order, a number and a step")
    order, number, step = space
    if order == 0:
        require(1 <= number < cells and step == 1, "sets hold some cells, but not all")
        return symbols(math.comb(cells, number), truth, other).width
    require(order > 1 and number > 2, "there is such a space")
    places = sum(order**place for place in range(number))
    require(math.gcd(step, places) == 1, "cells have places of their own")
    return points(cells, order, number, truth=truth, other=other).width


def some_fields(sizes, together, spaces, truth, other):
    """A subset of the fields, drawn whatever the answer is, and a symbol for the
    answer's cell.

    Subsets have as many fields each; those with as many cells have one response.
    """
    (sizes,) = sizes
    require(
        min(sizes) >= 2 and together <= len(sizes),
        "a subset has some fields, with values",
    )
    drawn = math.comb(len(sizes), together)
    require(drawn <= 2**14, "there are at most 2^14 subsets")
    require(
        all(len(row) == 4 for row in spaces),
        "a row has a number of cells and a response",
    )
    response = {cells: space for cells, *space in spaces}
    needed = {math.prod(subset) for subset in itertools.combinations(sizes, together)}
    require(list(response) == sorted(needed), "each number of cells has one response")
    require(len(spaces) == len(response), "each of them once")
    width = max(
        cell_bytes(cells, row, truth, other=other) for cells, row in response.items()
    )
    return once(odds(truth, other), width + cohort_bytes(drawn))


def padded(through):
    """One of `most` entries, with a dummy, is reported through a mechanism for one
    value more.
    """

    def mechanism(size, most, **integers):
        require(2 * most <= size, "an answer holds at most half of the values")
        return through(size=size + 1, **integers)

    return mechanism


def prefixes(cells, order, dimension, truth, other, lengths, held_out, hash_seed):  # noqa: ARG001
    """A cohort, drawn whatever the answer is, and a point: the cell of a text's hashed
    prefix.
    """
    (row,) = lengths
    require(row == sorted(set(row)), "prefixes grow from stage to stage")
    revealed = points(cells, order, dimension, truth=truth, other=other)
    require(
        cells == sum(order**power for power in range(dimension)),
        "each point of the space is a cell",
    )
    return revealed._replace(width=revealed.width + 2)


def kept_symbols(size, truth, other, fresh_truth, fresh_other):
    """A symbol is drawn and kept, and given through another draw for each report."""
    kept, fresh, others = odds(truth, other), odds(fresh_truth, fresh_other), size - 1
    ratio = (kept * fresh + others) / (kept + fresh + others - 1)
    return Revealed(ratio, symbol_bytes(size), kept, responses=size)


def kept_hash(size, buckets, truth, other, modulus, fresh_truth, fresh_other):
    """A hash function is drawn and kept as well, and shown in each report."""
    width = hashed(size, buckets, truth, other=other, modulus=modulus).width
    revealed = kept_symbols(
        buckets, truth, other, fresh_truth=fresh_truth, fresh_other=fresh_other
    )
    return revealed._replace(width=width, shown=modulus * (modulus - 1))


def kept_bits(size, if_true, if_other, word, fresh_truth, fresh_other):
    """Bits are drawn and kept, and each is flipped, or not, for each report."""
    require(fresh_truth + fresh_other == 2**word, "bits are flipped, or not")
    require(fresh_other < fresh_truth, "less than half of all bits are flipped")
    kept = Fraction(if_true, 2**word), Fraction(if_other, 2**word)
    sent = [(one * fresh_truth + (1 - one) * fresh_other) / 2**word for one in kept]
    revealed = bits(size, if_true, if_other, word=word)
    return Revealed(two_bits(*sent), revealed.width, revealed.ratio, responses=size)


def kept_window(size, sampled, flip, word):
    """A window of values is drawn and kept, and a bit for each; these are sent as they
    are.
    """
    require(sampled <= size, "a window holds some of all values")
    flips = Fraction(flip, 2**word)
    ratio = ((1 - flips) / flips) ** min(sampled, 2)
    return Revealed(
        ratio,
        2 + bit_bytes(sampled),
        ratio,
        responses=min(sampled + 1, size),
        shown=size,
    )


def rappor(bits, hashes, cohorts, flip, if_one, if_zero, word):
    """`hashes` bits for an answer are flipped once and kept; a 1 is likelier for one
    that is set.

    Without flips there is nothing to keep, and a device answers once.
    """
    require(hashes <= bits, "there are as many bits as hash functions, or more")
    require(hashes or cohorts == 1, "without hash functions there are no cohorts")
    lasting, one, zero = (
        Fraction(number, 2**word) for number in (flip, if_one, if_zero)
    )
    sent = (1 - lasting) * one + lasting * zero, lasting * one + (1 - lasting) * zero
    ratio = two_bits(*sent) ** (hashes or 1)
    width = bit_bytes(bits) + cohort_bytes(cohorts)
    if not flip:
        return Revealed(ratio, width, None)
    forever = two_bits(1 - lasting, lasting) ** (hashes or 1)
    return Revealed(
        ratio, width, forever, responses=MOST_KEPT if hashes else bits, shown=cohorts
    )


def two_bits(high, low):
    """The ratio of two bits, either 1 with one of two probabilities, which change
    places.
    """
    high, low = max(high, low), min(high, low)
    require(0 < low < high < 1, "each bit has noise, and some signal")
    return high * (1 - low) / (low * (1 - high))


def symbol_bytes(count):
    """Bytes of one of `count` symbols."""
    return next(width for width in (1, 2, 4) if count <= 2 ** (8 * width))


def bit_bytes(count):
    """Bytes of `count` bits."""
    return (count + 7) // 8


def cohort_bytes(cohorts):
    """Bytes of a cohort, which is left out where there is but one."""
    return 2 if cohorts > 1 else 0


ONE = ("boolean", "category", "integer", "number", "table", "place")
NUMBER = ("integer", "number")
SOME = ("multi",)
TEXT = ("text",)
CATEGORY = ("category",)
PLACE = ("place",)
VECTOR = ("vector",)
SOME_OR_PAIRS, TABLE = (*SOME, "key-value"), ("table",)

VALUES, BITS = range(2, 2**22 + 1), range(2, 2**22 + 1)
WEIGHT, THRESHOLD, MINORITY = range(1, 2**256), range(1, SPAN), range(1, SPAN // 2)
COHORTS, BUCKETS, SEED = range(1, 2**16 + 1), range(2, 2**16 + 1), range(2**32)
WORD, MODULUS = range(64, 65), range(PRIME, PRIME + 1)

ODDS = {"truth": WEIGHT, "other": WEIGHT}
FRESH_ODDS = {"fresh_truth": WEIGHT, "fresh_other": WEIGHT}
THRESHOLDS = {"if_true": THRESHOLD, "if_other": THRESHOLD, "word": WORD}
BLOCKS = {"blocks": range(1, 2**22), "symbols": range(4, 2**22 + 1)}
SPACE = {"order": range(2, 2**16), "dimension": range(3, 33), **ODDS}
HASH = {"size": VALUES, "buckets": BUCKETS, **ODDS, "modulus": MODULUS}
SKETCH = {"size": VALUES, "cohorts": COHORTS, "buckets": BUCKETS, "hash_seed": SEED}
NOISE = {"size": range(2, 2**16 + 1), "near": WEIGHT, "far": WEIGHT, "least": WEIGHT}
SET = {"size": VALUES, "most": range(1, 2**22 + 1)}


class Mechanism(NamedTuple):
    """A row of the table: types of question that it serves, what reports reveal, its
    integers.
    """

    types: tuple[str, ...]
    reveals: Callable[..., Revealed]
    integers: Mapping[str, range | list[range]]
    """Exactly those that it has, each with its range; in a list for a table of
    integers.
    """
    lifetime: bool = False
    """Whether the survey declares an epsilon of all reports as well."""
    cells: bool = False
    """Whether one for numbers alone takes their cells too, and not their points alone.
    """


MECHANISMS = {
    "warner": Mechanism(ONE, two_by_two, {"weights": [WEIGHT]}),
    "forced": Mechanism(ONE, two_by_two, {"weights": [WEIGHT]}),
    "unrelated": Mechanism(ONE, two_by_two, {"weights": [WEIGHT]}),
    "matrix": Mechanism(ONE, matrix, {"weights": [WEIGHT]}),
    "metric": Mechanism(PLACE, matrix, {"weights": [WEIGHT]}),
    "exponential": Mechanism(ONE, wide_matrix, {"weights": [WEIGHT]}),
    "geometric": Mechanism(NUMBER, noise, {**NOISE, "margin": range(1)}),
    "laplace": Mechanism(NUMBER, noise, {**NOISE, "margin": range(1, 2**15)}),
    "one-bit": Mechanism(NUMBER, one_bit, {"size": VALUES, **ODDS}),
    "dithered": Mechanism(
        NUMBER,
        dithered,
        {
            "size": range(2, 10**15 + 2),
            "grid": range(1, 2**12 + 1),
            "levels": range(2, 257),
            **ODDS,
        },
    ),
    "arcs": Mechanism(
        NUMBER,
        arcs,
        {
            "size": range(3, 2**12 + 1),
            "modulus": range(3, 2**13 + 1),
            "width": range(1, 2**13),
            "weights": [range(2**40 + 1)],
            **ODDS,
        },
        cells=True,
    ),
    "codebook": Mechanism(
        VECTOR,
        words,
        {
            "dimensions": range(2, 2**12 + 1),
            "words": range(2, 257),
            "near": range(1, 129),
            "word": WORD,
            **ODDS,
        },
    ),
    "square-wave": Mechanism(
        NUMBER,
        square_wave,
        {"size": range(2, 2**13 + 1), "width": range(1, 2**13 + 1), **ODDS},
        cells=True,
    ),
    "grr": Mechanism(ONE, symbols, {"size": VALUES, **ODDS}),
    "ss": Mechanism(ONE, subsets, {"size": VALUES, "chosen": range(1, 2**22), **ODDS}),
    "pgr": Mechanism(ONE, points, {"size": VALUES, **SPACE}),
    "hr": Mechanism(ONE, halves, {"size": VALUES, **BLOCKS, **ODDS}),
    "sue": Mechanism(ONE, bits, {"size": BITS, **THRESHOLDS}),
    "oue": Mechanism(ONE, bits, {"size": BITS, **THRESHOLDS}),
    "the": Mechanism(ONE, bits, {"size": BITS, **THRESHOLDS}),
    "she": Mechanism(
        ONE,
        levels,
        {"size": VALUES, "levels": range(2, 257), "flip": MINORITY, "word": WORD},
    ),
    "olh": Mechanism(ONE, hashed, HASH),
    "blh": Mechanism(ONE, hashed, {**HASH, "buckets": range(2, 3)}),
    "cms": Mechanism(ONE, sketch_of_bits, {**SKETCH, **THRESHOLDS}),
    "hcms": Mechanism(ONE, sketch_of_signs, {**SKETCH, **ODDS}),
    "rappor": Mechanism(
        (*ONE, *TEXT),
        rappor,
        {
            "bits": range(2, 2**16 + 1),
            "hashes": range(17),
            "cohorts": COHORTS,
            "flip": range(SPAN // 2),
            "if_one": range(SPAN),
            "if_zero": range(SPAN),
            "word": WORD,
        },
    ),
    "heavy-hitters": Mechanism(
        TEXT,
        prefixes,
        {
            "cells": VALUES,
            **SPACE,
            "lengths": [range(1, 66)],
            "held_out": range(1, 257),
            "hash_seed": SEED,
        },
    ),
    "taxonomy": Mechanism(
        CATEGORY,
        levels_of_a_tree,
        {
            "size": range(2, 2**14 + 1),
            "parents": [range(2**14 + 1)],
            "law": [range(2**256)],
            "spaces": [range(2**16)],
            **ODDS,
        },
    ),
    "tree": Mechanism(
        NUMBER,
        halves_of_a_line,
        {
            "size": range(3, 2**16 + 1),
            "law": [range(2**40 + 1)],
            "spaces": [range(2**22)],
            **ODDS,
        },
        cells=True,
    ),
    "pyramid": Mechanism(
        PLACE,
        grids_over_a_map,
        {
            "size": range(4, 2**12 + 1),
            "law": [range(2**40 + 1)],
            "spaces": [range(2**22)],
            **ODDS,
        },
    ),
    "stripes": Mechanism(
        PLACE,
        stripes,
        {
            "size": range(4, 2**12 + 1),
            "modulus": range(3, 2**7),
            "width": range(1, 2**7),
            "law": [range(2**20 + 1)],
            **ODDS,
        },
    ),
    "subsets": Mechanism(
        TABLE,
        some_fields,
        {
            "sizes": [range(2, 2**12 + 1)],
            "together": range(1, 33),
            "spaces": [range(2**22)],
            **ODDS,
        },
    ),
    "set-unary": Mechanism(
        SOME, bits_of_a_set, {"size": BITS, "most": range(1, 101), **THRESHOLDS}
    ),
    "pad-grr": Mechanism(SOME_OR_PAIRS, padded_symbols, {**SET, **ODDS}),
    "pad-ss": Mechanism(
        SOME_OR_PAIRS, padded(subsets), {**SET, "chosen": range(1, 2**22), **ODDS}
    ),
    "pad-pgr": Mechanism(SOME, padded(points), {**SET, **SPACE}),
    "pad-hr": Mechanism(SOME, padded(halves), {**SET, **BLOCKS, **ODDS}),
    "l-grr": Mechanism(
        ONE, kept_symbols, {"size": VALUES, **ODDS, **FRESH_ODDS}, lifetime=True
    ),
    "l-sue": Mechanism(
        ONE, kept_bits, {"size": BITS, **THRESHOLDS, **FRESH_ODDS}, lifetime=True
    ),
    "l-osue": Mechanism(
        ONE, kept_bits, {"size": BITS, **THRESHOLDS, **FRESH_ODDS}, lifetime=True
    ),
    "loloha": Mechanism(ONE, kept_hash, {**HASH, **FRESH_ODDS}, lifetime=True),
    "dbitflip": Mechanism(
        ONE,
        kept_window,
        {
            "size": range(2, 2**12 + 1),
            "sampled": range(1, 2**12 + 1),
            "flip": MINORITY,
            "word": WORD,
        },
        lifetime=True,
    ),
}
"""Every mechanism. A new one needs its row, and the function that the row names."""
