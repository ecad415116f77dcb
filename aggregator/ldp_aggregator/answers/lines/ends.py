"""The ends of intervals for shares: all shares that what is estimated does not rule
out.

    respondents   |estimate - f| <= z noise
    population    |estimate - f| <= z sqrt(noise^2 + f (1 - f) / n): Wilson's interval,
                  with noise

As the spread of a population is that of the share itself and not of its estimate, an
estimate next to 0 or 1 does not pass for a certain one.
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.decoder import QueryAnswers
from ldp_aggregator.numerics.arrays import Floats


def ends_of_shares(
    share: Floats, noise: Floats, factor: float, drawn: int | None = None
) -> tuple[Floats, Floats]:
    """The lower and the upper ends, of shape (Q,), before they are cut.

    `noise` has the standard errors for the respondents, `factor` is z, and `drawn` how
    many were drawn from a population; None for the respondents.
    """
    if drawn is None:
        return share - factor * noise, share + factor * noise
    # (1 + s) f^2 - (2 share + s) f + share^2 - (z noise)^2 <= 0, with s = z^2 / n.
    spread = factor**2 / drawn
    middle = (share + spread / 2) / (1 + spread)
    constant = (share**2 - (factor * noise) ** 2) / (1 + spread)
    reach = np.sqrt(np.maximum(middle**2 - constant, 0.0))
    return middle - reach, middle + reach


class WithEnds:
    """What has a number of reports, and options that say which intervals it has, and
    for whom.
    """

    reports: int
    options: Options

    @property
    def _quantile(self) -> float:
        from scipy.special import ndtri  # slow to import

        return float(ndtri((1 + self.options.level) / 2))

    @property
    def _sample_size(self) -> int | None:
        """How many were drawn from the population that the options ask for; None
        without one.
        """
        if self.options.estimand == "population":
            return self.reports
        return None

    def _ends(self, answers: QueryAnswers, factor: float) -> tuple[Floats, Floats]:
        """Ends of intervals, cut to [0, 1]; `factor` is how many standard errors they
        reach.
        """
        ends = ends_of_shares(
            answers.estimate, answers.errors(), factor, drawn=self._sample_size
        )
        low, high = (np.clip(end, 0.0, 1.0) for end in ends)
        return low, high


def errors_at(share: float, noise: Floats, drawn: int | None = None) -> Floats:
    """Standard errors of estimates, of shape (Q,), of what is `share` in truth."""
    if drawn is None:
        return noise
    return np.sqrt(noise**2 + share * (1 - share) / drawn)
