"""Count-mean sketches: exact over a small family of hash functions, calibrated over
seeds.
"""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from specimens import question
from written_out import sketch_rates

from ldp import EstimateError, Survey, SurveyError
from ldp.mechanisms.values import sketches
from ldp.mechanisms.values.sketches import CountMean, HadamardCountMean
from ldp_aggregator import Options, estimate
from ldp_aggregator.decoders.values.sketch import sketch_moments
from ldp_aggregator.tallies.tally import Tally
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import form_of, sample_counts

SIX_SIGMA = 6


def polynomials(prime):
    return list(product(range(prime), repeat=3))


def evaluated(polynomial, value, prime):
    return sum(c * value**power for power, c in enumerate(polynomial)) % prime


def test_hash_functions_are_independent_for_three_values():
    """Over all polynomials, three values take every triple of residues equally
    often.
    """
    for values in ((0, 1, 2), (4, 0, 6)):
        triples = Counter(
            tuple(evaluated(polynomial, x, 7) for x in values)
            for polynomial in polynomials(7)
        )
        assert triples == dict.fromkeys(product(range(7), repeat=3), 1)


@pytest.mark.parametrize("buckets", [2, 3, 5, 7])
def test_chance_of_meeting(buckets, monkeypatch):
    """How often two values meet, over all polynomials, is the stated chance,
    exactly.
    """
    monkeypatch.setattr(sketches, "MODULUS", 7)
    met = [
        len({evaluated(polynomial, x, 7) * buckets // 7 for x in (1, 5)}) == 1
        for polynomial in polynomials(7)
    ]
    assert sketches.collision(buckets) == Fraction(sum(met), len(met))


@pytest.mark.parametrize(
    ("prime", "sketch"),
    [
        (5, CountMean(4, 1, 2, if_true=6, if_other=1, hash_seed=0, word=3)),
        (5, HadamardCountMean(4, 1, 2, truth=3, other=1)),
        (3, CountMean(3, 2, 2, if_true=6, if_other=1, hash_seed=0, word=3)),
        (3, HadamardCountMean(3, 2, 2, truth=3, other=1)),
    ],
    ids=str,
)
def test_variance_over_all_hash_functions(prime, sketch, monkeypatch):
    """Over noise, cohorts and hash functions, estimates are unbiased, of the stated
    variance.

    A prime number of residues cannot fill buckets evenly, so that two other values meet
    a third in slightly dependent ways; for P = 2^31 - 1 that is nothing, and here it is
    added to what is stated.
    """
    monkeypatch.setattr(sketches, "MODULUS", prime)
    holders = [4, 3, 2, 1][: sketch.size]
    reports = sum(holders)
    frequency = [Fraction(count, reports) for count in holders]
    c = sketches.collision(sketch.buckets)
    p, q = sketch.within
    q = c * p + (1 - c) * q
    means, spreads = [], []
    for chosen in product(polynomials(prime), repeat=sketch.cohorts):
        rates = [
            sum(p_or_q(sketch, chosen, x, other=0)) / sketch.cohorts
            for x in range(sketch.size)
        ]
        means.append(
            sum(f * (rate - q) for f, rate in zip(frequency, rates, strict=True))
            / (p - q)
        )
        spreads.append(
            sum(f * rate * (1 - rate) for f, rate in zip(frequency, rates, strict=True))
            / (p - q) ** 2
        )
    mean = sum(means) / len(means)
    total = sum(spreads) / len(spreads) / reports + sum(
        (one - mean) ** 2 for one in means
    ) / len(means)
    assert mean == frequency[0]

    share = c / ((1 - c) * sketch.cohorts)
    if_held, if_not = p * (1 - p) / (p - q) ** 2, q * (1 - q) / (p - q) ** 2 - share
    collisions = share * sum(f * f for f in frequency[1:])
    sizes = Counter(
        residue * sketch.buckets // prime for residue in range(prime)
    ).values()
    uneven = sum(Fraction(size, prime) ** 3 for size in sizes) - c**2
    pairs = sum(frequency[1:]) ** 2 - sum(f * f for f in frequency[1:])
    beside = uneven * pairs / (sketch.cohorts * (1 - c) ** 2)
    assert (
        total
        == (frequency[0] * if_held + (1 - frequency[0]) * if_not) / reports
        + collisions
        + beside
    )


def p_or_q(sketch, chosen, value, other):
    """How often a report of `value` supports `other`, cohort by cohort."""
    p, q = sketch.within
    prime = sketches.MODULUS
    for polynomial in chosen:
        met = (
            len(
                {
                    evaluated(polynomial, x, prime) * sketch.buckets // prime
                    for x in (value, other)
                }
            )
            == 1
        )
        yield p if met else q


SKETCHES = [
    question(
        "cms",
        f'type = "category"\nvalues = {[str(x) for x in range(12)]}\n'
        "epsilon = 4\nhashes = 4\nwidth = 16",
    ),
    question(
        "hcms",
        f'type = "category"\nvalues = {[str(x) for x in range(12)]}\n'
        "epsilon = 4\nhashes = 4\nwidth = 16",
    ),
]


@pytest.mark.parametrize("asked", SKETCHES, ids=lambda asked: asked.mechanism)
def test_calibrated_over_seeds(asked):
    """Over 2,000 seeds estimates are unbiased, and errors on average what is stated.

    Within six standard errors of the mean of 2,000; the squared errors are more than
    twice what they would be without the part that does not shrink, so its loss would be
    seen.
    """
    holders = np.array([30_000, 10_000, 10_000] + [2000] * 5 + [0] * 4)
    truth, generator = holders / holders.sum(), np.random.default_rng(5)
    errors, stated, shrinking = [], [], []
    for seed in range(2000):
        sketch = asked.randomizer._replace(hash_seed=seed)
        counts = form_of(sketch).sample(sketch, Holders((), holders), generator)
        moments = sketch_moments(sketch, counts)
        noise = (
            truth * moments.variance_if_held + (1 - truth) * moments.variance_if_not
        ) / moments.reports
        errors.append(moments.frequency - truth)
        shrinking.append(noise)
        stated.append(noise + moments.collisions.variance)
    errors, stated, shrinking = (
        np.array(numbers) for numbers in (errors, stated, shrinking)
    )
    root = np.sqrt(len(errors))
    assert np.abs(errors.mean(axis=0) / (errors.std(axis=0) / root)).max() < SIX_SIGMA
    excess = (errors**2 - stated).mean(axis=1)
    assert abs(excess.mean()) < SIX_SIGMA * excess.std() / root
    assert (errors**2).mean() > 2 * shrinking.mean()
    assert (errors**2 - shrinking).mean() > SIX_SIGMA * excess.std() / root


@pytest.mark.parametrize("asked", SKETCHES, ids=lambda asked: asked.mechanism)
def test_the_error_of_collisions_is_said_aloud(asked):
    """With many reports the standard error stays, the note says so, and intervals stay
    wide.

    They may be twice as wide and more: that values meet is rare, and then moves an
    estimate far.
    """
    holders = np.array([6, 2, 1] + [0] * 9) * 10**9
    survey = Survey("sketch", (asked,))
    tally = Tally.empty(survey)
    tally.counts[asked.name] = sample_counts(
        asked, Holders((), holders), np.random.default_rng(6)
    )
    estimates = estimate(tally)[asked.name]
    assert "does not shrink with more reports" in estimates.note
    assert estimates.note in estimates.to_dict()["note"]
    assert estimates.standard_error.min() > 0.005
    inside = (estimates.low > 0) & (estimates.high < 1)
    normal = 2 * 1.95996 * estimates.standard_error[inside]
    assert ((estimates.high - estimates.low)[inside] > 0.99 * normal).all()
    assert ((estimates.high - estimates.low)[inside] < 3 * normal).all()
    together = estimate(tally, options=Options(covariance=True))[asked.name].covariance
    assert np.allclose(
        np.sqrt(np.diag(together)), estimates.standard_error, rtol=0.02, atol=0.006
    )
    with pytest.raises(EstimateError, match="clopper-pearson"):
        estimate(tally, options=Options(interval="clopper-pearson"))


def test_rates_written_out_apart():
    """The chance that two values meet, for the real P, counted from where buckets
    begin.
    """
    for asked in SKETCHES:
        sketch = asked.randomizer
        c, (p, q) = sketches.collision(sketch.buckets), sketch.within
        assert sketch_rates(sketch) == (p, c * p + (1 - c) * q)
        assert abs(c - Fraction(1, sketch.buckets)) < Fraction(1, 10**9)


@pytest.mark.parametrize(
    "size", ["width = 1", "hashes = 0", "width = 4194305", "hashes = 65537"]
)
def test_sizes_that_make_no_sketch(size):
    """Fewer buckets than two, no hash function, or more than are counted."""
    for mechanism in ("cms", "hcms"):
        with pytest.raises(SurveyError, match=size.partition(" ")[0]):
            question(mechanism, f'type = "boolean"\nepsilon = 1\n{size}')
