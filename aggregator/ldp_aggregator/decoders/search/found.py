"""The law of the frequencies of texts that were found, from the cohorts held out.

    estimate (C / n' - q') / (p - q'), with C the reports of the n' respondents held out that
    support the text's cell in their cohort, and q' = p / m + (1 - 1/m) q
    Var, for the n respondents = [f if_held + (1 - f) if_not] / n' + f (1 - f) (1/n' - 1/n)
                                 + collisions
    collisions = 1 / ((m - 1) h) x (sum of f_x^2 over the other texts x)
    third and fourth cumulants: those of one count, and of meetings
    (`ldp_aggregator.decoders.values.sketch`, c = 1 / m)

The second term is there because those held out are a sample of all who answered. They
took no part in the search, so the choice of the texts tells nothing about the errors of
their estimates. The variance of collisions is what texts that meet in a cell add, with
h cohorts and m cells; the sum of squares is estimated from those of all cells, less
their noise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.texts.heavy_hitters import HeavyHitters
from ldp_aggregator.decoders.moments.jumps import fourth_of_rates, third_of_rates
from ldp_aggregator.decoders.moments.moments import (
    Collisions,
    Moments,
    ScoreJumps,
    of_others,
)
from ldp_aggregator.decoders.moments.supports import support_counts
from ldp_aggregator.decoders.search.prefix_extension import cells, rates, search
from ldp_aggregator.decoders.search.reach import in_words, never_found, reach_of
from ldp_aggregator.numerics.arrays import Counts, Floats


def found_texts(
    randomizer: HeavyHitters, counts: Counts
) -> tuple[tuple[str, ...], str]:
    """The texts that a search finds, most frequent first, and what it may have missed,
    in words.
    """
    searching = int(counts[: randomizer.stages].sum())
    apart = int(counts[randomizer.stages :].sum())
    if not apart:
        return (), "no reports yet from respondents who are held out"
    searched = search(randomizer, counts)
    frequency = found_moments(randomizer, counts, searched.texts).frequency
    ordered = tuple(searched.texts[index] for index in np.argsort(-frequency))
    return ordered, (
        f"Found by {searching:,} respondents; frequencies are those of {apart:,} "
        "others. A text is missed with a chance of at most 1 in 100 if held by "
        f"{in_words(reach_of(randomizer, counts, searched.remembered))}; "
        f"{never_found(randomizer)} never found."
    )


def found_moments(
    randomizer: HeavyHitters, counts: Counts, texts: Sequence[str]
) -> Moments:
    """Moments of any texts, from a tally with reports of cohorts held out."""
    reports, apart = int(counts.sum()), int(counts[randomizer.stages :].sum())
    encoded = [text.encode() for text in texts]
    p, q = rates(randomizer)
    scale, size = (p - q) ** 2, randomizer.oracle.size
    if_held, if_not = p * (1 - p) / scale, q * (1 - q) / scale
    supports, squares = np.zeros(len(encoded)), 0.0
    for cohort in range(randomizer.stages, randomizer.cohorts):
        row = counts[cohort : cohort + 1]
        within = support_counts(randomizer.oracle, row)
        supports += within[cells(randomizer, encoded, cohort)]
        squares += _squares(within, int(row.sum()), randomizer) * int(row.sum()) / apart
    frequency: Floats = (supports / apart - q) / (p - q)
    shares = np.clip(frequency, 0, 1)
    collisions = np.maximum(squares - shares**2, 0.0) / (
        (size - 1) * randomizer.held_out
    )
    thinned, meeting = reports / apart, 1 / size
    third, fourth = third_of_rates(p, q), fourth_of_rates(p, q)
    missed, many = (1 - meeting) * randomizer.held_out, len(encoded)
    return Moments(
        reports,
        frequency,
        thinned * if_held + (thinned - 1) * (1 - shares),
        variance_if_not=np.full(len(encoded), thinned * if_not),
        covariance=_none,
        jumps=ScoreJumps(
            third=(
                np.full(many, thinned**2 * third[0]),
                np.full(many, thinned**2 * third[1]),
            ),
            fourth=(
                np.full(many, thinned**3 * fourth[0]),
                np.full(many, thinned**3 * fourth[1]),
            ),
        ),
        collisions=Collisions(
            collisions,
            third=meeting * (1 - 2 * meeting) / missed**2 * of_others(shares**3),
            fourth=meeting
            * (1 - 6 * meeting * (1 - meeting))
            / missed**3
            * of_others(shares**4),
        ),
    )


def _squares(supports: Counts, reports: int, randomizer: HeavyHitters) -> float:
    """The sum of squared frequencies of all texts, as the cells of one cohort have
    it.
    """
    if not reports:
        return 0.0
    p, q = rates(randomizer)
    share = (supports / reports - q) / (p - q)
    noise = q * (1 - q) / ((p - q) ** 2 * reports)
    return max(0.0, float(share @ share) - len(share) * noise)


def _none() -> Floats:
    raise EstimateError(
        "expected a mechanism other than heavy-hitters for a covariance: texts may "
        "meet in cells"
    )
