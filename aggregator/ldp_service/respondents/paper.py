"""Randomized response on paper: coins, dice or slips, by the very law of a survey's
mechanism.

A respondent tosses where nobody sees it, and writes down what a table says: the truth,
or an answer that the toss prescribes. As the law is that of the question to the last
digit, reports from paper are pooled with those of devices. It can be had where every
probability of the channel has a denominator that a toss can reach:

    coins     1/2, 1/4, 1/8, 1/16        up to four, in order
    dice      1/6, 1/36                  one, or two in order
    slips     1/n, n up to 60            numbered, in a bag; one is drawn and put back

An epsilon such as "1" has probabilities with large denominators; `forced_true = "1/4"`,
a `matrix` of short decimals or a Warner probability of 2/3 has not.

Source: Warner 1965; Fox and Tracy 1986, on forced responses.
"""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

from ldp.errors import LDPError
from ldp.survey.survey import Question

COINS, DICE, SLIPS = "coins", "dice", "slips"
_MOST_VALUES = 12
_MOST_COINS = 4
_MOST_SLIPS = 60
_SIDES = 6


class PaperError(LDPError):
    """A question that paper cannot ask by the law of its mechanism."""


class Rule(NamedTuple):
    """Rule on paper: an answer for each outcome of a toss, by the value that is
    true.
    """

    device: str
    tosses: int
    """How many coins or dice; how many slips there are."""
    written: tuple[tuple[int, ...], ...]

    @property
    def outcomes(self) -> list[str]:
        """Return the outcomes of a toss, all alike likely."""
        if self.device == SLIPS:
            return [str(number) for number in range(1, self.tosses + 1)]
        sides = "HT" if self.device == COINS else "123456"
        return ["".join(sequence) for sequence in product(sides, repeat=self.tosses)]


def rule_of(question: Question) -> Rule:
    """The rule that has the law of a question. Raises `PaperError` if no toss has
    it.
    """
    size, layout = question.domain.size, question.layout
    plain = layout.symbols == size and layout.cohorts == layout.places == 1
    if (
        size is None
        or not plain
        or size > _MOST_VALUES
        or question.domain.most is not None
    ):
        raise _unreachable(
            question, f"one of up to {_MOST_VALUES} answers that are sent as such"
        )
    if question.memoizes or question.draw is not None or question.domain.per_device:
        raise _unreachable(question, "a question that is asked once, of everyone")
    rows = question.randomizer.channel().rows
    common = math.lcm(*(mass.denominator for row in rows for mass in row))
    device, tosses, outcomes = _device(question, common)
    # How many outcomes lead from each value to each report, (size, size).
    counts = [[int(mass * outcomes) for mass in row] for row in rows]
    forced = [min(column) for column in zip(*counts, strict=True)]
    same = [report for report, count in enumerate(forced) for _ in range(count)]
    rest = [
        [
            report
            for report, count in enumerate(row)
            for _ in range(count - forced[report])
        ]
        for row in counts
    ]
    # As it is told in class: heads, the truth; tails, toss again, and say yes for
    # heads.
    if question.domain.type == "boolean":
        same.reverse()
    written = [*zip(*rest, strict=True), *((report,) * size for report in same)]
    return Rule(device, tosses, tuple(written))


def _device(question: Question, common: int) -> tuple[str, int, int]:
    """Return a device with this many outcomes: its name, how many of it, how many
    outcomes.
    """
    for coins in range(1, _MOST_COINS + 1):
        if 2**coins % common == 0:
            return COINS, coins, 2**coins
    for dice in (1, 2):
        if _SIDES**dice % common == 0:
            return DICE, dice, _SIDES**dice
    if common <= _MOST_SLIPS:
        return SLIPS, common, common
    shown = str(common) if common < 10**9 else f"a number of {len(str(common))} digits"
    raise _unreachable(
        question,
        f"probabilities in parts of 2, 4, 8, 16, 6, 36 or up to {_MOST_SLIPS} (not of "
        f"{shown}), as "
        'of forced_true = "1/4" or a matrix of short decimals',
    )


def _unreachable(question: Question, expected: str) -> PaperError:
    return PaperError(
        f"question {question.name} cannot be asked on paper: expected {expected}"
    )
