"""The minimax optimum: its formulas agree exactly, and no mechanism beats it."""

import math
from fractions import Fraction

import pytest
from specimens import question

from ldp.answers.domain import Domain
from ldp.answers.keys import Keys
from ldp.mechanisms import MECHANISMS, Pure
from ldp.mechanisms.auto import total_error
from ldp.mechanisms.values.optimum import efficiency, optimal_total_error, settled_error
from ldp.numbers.exact import exp_lower, fraction

GRID = [
    (size, fraction(epsilon))
    for size in (2, 3, 5, 16, 40, 1000)
    for epsilon in ("0.05", "1/2", "1", "2", "3.5", "8")
]


def rates(size, ratio, w):
    """(p, q) if each report supports w of the values evenly."""
    p = w * ratio / (w * ratio + size - w)
    return p, p * Fraction(w - 1, size - 1) + (1 - p) * Fraction(w, size - 1)


def error(size, p, q):
    return (p * (1 - p) + (size - 1) * q * (1 - q)) / (p - q) ** 2


def categories(name, size, epsilon):
    """The randomizer of a mechanism for n values.

    None if it cannot serve, or wants more than an epsilon.
    """
    domain = Domain("category", tuple(map(str, range(size))))
    keys = Keys("test", {"epsilon": str(epsilon)})
    row = MECHANISMS[name]
    if "epsilon" not in row.keys or row.accepts(domain) is not None:
        return None
    parts, _ = row.design(keys, domain)
    return None if keys.problems else parts


@pytest.mark.parametrize(("size", "epsilon"), GRID)
def test_least_over_all_support_sizes(size, epsilon):
    """R* is the least error over every w, and equals its closed form exactly."""
    ratio = exp_lower(epsilon)
    ratio = ratio.limit_denominator(
        1000
    )  # short fractions: there are a thousand w to try
    supports = range(1, size)
    assert optimal_total_error(size, ratio) == min(
        error(size, *rates(size, ratio, w)) for w in supports
    )
    closed = min(
        Fraction((size - 1) ** 2, size)
        * (w * ratio + size - w) ** 2
        / (w * (size - w) * (ratio - 1) ** 2)
        for w in supports
    )
    assert optimal_total_error(size, ratio) + 1 - Fraction(1, size) == closed


@pytest.mark.parametrize("name", MECHANISMS)
def test_nothing_beats_the_optimum(name):
    """The efficiency of every mechanism is at most 1, compared in exact fractions."""
    for size, epsilon in GRID:
        randomizer = categories(name, size, epsilon)
        share = None if randomizer is None else efficiency(randomizer)
        assert share is None or 0 < share <= 1, (size, epsilon)


def test_optimal_mechanisms_reach_it():
    """Two values and Warner, one and GRR, any number and subset selection: exactly
    1.
    """
    assert efficiency(categories("warner", 2, "1")) == 1
    assert (
        efficiency(categories("grr", 2, "1"))
        == efficiency(categories("grr", 16, "3"))
        == 1
    )
    if "ss" in MECHANISMS:
        assert all(
            efficiency(categories("ss", size, epsilon)) == 1 for size, epsilon in GRID
        )


# Published table of R / R*: epsilon, number of values, n R* / d, then what each
# mechanism has.
MECHANISM_NAMES = ("grr", "sue", "oue", "olh", "blh", "she", "the")
RATIOS = [
    ("0.5", 16, "13.715", ("2.81", "1.161", "1.147", "1.162", "1.211", "2.33", "1.30")),
    (
        "0.5",
        1024,
        "15.639",
        ("155.6", "1.018", "1.002", "1.012", "1.066", "2.05", "1.14"),
    ),
    ("1", 4, "1.8891", ("1.00", "2.07", "2.08", "2.05", "2.35", "4.23", "2.57")),
    ("1", 16, "3.1860", ("1.94", "1.23", "1.18", "1.18", "1.45", "2.51", "1.51")),
    ("1", 1024, "3.6745", ("94.6", "1.07", "1.003", "1.005", "1.27", "2.18", "1.31")),
    ("2", 16, "0.57825", ("1.14", "1.59", "1.36", "1.35", "2.87", "3.46", "2.26")),
    ("2", 128, "0.70511", ("4.85", "1.31", "1.04", "1.04", "2.43", "2.84", "1.82")),
    ("3", 16, "0.13942", ("1.00", "2.65", "2.03", "1.93", "8.3", "6.4", "4.2")),
    ("4", 128, "0.06747", ("1.20", "2.68", "1.24", "1.23", "15.8", "7.4", "4.3")),
    ("5", 1024, "0.02629", ("2.31", "3.71", "1.08", "1.07", "39", "12.2", "6.0")),
]


def as_printed(printed):
    """Equal to what a rounded number may have been.

    The 1.003 of OUE is 1.00249 and rounded up, hence the hair more.
    """
    digits = len(printed.partition(".")[2])
    return pytest.approx(float(printed), abs=0.52 * 10**-digits)


def of_continuous_noise(epsilon):
    """The table is for Laplace noise's 8 / epsilon^2, over 2a / (1-a)^2 of the discrete
    noise.
    """
    return (math.sinh(epsilon / 4) / (epsilon / 4)) ** 2


def test_optimum_of_the_published_table():
    """The least variance a value, as tabulated."""
    for epsilon, size, least, _ in RATIOS:
        error = optimal_total_error(size, exp_lower(fraction(epsilon)))
        assert float(error) / size == as_printed(least), (epsilon, size)


@pytest.mark.parametrize(
    "name", [name for name in MECHANISM_NAMES if name in MECHANISMS]
)
def test_ratios_of_the_published_table(name):
    """Each mechanism's total error over the optimum at the declared epsilon, as
    tabulated.
    """
    place = MECHANISM_NAMES.index(name)
    for epsilon, size, _, ratios in RATIOS:
        optimum = optimal_total_error(size, exp_lower(fraction(epsilon)))
        ratio = settled_error(categories(name, size, epsilon)).error / optimum
        continuous = (
            of_continuous_noise(float(fraction(epsilon))) if name == "she" else 1
        )
        assert float(ratio) * continuous == as_printed(ratios[place]), (epsilon, size)


COIN = 'type = "boolean"\nforced_true = "{}"\nforced_false = "{}"'
RAPPOR = 'type = "{}"\np = "1/4"\nq = "3/4"\nf = "0"'


def test_what_has_an_efficiency():
    """Even matrices and one-hot RAPPOR have one.

    Uneven matrices and Bloom filters, whose errors vary, have none.
    """
    assert efficiency(question("forced", COIN.format("1/4", "1/4")).randomizer) == 1
    assert efficiency(question("forced", COIN.format("1/6", "1/3")).randomizer) is None
    assert (
        efficiency(question("warner", 'type = "boolean"\ntruth = "1/4"').randomizer)
        == 1
    )
    one_hot = question("rappor", RAPPOR.format("boolean")).randomizer
    assert isinstance(one_hot, Pure)
    assert efficiency(one_hot) == optimal_total_error(2, Fraction(9)) / total_error(
        one_hot
    )
    assert (
        efficiency(
            question("rappor", RAPPOR.format("text") + "\nbloom_bits = 8").randomizer
        )
        is None
    )


@pytest.mark.parametrize(
    ("size", "ratio"), [(1, Fraction(2)), (2, Fraction(1)), (5, Fraction(1, 2))]
)
def test_nothing_to_learn(size, ratio):
    """One value, or a report that says nothing, has no optimum."""
    with pytest.raises(ValueError, match="at least 2 values"):
        optimal_total_error(size, ratio)
