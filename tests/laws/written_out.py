"""Channels, scores and counts worked out from integers, apart from the code under
test.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, pairwise, product
from math import isqrt
from types import SimpleNamespace

import numpy as np
from xxhash import xxh64_intdigest

from ldp.mechanisms.numbers.tree import difference_variance
from ldp.mechanisms.sets.pad_and_sample import PadAndSample
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp.mechanisms.values.numbered_subsets import NumberedSubsets
from ldp.mechanisms.values.projective import ProjectiveResponse
from ldp.numbers.channel import Channel, inverse, right_inverse
from ldp_aggregator.tallies.counting.counting import count_rows


def taylor_exp(exponent, terms=300, digits=120):
    """Rational (lower, upper) bounds of e^exponent, 0 <= exponent <= 50: its series,
    rounded.
    """
    low = high = low_term = high_term = unit = 10**digits
    for count in range(1, terms):
        low_term = low_term * exponent.numerator // (exponent.denominator * count)
        high_term = -(-high_term * exponent.numerator // (exponent.denominator * count))
        low, high = low + low_term, high + high_term
    # From here on each term is less than half of the one before, so all of them
    # together are less than the last.
    return Fraction(low, unit), Fraction(high + high_term, unit)


def warner(ratio):
    """The channel of two values that are told apart with the odds `ratio`."""
    truth = ratio / (ratio + 1)
    return Channel(((truth, 1 - truth), (1 - truth, truth)))


def product_law(pattern, size, if_one, if_zero):
    """The law of a vector of independent bits: P[1] of each depends on the pattern's
    bit.
    """
    law = []
    for report in range(1 << size):
        mass = Fraction(1)
        for bit in range(size):
            one = if_one if pattern >> bit & 1 else if_zero
            mass *= one if report >> bit & 1 else 1 - one
        law.append(mass)
    return tuple(law)


def reports_of(randomizer):
    """The report that each column of the channel stands for: by its prefix, then its
    body.
    """
    layout = randomizer.layout
    bodies = range(1 << layout.bits if layout.bits else layout.symbols)
    if layout.places > 1:
        bodies = [
            int.from_bytes(vector, "big")
            for vector in product(bodies, repeat=layout.places)
        ]
    modulus = layout.modulus
    # Of codewords each seed, of which there are few here.
    cohorts = range(1 << randomizer.word if layout.codewords else layout.cohorts)
    prefixes = cohorts
    if modulus:
        prefixes = [b << 32 | a for a in range(1, modulus) for b in range(modulus)]
    return [layout.report(body, prefix) for prefix in prefixes for body in bodies]


def values_of(randomizer):
    """What the rows of a closed domain's channel stand for: values, or sets of them as
    integers.
    """
    if randomizer.kind == "codebook":
        return randomizer.probes
    if not hasattr(randomizer, "most"):
        return tuple(range(len(randomizer.channel().rows)))
    sets = (
        chosen
        for size in range(randomizer.most + 1)
        for chosen in combinations(range(randomizer.size), size)
        if randomizer.kind != "signed" or len({item // 2 for item in chosen}) == size
    )
    return tuple(sum(2**x for x in chosen) for chosen in sets)


def held_in(randomizer, value):
    """What a value of the randomizer counts for: itself, those of a set, or its keys or
    nodes.
    """
    if randomizer.kind == "signed":
        return {item // 2 for item in items_in(randomizer, value)}
    return items_in(randomizer, value)


def items_in(randomizer, value):
    """The same, with the signed items of keys in place of these."""
    if hasattr(randomizer, "most"):
        return {x for x in range(randomizer.size) if value >> x & 1}
    if randomizer.kind == "views":
        return nodes_above(randomizer, value)
    if randomizer.kind == "marginals":
        return values_of_fields(randomizer, value)
    return {value}


def values_of_fields(randomizer, value):
    """The value of each field in a cell of the table of all, among the values of all
    fields.
    """
    held, first = set(), sum(randomizer.sizes)
    for size in reversed(randomizer.sizes):
        value, own = divmod(value, size)
        first -= size
        held.add(first + own)
    return held


def nodes_above(randomizer, value):
    """The node that a value is, and all above it."""
    nodes, node = set(), len(randomizer.parents) - randomizer.size + value
    while node >= 0:
        nodes.add(node)
        node = randomizer.parents[node] - 1
    return nodes


def declared_law(randomizer, value):
    """{report: probability} of the channel that a randomizer states."""
    if randomizer.kind == "search":
        rows = randomizer.oracle.channel().rows
        return {
            body << 16 | cohort: mass / randomizer.cohorts
            for cohort in range(randomizer.cohorts)
            for body, mass in enumerate(rows[prefix_cell(randomizer, value, cohort)])
        }
    if randomizer.kind != "bloom":
        row = randomizer.channel().rows[values_of(randomizer).index(value)]
        return dict(zip(reports_of(randomizer), row, strict=True))
    return {
        (body << 16 | cohort if randomizer.cohorts > 1 else body): mass
        / randomizer.cohorts
        for cohort in range(randomizer.cohorts)
        for body, mass in enumerate(
            randomizer.channel_row(randomizer.true_bits(value, cohort))
        )
    }


@lru_cache
def projective_points(order, dimension):
    """The points of a projective space, lexicographically: their first coordinate not 0
    is 1.
    """
    vectors = product(range(order), repeat=dimension)
    return [vector for vector in vectors if next((x for x in vector if x), 0) == 1]


def orthogonal(one, other, order):
    """Whether products of coordinates add up to 0, in the field of prime order or of
    order 4.
    """
    if order == 4:
        logarithms = (None, 0, 1, 2)
        powers = (1, 2, 3, 1, 2)
        total = 0
        for a, b in zip(one, other, strict=True):
            total ^= powers[logarithms[a] + logarithms[b]] if a and b else 0
        return total == 0
    return sum(a * b for a, b in zip(one, other, strict=True)) % order == 0


def supported(randomizer, report):
    """The values that a report votes for: its bucket's, its bits' or its symbol."""
    if randomizer.kind == "sketch":
        return _supported_by_sketch(randomizer, report)
    if isinstance(randomizer, PadAndSample):
        return supported(randomizer.oracle, report) & set(range(randomizer.size))
    modulus = randomizer.layout.modulus
    if modulus:
        a, b, symbol = report % 2**32, report // 2**32 % 2**32, report // 2**64
        buckets = [
            Fraction((a * x + b) % modulus, modulus) * randomizer.layout.symbols
            for x in range(randomizer.size)
        ]
        return {x for x, bucket in enumerate(buckets) if symbol <= bucket < symbol + 1}
    if isinstance(randomizer, HadamardResponse):
        row = report % (randomizer.symbols // randomizer.blocks)
        shared = {
            x: (row & (x // randomizer.blocks + 1)).bit_count()
            for x in same_block(randomizer, report)
        }
        return {x for x, bits in shared.items() if bits % 2 == 0}
    if isinstance(randomizer, ProjectiveResponse):
        points = projective_points(randomizer.order, randomizer.dimension)
        return {
            x
            for x in range(randomizer.size)
            if orthogonal(points[x], points[report], randomizer.order)
        }
    if isinstance(randomizer, NumberedSubsets):
        sets = combinations(range(randomizer.size), randomizer.chosen)
        return set(sorted(sets, key=lambda places: places[::-1])[report])
    bits = randomizer.layout.bits
    return {bit for bit in range(bits) if report >> bit & 1} if bits else {report}


def same_block(randomizer, report):
    """The values of the block of a Hadamard response, of which it supports half or
    so.
    """
    oracle = getattr(randomizer, "oracle", randomizer)
    block = report // (oracle.symbols // oracle.blocks)
    return {x for x in range(randomizer.size) if x % oracle.blocks == block}


def prefix_cell(randomizer, text, cohort):
    """The cell of a text's prefix in a cohort; those held out take in as much as the
    last stage.
    """
    if cohort < len(randomizer.lengths):
        length = randomizer.lengths[cohort]
    else:
        length = randomizer.lengths[-1]
    return (
        xxh64_intdigest(text[:length], 2**16 * randomizer.hash_seed + cohort)
        % randomizer.oracle.size
    )


def sketch_bucket(sketch, value, cohort):
    """Where a cohort's hash function takes a value."""
    seed, prime = 2**16 * sketch.hash_seed + cohort, 2**31 - 1
    polynomial = sum(
        xxh64_intdigest(bytes([power]), seed) % prime * value**power
        for power in range(3)
    )
    return polynomial % prime * sketch.buckets // prime


def _supported_by_sketch(sketch, report):
    cohort, body = (
        (report % 2**16, report // 2**16) if sketch.cohorts > 1 else (0, report)
    )
    buckets = [sketch_bucket(sketch, value, cohort) for value in range(sketch.size)]
    if sketch.layout.bits:
        return {value for value, bucket in enumerate(buckets) if body >> bucket & 1}
    return {
        value
        for value, bucket in enumerate(buckets)
        if ((body // 2 & bucket).bit_count() + body) % 2 == 0
    }


def sketch_rates(sketch):
    """(p, q') of a sketch, over the choice of hash functions."""
    prime = 2**31 - 1
    edges = [
        -(-prime * bucket // sketch.buckets) for bucket in range(sketch.buckets + 1)
    ]
    meet = sum(Fraction(after - first, prime) ** 2 for first, after in pairwise(edges))
    p, q = sketch.within
    return p, meet * p + (1 - meet) * q


def scores(randomizer):
    """What each report adds to the estimate of each value, exactly."""
    if randomizer.kind == "matrix":
        return right_inverse(randomizer.channel())
    if randomizer.kind == "noise":
        return _scores_of_noise(randomizer)
    if randomizer.kind == "sampled":
        return _scores_of_windows(randomizer)
    if randomizer.kind == "sum":
        return _scores_of_sums(randomizer)
    if randomizer.kind == "blocks":
        return _scores_in_blocks(randomizer)
    if randomizer.kind == "arcs":
        return _scores_of_arcs(randomizer)
    if randomizer.kind == "stripes":
        return _scores_of_stripes(randomizer)
    if randomizer.kind == "views":
        return _scores_of_nodes(randomizer)
    if randomizer.kind in ("tree", "pyramid"):
        return _scores_of_halves(randomizer)
    if randomizer.kind == "marginals":
        return _scores_of_fields(randomizer)
    if randomizer.kind == "signed":
        return _scores_of_keys(randomizer)
    p, q = (
        sketch_rates(randomizer) if randomizer.kind == "sketch" else randomizer.support
    )
    votes = (supported(randomizer, report) for report in reports_of(randomizer))
    return tuple(
        tuple((int(x in voted) - q) / (p - q) for x in range(randomizer.size))
        for voted in votes
    )


def _scores_of_keys(randomizer):
    p, q = randomizer.support
    votes = [supported(randomizer, report) for report in reports_of(randomizer)]
    return tuple(
        tuple(
            (len({2 * key, 2 * key + 1} & voted) - 2 * q) / (p - q)
            for key in range(randomizer.size // 2)
        )
        for voted in votes
    )


def cells_of(randomizer):
    """By level, a list of the sets of values that are its cells, in their order."""
    inner = len(randomizer.parents) - randomizer.size
    paths = [sorted(nodes_above(randomizer, value)) for value in range(randomizer.size)]
    levels = []
    for depth in range(max(map(len, paths))):
        nodes = [path[min(depth, len(path) - 1)] for path in paths]
        cells = sorted(set(nodes))
        levels.append(
            [{x for x, node in enumerate(nodes) if node == cell} for cell in cells]
        )
    assert all(inner <= path[-1] for path in paths)
    return levels


def least_squares(equations, size):
    """Shares of values that add up to 1, by dense weighted least squares, in fractions.

    As (constant, matrix): each equation is (values whose sum it gives, weight), and the
    shares are constant + matrix (what the equations give).
    """
    # Conditions: the derivative by each share is the multiplier, and the shares add up
    # to 1.
    table = [
        [
            sum(weight for cell, weight in equations if {x, z} <= cell)
            for z in range(size)
        ]
        + [-1]
        for x in range(size)
    ]
    table.append([1] * size + [0])
    solved = _solved([[Fraction(entry) for entry in row] for row in table])
    constant = [row[size] for row in solved[:size]]
    matrix = [
        [sum(row[x] * weight for x in cell) for cell, weight in equations]
        for row in solved[:size]
    ]
    return constant, matrix


def _solved(table):
    """The inverse of a square matrix of fractions, by elimination."""
    size = len(table)
    rows = [
        [*row, *(Fraction(int(i == j)) for j in range(size))]
        for i, row in enumerate(table)
    ]
    for column in range(size):
        pivot = next(row for row in range(column, size) if rows[row][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [entry / rows[column][column] for entry in rows[column]]
        for row in range(size):
            factor = rows[row][column]
            if row != column and factor:
                rows[row] = [
                    a - factor * b for a, b in zip(rows[row], rows[column], strict=True)
                ]
    return [row[size:] for row in rows]


def _scores_of_halves(tree):
    """By least squares on the cells of all levels at once, of each report by itself."""
    total = sum(tree.law)
    equations, worths = [], []
    for number, (oracle, weight) in enumerate(zip(tree.oracles, tree.law, strict=True)):
        if not weight:
            continue
        cell_of = [_cell_in(tree, number, value) for value in range(tree.size)]
        (p, q), share, step = (
            oracle.support,
            Fraction(weight, total),
            tree.spaces[number][2],
        )
        for cell in range(cell_of[-1] + 1):
            values = {value for value, own in enumerate(cell_of) if own == cell}
            equations.append(
                (values, share / difference_variance(oracle, cell_of[-1] + 1))
            )
            worths.append((number, cell * step % oracle.size, (share * (p - q), q)))
    constant, matrix = least_squares(equations, tree.size)
    score = []
    for report in reports_of(tree):
        level, symbol = report % 2**16, report // 2**16
        is_used = symbol < tree.oracles[level].layout.symbols
        places = supported(tree.oracles[level], symbol) if is_used else set()
        worth = [
            (int(place in places) - q) / scale if number == level else 0
            for number, place, (scale, q) in worths
        ]
        score.append(
            tuple(
                base + sum(a * b for a, b in zip(row, worth, strict=True))
                for base, row in zip(constant, matrix, strict=True)
            )
        )
    return tuple(score)


def _cell_in(tree, number, value):
    """The cell of a value in a level; in a pyramid, in one of the views with x halved
    first.
    """
    if tree.kind == "tree":
        return value >> (len(tree.law) - number - 1)
    side = isqrt(tree.size)
    halved = side.bit_length()
    across, up = divmod(number + 1, halved)
    x, y = divmod(value, side)
    return x * 2**across // side * 2**up + y * 2**up // side


def _scores_of_fields(randomizer):
    """Main effects, those of each subset weighed by what it knows, of each report by
    itself.
    """
    sizes = randomizer.sizes
    subsets = sorted(
        combinations(range(len(sizes)), randomizer.together), key=lambda s: s[::-1]
    )
    cells = [
        list(product(*(range(sizes[field]) for field in subset))) for subset in subsets
    ]
    oracles = [randomizer.oracle(len(own)) for own in cells]
    known = [
        1 / (len(own) * difference_variance(oracle, len(own)))
        for own, oracle in zip(cells, oracles, strict=True)
    ]
    score = []
    for report in reports_of(randomizer):
        number, symbol = (
            (report % 2**16, report // 2**16) if subsets[1:] else (0, report)
        )
        subset, oracle = subsets[number], oracles[number]
        is_used = symbol < oracle.layout.symbols
        places = supported(oracle, symbol) if is_used else set()
        (p, q), row = oracle.support, []
        for field, size in enumerate(sizes):
            total = sum(
                own for own, other in zip(known, subsets, strict=True) if field in other
            )
            effect = [Fraction(0)] * size
            for place, cell in enumerate(cells[number] if field in subset else ()):
                if place in places:
                    effect[cell[subset.index(field)]] += 1 / (p - q)
            mean = sum(effect) / size
            weight = known[number] * len(subsets) / total
            row += [Fraction(1, size) + weight * (own - mean) for own in effect]
        score.append(tuple(row))
    return tuple(score)


def _scores_of_nodes(randomizer):
    """By least squares on the cells of all levels at once, of each report by itself."""
    total, nodes = sum(randomizer.law), range(len(randomizer.parents))
    equations, worths = [], []
    views = zip(cells_of(randomizer), randomizer.oracles, randomizer.law, strict=True)
    for number, (cells, oracle, weight) in enumerate(views):
        if not weight:
            continue
        (p, q), share = oracle.support, Fraction(weight, total)
        for place, cell in enumerate(cells):
            equations.append((cell, share * (p - q) ** 2 / (q * (1 - q))))
            worths.append((number, place, oracle, (share * (p - q), q)))
    constant, matrix = least_squares(equations, randomizer.size)
    below = [
        [x for x in range(randomizer.size) if node in nodes_above(randomizer, x)]
        for node in nodes
    ]
    score = []
    for report in reports_of(randomizer):
        level, symbol = report % 2**16, report // 2**16
        given = [
            ((place in supported(oracle, symbol)) - q) / scale
            if number == level
            else Fraction(0)
            for number, place, oracle, (scale, q) in worths
        ]
        shares = [
            first + sum(a * b for a, b in zip(row, given, strict=True))
            for first, row in zip(constant, matrix, strict=True)
        ]
        score.append(tuple(sum(shares[x] for x in values) for values in below))
    return tuple(score)


def _scores_of_noise(randomizer):
    """Those of the report cut to the domain, decoded by the inverse of what its channel
    is then.
    """
    size, margin = randomizer.size, randomizer.margin
    cut = [
        min(max(output - margin, 0), size - 1) for output in range(size + 2 * margin)
    ]
    rows = [
        tuple(
            sum(mass for mass, place in zip(row, cut, strict=True) if place == y)
            for y in range(size)
        )
        for row in randomizer.channel().rows
    ]
    score = inverse(Channel(tuple(rows)))
    return tuple(score[place] for place in cut)


def _scores_of_arcs(arcs):
    """Least squares, with a total of 1, from which values each arc supports."""
    size, modulus, width = arcs.size, arcs.modulus, arcs.width
    total = sum(arcs.law)

    def supported_by(report):
        cohort, start = report % 2**16, report // 2**16
        if arcs.layout.cohorts == 1:
            cohort, start = 0, report
        return {x for x in range(size) if ((cohort + 1) * x - start) % modulus < width}

    def overlap(apart):
        return sum((apart + place) % modulus < width for place in range(width))

    # In common, on average over the frequencies: the more, the nearer two values mostly
    # are.
    common = tuple(
        tuple(
            sum(
                Fraction(weight * overlap((k + 1) * (x - z)), total)
                for k, weight in enumerate(arcs.law)
            )
            for z in range(size)
        )
        for x in range(size)
    )
    solved = inverse(SimpleNamespace(rows=common))
    even = [sum(row) for row in solved]
    ratio = Fraction(arcs.truth, arcs.other)
    scale = (ratio * width + modulus - width) / (ratio - 1)

    def score(voted, x):
        return even[x] / sum(even) + scale * sum(
            solved[x][z] - even[x] * even[z] / sum(even) for z in voted
        )

    votes = (supported_by(report) for report in reports_of(arcs))
    return tuple(tuple(score(voted, x) for x in range(size)) for voted in votes)


def _scores_of_stripes(stripes):
    """Least squares on all places of the plane; then those of the map add up to 1."""
    modulus, width, side = stripes.modulus, stripes.width, isqrt(stripes.size)
    plane = list(product(range(modulus), repeat=2))
    on_map = [place for place, (x, y) in enumerate(plane) if x < side and y < side]
    first = (modulus + 1) // 2
    folded = list(combinations_with_replacement(range(first), 2))[1:]
    weights = {}
    for number in range(first, first + (modulus**2 - 1) // 2):
        pair = divmod(number, modulus)
        near = tuple(sorted(min(k, modulus - k) for k in pair))
        weights[pair] = stripes.law[folded.index(near)]
    pairs, total = list(weights), sum(weights.values())

    def supported_by(pair, start):
        (a, b) = pair
        return {
            v
            for v, (x, y) in enumerate(plane)
            if (a * x + b * y - start) % modulus < width
        }

    votes = {
        (pair, start): supported_by(pair, start)
        for pair in pairs
        for start in range(modulus)
    }
    common = [[Fraction(0)] * len(plane) for _ in plane]
    for (pair, _), voted in votes.items():
        for v, z in product(voted, repeat=2):
            common[v][z] += Fraction(weights[pair], total)
    solved = inverse(SimpleNamespace(rows=tuple(map(tuple, common))))
    even = [sum(row) for row in solved]
    # What is known of no constant, as all of the plane add up to 1.
    known = [
        [solved[v][z] - even[v] * even[z] / sum(even) for z in range(len(plane))]
        for v in range(len(plane))
    ]
    whole = [sum(row[z] for z in on_map) for row in known]
    ratio = Fraction(stripes.truth, stripes.other)
    scale = (ratio * width + modulus - width) / (ratio - 1)

    def score(voted):
        own = [
            even[v] / sum(even) + scale * sum(known[v][z] for z in voted)
            for v in on_map
        ]
        rest = sum(own) - 1
        return tuple(
            share - whole[v] / sum(whole[z] for z in on_map) * rest
            for v, share in zip(on_map, own, strict=True)
        )

    reports = (divmod(report, 2**16)[::-1] for report in reports_of(stripes))
    return tuple(score(votes[pairs[cohort], start]) for cohort, start in reports)


def _scores_in_blocks(randomizer):
    """As much for supported values as against the others of the block, and 0
    elsewhere.
    """
    oracle = getattr(randomizer, "oracle", randomizer)
    most = getattr(randomizer, "most", 1)
    ratio = Fraction(oracle.truth, oracle.other)
    worth = most * (ratio + 2 * oracle.blocks - 1) / (ratio - 1)
    return tuple(
        tuple(
            worth
            * (
                1
                if x in supported(randomizer, report)
                else -(x in same_block(randomizer, report))
            )
            for x in range(randomizer.size)
        )
        for report in reports_of(randomizer)
    )


def _scores_of_windows(randomizer):
    """Those of the bits, as much larger as fewer reports have them; 0 where a report
    has none.
    """
    size, sampled = randomizer.size, randomizer.sampled
    q = Fraction(randomizer.flip, 1 << randomizer.word)

    def score(report, value):
        place = (value - report % 2**16) % size
        if place >= sampled:
            return 0
        return ((report >> 16 + place & 1) - q) / (1 - 2 * q) * size / sampled

    return tuple(
        tuple(score(report, value) for value in range(size))
        for report in reports_of(randomizer)
    )


def _scores_of_sums(randomizer):
    """A report's numbers, moved from 1/2 so that the first one's mean is 0 if another
    is held.
    """
    reports = [
        report.to_bytes(randomizer.size, "little") for report in reports_of(randomizer)
    ]
    middle = Fraction(randomizer.levels - 1, 2)
    distances = [[level - middle for level in report] for report in reports]
    signs = [[1 if distance > 0 else -1 for distance in row] for row in distances]
    mean, lean = (
        sum(
            mass * row[0]
            for mass, row in zip(randomizer.channel().rows[1], rows, strict=True)
        )
        for rows in (distances, signs)
    )
    away = -(mean + Fraction(1, 2)) / lean
    return tuple(
        tuple(
            Fraction(1, 2) + distance + sign * away
            for distance, sign in zip(*both, strict=True)
        )
        for both in zip(distances, signs, strict=True)
    )


def counts_of(randomizer, reports):
    """The aggregator's counts of `{report: how often}`, through the bytes of the
    reports.
    """
    layout = randomizer.layout
    total = 0
    for report, often in reports.items():
        row = np.frombuffer(report.to_bytes(layout.width, "little"), dtype=np.uint8)[
            None
        ]
        total = total + often * count_rows(row, layout)
    return total
