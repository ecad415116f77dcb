"""The chance that a value which nobody holds gets an estimate as high as the one it got: one-sided p-values.

    one count   P[C >= c] of the binomial law of n reports with the rate q: exact, whatever n and q are
    others      that of a scaled Poisson count (`ldp_aggregator.scaled_poisson`), which is the normal law where many
                reports are expected; of the normal law, where an estimator does not know its third cumulant

They are the same for both estimands: that nobody holds a value is then certain for respondents as well.
"""

from __future__ import annotations

from ldp_aggregator import count_intervals
from ldp_aggregator.cumulants import cumulants
from ldp_aggregator.moments import Floats, Moments
from ldp_aggregator.scaled_poisson import upper_tail


def null_chances(moments: Moments) -> Floats:
    """By value, of shape (M,)."""
    if moments.rates is not None:
        return count_intervals.null_chances(moments)
    return upper_tail(moments.frequency, cumulants(moments, 0.0, "respondents"))
