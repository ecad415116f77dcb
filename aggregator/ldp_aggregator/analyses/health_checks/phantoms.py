"""A check on projective-geometry response: values that no one holds must look like it.

The geometry has v points, of which the question's values are the first d; the others
are phantoms, as far as the tally tells their support: one that is folded knows those
that follow in its last slice. If all reports were drawn as they should be, each phantom
is supported as often as chance has it:

    z = (C - n q) / sqrt(n q (1 - q))  has mean 0 and variance 1, and the sum of C over all v points
                                       is n k

As that sum is fixed, two points have a correlation of -1/(v-1), and (v-1)/v times the
squares of z about their mean add up to a chi-square of one degree of freedom less than
there are phantoms. Points on a line with a value that many hold are correlated beyond
that, which spreads the sum further; the degrees of freedom are divided by as much (by 1
+ q c^2 times the sum of squared frequencies, where c is the correlation of two points
on a line with a value that all hold; phantoms of one slice share such lines with fewer
values, so that the p-value is too large rather than too small).

Reports that repeat a few points (all alike, or chosen for the many values that they
support, or from a broken source of randomness) show here as a small p-value. Reports
that were drawn as they should be, from made-up answers, do not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.values.projective import ProjectiveResponse, geometry
from ldp_aggregator.decoders.moments.supports import support_counts
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.counting.counting import total_reports


class PhantomScore(NamedTuple):
    """How the phantoms came out."""

    phantoms: int
    """How many there are."""
    mean_square: float
    """Of z, about its mean; 1 in expectation."""
    p_value: float
    """How likely a mean square at least as large is by chance."""


def phantom_score(randomizer: ProjectiveResponse, counts: Counts) -> PhantomScore:
    """The score of a tally.

    Raises `EstimateError` if it has no reports, or there are fewer than two phantoms.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> values = [str(value) for value in range(100)]
    >>> page = ldp.question("page", values, mechanism="pgr", epsilon="1")
    >>> survey = ldp.survey("visits", page)
    >>> reports = ldp_simulations.randomize(survey, {"page": values * 50})
    >>> counts = ldp_aggregator.aggregate(survey, reports).counts["page"]
    >>> score = ldp_aggregator.phantom_score(survey["page"].randomizer, counts)
    """
    points, block, common = geometry(randomizer.order, randomizer.dimension)
    values = points
    if randomizer.folded:
        values = block + (len(counts) - 1) * (block - common)
    reports = total_reports(counts, randomizer.layout)
    phantoms = values - randomizer.size
    if not reports or phantoms < 2:
        raise EstimateError(
            f"expected reports and at least 2 phantoms, got {reports} and {phantoms}"
        )
    from scipy.stats import chi2  # slow to import

    p, q = (float(rate) for rate in randomizer.support)
    supports = support_counts(randomizer._replace(size=values), counts)
    frequency = (supports[: randomizer.size] / reports - q) / (p - q)
    z = (supports[randomizer.size :] - reports * q) / np.sqrt(reports * q * (1 - q))
    mean_square = float(z.var(ddof=1)) * (points - 1) / points
    noise = q * (1 - q) / (reports * (p - q) ** 2)
    concentration = float(np.clip((frequency**2 - noise).sum(), 0, 1))
    freedom = (phantoms - 1) / (
        1 + randomizer.order * _on_a_line(randomizer) ** 2 * concentration
    )
    return PhantomScore(
        phantoms, mean_square, float(chi2.sf(mean_square * freedom, freedom))
    )


def _on_a_line(randomizer: ProjectiveResponse) -> float:
    """The correlation of two points on a line with the true value, less that of two
    others.
    """
    order = randomizer.order
    dimension = randomizer.dimension
    ratio = float(randomizer.ratio)
    points, block, _ = geometry(order, dimension)
    q = float(randomizer.support[1])
    both = (
        (ratio - 1) * float(order ** (dimension - 3)) / (ratio * block + points - block)
    )
    return both / (q * (1 - q))
