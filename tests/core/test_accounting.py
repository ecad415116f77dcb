"""What a report can change of a belief."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from written_out import warner

from ldp.numbers.accounting import posterior


@given(
    st.fractions(min_value=1, max_value=50, max_denominator=100),
    st.fractions(
        min_value=Fraction(1, 100), max_value=Fraction(99, 100), max_denominator=100
    ),
)
def test_posterior_is_bayes(ratio, prior):
    """A belief after one report of the worst channel is Bayes' rule, and bounds every
    report.
    """
    truth, lie = warner(ratio).rows[0]
    after = prior * truth / (prior * truth + (1 - prior) * lie)
    assert posterior(ratio, prior) == after
    assert prior * lie / (prior * lie + (1 - prior) * truth) <= after
