"""An arm that was asked plainly: do people say more when a report is drawn for them?

Whoever studies methods gives the direct question to some and the randomized one to
others, drawn by lot, and takes it that more is nearer to the truth where a question is
about what people hide. The answers of the direct arm are plain. This project collects
none; their two counts come from elsewhere: how many were asked, and how many of them
said so.

The difference is that of `comparing`: Newcombe's interval, of Wilson's for the direct
share and of the score interval for the estimate. As the arms are other people, errors
are those for a population that both were drawn from. Besides the two-sided p-value
there is the one-sided one, of an estimate so far above the direct share where there is
no difference ("more is better").

Sources: Wilson 1927; Newcombe 1998; Lensvelt-Mulders et al. 2005, Meta-analysis of
randomized response research (the assumption that more is better).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ldp.answers.booleans import canonical_value
from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.analyses.comparisons import mover
from ldp_aggregator.analyses.comparisons.sides import Ends, Side, side_of
from ldp_aggregator.analyses.comparisons.significance import LevelIntervals, different
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.shares.share_estimates import ShareEstimates
from ldp_aggregator.numerics.interval import WithInterval
from ldp_aggregator.output.formats.formats import Tabled
from ldp_aggregator.output.sheet import Sheet, TextTable

FORMAT = 1
MOST_ASKED = 10**12


class Direct(NamedTuple):
    """Result of the arm that was asked plainly.

    >>> import ldp_aggregator
    >>> direct = ldp_aggregator.Direct("true", held=120, asked=1000)
    """

    value: str
    held: int
    """How many said this value."""
    asked: int


@dataclass(frozen=True)
class DirectComparison(Tabled, WithInterval):
    """The share of one value by a randomized question, less that by a direct one.

    `compare_direct` has an example.
    """

    question: str
    direct: Direct
    reports: int
    """Of the randomized question."""
    estimate: float
    """The share by the randomized question."""
    difference: float
    standard_error: float
    low: float
    high: float
    p_value: float
    p_more: float
    """One-sided: small where the randomized question brings out more."""
    level: float

    @property
    def direct_share(self) -> float:
        """Direct share of those who were asked plainly."""
        return self.direct.held / self.direct.asked

    def sheet(self) -> Sheet:
        """A table and a record, as formats ask for them."""
        title = f"{self.question}: randomized against direct"
        return Sheet(title, tables=lambda: [self._table()], record=self.to_dict)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "format": FORMAT,
            "question": self.question,
            **self.direct._asdict(),
            "direct": self.direct_share,
            "reports": self.reports,
            "estimate": self.estimate,
            "difference": self.difference,
            "standard_error": self.standard_error,
            "interval": list(self.interval),
            "level": self.level,
            "p_value": self.p_value,
            "p_more": self.p_more,
        }

    def _table(self) -> TextTable:
        cells = [
            self.direct.value,
            f"{self.direct_share:.4f}",
            f"{self.estimate:.4f}",
            f"{self.difference:+.4f} [{self.low:+.4f}, {self.high:+.4f}]",
            f"{self.p_value:.3g}",
            f"{self.p_more:.3g}",
        ]
        interval = f"difference,\n{self.level:.4g} interval"
        return TextTable(
            self.question,
            f"randomized ({self.reports:,} reports) less direct ({self.direct.held:,} "
            f"of {self.direct.asked:,}), for the population that both were drawn from",
            ("value", "direct", "randomized", interval, "p-value", "p-value,\nno more"),
            rows=[cells],
            remarks=[
                "p-value, no more: one-sided; small where the randomized question "
                "brings out more. That more is nearer to the truth is an assumption, "
                "and people have to have been given their question by lot",
            ],
        )


def side_of_counts(held: int, asked: int) -> Side:
    """A share that was counted without noise, with Wilson's intervals; arrays of shape
    (1,).
    """
    from scipy.special import ndtri

    share = np.array([held / asked])

    def ends(missing: float) -> Ends:
        square = float(ndtri(missing / 2)) ** 2 / asked
        middle = (share + square / 2) / (1 + square)
        half = np.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
        return np.minimum(middle - half, share), np.maximum(middle + half, share)

    return Side(share, np.sqrt(share * (1 - share) / asked), ends)


def compare_direct(
    estimates: QuestionEstimates, direct: Direct, *, level: float | None = None
) -> DirectComparison:
    """The share of a value by estimates of a randomized question, less that by direct
    counts.

    estimates   of frequencies, for the population (`Options(estimand="population")`)
    direct      the value, how many said it, and how many were asked, of other people
    level       coverage of the interval; that of the estimates, if it is not given

    Raises `EstimateError` for counts that cannot be, or estimates that are not so, and
    `UnknownNameError` for another value.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("health", ldp.question("smokes", type="boolean", epsilon="2"))
    >>> reports = ldp_simulations.randomize(survey, {"smokes": [True, False] * 500})
    >>> options = ldp_aggregator.Options(estimand="population")
    >>> smokes = ldp_aggregator.estimate(survey, reports, options=options)["smokes"]
    >>> direct = ldp_aggregator.Direct("true", held=200, asked=1000)
    >>> ldp_aggregator.compare_direct(smokes, direct).p_value < 0.01
    True
    """
    value, held, asked = direct
    if not 0 <= held <= asked <= MOST_ASKED or not asked:
        raise EstimateError(
            "direct question: expected so many held of at least 1 and at most "
            f"{MOST_ASKED:,} asked, such as 83 of 541, got {held:,} of {asked:,}"
        )
    _check(estimates)
    value = canonical_value(value, estimates.values)
    if value not in estimates.values:
        raise UnknownNameError(
            value, list(estimates.values), "one of the values compared"
        )
    asked_level = estimates.options.level if level is None else level
    place = list(estimates.values).index(value)
    plain = side_of_counts(held, asked)
    # Checks the level as well.
    options = replace(estimates.options, level=asked_level)
    randomized = _only(side_of(replace(estimates, options=options)), place)
    alone = np.zeros(1)

    def ends(missing: float) -> Ends:
        return mover.difference(plain, randomized, missing, together=alone)

    apart = randomized.estimate - plain.estimate
    levels = LevelIntervals(apart, ends)
    low, high = ends(1 - asked_level)
    return DirectComparison(
        estimates.name,
        direct._replace(value=value),
        estimates.reports,
        estimate=float(randomized.estimate[0]),
        difference=float(apart[0]),
        standard_error=float(np.hypot(plain.error, randomized.error)[0]),
        low=max(float(low[0]), -1.0),
        high=min(float(high[0]), 1.0),
        p_value=float(different(levels)[0]),
        p_more=float(levels.above(0.0)[0]),
        level=asked_level,
    )


def _check(estimates: QuestionEstimates) -> None:
    """Raise `EstimateError` unless there are shares with errors for a population."""
    if not estimates.reports:
        raise EstimateError(
            f"question {estimates.name!r}: expected reports to compare, got none"
        )
    if not len(estimates) or not isinstance(estimates, ShareEstimates):
        raise EstimateError(
            f"question {estimates.name!r}: expected frequencies with errors beside a "
            "direct question, got none"
        )
    if estimates.options.estimand != "population":
        raise EstimateError(
            f"question {estimates.name!r}: expected errors for the population, as the "
            "arms are other people (--estimand population), got those for the "
            "respondents"
        )


def _only(side: Side, place: int) -> Side:
    """One value of a side; arrays of shape (1,)."""
    one = slice(place, place + 1)

    def ends(missing: float) -> Ends:
        low, high = side.ends(missing)
        return low[one], high[one]

    return Side(side.estimate[one], side.error[one], ends)
