"""Several batches of the same people: numeric composition against what is certified and
exact.
"""

from fractions import Fraction

import pytest

from ldp.mechanisms.blankets import two_levels
from ldp.numbers.exact import odds
from ldp.privacy.batches import batch_epsilon
from ldp_aggregator.explanations.composition import composed_batches

BLANKET = two_levels(Fraction(*odds(Fraction(2))), Fraction(1, 16), Fraction(0))
DELTA = Fraction(1, 10**6)


@pytest.mark.parametrize("reports", [20, 2_000])
def test_one_batch_is_what_is_certified_and_several_are_less_than_their_sum(reports):
    """Within 2 % above of one; more than the root of how many says, less than adding
    up.
    """
    once = composed_batches(BLANKET, reports, DELTA, batches=1)
    certified = batch_epsilon(BLANKET, reports, DELTA)
    assert certified <= once * Fraction(1001, 1000)
    assert once <= certified * Fraction(102, 100)
    often = [
        composed_batches(BLANKET, reports, DELTA, batches=batches)
        for batches in (2, 7, 30)
    ]
    assert once < often[0] < often[1] < often[2] < 30 * once / 3


def test_what_it_cannot_bear_is_refused():
    """No batch, far too many, and a delta within the rounding of the FFT."""
    for batches in (0, 10**6):
        with pytest.raises(ValueError, match="batches"):
            composed_batches(BLANKET, 1_000, DELTA, batches=batches)
    with pytest.raises(ValueError, match="expected a delta"):
        composed_batches(BLANKET, 1_000, Fraction(1, 10**12), batches=30)
