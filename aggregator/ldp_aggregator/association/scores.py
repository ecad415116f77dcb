"""What a report is worth to each value of its question, as linear functions of the tally cells that
it marks.

The score s_x of a report is unbiased: E[s_x | v] = [x = v] for a respondent who holds v. Given what
they hold, the reports of one respondent to several questions are independent, so the product of
their scores is unbiased for holding both values; and the mean product over respondents, for the
share of those who do. All that is needed are sums over respondents of products of linear functions
of marks, which a joint tally has, and these functions are here:

    ones     1 for every report
    scores   s_x: what the estimator of the question makes of one report
    squares  functions with the expectation E[s_x^2 | v], whatever v
    own      E[s_x^2 | x];  alike, least: the greatest and the least E[s_x^2 | v] among the values v other than x
    powers   E[s_x^k | x], and the mean of E[s_x^k | v] over those who do not hold x (`Powers`)
    law      E[mark | v]
    moments  sums over reports of functions with the expectation E[s_x s_z | v], from the question's
             own tally

    symbols  one mark a report, so that s_x s_z is such a function itself
    bits     s_x s_z has the expectation c + (e - c) ([x = v] + [z = v]), as `joint_support` says
    bloom    W by least squares on the candidates' bits X, each cohort weighted by its share N_j / N
             of the reports: s = (N / N_j) W_j (bits - p*) / (q* - p*), with Cov(bits | v) diagonal
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Pure, is_pure
from ldp.mechanisms.histogram import NoisyHistogram
from ldp.mechanisms.rappor import Rappor
from ldp.survey import Question
from ldp_aggregator.arrays import Counts, Floats
from ldp_aggregator.decoders.bloom.decoding import design_matrix
from ldp_aggregator.estimates.estimation import moments_of
from ldp_aggregator.moments.repeats import noise_of
from ldp_aggregator.postprocessing import norm_sub
from ldp_aggregator.tallies.joint_counting import marked_once

MOST_SCORES = 1 << 22
_HARDLY_ANY = 1e-12


class Powers(NamedTuple):
    """Of the scores of each value: arrays of shape (M,)."""

    second: Floats
    third: Floats
    fourth: Floats
    signed: Floats
    """E[s^4] where s > 0, less E[s^4] where s < 0: the part of a product follows from those of its
    factors.
    """


@dataclass(frozen=True, eq=False)
class Scores:
    """The functions for M values and C cells: arrays of shape (M, C), but for `ones` (C,).

    `own`, `alike` and `least` are numbers, of shape (M,).
    """

    ones: Floats
    scores: Floats
    squares: Floats
    own: Floats
    alike: Floats
    """Of the value that x is most easily taken for: what its estimate gains by error, that one's
    loses.
    """
    least: Floats
    law: Callable[[], Floats]
    moments: Callable[[Floats], Floats]
    """From cell counts (C,) to (M, M)."""
    powers: tuple[Powers, Powers] | None
    """Of those who hold the value, and of the others, whose values are as their own reports say.

    None if not known.
    """


def joint_scores(question: Question, counts: Counts, values: Sequence[str]) -> Scores:
    """The functions of a question whose own tally is `counts`.

    Raises `EstimateError` where they are too large.
    """
    if len(values) * counts.size > MOST_SCORES:
        raise EstimateError(
            f"question {question.name!r}: expected at most {MOST_SCORES:,} scores (values times "
            f"cells of the tally) "
            f"for an association, got {len(values) * counts.size:,}"
        )
    if question.randomizer.kind == "bloom":
        return _of_bloom(question, counts, values)
    if question.layout.places > 1:
        return _of_numbers(question)
    return _of_bits(question) if question.layout.bits else _of_symbols(question, counts, values)


def _of_symbols(question: Question, counts: Counts, values: Sequence[str]) -> Scores:
    cells = question.layout.cells
    randomizer = question.randomizer
    decoded = [moments_of(randomizer, unit[None], values) for unit in np.eye(cells, dtype=np.int64)]
    scores = np.stack([each.frequency for each in decoded], axis=1)

    def law() -> Floats:
        return np.array([[float(mass) for mass in row] for row in randomizer.channel().rows])

    def moments(counts: Floats) -> Floats:
        return np.asarray(scores * counts @ scores.T)

    if is_pure(randomizer):
        alike = least = decoded[0].other
        powers = _of_support(randomizer)
    else:
        by_value = law().T
        alike, least = _among_others(scores**2 @ by_value)
        held = norm_sub(scores @ counts[0] / counts.sum())
        powers = _by_holders(scores, by_value, held)
    return Scores(
        _ones(question), scores, scores**2, decoded[0].hold + 1, alike, least, law, moments, powers
    )


def _of_bits(question: Question) -> Scores:
    randomizer, size = question.randomizer, question.layout.bits
    assert is_pure(randomizer)  # noqa: S101
    p, q = (float(rate) for rate in randomizer.support)
    joint = randomizer.joint_support()
    assert joint is not None  # noqa: S101
    scale = (p - q) ** 2
    scores = np.concatenate([np.full((size, 1), -q), np.eye(size)], axis=1) / (p - q)
    hold, other = p * (1 - p) / scale, q * (1 - q) / scale
    law = np.concatenate([np.ones((size, 1)), q + (p - q) * np.eye(size)], axis=1)
    either, neither = (float(joint[0]) - p * q) / scale, (float(joint[1]) - q * q) / scale
    return _by_pairs(
        question, scores, (hold + 1, other), (either, neither), law, _of_support(randomizer)
    )


def _of_numbers(question: Question) -> Scores:
    randomizer = question.randomizer
    assert isinstance(randomizer, NoisyHistogram)  # noqa: S101
    size, levels, variance = randomizer.size, randomizer.levels, float(randomizer.variance())
    level_scores = [float(score) for score in randomizer.scores()]
    scores: Floats = np.kron(np.eye(size), level_scores).astype(float)
    laws = np.array(
        [[float(mass) for mass in randomizer.level_law(holds=holds)] for holds in (False, True)]
    )
    law = laws[np.eye(size, dtype=int)].reshape(size, size * levels)
    of_others, own = (_powers(np.array(level_scores), each, size) for each in laws)
    return _by_pairs(question, scores, (variance + 1, variance), (0.0, 0.0), law, (own, of_others))


def _by_pairs(
    question: Question,
    scores: Floats,
    square: tuple[float, float],
    pair: tuple[float, float],
    law: Floats,
    powers: tuple[Powers, Powers],
) -> Scores:
    """Where E[s_x^2 | v] is (if x = v, else), and E[s_x s_z | v] is (if x or z is v, if neither
    is).
    """
    own, other = square
    one = _ones(question)
    either, neither = pair

    def moments(counts: Floats) -> Floats:
        held, total = scores @ counts, one @ counts
        found = neither * total + (either - neither) * (held[:, None] + held[None, :])
        np.fill_diagonal(found, other * total + (own - other) * held)
        return np.asarray(found)

    squares = other * one + (own - other) * scores
    size = len(scores)
    elsewhere = np.full(size, other)
    return Scores(
        one, scores, squares, np.full(size, own), elsewhere, elsewhere, lambda: law, moments, powers
    )


def _of_bloom(question: Question, counts: Counts, candidates: Sequence[str]) -> Scores:
    randomizer = question.randomizer
    assert isinstance(randomizer, Rappor)  # noqa: S101
    bits, noise = randomizer.bits, noise_of(randomizer)
    gain = noise.one - noise.zero
    sizes = counts[:, 0].astype(float)
    share = np.repeat(sizes / max(sizes.sum(), 1.0), bits)
    design = design_matrix(randomizer, candidates).toarray()
    gram = design.T @ (share[:, None] * design)
    if not len(candidates) or np.linalg.matrix_rank(gram) < len(gram):
        raise EstimateError(
            f"question {question.name!r}: expected candidates that set different bits, got none, "
            f"too many, or some "
            "that cannot be told apart by these reports"
        )
    # The share of a cohort in the weights cancels the one that its reports are divided by.
    weights = np.linalg.solve(gram, design.T) / gain
    by_cohort = weights.reshape(len(gram), -1, bits)
    scores = np.concatenate([-noise.zero * by_cohort.sum(axis=2, keepdims=True), by_cohort], axis=2)
    seen = np.einsum("xji,jiv->jxv", by_cohort * gain, design.reshape(-1, bits, len(gram)))
    shares = sizes / sizes.sum()
    spread = noise.zero_variance + (noise.one_variance - noise.zero_variance) * design
    expected = weights**2 @ (share[:, None] * spread) + np.einsum("j,jxv->xv", shares, seen**2)
    flat = scores.reshape(len(gram), -1)
    rates = noise.zero + gain * design.reshape(-1, bits, len(gram))
    marks = np.concatenate([np.ones((len(shares), 1, len(gram))), rates], axis=1)

    def moments(cells: Floats) -> Floats:
        held = flat @ cells
        noisy = weights * (share * (spread @ held)) @ weights.T
        return np.asarray(
            noisy + np.einsum("j,jxv,v,jzv->xz", shares, seen, held, seen, optimize=True)
        )

    def law() -> Floats:
        return np.asarray((shares[:, None, None] * marks).reshape(-1, len(gram)).T)

    alike, least = _among_others(expected)
    own = np.diag(expected).copy()
    return Scores(_ones(question), flat, expected @ flat, own, alike, least, law, moments, None)


def _of_support(randomizer: Pure) -> tuple[Powers, Powers]:
    """Of scores (support - q) / (p - q)."""
    p, q = (float(rate) for rate in randomizer.support)
    scores = np.array([1 - q, -q]) / (p - q)
    own, of_others = (
        _powers(scores, np.array([rate, 1 - rate]), randomizer.size) for rate in (p, q)
    )
    return own, of_others


def _powers(scores: Floats, law: Floats, size: int) -> Powers:
    """Of scores that have this law for any of `size` values."""
    return Powers(*(np.full(size, float(power @ law)) for power in _raised(scores)))


def _by_holders(scores: Floats, by_value: Floats, held: Floats) -> tuple[Powers, Powers]:
    """Of scores (M, C) for symbols that have the chances `by_value` (C, M), where the others hold
    what is held.
    """
    others = np.where(np.eye(len(held), dtype=bool), 0.0, held + _HARDLY_ANY)
    others /= np.maximum(others.sum(axis=1, keepdims=True), _HARDLY_ANY)
    expected = [power @ by_value for power in _raised(scores)]
    return (
        Powers(*(np.diag(power).copy() for power in expected)),
        Powers(*((others * power).sum(axis=1) for power in expected)),
    )


def _raised(scores: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """What `Powers` are the expectations of."""
    return scores**2, scores**3, scores**4, np.sign(scores) * scores**4


def _among_others(expected: Floats) -> tuple[Floats, Floats]:
    """The greatest and the least of each row, its diagonal left out.

    0 where there is nothing else.
    """
    size = len(expected)
    if size == 1:
        return np.zeros(1), np.zeros(1)
    others = expected[~np.eye(size, dtype=bool)].reshape(size, size - 1)
    return others.max(axis=1), others.min(axis=1)


def _ones(question: Question) -> Floats:
    return marked_once(question.layout).astype(float)
