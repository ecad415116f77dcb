"""Scores: the worth of a report to each value, linear in the tally cells it marks.

The score s_x of a report is unbiased: E[s_x | v] = [x = v] for a respondent who holds
v. Given what they hold, the reports of one respondent to several questions are
independent, so the product of their scores is unbiased for holding both values; and the
mean product over respondents, for the share of those who do. All that is needed are
sums over respondents of products of linear functions of marks, which a joint tally has,
and these functions are here:

    ones     1 for every report
    scores   s_x: what the estimator of the question makes of one report
    squares  functions with the expectation E[s_x^2 | v], whatever v
    own      E[s_x^2 | x];  alike, least: the greatest and the least E[s_x^2 | v] among the values v
             other than x
    powers   E[s_x^k | x], and the mean of E[s_x^k | v] over those who do not hold x
             (`Powers`)
    law      E[mark | v]
    moments  sums over reports of functions with the expectation E[s_x s_z | v], from
             the question's own tally

    symbols  one mark a report, so that s_x s_z is such a function itself
    bits     s_x s_z has the expectation c + (e - c) ([x = v] + [z = v]), as
             `joint_support` says
    bloom    W by least squares on the candidates' bits X, each cohort weighted by its
             share N_j / N of the reports: s = (N / N_j) W_j (bits - p*) / (q* - p*),
             with Cov(bits | v) diagonal
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ldp.mechanisms.contract import Pure, Randomizer, is_pure
from ldp.survey.survey import Question
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.numerics.postprocessing import norm_sub
from ldp_aggregator.tallies.counting.joint_counting import marked_once

_HARDLY_ANY = 1e-12


class Powers(NamedTuple):
    """Powers of the scores of each value: arrays of shape (M,)."""

    second: Floats
    third: Floats
    fourth: Floats
    signed: Floats
    """E[s^4] where s > 0, less E[s^4] where s < 0: the part of a product follows from
    those of its factors.
    """


@dataclass(frozen=True, eq=False)
class Scores:
    """The functions for M values and C cells: arrays of shape (M, C), but for `ones`
    (C,).

    `own`, `alike` and `least` are numbers, of shape (M,).
    """

    ones: Floats
    scores: Floats
    squares: Floats
    own: Floats
    alike: Floats
    """Of the value that x is most easily taken for: what its estimate gains by error,
    that one's loses.
    """
    least: Floats
    law: Callable[[], Floats]
    moments: Callable[[Floats], Floats]
    """From cell counts (C,) to (M, M)."""
    powers: tuple[Powers, Powers] | None
    """Of those who hold the value, and of the others, whose values are as their own
    reports say.

    None if not known.
    """


def symbol_scores(
    question: Question, counts: Counts, decode: Callable[[Randomizer, Counts], Moments]
) -> Scores:
    """Of reports that are one symbol each: its score is what the decoder makes of it
    alone.
    """
    cells = question.layout.cells
    randomizer = question.randomizer
    decoded = [decode(randomizer, unit[None]) for unit in np.eye(cells, dtype=np.int64)]
    scores = np.stack([alone.frequency for alone in decoded], axis=1)

    def law() -> Floats:
        return np.array(
            [[float(mass) for mass in row] for row in randomizer.channel().rows]
        )

    def moments(counts: Floats) -> Floats:
        return scores * counts @ scores.T

    if is_pure(randomizer):
        alike = least = decoded[0].variance_if_not
        powers = powers_of_support(randomizer)
    else:
        by_value = law().T
        alike, least = among_others(scores**2 @ by_value)
        shares = norm_sub(scores @ counts[0] / counts.sum())
        powers = powers_by_holders(scores, by_value, shares)
    return Scores(
        ones=ones_of(question),
        scores=scores,
        squares=scores**2,
        own=decoded[0].variance_if_held + 1,
        alike=alike,
        least=least,
        law=law,
        moments=moments,
        powers=powers,
    )


def by_pairs(
    question: Question,
    scores: Floats,
    square: tuple[float, float],
    pair: tuple[float, float],
    law: Floats,
    powers: tuple[Powers, Powers],
) -> Scores:
    """Scores of pairs: E[s_x^2 | v] is one of two numbers, and so is E[s_x s_z | v].

    `square` is (if x = v, else), and `pair` is (if x or z is v, if neither is).
    """
    own, other = square
    one = ones_of(question)
    either, neither = pair

    def moments(counts: Floats) -> Floats:
        of_value, total = scores @ counts, one @ counts
        sums = neither * total + (either - neither) * (
            of_value[:, None] + of_value[None, :]
        )
        np.fill_diagonal(sums, other * total + (own - other) * of_value)
        return sums

    squares = other * one + (own - other) * scores
    size = len(scores)
    elsewhere = np.full(size, other)
    return Scores(
        one,
        scores,
        squares,
        own=np.full(size, own),
        alike=elsewhere,
        least=elsewhere,
        law=lambda: law,
        moments=moments,
        powers=powers,
    )


def powers_of_support(randomizer: Pure) -> tuple[Powers, Powers]:
    """Powers of scores (support - q) / (p - q)."""
    p, q = (float(rate) for rate in randomizer.support)
    scores = np.array([1 - q, -q]) / (p - q)
    own, of_others = (
        even_powers(scores, np.array([rate, 1 - rate]), randomizer.size)
        for rate in (p, q)
    )
    return own, of_others


def even_powers(scores: Floats, law: Floats, size: int) -> Powers:
    """Powers of scores that have this law for any of `size` values."""
    return Powers(*(np.full(size, float(power @ law)) for power in _powers(scores)))


def powers_by_holders(
    scores: Floats, by_value: Floats, shares: Floats
) -> tuple[Powers, Powers]:
    """Powers of scores (M, C) for symbols that have the chances `by_value` (C, M).

    The others hold what the `shares` (M,) say.
    """
    others = np.where(np.eye(len(shares), dtype=bool), 0.0, shares + _HARDLY_ANY)
    others /= np.maximum(others.sum(axis=1, keepdims=True), _HARDLY_ANY)
    expected = [power @ by_value for power in _powers(scores)]
    return (
        Powers(*(np.diag(power).copy() for power in expected)),
        Powers(*((others * power).sum(axis=1) for power in expected)),
    )


def _powers(scores: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the powers whose expectations are `Powers`."""
    return scores**2, scores**3, scores**4, np.sign(scores) * scores**4


def among_others(expected: Floats) -> tuple[Floats, Floats]:
    """The greatest and the least of each row, its diagonal left out.

    0 where there is nothing else.
    """
    size = len(expected)
    if size == 1:
        return np.zeros(1), np.zeros(1)
    others = expected[~np.eye(size, dtype=bool)].reshape(size, size - 1)
    return others.max(axis=1), others.min(axis=1)


def ones_of(question: Question) -> Floats:
    """1 in every cell that each report marks once."""
    return marked_once(question.layout).astype(float)
