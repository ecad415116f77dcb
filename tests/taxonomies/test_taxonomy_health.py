"""Devices that draw other levels than the survey says are seen; so are reports that
none sends.
"""

import numpy as np
import pytest
from lawbook import errors, same_bytes, sampler, unbiased
from random_trees import survey_of
from specimens import SMALL

from ldp.mechanisms.texts.taxonomy import TaxonomyResponse
from ldp.numbers.randomness import randbelow
from ldp_aggregator.analyses.health_checks.report_checks import health
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.table import sample_counts

PARENTS = {f"v{x}": f"n{x % 4}" for x in range(40)}
HOLDERS = Holders((), apportion(20_000, np.exp(-np.arange(40) / 9)))
TWO_LEVELS = next(specimen for specimen in SMALL if specimen.name == "two-levels")


def checks(question, counts):
    return {check.name: check for check in health(question, counts)}


def test_honest_reports_pass():
    """Of 300 honest tallies at most 10 are suspicious to any check: p is below .01."""
    question, generator = survey_of(PARENTS, "2")["home"], np.random.default_rng(8)
    drawn = [
        checks(question, sample_counts(question, HOLDERS, generator))
        for _ in range(300)
    ]
    assert drawn[0].keys() == {"cohorts", "payloads"}
    for name in drawn[0]:
        low = sum(tally[name].p_value < 0.01 for tally in drawn)
        assert low <= 10


@pytest.mark.parametrize("shares", [["0.22"], ["0.18"], ["0.5"], [0]])
def test_another_law_of_the_levels_is_noticed(shares):
    """A tenth more or less of the people on states, among 20,000, is far beyond
    chance.
    """
    question = survey_of(PARENTS, "2")["home"]
    other = survey_of(PARENTS, "2", shares=shares)["home"]
    counts = sample_counts(other, HOLDERS, np.random.default_rng(9))
    assert checks(question, counts)["cohorts"].p_value < 1e-6
    assert "by the survey's law" in str(checks(question, counts)["cohorts"])


def test_a_level_that_no_one_is_asked_for_has_no_reports():
    """One is too many."""
    question = survey_of(PARENTS, "2", shares=[0])["home"]
    counts = sample_counts(question, HOLDERS, np.random.default_rng(9))
    assert checks(question, counts)["cohorts"].p_value > 1e-6
    counts[0, 0] = 1
    assert checks(question, counts)["cohorts"].p_value == 0


def test_symbols_that_a_level_does_not_use_are_noticed():
    """A device of the upper level never sends them."""
    question = survey_of(PARENTS, "2")["home"]
    counts = sample_counts(question, HOLDERS, np.random.default_rng(9))
    assert checks(question, counts)["payloads"].p_value > 1e-6
    counts[0, -1] += 1
    assert checks(question, counts)["payloads"].p_value == 0


def chosen_by_value(self, value, random):
    """A level that depends on the answer."""
    level = value % len(self.law)
    symbol = self.oracles[level].randomize(self.levels[level].cells[value], random)
    randbelow(sum(self.law), random)
    return self.layout.report(symbol, level)


def evenly(self, value, random):
    """All levels alike, whatever the law is."""
    return TaxonomyResponse(*self)._replace(law=(1, 1)).randomize(value, random)


def always_values(self, value, random):
    return TaxonomyResponse(*self)._replace(law=(0, 4)).randomize(value, random)


def cell_of_another_level(self, value, random):
    report = TaxonomyResponse(*self).randomize(value, random)
    return report ^ 1


def looks_for_its_level(self, value, random):
    """Draws more for larger values."""
    random(1 + value)
    return TaxonomyResponse(*self).randomize(value, random)


def of_another_law(self):
    """For `channel`: that of another law than the decoder is told."""
    return TaxonomyResponse(*self)._replace(law=(1, 1)).channel()


MUTANTS = [
    ("levels chosen by value", sampler, {"randomize": chosen_by_value}),
    ("all levels alike", sampler, {"randomize": evenly}),
    ("values alone", sampler, {"randomize": always_values}),
    ("the other level is named", sampler, {"randomize": cell_of_another_level}),
    ("bytes drawn depend on the value", same_bytes, {"randomize": looks_for_its_level}),
    ("a law that the decoder does not know", unbiased, {"channel": of_another_law}),
    ("errors of another law", errors, {"channel": of_another_law}),
]


@pytest.mark.parametrize(
    ("law", "replaced"), [row[1:] for row in MUTANTS], ids=[row[0] for row in MUTANTS]
)
def test_mutant(law, replaced):
    """The law passes the genuine response and catches the broken one."""
    broken = type("TaxonomyResponse", (TaxonomyResponse,), replaced)(
        *TWO_LEVELS.randomizer
    )
    assert law(TWO_LEVELS) == []
    assert law(TWO_LEVELS._replace(randomizer=broken))
