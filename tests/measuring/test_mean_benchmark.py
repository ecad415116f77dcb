"""The benchmark of means: its laws against draws and fractions, and its table against
the page.
"""

import numpy as np
import pytest

from lab.benchmarks.means.__main__ import PAGE, measured
from lab.benchmarks.means.inputs import Input, drawn, of_adult, shares_of
from lab.benchmarks.means.laws import (
    dithered_response,
    duchi_reports,
    duchi_variance,
    geometric,
    has_two_levels,
    hybrid,
    hybrid_reports,
    of_dithers,
    piecewise_reports,
    piecewise_variance,
)
from lab.benchmarks.means.page import replaced, table
from ldp import parse_survey
from ldp.mechanisms.numbers.dithered import DitheredResponse

REPORTS = 1_000_000


def even(steps):
    """Numbers spread evenly over a grid."""
    return Input("even", np.full(steps + 1, 1 / (steps + 1)))


def variance_of(reports, epsilon, numbers):
    """As the laws have it."""
    if reports is duchi_reports:
        return duchi_variance(epsilon, numbers)
    if reports is piecewise_reports:
        return piecewise_variance(epsilon, numbers)
    places = np.round((numbers + 1) * 2).astype(int)
    return hybrid(epsilon, even(4))[places]


@pytest.mark.parametrize("reports", [duchi_reports, piecewise_reports, hybrid_reports])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_published_mechanisms_have_the_variance_of_their_law(reports, epsilon):
    """1,000,000 reports on each of five numbers, seed 7: their mean, and variance, are
    the law's.

    Within 5.5 standard errors, of chance 4e-8 each. A variance that is 5 % off is
    detected.
    """
    generator = np.random.default_rng(7)
    for number in (-1.0, -0.5, 0.0, 0.5, 1.0):
        numbers = np.full(REPORTS, number)
        worth = reports(numbers, epsilon, generator)
        expected = variance_of(reports, epsilon, numbers[:1])[0]
        assert abs(worth.mean() - number) < 5.5 * (expected / REPORTS) ** 0.5
        squares = (worth - number) ** 2
        assert abs(squares.mean() - expected) < max(
            5.5 * squares.std() / REPORTS**0.5, 1e-9
        )
        assert squares.std() / REPORTS**0.5 * 5.5 < 0.05 * expected


@pytest.mark.parametrize(
    "numbers", [(5, 4, 2, 3, 1), (5, 4, 3, 3, 1), (11, 10, 3, 5, 1), (31, 30, 6, 40, 1)]
)
def test_dithered_is_that_of_the_channel(numbers):
    """Its variance at each place, in fractions."""
    randomizer = DitheredResponse(*numbers)
    reports = [(u, j) for u in range(randomizer.grid) for j in range(randomizer.levels)]
    worths = [randomizer.worth(*report) for report in reports]
    exact = []
    for place, row in enumerate(randomizer.channel().rows):
        square = sum(mass * worth**2 for mass, worth in zip(row, worths, strict=True))
        exact.append(float((square - place**2) * 4 / randomizer.grid**2))
    assert np.allclose(of_dithers(randomizer), exact)


def test_geometric_is_that_of_the_channel():
    """Its variance at each place, from the integers that a device draws with."""
    head = '[survey]\nname = "s"\n[[question]]\nname = "x"\nmechanism = "geometric"\n'
    asked = parse_survey(f'{head}type = "integer"\nlow = 0\nhigh = 20\nepsilon = "1"')[
        "x"
    ]
    law = np.array(asked.randomizer.channel().rows, dtype=float)
    # The worths that are unbiased for every number: the channel has but one solution.
    worths = np.linalg.solve(law, np.arange(21.0))
    variances = law @ worths**2 - np.arange(21) ** 2
    assert np.allclose(geometric(1.0, even(20)), variances * (2 / 20) ** 2, rtol=1e-6)


def test_numbers_between_two_places_are_shared():
    """And the mean of an input stays what it was."""
    shares = shares_of(np.array([0.0, 1.25, 3.0, 4.0]), 4)
    assert np.allclose(shares, [0.25, 0.1875, 0.0625, 0.25, 0.25])
    assert np.isclose(shares @ np.arange(5), 8.25 / 4)
    for one in drawn():
        assert np.isclose(one.shares.sum(), 1)
        assert one.scaled[0] == -one.scaled[-1] == -1


def test_columns_of_the_file(tmp_path):
    """Age, gain and hours, wherever they stand."""
    path = tmp_path / "adult.data"
    path.write_text(
        "39, x, 1, x, 13, x, x, x, x, x, 2174, 0, 40, x, <=50K\n"
        "50, x, 1, x, 13, x, x, x, x, x, 0, 0, 13, x, <=50K\n\n"
    )
    age, hours, gain = of_adult(path)
    assert np.flatnonzero(age.shares).tolist() == [39, 50]
    assert np.flatnonzero(hours.shares).tolist() == [13, 40]
    assert np.isclose(gain.shares @ np.arange(4097) * 99_999 / 4096, 1087)


def test_the_page_says_what_is_measured():
    """The columns whose inputs need no file, and which rows there are."""
    asked = list(drawn())
    _, rows = measured(asked)
    page = PAGE.read_text(encoding="utf-8")
    text = page.split("<!-- measured -->\n")[1].split("<!-- /measured -->")[0]
    lines = [line.strip("| ").split(" | ") for line in text.splitlines()]
    assert lines[0][-len(asked) :] == [one.name for one in asked]
    written = [[*cells[:2], *cells[-len(asked) :]] for cells in lines[2:]]
    assert [[cell.strip("*") for cell in cells] for cells in written] == rows
    assert [name for epsilon, name, *_ in rows if "levels" in name] == [
        "`dithered`, `levels = 3`"
    ] * 2
    assert has_two_levels(1.0)
    assert not has_two_levels(2.0)
    assert dithered_response(2.0, 10).levels == 3


def test_the_least_of_a_column_is_bold():
    """Within its epsilon; and a page has one place for the table."""
    rows = [["1", "a", "2", "3"], ["1", "b", "1", "3"], ["2", "a", "5", "6"]]
    lines = table(["epsilon", "mechanism", "x", "y"], rows).splitlines()
    assert lines[2:] == [
        "| 1 | a | 2 | **3** |",
        "| 1 | b | **1** | **3** |",
        "| 2 | a | **5** | **6** |",
    ]
    marked = "x <!-- measured -->\nold\n<!-- /measured --> y"
    assert replaced(marked, "new\n") == "x <!-- measured -->\nnew\n<!-- /measured --> y"
    with pytest.raises(ValueError, match="one place"):
        replaced("no marks", "new")
