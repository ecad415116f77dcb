"""Exact arithmetic: numbers as they are written, and directed bounds of e^x and ln
x.
"""

import math
import random
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written_out import taylor_exp

from ldp.numbers.exact import (
    WEIGHT_SCALE,
    decays,
    decimal_text,
    epsilon_of,
    exp_lower,
    exp_upper,
    float_upper,
    fraction,
    log,
    log_text,
    log_upper,
    odds,
    percent_below,
    sqrt_lower,
    text_upper,
)

exponents = st.fractions(min_value=0, max_value=40, max_denominator=10**12)
ratios = st.fractions(min_value=1, max_value=10**18, max_denominator=10**12)

READ = {
    "0.1": Fraction(1, 10),
    " 1/3 ": Fraction(1, 3),
    "-1/2": Fraction(-1, 2),
    "1e-3": Fraction(1, 1000),
    ".5": Fraction(1, 2),
    "5.": Fraction(5),
    0.1: Fraction(1, 10),
    1e-7: Fraction(1, 10**7),
    3: Fraction(3),
    Fraction(2, 7): Fraction(2, 7),
    Decimal("0.25"): Fraction(1, 4),
}

REFUSED = [
    *(
        "",
        "half",
        "1/0",
        "1//2",
        "0x10",
        "1_000",
        "1e999",
        "inf",
        "nan",
        "1 2",
        "1/2/3",
        "0." + "1" * 41,
        "9" * 41,
    ),
    *(True, math.nan, math.inf, -math.inf, Decimal("NaN"), 1e300),
]


@pytest.mark.parametrize(("written", "exact"), READ.items())
def test_number_as_written(written, exact):
    """A number is what its text says; a float is its shortest text, not its binary
    value.
    """
    assert fraction(written) == exact


@pytest.mark.parametrize("written", REFUSED)
def test_refused_number(written):
    """Anything that is not a plain number of reasonable size is refused."""
    with pytest.raises(ValueError, match="expected a number"):
        fraction(written)


@given(
    st.decimals(
        allow_nan=False,
        allow_infinity=False,
        places=12,
        min_value=-(10**9),
        max_value=10**9,
    )
)
def test_decimal_text_is_exact(number):
    """Reading the text of a decimal loses nothing."""
    assert fraction(str(number)) == Fraction(number)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("3/2", "1.5"),
        ("-7/8", "-0.875"),
        ("101/100", "1.01"),
        ("123456789/1000", "123456.789"),
        ("12", "12"),
        ("0", "0"),
        ("-5/3", "-5/3"),
    ],
)
def test_fractions_are_written_as_people_write_them(number, text):
    """As decimals, where they have finitely many."""
    assert decimal_text(Fraction(number)) == text


@given(exponents)
def test_exponential_is_bounded(exponent):
    """The bounds lie on either side of the series, and next to it."""
    low, high = taylor_exp(exponent)
    assert exp_lower(exponent) < low
    assert high < exp_upper(exponent)
    assert exp_upper(exponent) - exp_lower(exponent) < low / 10**70


@given(ratios)
def test_logarithm_is_bounded(ratio):
    """A printed epsilon is never below the delivered one, nor two steps of a float
    above it.
    """
    epsilon = log_upper(ratio)
    assert taylor_exp(Fraction(epsilon))[0] >= ratio
    assert (
        epsilon
        <= math.nextafter(math.nextafter(log(ratio), math.inf), math.inf) + 1e-78
    )


@given(st.integers(1, 10**15))
def test_logarithm_next_to_one(size):
    """ln(1 + 1/n) keeps its digits where 1 + 1/n as a float has lost them."""
    assert log(1 + Fraction(1, size)) == pytest.approx(math.log1p(1 / size), rel=1e-15)


@given(st.fractions(min_value=Fraction(1, 10_000), max_value=40, max_denominator=10**9))
def test_odds_are_the_best_below(epsilon):
    """The odds are at most e^epsilon, and one step of their grid more would be
    above.
    """
    truth, other = odds(epsilon)
    low, high = taylor_exp(epsilon)
    assert other == WEIGHT_SCALE
    assert Fraction(truth, other) <= low
    assert Fraction(truth + 1, other) > high


def test_exponential_of_zero():
    """The bounds of e^0 enclose 1, strictly."""
    assert exp_lower(Fraction(0)) < 1 < exp_upper(Fraction(0))


@given(ratios, st.integers(min_value=1, max_value=12))
def test_epsilons_are_shown_rounded_up(ratio, places):
    """What people read is no less than the epsilon, and within a unit of its last
    decimal.
    """
    shown = fraction(log_text(ratio, places))
    assert exp_upper(shown) >= ratio
    assert (
        log_upper(ratio) <= shown < Fraction(log_upper(ratio)) + Fraction(1, 10**places)
    )


@given(st.fractions(min_value=0, max_value=100, max_denominator=10**30))
def test_bounds_are_shown_rounded_up(number):
    """As floats and as texts, with the decimals that were asked for."""
    assert (
        math.nextafter(float_upper(number), -math.inf) < number <= float_upper(number)
    )
    text = text_upper(number, 3)
    assert number <= fraction(text) < number + Fraction(1, 1000)
    assert len(text.partition(".")[2]) == 3


def test_three_is_shown_above_its_logarithm():
    """The logarithm 1.0986122886681098 is not shown as 1.098612288668, nor 73.106 % as
    73.1 %.
    """
    assert log_text(Fraction(3), 12) == "1.098612288669"
    assert text_upper(Fraction("73.106"), 1) == "73.2"
    assert text_upper(Fraction(2), 6) == "2.000000"


def test_decays_are_lower_bounds():
    """Powers of e^-step stay below the true ones when multiplied, and within 1e-69 of
    them.
    """
    drawn = random.Random(7)
    for text in ("1/3", "50", "1e-30", "7/1000000000"):
        step = fraction(text)
        top = int(50 / step)
        counts = {0, 1, top, *(drawn.randrange(top + 1) for _ in range(30))}
        shares = decays(step, counts)
        for count in counts:
            share = fraction(1) * shares[count] / shares[0]
            assert (
                exp_lower(-step * count) * (1 - fraction("1e-10") ** 7)
                <= share
                <= exp_upper(-step * count)
            )


def test_without_counts_nothing_decays():
    """As of a question that has no distances."""
    assert decays(Fraction(1, 3), []) == {}


@pytest.mark.parametrize(
    "number",
    [10**40 - 1, 1 - 10**40, Fraction(1, 10**31), f"1/{10**30}", f"1/{10**30 - 1}"],
)
def test_the_largest_numbers(number):
    """40 digits before the point, and a denominator of 10^30."""
    assert fraction(number) == Fraction(number)


@pytest.mark.parametrize(
    "number",
    [
        10**40,
        -(10**40),
        # Python has a message of its own for what is too long to be written.
        *(pytest.param(10**5000, id="enormous"), f"1/{10**30 + 1}", "1e-31"),
    ],
)
def test_numbers_that_are_too_large(number):
    """One more is refused."""
    with pytest.raises(ValueError, match="expected a number"):
        fraction(number)


@given(st.fractions(min_value=0, max_value=10**9, max_denominator=10**12))
def test_square_roots_are_bounded(square):
    """From below, by less than 10^-80."""
    root = sqrt_lower(square)
    assert root**2 <= square < (root + Fraction(1, 10**80)) ** 2


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Fraction(3, 4), "75.0"),
        (Fraction(2981, 2982), "99.97"),
        (Fraction(999, 1000), "99.9"),
        (1 - Fraction(1, 10**9), "99.9999999"),
        (1 - Fraction(1, 10**30), "100.000000000000"),
    ],
)
def test_what_is_not_certain_is_not_shown_as_certain(share, text):
    """Percentages are rounded up, with as many decimals as keep them below 100, up to
    twelve.
    """
    assert percent_below(share) == text


@pytest.mark.parametrize("ratio", ["3", "1.5", "10001/10000", "14641/625", "1e12"])
def test_a_logarithm_is_an_epsilon(ratio):
    """The decimal just below it, so that no more is delivered than was said."""
    epsilon = epsilon_of(f"ln({ratio})")
    assert (
        exp_upper(epsilon) <= Fraction(ratio) < exp_lower(epsilon + Fraction(1, 10**12))
    )
    assert epsilon_of(f" {decimal_text(epsilon)}") == epsilon


@pytest.mark.parametrize(
    "text", ["ln(1)", "ln(0.5)", "ln(0)", "ln(-3)", "ln(x)", "ln()", "ln(3"]
)
def test_logarithms_that_are_no_epsilon(text):
    """Those of ratios up to 1, and of what is no number."""
    with pytest.raises(ValueError, match="expected"):
        epsilon_of(text)
