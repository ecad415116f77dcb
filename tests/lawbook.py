"""The laws of mechanisms. A law takes a `Specimen` and returns the violations it finds: none, for a sound one.

All but the laws about the decoder's floats are exact: they compare fractions, worked out here from the integers of
the randomizer or from its channel written out, never by sampling.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from random import Random as Seeded

import numpy as np
from every_tape import UNFINISHED, accepted, every_tape
from written_out import counts_of, declared_law, product_law, reports_of, scores, sketch_bucket, supported, taylor_exp

from ldp import channel as channels
from ldp.channel import Channel
from ldp_aggregator.counting import faults

TOLERANCE = 1e-12
WASTE = Fraction(1, 10**9)
"""How far, relatively, a delivered ratio may stay below a declared e^epsilon."""


def privacy(specimen):
    """The worst ratio of the channel written out is the stated one, exactly."""
    randomizer = specimen.randomizer
    if randomizer.kind == "bloom":
        rows = {bits: randomizer.channel_row(bits) for bits in range(1 << randomizer.bits)}
        return _bloom_ratio(randomizer, rows, randomizer.ratio)
    found = channels.worst_ratio(randomizer.channel())
    return [] if found == randomizer.ratio else [f"states a ratio of {randomizer.ratio}, delivers {found}"]


def lifetime(specimen):
    """All reports reveal what the permanent response reveals; without one they are one report, or unbounded."""
    randomizer = specimen.randomizer
    stated = randomizer.lifetime_ratio
    if not hasattr(randomizer, "memoizes"):
        return [] if stated == randomizer.ratio else ["one report is all there is, but its ratio is not the stated one"]
    if randomizer.flip == 0:
        return [] if stated is None else ["fresh reports of the truth are said to be bounded"]
    rows = {
        bits: product_law(bits, randomizer.bits, *_keep_and_flip(randomizer)) for bits in range(1 << randomizer.bits)
    }
    if randomizer.kind == "bloom":
        return _bloom_ratio(randomizer, rows, stated)
    found = channels.worst_ratio(Channel(tuple(rows[1 << value] for value in range(randomizer.bits))))
    return [] if found == stated else [f"states a lifetime ratio of {stated}, keeps {found}"]


def declared(specimen):
    """The delivered ratio <= the declared one <= e^epsilon, in fractions, and hardly any of epsilon is wasted."""
    ratio, (text, bound) = specimen.randomizer.ratio, specimen.declared
    found = [] if ratio <= bound else [f"delivers {float(ratio)}, more than the declared {float(bound)}"]
    if text.startswith("ln("):
        return found + ([] if Fraction(text[3:-1]) == bound else [f"declares {text}, and a bound of {bound}"])
    low, _ = taylor_exp(Fraction(text))
    if bound > low:
        found.append(f"the bound {float(bound)} is not below e^{text}")
    if ratio < low * (1 - WASTE):
        found.append(f"delivers {float(ratio)} only, of {float(low)} declared")
    return found


def stages(specimen):
    """The permanent channel, then the instantaneous one, is the one-step channel with q* and p*, exactly."""
    randomizer = specimen.randomizer
    if not hasattr(randomizer, "memoizes"):
        return []
    span, patterns = 1 << randomizer.word, range(1 << randomizer.bits)
    rates = Fraction(randomizer.if_one, span), Fraction(randomizer.if_zero, span)
    permanent = Channel(tuple(product_law(bits, randomizer.bits, *_keep_and_flip(randomizer)) for bits in patterns))
    instantaneous = Channel(tuple(product_law(bits, randomizer.bits, *rates) for bits in patterns))
    both = channels.chain(permanent, instantaneous).rows
    return [f"bits {bits:b}: another law" for bits in patterns if randomizer.channel_row(bits) != both[bits]]


def support(specimen):
    """A report supports its own value with p, any other with q, and two values as `joint_support` says."""
    randomizer = specimen.randomizer
    if randomizer.kind == "matrix":
        return []
    if randomizer.kind == "sketch":
        return _support_in_cohorts(randomizer)
    p, q = randomizer.support
    found = []
    if randomizer.kind == "bloom":
        for pattern, bit in product(range(1 << randomizer.bits), range(randomizer.bits)):
            rate = sum(mass for report, mass in enumerate(randomizer.channel_row(pattern)) if report >> bit & 1)
            if rate != (p if pattern >> bit & 1 else q):
                found.append(f"bit {bit} of {pattern:b} is set with {rate}")
        return found
    both_own, both_other = randomizer.joint_support() or (None, None)
    votes = [supported(randomizer, report) for report in reports_of(randomizer)]
    if randomizer.size != len(specimen.values):
        found.append(f"states {randomizer.size} values, has {len(specimen.values)}")
    for value, row in enumerate(randomizer.channel().rows):
        for one, other in product(range(len(specimen.values)), repeat=2):
            rate = sum(mass for voted, mass in zip(votes, row, strict=True) if {one, other} <= voted)
            own = value in (one, other)
            expected = (p if own else q) if one == other else (both_own if own else both_other)
            if rate != expected and expected is not None:
                found.append(f"P[supports {one} and {other} | {value}] = {rate}, stated {expected}")
    return found


def unbiased(specimen):
    """The expectation of the score of one report is the indicator of the true value, exactly.

    Sketches are unbiased over the choice of hash functions only: see `test_sketches.py`.
    """
    found = []
    if specimen.randomizer.kind in ("bloom", "sketch"):
        return found
    score = scores(specimen.randomizer)
    for value, row in enumerate(specimen.randomizer.channel().rows):
        mean = [sum(mass * score[y][x] for y, mass in enumerate(row)) for x in range(len(score[0]))]
        if mean != [int(x == value) for x in range(len(mean))]:
            found.append(f"value {value} is estimated as {[float(entry) for entry in mean]}")
    return found


def decoder(specimen):
    """What the aggregator makes of one report is its score; so its estimates are unbiased."""
    found = []
    if specimen.randomizer.kind == "bloom":
        return found
    score = scores(specimen.randomizer)
    for report, exact in zip(reports_of(specimen.randomizer), score, strict=True):
        moments = specimen.decode(specimen.randomizer, counts_of(specimen.randomizer, {report: 1}))
        if moments.reports != 1 or not _close(moments.frequency, exact):
            found.append(f"report {report} scores {list(moments.frequency)}, not {[float(entry) for entry in exact]}")
    return found


def errors(specimen):
    """The aggregator's variances and covariance are those of the channel, worked out report by report.

    The covariance is linear in the frequencies, so it is compared at the very frequencies that the reports give.
    """
    randomizer = specimen.randomizer
    if randomizer.kind in ("bloom", "sketch"):
        return []
    rows, score = randomizer.channel().rows, scores(randomizer)
    size = len(rows)
    population = [Fraction(1 + value, size * (size + 1) // 2) for value in range(size)]
    mixture = [sum(f * row[y] for f, row in zip(population, rows, strict=True)) for y in range(len(score))]
    counts = [round(10**15 * mass) for mass in mixture]
    total = sum(counts)
    moments = specimen.decode(randomizer, counts_of(randomizer, dict(zip(reports_of(randomizer), counts, strict=True))))
    held = [sum(count * score[y][x] for y, count in enumerate(counts)) / total for x in range(size)]

    def spread(value, x, z):
        product_mean = sum(mass * score[y][x] * score[y][z] for y, mass in enumerate(rows[value]))
        return product_mean - int(x == z == value)

    found = []
    if not _close(moments.frequency, held):
        found.append("the frequencies are not the mean score")
    if not _close(moments.hold, [spread(x, x, x) for x in range(size)]):
        found.append("the variance for a value that is held is another")
    others = [
        sum(held[v] * spread(v, x, x) for v in range(size) if v != x) / sum(held[v] for v in range(size) if v != x)
        for x in range(size)
    ]
    if not _close(moments.other, others):
        found.append("the variance for a value that is not held is another")
    if randomizer.kind == "pure" and randomizer.joint_support() is None:
        return found
    exact = [[sum(held[v] * spread(v, x, z) for v in range(size)) / total for z in range(size)] for x in range(size)]
    if not _close(total * moments.covariance(), [[total * entry for entry in row] for row in exact]):
        found.append("the covariance is another")
    return found


def sampler(specimen):
    """Over every tape, the sampler draws from the declared channel, exactly; and from nothing else."""
    found, rejected = [], set()
    for value in specimen.values:
        law = every_tape(lambda random, value=value: specimen.randomizer.randomize(value, random), specimen.tape)
        rejected.add(law.get(UNFINISHED, 0))
        drawn, stated = accepted(law), declared_law(specimen.randomizer, value)
        found += [
            f"value {value!r}, report {report}: drawn with {drawn.get(report, 0)}, stated {stated.get(report, 0)}"
            for report in sorted(drawn.keys() | stated.keys())
            if drawn.get(report, 0) != stated.get(report, 0)
        ]
    return found + (["how often a draw is rejected depends on the value"] if len(rejected) > 1 else [])


def permanent(specimen):
    """Over every tape, the permanent response keeps a bit with 1 - f/2 and flips it with f/2, exactly."""
    randomizer, found = specimen.randomizer, []
    if not getattr(randomizer, "memoizes", False):
        return found
    for value, cohort in product(specimen.values, range(randomizer.cohorts)):
        law = every_tape(
            lambda random, value=value, cohort=cohort: randomizer.permanent(value, cohort, random), specimen.tape[-1:]
        )
        stated = product_law(randomizer.true_bits(value, cohort), randomizer.bits, *_keep_and_flip(randomizer))
        if any(law.get(bits, 0) != mass for bits, mass in enumerate(stated)) or sum(law.values()) != sum(stated):
            found.append(f"value {value!r} in cohort {cohort}: another law")
    return found


def same_bytes(specimen):
    """On one tape, every value draws as many bytes, and gives a report of one width that the aggregator admits."""
    randomizer, found = specimen.randomizer, []
    for seed in range(100):
        used = set()
        for value in specimen.values:
            calls, source = [], Seeded(seed)
            report = randomizer.randomize(value, lambda size, source=source, calls=calls: _noted(calls, size, source))
            used.add(tuple(calls))
            row = np.frombuffer(report.to_bytes(randomizer.layout.width + 8, "little"), dtype=np.uint8)[None]
            width = randomizer.layout.width
            if row[:, width:].any() or faults(row[:, :width], randomizer.layout):
                found.append(f"seed {seed}: the report of {value!r} does not fit the layout")
        if len(used) > 1:
            found.append(f"seed {seed}: the bytes drawn depend on the value: {sorted(used)}")
    return found


CHANNEL_LAWS = (privacy, lifetime, stages, support, unbiased, decoder, errors, same_bytes)
"""For every specimen; `declared` is for those that a survey declares."""

SAMPLER_LAWS = (sampler, permanent)
"""For specimens whose every tape can be run."""


def _support_in_cohorts(sketch):
    """A report supports with p the values of its bucket, with q the others, in each cohort as often."""
    p, q = sketch.within
    votes, found = [supported(sketch, report) for report in reports_of(sketch)], []
    for value, row in enumerate(sketch.channel().rows):
        for other in range(sketch.size):
            rate = sum(mass for voted, mass in zip(votes, row, strict=True) if other in voted)
            buckets = [{sketch_bucket(sketch, x, cohort) for x in (value, other)} for cohort in range(sketch.cohorts)]
            if rate != sum(p if len(each) == 1 else q for each in buckets) / sketch.cohorts:
                found.append(f"P[supports {other} | {value}] = {rate}")
    return found


def _keep_and_flip(randomizer):
    flip = Fraction(randomizer.flip, 1 << randomizer.word)
    return 1 - flip, flip


def _bloom_ratio(randomizer, rows, stated):
    """Two filters that differ in h bits each way have the stated ratio; no two that texts can set have more."""
    size, hashes = randomizer.bits, randomizer.hashes
    found = []
    real = [bits for bits in range(1, 1 << size) if bits.bit_count() <= hashes]
    full = [bits for bits in real if bits.bit_count() == hashes]
    apart = [pair for pair in combinations(full, 2) if not pair[0] & pair[1]]
    if {channels.worst_ratio(Channel((rows[one], rows[other]))) for one, other in apart} != {stated}:
        found.append(f"two filters that differ in {hashes} bits each way do not have the stated ratio of {stated}")
    if any(channels.worst_ratio(Channel((rows[a], rows[b]))) > stated for a, b in combinations(real, 2)):
        found.append("two texts can be told apart better than stated")
    return found


def _close(floats, exact):
    return np.allclose(floats, np.array(exact, dtype=float), rtol=TOLERANCE, atol=TOLERANCE)


def _noted(calls, size, source):
    calls.append(size)
    return source.randbytes(size)
