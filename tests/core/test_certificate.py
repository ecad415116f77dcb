"""Certificates: every delivered ratio is at most e^epsilon, and another checker
agrees.
"""

import random
from fractions import Fraction

import pytest
from certified_designs import (
    BOOLEAN,
    CATEGORY,
    QUICK,
    checker,
    designed,
    grid,
    judged,
    random_design,
)

from ldp import Question
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.chains.longitudinal import Chain
from ldp.mechanisms.contract import Declared, lifetime_ratio
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.numbers import exact
from ldp.privacy.certificate import certify, exact_ratios

RANDOM_DESIGNS = 20_000
SHARES = 8
CHECKED_IN_FULL = 20
"""One random design in 20 goes through the whole checker.

All of them through its exact comparison.
"""


def within(question):
    """Whether reports reveal at most what is declared.

    For an epsilon, by the checker's own bound of e^epsilon.
    """
    return _within(question.randomizer.ratio, question.declared) and (
        question.declared.lifetime is None
        or _within(lifetime_ratio(question.randomizer), question.declared.lifetime)
    )


def _within(ratio, declared):
    limit = declared.bound
    if not declared.text.startswith("ln"):
        limit = min(limit, checker.exp_lower(Fraction(declared.text)))
    return ratio <= limit


def test_every_design_of_the_grid_is_certified():
    """At least 500 designs of all mechanisms keep e^epsilon, and the checker finds no
    fault.
    """
    counted = dict.fromkeys(MECHANISMS, 0)
    for mechanism, domain, keys in grid():
        question = designed(mechanism, domain, keys)
        assert within(question), (mechanism, keys)
        assert judged(question) == (question.randomizer.ratio, []), (mechanism, keys)
        counted[mechanism] += 1
    assert sum(counted.values()) >= 500
    assert min(counted.values()) >= 15


@pytest.mark.parametrize("seed", range(SHARES))
def test_random_designs_are_certified(seed):
    """20,000 random designs: each ratio is at most e^epsilon, exactly.

    A fault of one design in 1,500 is found with a chance of .999999. One design in
    twenty goes through the whole checker.
    """
    draw = random.Random(seed)
    for tried in range(RANDOM_DESIGNS // SHARES):
        mechanism, domain, keys = random_design(draw)
        question = designed(mechanism, domain, keys)
        assert within(question), (mechanism, keys)
        if tried % CHECKED_IN_FULL == 0:
            assert judged(question) == (question.randomizer.ratio, []), (
                mechanism,
                keys,
            )


def test_every_mechanism_can_be_drawn_at_random():
    """Those that are quick to design are all among some thousand random designs."""
    draw = random.Random(0)
    assert {random_design(draw)[0] for _ in range(2000)} == set(QUICK)


def declaring(bound, lifetime=None):
    """A question that declares ratios, of which one report delivers 3, and all reports
    5.
    """
    declared = Declared(
        "1.1", bound, None if lifetime is None else Declared("1.7", lifetime)
    )
    chain = Chain(RandomizedResponse(2, 5, 1), RandomizedResponse(2, 7, 1))
    randomizer = RandomizedResponse(4, 3, 1) if lifetime is None else chain
    return Question(
        "x",
        CATEGORY[4] if lifetime is None else BOOLEAN,
        "grr",
        randomizer=randomizer,
        declared=declared,
        survey="s",
    )


THREE, FIVE, CLOSE = Fraction(3), Fraction(5), Fraction(1, 10**40)
"""Two ratios, and a difference that no float, and no logarithm as a float, can tell."""


@pytest.mark.parametrize("certified", [exact_ratios, certify])
def test_ratios_are_compared_exactly(certified):
    """A declared ratio less than the delivered by 10^-40 is not kept; an equal or
    larger one is.
    """
    assert float(THREE - CLOSE) == 3.0
    assert float(FIVE - CLOSE) == 5.0
    for more in (Fraction(0), CLOSE):
        certified(declaring(THREE + more))
        certified(declaring(THREE + more, FIVE + more))
    with pytest.raises(ArithmeticError, match="delivers more than the declared"):
        certified(declaring(THREE - CLOSE))
    with pytest.raises(ArithmeticError, match="delivers more than the declared"):
        certified(declaring(THREE - CLOSE, FIVE))
    with pytest.raises(ArithmeticError, match="delivers more, ever, than the declared"):
        certified(declaring(THREE, FIVE - CLOSE))


def test_a_lifetime_without_bound_is_not_kept():
    """RAPPOR without permanent noise cannot declare an epsilon of all reports."""
    bare = designed("rappor", CATEGORY[4], {"p": ".25", "q": ".75", "f": "0"})
    bare.declared = bare.declared._replace(lifetime=Declared("1", Fraction(10**9)))
    with pytest.raises(ArithmeticError, match="ever"):
        certify(bare)


@pytest.mark.parametrize(
    "exponent", ["0", "1e-9", "0.5", "1", "1.999", "2", "7/3", "40", "1234.5"]
)
def test_the_checkers_exponential_is_a_close_lower_bound(exponent):
    """It lies below e^x, by less than one part in 10^60."""
    x = Fraction(exponent)
    assert checker.exp_lower(x) <= exact.exp_upper(x)
    assert checker.exp_lower(x) >= exact.exp_lower(x) * (1 - Fraction(1, 10**60))
