"""Associations: joint frequencies of questions answered together, and tests of
independence.

A respondent's reports to two questions are each a noisy answer, and the noise of one
has nothing to do with that of the other. So a number that is right on average for one
answer, times one that is right for the other, is right on average for both: means of
such products are the cells of the table of true answers, that is, which share of the
respondents holds which pair of values.

With s the scores of a respondent's report to one question and t those of another
(`joint_scores`),

    frequency     mean of s_x t_z: unbiased for the share of respondents who hold both x
                  and z
    error         n Var = S - f for the respondents, S - f^2 for a population they were drawn from,
                  with S = E[s_x^2 t_z^2], which is estimated without bias, too
    interval      all f for which |estimate - f| is within the error at f (`intervals`);
                  where few reports matter, those under which it is no rare one
                  (`joint_jumps`, `scaled_poisson`). If every value but x is as likely
                  as any other to be taken for x, and so for z, S is linear in f and in
                  the margins:
                  S = S_0 + slope f,  slope = (E[s_x^2 | x] - E[s_x^2 | not x]) (E[t_z^2 | z] -
                                      E[t_z^2 | not z])
                  So S_0 = (estimate of S) - slope (estimate of f) depends on the
                  margins alone, which are known far better than the cell; it is at
                  least what it would be if no one held x or z. Otherwise "not x" is the
                  value that x is most easily taken for, as errors of x are exchanged
                  with that one's
    conditional   of those who hold x, the share who hold z: all r for which |f_xz - r
                  f_x| is within the error of that difference if r is the share
                  (Fieller). Where f_x itself may be 0 that is everything from 0 to 1,
                  and no share is given
    independence  if two answers are independent, so are their reports, and their
                  centred scores have no covariance: n times the sum of squares of all
                  mean products of whitened contrasts of scores is a chi-square with
                  (d_1 - 1) (d_2 - 1) degrees of freedom. Where reports are symbols, as
                  many as values, it is Pearson's statistic on the table of reports. His
                  statistic on de-biased counts would take noise for dependence
    three         questions are all taken to be independent of each other; prod(d) - 1 -
                  sum(d - 1) degrees of freedom

Sources: Chaudhuri and Mukerjee 1988 (products of inverse channels); Fieller 1954;
Gaboardi and Rogers 2018 (tests of independence under local privacy); Lancaster 1951
(the three-way chi-square).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ldp.answers.texts import to_nfc
from ldp.errors import EstimateError
from ldp.survey.survey import Group, Question, Survey
from ldp_aggregator.analyses.association.jumps import CellJumps, by_cell, joint_jumps
from ldp_aggregator.analyses.association.likelihood import most_likely, through
from ldp_aggregator.analyses.association.result import Association
from ldp_aggregator.analyses.association.scores import joint_scores
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.manipulation import manipulation
from ldp_aggregator.answers.results.remarks import (
    on_intervals,
    on_report_numbers,
    on_respondents,
)
from ldp_aggregator.decoders.bloom.regression import ChiSquare
from ldp_aggregator.decoders.intervals.intervals import (
    careful_interval,
    covariance_for,
    few_reports,
    least_respondents,
    miss,
    standard_error,
    within_bounds,
)
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.moments.scores import Scores
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.output.checks import Remark
from ldp_aggregator.tallies.counting.joint_counting import joint_table
from ldp_aggregator.tallies.tally import Tally

MOST_COVARIANCE = 2000
"""Cells of which the covariance is given."""
_MOST_PAIRS = 1 << 24
_DEFAULTS = Options()
_SINGULAR = 1e-9


def associate(
    tally: Tally,
    names: Sequence[str],
    options: Options = _DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    *,
    likelihood: bool = False,
) -> Association:
    """The joint frequencies of two or three questions of one group, in the order of
    `names`.

    tally       of a survey that asks these questions together
    names       of the questions; arrays have a dimension for each
    options     level, estimand, and whether intervals hold together
    candidates  the texts to look for, by open question
    likelihood  add the most likely table, which has no negative cells

    Raises `EstimateError` if the survey does not ask them together, or if what was
    asked for cannot be given.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> mode, smokes = ldp.question("mode", ["car", "bus"], epsilon="2"), ldp.question(
    ...     "smokes", type="boolean", epsilon="2"
    ... )
    >>> survey = ldp.survey("trip", mode, smokes, joint=["mode", "smokes"])
    >>> people = {"mode": ["car", "bus"] * 500, "smokes": [True, False] * 500}
    >>> tally = ldp_aggregator.aggregate(survey, ldp_simulations.randomize(survey, people))
    >>> ldp_aggregator.associate(tally, ["mode", "smokes"]).frequency.shape
    (2, 2)
    """
    group = _group(tally.survey, names)
    _refuse(options)
    if not tally.reports(names[0]):
        raise EstimateError(f"expected reports to {group.name}, got none yet")
    known = candidates or {}
    questions = tuple(tally.survey[name] for name in names)
    values = tuple(
        question.domain.values or tuple(map(to_nfc, known.get(question.name, ())))
        for question in questions
    )
    margins = [tally.counts[name] for name in names]
    scores = [
        joint_scores(question, counts, texts)
        for question, counts, texts in zip(questions, margins, values, strict=True)
    ]
    table = joint_table(group, tally.counts[group.name], names).astype(float)
    return joint_estimates(
        questions,
        values,
        scores,
        margins=margins,
        table=table,
        options=options,
        likelihood=likelihood,
    )


def joint_estimates(
    questions: tuple[Question, ...],
    values: tuple[tuple[str, ...], ...],
    scores: list[Scores],
    margins: list[Counts],
    table: Floats,
    options: Options,
    *,
    likelihood: bool = False,
) -> Association:
    """Estimate from the joint tally of reports, whose scores are known.

    scores   of each question, whose values are `values`
    margins  the tally of each question by itself
    table    the joint tally, with an axis for the cells of each question

    Raises `EstimateError` for options that no association has.
    """
    _refuse(options)
    reports = round(float(scores[0].ones @ margins[0].ravel()))
    # The frequencies of each question by itself, (M,).
    shares = [
        side.scores @ counts.ravel() / reports
        for side, counts in zip(scores, margins, strict=True)
    ]
    jumps = joint_jumps(shares, reports, scores)
    moments = _moments(table, reports, scores, jumps=jumps)
    pairs = max(side.scores.size * len(side.scores) for side in scores)
    if options.covariance and (
        len(moments.frequency) > MOST_COVARIANCE or pairs > _MOST_PAIRS
    ):
        raise EstimateError(
            f"expected at most {MOST_COVARIANCE:,} cells, and fewer values, for a "
            "covariance"
        )
    missing = miss(options.level, len(moments.frequency), options.simultaneous)
    low, high = within_bounds(careful_interval(moments, missing, options.estimand))
    shape = [len(texts) for texts in values]
    return Association(
        questions,
        values,
        reports,
        options=options,
        frequency=moments.frequency.reshape(shape),
        standard_error=standard_error(moments, options.estimand).reshape(shape),
        low=low.reshape(shape),
        high=high.reshape(shape),
        conditional=_conditional(
            table,
            reports,
            scores,
            jumps=jumps,
            missing=missing,
            estimand=options.estimand,
        ),
        independence=_independence(table, reports, scores, margins=margins),
        likely=most_likely(table, [side.law() for side in scores])
        if likelihood
        else None,
        covariance=covariance_for(moments, options.estimand)
        if options.covariance
        else None,
        remarks=(
            *on_respondents(reports, least_respondents(moments, missing)),
            *on_intervals(low, high),
            *few_reports(moments, missing, options.estimand),
            *_on_counts(questions, margins, moments),
        ),
    )


def _on_counts(
    questions: Sequence[Question], margins: Sequence[Counts], moments: Moments
) -> tuple[Remark, ...]:
    """Whether normal theory may fail for some cells.

    Nothing where scores have no greatest and least.
    """
    if moments.jumps is not None:
        return ()
    reaches = [
        manipulation(question.randomizer, counts).reach
        for question, counts in zip(questions, margins, strict=True)
    ]
    known = [reach for reach in reaches if reach is not None]
    if len(known) < len(reaches):
        return ()
    return on_report_numbers(
        moments.reports * moments.variance_if_not / math.prod(known) ** 2
    )


def _group(survey: Survey, names: Sequence[str]) -> Group:
    groups = {survey[name].name: survey.group_of.get(name) for name in names}
    group = None
    if names:
        group = groups[names[0]]
    if (
        group is None
        or len(names) < 2
        or len(groups) < len(names)
        or set(groups.values()) != {group}
    ):
        known = (
            ", ".join(other.name for other in survey.groups) or "this survey has none"
        )
        raise EstimateError(
            "expected two or three different questions that the survey asks together "
            f"({known}; joint in [survey]), got {', '.join(names) or 'none'}"
        )
    return group


def _refuse(options: Options) -> None:
    if (
        options.interval != "score"
        or options.post_process is not None
        or options.repeats > 1
    ):
        raise EstimateError(
            "expected score intervals, no post-processing and one report each for an "
            "association"
        )


def _moments(
    table: Floats, reports: int, scores: list[Scores], jumps: CellJumps | None
) -> Moments:
    """Moments of the cells, flattened, as `ldp_aggregator.decoders.moments.moments` has
    them.
    """
    # (cells,) each: f and S of the formulas above, and the line through S.
    frequency = through(table, [side.scores for side in scores]).ravel() / reports
    squares = through(table, [side.squares for side in scores]).ravel() / reports
    slope = by_cell([side.own - side.alike for side in scores])
    at_zero = np.maximum(
        squares - slope * frequency, by_cell([side.least for side in scores])
    )
    if jumps is not None:
        at_zero = jumps.or_expectation(at_zero)

    def covariance() -> Floats:
        sizes, places = [len(side.scores) for side in scores], range(len(scores))
        # (pairs of values, tally cells) of each question.
        pairs = [
            _pairs(side).reshape(size * size, -1)
            for side, size in zip(scores, sizes, strict=True)
        ]
        # Mean products, axes (x, x') of the first question, then of the next; sorted to
        # all x, all x', they are (cells, cells).
        mean = (
            through(table, pairs).reshape([size for size in sizes for _ in range(2)])
            / reports
        )
        order = [*(2 * place for place in places), *(2 * place + 1 for place in places)]
        square = mean.transpose(order).reshape(math.prod(sizes), -1)
        return (square - np.diag(frequency)) / reports

    # A line through both: what it would be for f = 1, where other margins are the true
    # ones, does not matter.
    moments = Moments(
        reports,
        frequency,
        np.maximum(at_zero + slope - 1, 0),
        variance_if_not=at_zero,
        covariance=covariance,
    )
    if jumps is None:
        return moments
    return replace(moments, jumps=jumps.of_scores)


def _pairs(scores: Scores) -> Floats:
    """The functions whose expectations are E[s_x s_z | v], of shape (M, M, C)."""
    return np.stack([scores.moments(unit) for unit in np.eye(len(scores.ones))], axis=2)


def _independence(
    table: Floats, reports: int, scores: list[Scores], margins: list[Counts]
) -> ChiSquare | None:
    """None where there are too few reports to know how the scores vary."""
    contrasts = [
        _whiten(side, counts.ravel().astype(float), reports)
        for side, counts in zip(scores, margins, strict=True)
    ]
    functions = [contrast for contrast in contrasts if contrast is not None]
    if len(functions) < len(scores):
        return None
    # An axis of 1 and contrasts for each question; the product of the ones is 1 itself.
    products = through(table, functions) / reports
    sizes = [len(function) for function in functions]
    return ChiSquare(
        reports * float((products**2).sum() - 1),
        math.prod(sizes) - 1 - sum(size - 1 for size in sizes),
    )


def _whiten(scores: Scores, counts: Floats, reports: int) -> Floats | None:
    """1 and the contrasts, differences of scores to the last one, as functions (M, C).

    The contrasts have mean 0, variance 1 and no covariance. None if there are too few
    reports for that.
    """
    # (M,), then (M, C), and (M, M) for the covariance of the scores of one report.
    mean = scores.scores @ counts / reports
    centred = scores.scores - np.outer(mean, scores.ones)
    spread = scores.moments(counts) / reports - np.outer(mean, mean)
    # (M - 1, M): each value less the last one, turned so that nothing is left of
    # covariance.
    differences = np.eye(len(mean))[:-1] - np.eye(len(mean))[-1]
    covariance = differences @ spread @ differences.T
    values, vectors = np.linalg.eigh(covariance)
    if values.size and values[0] <= _SINGULAR * values[-1]:
        return None
    return np.concatenate(
        [scores.ones[None], (vectors / np.sqrt(values)).T @ differences @ centred]
    )


def _conditional(
    table: Floats,
    reports: int,
    scores: list[Scores],
    jumps: CellJumps | None,
    missing: float,
    estimand: str,
) -> tuple[Floats, Floats, Floats]:
    """(share, low, high): of the holders of all values but the last, the share who hold
    that.

    NaN for a share of those who may be nobody.
    """
    from scipy.special import ndtri

    *others, last = scores
    holds, squares = [side.scores for side in others], [side.squares for side in others]
    one = last.ones[None]
    # f_xz and f_x, the latter with a last axis of length 1; then the mean squares of
    # s_x t_z and of s_x, and the mean of s_x^2 t_z.
    both, those = (
        through(table, [*holds, part]) / reports for part in (last.scores, one)
    )
    of_both, mixed, of_those = (
        through(table, [*squares, part]) / reports
        for part in (last.squares, last.scores, one)
    )
    # How of_both and mixed go with both, which is r those for the share r.
    of_given = by_cell([side.own - side.alike for side in others]).reshape(those.shape)
    slope = of_given * (last.own - last.alike)
    least = by_cell([side.least for side in scores]).reshape(both.shape)
    at_zero = np.maximum(of_both - slope * both, least)
    mixed_at_zero = mixed - of_given * both
    if jumps is not None:
        at_zero = jumps.or_expectation(at_zero.ravel()).reshape(both.shape)
    if estimand == "respondents":
        slope, of_given, of_those = slope - 1, of_given - 1, of_those - those
    # (both - r those)^2 <= factor (at_zero + slope r those - 2 r (mixed_at_zero +
    # of_given r those) + r^2 of_those)
    factor = ndtri(1 - missing / 2) ** 2 / reports
    square = those**2 - factor * (of_those - 2 * of_given * those)
    middle = both * those - factor * (mixed_at_zero - slope * those / 2)
    rest = both**2 - factor * at_zero
    bounded = (square > 0) & (those > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.sqrt(np.maximum(middle**2 - square * rest, 0.0)) / square
        low, high = within_bounds((middle / square - reach, middle / square + reach))
        share = np.where(bounded, both / those, np.nan)
    return share, np.where(bounded, low, 0.0), np.where(bounded, high, 1.0)
