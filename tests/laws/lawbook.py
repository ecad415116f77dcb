"""The laws of mechanisms: each takes a `Specimen` and returns the violations it finds.

All but the laws about the decoder's floats are exact: they compare fractions, worked
out here from the integers of the randomizer or from its channel written out, never by
sampling.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random as Seeded

import numpy as np
from memory_laws import bloom_ratio, lifetime, permanent, repeated, stages
from specimens import MEANS
from written_out import (
    counts_of,
    declared_law,
    held_in,
    items_in,
    reports_of,
    same_block,
    scores,
    sketch_bucket,
    supported,
    taylor_exp,
)

from ldp.mechanisms.contract import lifetime_ratio
from ldp.numbers import channel as channels
from ldp_aggregator.tallies.counting.counting import faults
from ldp_simulations.audit.tapes.every_tape import (
    UNFINISHED,
    condition_on_finish,
    every_tape,
)

TOLERANCE = 1e-12
WASTE = Fraction(1, 10**9)
"""How far, relatively, a delivered ratio may stay below a declared e^epsilon."""


def privacy(specimen):
    """The worst ratio of the channel written out is the stated one, exactly."""
    randomizer = specimen.randomizer
    if randomizer.kind == "bloom":
        rows = {
            bits: randomizer.channel_row(bits) for bits in range(1 << randomizer.bits)
        }
        return bloom_ratio(randomizer, rows, randomizer.ratio)
    ratio = channels.worst_ratio(randomizer.channel())
    if ratio == randomizer.ratio:
        return []
    return [f"states a ratio of {randomizer.ratio}, delivers {ratio}"]


def declared(specimen):
    """The delivered ratio <= the declared <= e^epsilon, and hardly any of epsilon is
    wasted.
    """
    problems = _declared(
        specimen.randomizer.ratio, specimen.declared, specimen.spends_all
    )
    if specimen.declared.lifetime is None:
        return problems
    ever = _declared(
        lifetime_ratio(specimen.randomizer),
        specimen.declared.lifetime,
        specimen.spends_all,
    )
    return problems + [f"ever: {problem}" for problem in ever]


def _declared(ratio, declaration, spends_all):
    text, bound, *_ = declaration
    problems = []
    if ratio > bound:
        problems.append(
            f"delivers {float(ratio)}, more than the declared {float(bound)}"
        )
    if text.startswith("ln("):
        return problems + (
            []
            if Fraction(text[3:-1]) == bound
            else [f"declares {text}, and a bound of {bound}"]
        )
    low, _ = taylor_exp(Fraction(text))
    if bound > low:
        problems.append(f"the bound {float(bound)} is not below e^{text}")
    if spends_all and ratio < low * (1 - WASTE):
        problems.append(f"delivers {float(ratio)} only, of {float(low)} declared")
    return problems


def support(specimen):
    """A report supports its value with p, others with q, and two as `joint_support`
    says.
    """
    randomizer = specimen.randomizer
    if randomizer.kind in (
        *(
            "matrix",
            "noise",
            "sum",
            "sampled",
            "search",
            "arcs",
            "views",
            "tree",
            "pyramid",
        ),
        *("stripes", "marginals"),
        *MEANS,
    ):
        return []
    if randomizer.kind == "sketch":
        return _support_in_cohorts(randomizer)
    if randomizer.kind == "blocks":
        return _support_in_blocks(specimen)
    p, q = randomizer.support
    problems = []
    if randomizer.kind == "bloom":
        for pattern, bit in product(
            range(1 << randomizer.bits), range(randomizer.bits)
        ):
            rate = sum(
                mass
                for report, mass in enumerate(randomizer.channel_row(pattern))
                if report >> bit & 1
            )
            if rate != (p if pattern >> bit & 1 else q):
                problems.append(f"bit {bit} of {pattern:b} is set with {rate}")
        return problems
    both_own, both_other = randomizer.joint_support() or (None, None)
    votes = [supported(randomizer, report) for report in reports_of(randomizer)]
    supports = [items_in(randomizer, value) for value in specimen.values]
    if set(range(randomizer.size)) != set().union(*supports):
        problems.append(
            f"states {randomizer.size} values, has {len(set().union(*supports))}"
        )
    for value, own, row in zip(
        specimen.values, supports, randomizer.channel().rows, strict=True
    ):
        for one, other in product(range(randomizer.size), repeat=2):
            rate = sum(
                mass
                for voted, mass in zip(votes, row, strict=True)
                if {one, other} <= voted
            )
            hits = len({one, other} & own)
            # Of two that a set holds `joint_support` says nothing: `errors` tells
            # whether the covariance is right.
            expected = (both_other, both_own, None)[hits]
            if one == other:
                expected = p if hits else q
            elif randomizer.kind == "signed" and one // 2 == other // 2:
                expected = randomizer.of_pair()[1 - hits]
            if rate != expected and expected is not None:
                problems.append(
                    f"P[supports {one} and {other} | {value}] = {rate}, stated "
                    f"{expected}"
                )
    return problems


def unbiased(specimen):
    """The expectation of the score of one report is the indicator of the true value,
    exactly.

    Sketches are unbiased over the choice of hash functions only: see
    `test_sketches.py`, and `test_heavy_hitters.py`.
    """
    problems = []
    if specimen.randomizer.kind in ("bloom", "sketch", "search", *MEANS):
        return problems
    score = scores(specimen.randomizer)
    for value, row in zip(
        specimen.values, specimen.randomizer.channel().rows, strict=True
    ):
        mean = [
            sum(mass * score[y][x] for y, mass in enumerate(row))
            for x in range(len(score[0]))
        ]
        if mean != [
            int(x in held_in(specimen.randomizer, value)) for x in range(len(mean))
        ]:
            problems.append(
                f"value {value} is estimated as {[float(entry) for entry in mean]}"
            )
    return problems


def decoder(specimen):
    """What the aggregator makes of one report is its score; so its estimates are
    unbiased.
    """
    problems = []
    if specimen.randomizer.kind in ("bloom", "search", *MEANS):
        return problems
    score = scores(specimen.randomizer)
    for report, exact in zip(reports_of(specimen.randomizer), score, strict=True):
        moments = specimen.decode(
            specimen.randomizer, counts_of(specimen.randomizer, {report: 1})
        )
        if moments.reports != 1 or not _close(moments.frequency, exact):
            problems.append(
                f"report {report} scores {list(moments.frequency)}, not "
                f"{[float(entry) for entry in exact]}"
            )
    return problems


def errors(specimen):
    """The aggregator's variances and covariance are the channel's, worked out report by
    report.
    """
    randomizer = specimen.randomizer
    if randomizer.kind in ("bloom", "sketch", "search", *MEANS):
        return []
    rows, score = randomizer.channel().rows, scores(randomizer)
    size = len(score[0])
    owns = [held_in(randomizer, value) for value in specimen.values]
    population = [
        Fraction(2 + 2 * row, len(rows) * (len(rows) + 1)) for row in range(len(rows))
    ]
    mixture = [
        sum(f * row[y] for f, row in zip(population, rows, strict=True))
        for y in range(len(score))
    ]
    counts = [round(10**15 * mass) for mass in mixture]
    total = sum(counts)
    moments = specimen.decode(
        randomizer,
        counts_of(randomizer, dict(zip(reports_of(randomizer), counts, strict=True))),
    )
    frequency_of = [
        sum(count * score[y][x] for y, count in enumerate(counts)) / total
        for x in range(size)
    ]

    def spread(row, x, z):
        product_mean = sum(
            mass * score[y][x] * score[y][z] for y, mass in enumerate(rows[row])
        )
        return product_mean - int({x, z} <= owns[row])

    def mean_spread(x, z, among):
        share = sum(population[row] for row in among)
        return sum(population[row] * spread(row, x, z) for row in among) / share

    problems = []
    if not _close(moments.frequency, frequency_of):
        problems.append("the frequencies are not the mean score")
    if randomizer.kind == "blocks" and hasattr(randomizer, "most"):
        # What else a set holds makes a difference to its spread, and only the mean of
        # all is known.
        means = [mean_spread(x, x, range(len(rows))) for x in range(size)]
        if not _close(
            moments.frequency * moments.variance_if_held
            + (1 - moments.frequency) * moments.variance_if_not,
            means,
        ):
            problems.append("the variance is another")
        return problems
    holders = [[row for row, own in enumerate(owns) if x in own] for x in range(size)]
    if randomizer.kind == "views":
        # Of those who hold a node by different values, the mean.
        fits = all(
            _close(moments.variance_if_held[x], mean_spread(x, x, among))
            for x, among in enumerate(holders)
        )
    else:
        fits = all(
            _close(moments.variance_if_held[x], spread(row, x, x))
            for x, among in enumerate(holders)
            for row in among
        )
    if not fits:
        problems.append("the variance for a value that is held is another")
    others = [
        mean_spread(x, x, [row for row, own in enumerate(owns) if x not in own])
        for x in range(size)
    ]
    if not _close(moments.variance_if_not, others):
        problems.append("the variance for a value that is not held is another")
    if _without_covariance(randomizer):
        return problems

    def of_all(x, z):
        both = sum(f for f, own in zip(population, owns, strict=True) if {x, z} <= own)
        return (
            sum(mass * s[x] * s[z] for mass, s in zip(mixture, score, strict=True))
            - both
        )

    exact = [[of_all(x, z) for z in range(size)] for x in range(size)]
    if not _close(total * moments.covariance(), exact):
        problems.append("the covariance is another")
    return problems


def averages(specimen):
    """Mean, second moment and variance of whole numbers are unbiased, report by report.

    Where a report tells of no second moment, the variance is at least what it is.
    Vectors are unbiased over the choice of seeds only: see `test_codebook.py`.
    """
    randomizer = specimen.randomizer
    without = ("bloom", "sketch", "search", "views", "codebook", "marginals")
    if randomizer.kind in without or hasattr(randomizer, "most"):
        return []
    rows = randomizer.channel().rows
    values = np.arange(len(rows)) - (len(rows) - 1) / 2
    parts = []
    for report in reports_of(randomizer):
        counts = counts_of(randomizer, {report: 1})
        moments = (
            None if randomizer.kind in MEANS else specimen.decode(randomizer, counts)
        )
        parts.append(specimen.average(randomizer, moments, counts))
    if None in parts:
        return [] if _without_covariance(randomizer) else ["no mean"]
    estimates, seconds, variances = np.array([part[:3] for part in parts]).T
    law = np.array(rows, dtype=float)
    problems = [] if _close(law @ estimates, values) else ["the mean is biased"]
    spread = law @ estimates**2 - values**2
    if randomizer.kind == "mean":
        return problems + (
            [] if (law @ variances > spread - 1e-9).all() else ["too small a variance"]
        )
    # Of a number between two places of a coarser grid, the place is known, and that it
    # was rounded.
    below, between = _between_places(randomizer, len(rows))
    problems += (
        []
        if _close(law @ seconds, values**2 + between)
        else ["the second moment is biased"]
    )
    return problems + (
        [] if _close(law @ variances, spread + below) else ["the variance is biased"]
    )


def _between_places(randomizer, size):
    """For each value, what rounding to a grid adds to the stated variance, and to the
    square.
    """
    grid = getattr(randomizer, "grid", size - 1)
    if grid == size - 1:
        return np.zeros(size), np.zeros(size)
    step = (size - 1) / grid
    rest = np.arange(size) / step % 1
    rounding = rest * (1 - rest) * step**2
    return step**2 / 4 - rounding, rounding


def sampler(specimen):
    """Over every tape, the sampler draws from the declared channel, exactly.

    And from nothing else.
    """
    problems, rejected = [], set()
    for value in specimen.values:
        law = every_tape(
            lambda random, value=value: specimen.randomizer.randomize(value, random),
            specimen.tape,
        )
        rejected.add(law.get(UNFINISHED, 0))
        drawn = condition_on_finish(law)
        stated = declared_law(specimen.randomizer, value)
        problems += [
            f"value {value!r}, report {report}: drawn with {drawn.get(report, 0)}, "
            f"stated {stated.get(report, 0)}"
            for report in sorted(drawn.keys() | stated.keys())
            if drawn.get(report, 0) != stated.get(report, 0)
        ]
    return problems + (
        ["how often a draw is rejected depends on the value"]
        if len(rejected) > 1
        else []
    )


def same_bytes(specimen):
    """On one tape, every value draws as many bytes, and gives an admitted report of one
    width.
    """
    randomizer, problems = specimen.randomizer, []
    for seed in range(100):
        used = set()
        for value in specimen.values:
            calls, source = [], Seeded(seed)
            report = randomizer.randomize(
                value,
                lambda size, source=source, calls=calls: _noted(calls, size, source),
            )
            used.add(tuple(calls))
            row = np.frombuffer(
                report.to_bytes(randomizer.layout.width + 8, "little"), dtype=np.uint8
            )[None]
            width = randomizer.layout.width
            if row[:, width:].any() or faults(row[:, :width], randomizer.layout):
                problems.append(
                    f"seed {seed}: the report of {value!r} does not fit the layout"
                )
        if len(used) > 1:
            problems.append(
                f"seed {seed}: the bytes drawn depend on the value: {sorted(used)}"
            )
    return problems


CHANNEL_LAWS = (
    privacy,
    lifetime,
    repeated,
    stages,
    support,
    unbiased,
    decoder,
    errors,
    averages,
    same_bytes,
)
"""For every specimen; `declared` is for those that a survey declares."""

SAMPLER_LAWS = (sampler, permanent)
"""For specimens whose every tape can be run."""


def _support_in_cohorts(sketch):
    """A report supports its bucket's values with p, the others with q, in each cohort
    as often.
    """
    p, q = sketch.within
    votes, problems = [supported(sketch, report) for report in reports_of(sketch)], []
    for value, row in enumerate(sketch.channel().rows):
        for other in range(sketch.size):
            rate = sum(
                mass for voted, mass in zip(votes, row, strict=True) if other in voted
            )
            buckets = [
                {sketch_bucket(sketch, x, cohort) for x in (value, other)}
                for cohort in range(sketch.cohorts)
            ]
            if (
                rate
                != sum(p if len(bucket) == 1 else q for bucket in buckets)
                / sketch.cohorts
            ):
                problems.append(f"P[supports {other} | {value}] = {rate}")
    return problems


def _support_in_blocks(specimen):
    """Of the reports in a value's block, the share that supports it is what `within`
    says.
    """
    randomizer, problems = specimen.randomizer, []
    p, q = randomizer.within
    reports, shares = reports_of(randomizer), {x: set() for x in range(randomizer.size)}
    votes, in_block = (
        [of(randomizer, report) for report in reports] for of in (supported, same_block)
    )
    for value, row in zip(specimen.values, randomizer.channel().rows, strict=True):
        for x, held_by in shares.items():
            rate, block = (
                sum(mass for chosen, mass in zip(sets, row, strict=True) if x in chosen)
                for sets in (votes, in_block)
            )
            if x in held_in(randomizer, value):
                held_by.add(rate / block)
            elif rate / block != q:
                problems.append(
                    f"P[supports {x} | {value}, in its block] = {rate / block}"
                )
    wrong = {x: max(held_by) for x, held_by in shares.items() if max(held_by) != p}
    return problems + [
        f"P[supports {x} | who holds it, in its block] = {rate}"
        for x, rate in wrong.items()
    ]


def _without_covariance(randomizer):
    """Whether it depends on more than whether one of two values is the true one."""
    return randomizer.kind in ("blocks", "signed") or (
        randomizer.kind == "pure" and randomizer.joint_support() is None
    )


def _close(floats, exact):
    return np.allclose(
        floats, np.array(exact, dtype=float), rtol=TOLERANCE, atol=TOLERANCE
    )


def _noted(calls, size, source):
    calls.append(size)
    return source.randbytes(size)
