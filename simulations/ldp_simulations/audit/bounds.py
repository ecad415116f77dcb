"""Guarantees from draws: lower bounds of epsilon, tests of a law, and their power.

Suppose that an event T happens in a of n reports of one answer, and in b of n reports
of another. If the mechanism has the ratio e^epsilon, then P[T | one] <= e^epsilon P[T |
other]. With the ends of Clopper and Pearson's exact intervals, each at half of the
false-alarm rate alpha,

    epsilon >= ln( low(a, n; alpha / 2) / high(b, n; alpha / 2) )      with probability 1 - alpha

A law that is declared is tested event by event against the binomial law, exactly, both
tails; a law that is not written down, against as many reports of the core, by Fisher's
exact test. Of several events or tests each has a share of alpha (Bonferroni).

Sources: Clopper and Pearson 1934; Arcolezi and Gambs, PETS 2024 (LDP-Auditor), whose
events are guesses of the answer: those by the declared law, which are used here, get
nearer to epsilon.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy
from scipy.special import betaincinv

from ldp_aggregator.numerics.arrays import Counts, Floats

Numbers = Counts | Floats | float
"""One, or several."""

FALSE_ALARMS = 1e-6
"""Of a whole audit, all its looks together."""
POWER = 0.99
_TINY = 1e-300


def least_chance(happened: Numbers, draws: Numbers, alpha: Numbers) -> Floats:
    """Clopper and Pearson's lower end: too high with probability alpha at most. Any one
    shape.
    """
    happened, draws = np.asarray(happened, dtype=float), np.asarray(draws, dtype=float)
    inner = betaincinv(
        np.maximum(happened, 1), np.maximum(draws - happened + 1, 1), alpha
    )
    return np.where(happened > 0, inner, 0.0)


def greatest_chance(happened: Numbers, draws: Numbers, alpha: Numbers) -> Floats:
    """Clopper and Pearson's upper end: too low with probability alpha at most. Any one
    shape.
    """
    happened, draws = np.asarray(happened, dtype=float), np.asarray(draws, dtype=float)
    return 1 - least_chance(draws - happened, draws, alpha)


def least_epsilon(
    counts: tuple[Numbers, Numbers], draws: tuple[Numbers, Numbers], alpha: float
) -> Floats:
    """The lower bound of epsilon, from how often an event happened with two answers.

    Each of one shape; -inf where it never happened with the first.
    """
    low = least_chance(counts[0], draws[0], alpha / 2)
    high = greatest_chance(counts[1], draws[1], alpha / 2)
    with np.errstate(divide="ignore"):
        return np.log(low) - np.log(np.maximum(high, _TINY))


def expected_epsilon(
    p: float, q: float, draws: int, alpha: float = FALSE_ALARMS
) -> float:
    """The lower bound where an event with chances p and q happens as often as is
    expected.
    """
    return float(least_epsilon((draws * p, draws * q), (draws, draws), alpha))


def binomial_chances(happened: Numbers, draws: Numbers, chance: Numbers) -> Floats:
    """P-values of counts, both tails, if each event had its chance. Any one shape."""
    return _both_tails(scipy.stats.binom, happened, (draws, chance))


def fisher_chances(
    happened: Numbers, draws: Numbers, others: Numbers, other_draws: Numbers
) -> Floats:
    """P-values of counts beside those of others, both tails, if both had one chance.

    Of no draws at all nothing is said: 1.
    """
    happened, others = np.asarray(happened), np.asarray(others)
    total = np.asarray(draws) + np.asarray(other_draws)
    both = happened + others
    chances: Floats = np.where(
        total > 0, chances_of_both(happened, (total, both, draws)), 1.0
    )
    return chances


def chances_of_both(happened: Numbers, law: tuple[Numbers, Numbers, Numbers]) -> Floats:
    """P-values of how often two events happened together, both tails, if they are
    independent.

    Given in how many draws, and how often each of them did, that is hypergeometric.
    """
    return _both_tails(scipy.stats.hypergeom, happened, law)


def _both_tails(law: Any, happened: Numbers, parameters: tuple[Numbers, ...]) -> Floats:
    below = law.cdf(happened, *parameters)
    above = law.sf(np.asarray(happened) - 1, *parameters)
    chances: Floats = np.minimum(2 * np.minimum(below, above), 1.0)
    return chances


def noticed_deviation(
    chance: float, draws: int, level: float, power: float = POWER
) -> float:
    """How far a chance has to be off for a test at a level to notice it, with a
    power.
    """
    reach = float(scipy.stats.norm.isf(level / 2) + scipy.stats.norm.isf(1 - power))
    return reach * math.sqrt(chance * (1 - chance) / draws)


def noticed_excess(p: float, draws: int, level: float) -> float:
    """How much more epsilon than declared the law of an event gives away.

    p is how likely a report supports its answer. With two levels, ln(p / (1 - p)) is
    epsilon and a number that does not depend on it, so that p moves by p (1 - p) for
    each unit of epsilon.
    """
    if not 0 < p < 1:
        return math.inf
    return noticed_deviation(p, draws, level) / (p * (1 - p))
