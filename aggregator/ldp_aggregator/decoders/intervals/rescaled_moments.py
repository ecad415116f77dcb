"""The moments of an estimator, if values were held by other shares, or asked of more
people.

What is planned before anyone is asked, and what is told of how much more respondents
would help, come from the same law.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ldp_aggregator.decoders.moments.moments import Moments


def held_by(moments: Moments, frequency: float, reports: int) -> Moments:
    """The moments of values that are each held by `frequency` of so many
    respondents.
    """
    squares = (
        frequency * (moments.variance_if_held + 1)
        + (1 - frequency) * moments.variance_if_not
    )
    held = replace(
        moments,
        reports=reports,
        frequency=np.full(len(moments.variance_if_held), frequency),
        below=None if moments.below is None else (squares - 1, squares),
    )
    if moments.count is None:
        return held
    p, q = moments.count.rates
    supports = np.rint(reports * (q + frequency * (p - q))).astype(np.int64)
    return replace(held, count=moments.count._replace(supports=supports))
