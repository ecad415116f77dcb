"""Certificates: every delivered ratio is at most e^epsilon, exactly, and a checker that shares no code agrees."""

import random
from fractions import Fraction

import pytest
from certified_designs import as_read, checker, designed, grid, random_design

from ldp import exact
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.contract import lifetime_ratio

RANDOM_DESIGNS = 100_000
SHARES = 8
CHECKED_IN_FULL = 20
"""One in so many random designs goes through the whole checker; all of them through its exact comparison."""


def has_signal(mechanism, keys):
    """Whether a random design says anything: equal probabilities are refused, as tested elsewhere."""
    if mechanism == "rappor":
        return keys["p"] != keys["q"]
    return keys.get("truth") != "1/2" or mechanism != "warner"


def within(question):
    """Whether reports reveal at most what is declared; for an epsilon, by the checker's own bound of e^epsilon."""
    return _within(question.randomizer.ratio, question.declared) and (
        question.declared.lifetime is None or _within(lifetime_ratio(question.randomizer), question.declared.lifetime)
    )


def _within(ratio, declared):
    limit = declared.bound if declared.text.startswith("ln") else checker.exp_lower(Fraction(declared.text))
    return ratio <= min(limit, declared.bound)


def test_every_design_of_the_grid_is_certified():
    """At least 500 designs over all mechanisms: each ratio at most e^epsilon, and the checker finds nothing wrong."""
    counted = dict.fromkeys(MECHANISMS, 0)
    for mechanism, domain, keys in grid():
        question = designed(mechanism, domain, keys)
        assert within(question), (mechanism, keys)
        found, wrong = checker.failures(as_read(question))
        assert (found, wrong) == (question.randomizer.ratio, []), (mechanism, keys)
        counted[mechanism] += 1
    assert sum(counted.values()) >= 500
    assert min(counted.values()) >= 15


@pytest.mark.parametrize("seed", range(SHARES))
def test_random_designs_are_certified(seed):
    """100,000 random designs: each ratio is at most e^epsilon, exactly; one in twenty through the whole checker."""
    draw = random.Random(seed)
    tried = 0
    while tried < RANDOM_DESIGNS // SHARES:
        mechanism, domain, keys = random_design(draw)
        if not has_signal(mechanism, keys):
            continue
        question = designed(mechanism, domain, keys)
        assert within(question), (mechanism, keys)
        if tried % CHECKED_IN_FULL == 0:
            assert checker.failures(as_read(question)) == (question.randomizer.ratio, []), (mechanism, keys)
        tried += 1


@pytest.mark.parametrize("exponent", ["0", "1e-9", "0.5", "1", "1.999", "2", "7/3", "40", "1234.5"])
def test_the_checkers_exponential_is_a_close_lower_bound(exponent):
    """It lies below e^x, by less than one part in 10^60."""
    x = Fraction(exponent)
    assert checker.exp_lower(x) <= exact.exp_upper(x)
    assert checker.exp_lower(x) >= exact.exp_lower(x) * (1 - Fraction(1, 10**60))
