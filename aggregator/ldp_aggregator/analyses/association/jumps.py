"""How products of scores jump: higher moments of joint cells.

Intervals go by them where few reports matter.

The product of a respondent's scores for a cell has the moments

    E[(s t)^k] = f own_s own_t + (those who hold one of the two values, and those who hold none)

with `own` and `other` the k-th moments of the factors (`joint_scores.Powers`). How many
hold one value without the other is what the margins would say of independent answers; a
share that is too high or too low by as much as answers depend on each other changes
where a tail begins by little, and tails are all that these moments are for.

A mean square that few jumps make up is as uncertain as the frequency, and errs with it:
it is expected to be off by a share of sqrt(E[(s t)^4] / n) / E[(s t)^2]. Where that is
much, the one above is better.

Source: Bentkus 2004 (tails of sums of bounded scores), as `intervals.scaled_poisson`
uses him.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp_aggregator.analyses.association.likelihood import through
from ldp_aggregator.decoders.moments.moments import ScoreJumps
from ldp_aggregator.decoders.moments.scores import Powers, Scores
from ldp_aggregator.numerics.arrays import Flags, Floats

_FEW = 100
"""Jumps that make up a mean square, below which it is not trusted."""


class CellJumps(NamedTuple):
    """Jumps of cells, flattened."""

    second: Floats
    """The mean square of a score of those who do not hold the cell."""
    few: Flags
    """Where the mean square of the reports may be far off."""
    of_scores: ScoreJumps

    def or_expectation(self, counted: Floats) -> Floats:
        """The mean square of the reports.

        Where few of them make it, no less than the one that is expected.
        """
        safe: Floats = np.where(self.few, np.maximum(counted, self.second), counted)
        return safe


def joint_jumps(
    margins: list[Floats], reports: int, scores: list[Scores]
) -> CellJumps | None:
    """None where the scores of a question do not know their own.

    `margins` are shares of the values, by question.
    """
    known = [scores_of_one.powers for scores_of_one in scores]
    shares = [np.clip(scores_of_one, 0, 1) for scores_of_one in margins]
    own = [powers[0] for powers in known if powers is not None]
    others = [powers[1] for powers in known if powers is not None]
    if len(own) < len(scores):
        return None

    def product(name: str, of: list[Powers]) -> Floats:
        return by_cell([getattr(powers, name) for powers in of])

    def of_the_rest(name: str, power: int = 1) -> Floats:
        """The mean over those who do not hold the cell, as independent answers would
        have it.
        """
        pairs = [
            (getattr(a, name) ** power, getattr(b, name) ** power)
            for a, b in zip(own, others, strict=True)
        ]
        # The mean over everyone, of which the part of those who hold the cell is taken
        # away.
        every = by_cell(
            [
                share * a + (1 - share) * b
                for share, (a, b) in zip(shares, pairs, strict=True)
            ]
        )
        return every - by_cell(
            [share * a for share, (a, _) in zip(shares, pairs, strict=True)]
        )

    second = product("second", own)
    third = product("third", own)
    fourth = product("fourth", own)
    # With 1 for the mean of a holder's score; which part of them goes up is not known,
    # so both ways have all.
    own_third = third - 3 * second + 2
    own_fourth = fourth - 4 * third + 6 * second - 3 - 3 * (second - 1) ** 2
    rest = of_the_rest("second")
    rest_fourth = of_the_rest("fourth")
    signed = of_the_rest("signed")
    excess = rest_fourth - 3 * of_the_rest("second", 2)
    # The share of the fourth moment that jumps upwards have: half where there is none.
    upward = np.divide(
        rest_fourth + signed,
        2 * rest_fourth,
        out=np.full_like(rest, 0.5),
        where=rest_fourth > 0,
    )
    return CellJumps(
        rest,
        reports * rest**2 < _FEW * rest_fourth,
        ScoreJumps(
            third=(own_third, of_the_rest("third")),
            fourth=(own_fourth, excess),
            rising=(own_fourth, upward * excess),
            falling=(own_fourth, (1 - upward) * excess),
        ),
    )


def by_cell(factors: list[Floats]) -> Floats:
    """The product of a factor for each value of each question, by cell, flattened."""
    return through(
        np.ones([1] * len(factors)), [factor[:, None] for factor in factors]
    ).ravel()
