"""Booleans of google/rappor: one bit (k = 1), which is the answer, and noise on it.

Two texts differ in up to 2 h bits, h each way; two booleans in the one bit that there
is:

    eps_1   = ln max(q*/p*, (1 - p*)/(1 - q*)), where q* > p*
    eps_inf = ln((1 - f/2)/(f/2))
"""

from __future__ import annotations

from fractions import Fraction

from ldp.mechanisms.chains.rappor import Rappor

TRUE = "TRUE"
"""What those answered whose bit is 1; all others answered no."""


class OneBit(Rappor):
    """RAPPOR of one value that is held or not."""

    __slots__ = ()

    @classmethod
    def of(cls, randomizer: Rappor) -> OneBit:
        """With the noise that another has on each of its bits."""
        return cls(*randomizer._replace(bits=1, hashes=0, cohorts=1))

    @property
    def ratio(self) -> Fraction:
        """Ratio of one report."""
        return of_one_bit(*self.support)

    @property
    def lifetime_ratio(self) -> Fraction | None:
        """Lifetime ratio of all reports; None without a permanent response."""
        (keep, flip), _ = self.steps
        if flip:
            return keep / flip
        return None


def of_one_bit(one: Fraction, zero: Fraction) -> Fraction:
    """How much likelier a report is from one answer than from the other, at most.

    The arguments are the probabilities of a 1.
    """
    high, low = max(one, zero), min(one, zero)
    return max(high / low, (1 - low) / (1 - high))
