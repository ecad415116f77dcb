"""Tallies that are drawn at once have their law as a whole, not only cell by cell.

Of a few respondents every tally is listed with its exact chance, and what is drawn is
compared with that by a chi-square, at a false alarm of 1e-6: 20,000 tallies of what is
drawn for all frequencies or blocks at once, 6,000 of whole mechanisms. Means and
variances of cells would not show reports that go together: the last tests show that
these tests do, and that a rate is seen that is off by a tenth.
"""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from specimens import question
from written_out import counts_of, declared_law

from ldp_simulations.holders import Holders
from ldp_simulations.sampling.numbers import arcs as arc_sampling
from ldp_simulations.sampling.numbers.starts import starts_of
from ldp_simulations.sampling.table import sample_counts
from ldp_simulations.sampling.values.hadamard import drawn_rows

AT_ONCE, WHOLE = 20_000, 6_000
GATE = 1e-6
FEWEST = 5
"""Tallies that are expected less often are taken together."""
ARCS = 'type = "integer"\nlow = 0\nhigh = 3\nepsilon = 1\n'
ASKED = {
    "hcms": (
        'type = "category"\nvalues = ["a", "b", "c", "d"]\nepsilon = 1\nhashes = '
        "2\nwidth = 4"
    ),
    "arcs": f"{ARCS}width = 3",
}
HELD = np.array([0, 1, 0, 2])
PLACES = 11
OWN = (2, 2, 9)
"""The places of three holders."""
ROWS = 8
VALUE_ROWS = (3, 3, 4)
"""The rows of three holders' values."""


class Together:
    """A generator in whose binomials all successes come together: their means are
    right.
    """

    def __init__(self, generator):
        self._generator = generator

    def __getattr__(self, name):
        return getattr(self._generator, name)

    def binomial(self, trials, chance):
        """All, or none."""
        return trials * (self._generator.random(np.shape(trials)) < chance)


def law_of(laws):
    """{tally: chance} of respondents whose reports have these laws, {(tally of one):
    chance}.
    """
    tallies = Counter()
    for reports in product(*(law.items() for law in laws)):
        cells = np.sum([cells for cells, _ in reports], axis=0)
        tallies[tuple(cells.tolist())] += np.prod([chance for _, chance in reports])
    return tallies


def agreement(tallies, law):
    """The p-value of tallies, (tallies, cells), under the law."""
    from scipy.stats import chisquare

    drawn = Counter(map(tuple, tallies.tolist()))
    if set(drawn) - set(law):
        return 0.0
    often = np.array(
        [[drawn[tally], chance * len(tallies)] for tally, chance in law.items()]
    )
    rare = often[:, 1] < FEWEST
    often = np.vstack([often[~rare], often[rare].sum(axis=0)])
    often = often[often[:, 1] > 0]
    if len(often) == 1:
        # There is but one tally, and nothing else was drawn.
        return 1.0
    return chisquare(
        often[:, 0], often[:, 1] / often[:, 1].sum() * often[:, 0].sum()
    ).pvalue


def drawn_starts(width, generator):
    """Where the arcs of three holders begin, counted: (tallies, places)."""
    own = np.bincount(OWN, minlength=PLACES)
    return starts_of(np.tile(own, (AT_ONCE, 1)), width, generator)


def law_of_starts(width):
    """The same, by counting arcs."""
    one = np.eye(PLACES, dtype=int)
    return law_of(
        {tuple(one[(place - behind) % PLACES]): 1 / width for behind in range(width)}
        for place in OWN
    )


@pytest.mark.parametrize("width", range(1, PLACES))
def test_starts_of_arcs(width):
    """Arcs begin evenly, and each by itself, whatever the binary digits of their width
    are.
    """
    drawn = drawn_starts(width, np.random.default_rng(21))
    assert agreement(drawn, law_of_starts(width)) > GATE


def drawn_together(even, generator):
    """How three holders' rows are drawn, counted: (tallies, rows and parities)."""
    by_row = np.bincount(VALUE_ROWS, minlength=ROWS)
    tallies = drawn_rows(np.tile(by_row, (AT_ONCE, 1)), generator, even=even)
    return tallies.reshape(AT_ONCE, -1)


def law_of_rows(even):
    """The same, by counting rows."""
    one = np.eye(2 * ROWS, dtype=int)
    laws = []
    for own in VALUE_ROWS:
        cells = [2 * row + (row & own).bit_count() % 2 for row in range(ROWS)]
        cells = [cell for cell in cells if not (even and cell % 2)]
        laws.append({tuple(one[cell]): 1 / len(cells) for cell in cells})
    return law_of(laws)


@pytest.mark.parametrize("even", [True, False])
def test_rows_of_a_hadamard_matrix(even):
    """Every row is drawn as often as any, by each holder by itself, and its parity is
    the true.
    """
    drawn = drawn_together(even, np.random.default_rng(22))
    assert agreement(drawn, law_of_rows(even)) > GATE


def whole_tallies(name, generator):
    """Tallies of a mechanism, (tallies, cells)."""
    asked = question(name, ASKED[name])
    holders = Holders(asked.domain.values, HELD)
    tallies = [sample_counts(asked, holders, generator) for _ in range(WHOLE)]
    return np.stack(tallies).reshape(WHOLE, -1)


def law_of_tallies(name, keys):
    """Their law, by the channel."""
    randomizer = question(name, keys).randomizer
    laws = []
    for value in np.repeat(np.arange(len(HELD)), HELD).tolist():
        law = declared_law(randomizer, value).items()
        cells = {
            report: counts_of(randomizer, {report: 1}).ravel() for report, _ in law
        }
        laws.append(
            {tuple(cells[report].tolist()): float(chance) for report, chance in law}
        )
    return law_of(laws)


@pytest.mark.parametrize(("name", "few_each"), [("hcms", 4), ("arcs", 4), ("arcs", 0)])
def test_whole_tallies(name, few_each, monkeypatch):
    """Tallies of three respondents come as often as their channel says, arcs one by one
    or not.
    """
    monkeypatch.setattr(arc_sampling, "_FEW_EACH", few_each)
    tallies = whole_tallies(name, np.random.default_rng(23))
    assert agreement(tallies, law_of_tallies(name, ASKED[name])) > GATE
    other = law_of_tallies(name, ASKED[name].replace("epsilon = 1", "epsilon = 1.4"))
    assert agreement(tallies, other) < GATE


@pytest.mark.parametrize("width", [3, 5, 8])
def test_arcs_that_begin_together_are_seen(width):
    """Of a width whose arcs are one too many as well."""
    together = Together(np.random.default_rng(24))
    assert agreement(drawn_starts(width, together), law_of_starts(width)) < GATE
    drawn = drawn_starts(width, np.random.default_rng(21))
    assert agreement(drawn, law_of_starts(width + 1)) < GATE


@pytest.mark.parametrize("even", [True, False])
def test_rows_that_are_drawn_together_are_seen(even):
    """Each coin is thrown once for all who are alike."""
    drawn = drawn_together(even, Together(np.random.default_rng(24)))
    assert agreement(drawn, law_of_rows(even)) < GATE
