"""Means of numbers, and how these spread, unbiased, with standard errors and intervals.

Every mean here is a mean of scores, unbiased given what each respondent holds, as are
its variance for the respondents and the mean square of what they hold. Values are
counted from the middle of their range.

    noise        estimate = sum of h_y score(y), mean square = sum of h_y score(y)^2 - v, variance =
                 v / n, v = k (2 - h at the ends), with the scores and k of
                 `ldp_aggregator.decoders.numbers.noise`
    frequencies  estimate = c f, mean square = c^2 f, variance = c Cov c, for values c: as they are
                 counted from the middle, what the frequencies happen to sum to matters
                 least

The variance of what the respondents hold is unbiased as well (the last term takes back
that the square of the estimate has the estimate's own variance in it):

    s2 = mean square - estimate^2 + variance

A device that rounds a number between two points of its scale adds up to a quarter of a
step squared to a variance. No report tells how much: for the respondents that much is
added, and for a population the spread of what was counted has it already.

For a population it is n / (n - 1) times that, and s2 / (n - 1) is added to the variance
of the mean. Of fewer than 5 respondents as much is added as the range of the question
allows. The variance of answers is not estimated of fewer than 30 respondents, of whose
means the intervals have quantiles of t instead of z. Few reports may show
less noise than there can be: a variance is never taken to be less than what noise alone
makes it, whatever respondents hold. Intervals are estimate -+ z standard errors, cut to
what the range of the question allows; where reports are few, those of contrasts
(`ldp_aggregator.answers.contrasts.few_reports`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ldp.answers.domain import Domain
from ldp.mechanisms.contract import Randomizer
from ldp.survey.survey import Question
from ldp_aggregator.answers.contrasts.functions import Contrast
from ldp_aggregator.answers.contrasts.linear_functions import (
    functions_of,
    functions_of_queries,
)
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.decoder import MeanParts, Refusal, from_middle
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.numerics.interval import Estimated
from ldp_aggregator.tallies.counting.counting import total_reports

FEWEST = 5
"""Reports that an estimate has to rest on for normal theory to hold, roughly."""
_FEWEST_OF_VARIANCES = 30
"""Reports for an interval of a variance: those of ten held .73 to .9 of the time."""


@dataclass(frozen=True)
class Mean(Estimated):
    """A number that is estimated of a question's answers: their mean, or their
    variance.

    In the unit of the answers, or in its square.
    """

    estimate: float
    standard_error: float
    low: float
    high: float
    variance: Mean | None = None
    """That of the answers, beside their mean, where reports tell of it."""

    @property
    def root(self) -> Mean | None:
        """The standard deviation that a variance is the square of; None of one that is
        not above 0.

        Its interval has the roots of the ends, and its standard error follows from the
        slope.
        """
        if self.estimate <= 0:
            return None
        root = math.sqrt(self.estimate)
        low, high = (math.sqrt(max(end, 0.0)) for end in (self.low, self.high))
        return Mean(root, self.standard_error / (2 * root), low, high=high)

    @property
    def cells(self) -> tuple[str, str, str]:
        """Estimate, standard error and interval, as `shown`."""
        show = self.shown
        interval = f"[{show(self.low)}, {show(self.high)}]"
        return show(self.estimate), show(self.standard_error), interval

    def shown(self, number: float) -> str:
        """A number with the decimals that the standard error can bear: two digits of
        it.
        """
        decimals = 4
        if self.standard_error > 0:
            decimals = max(0, 1 - math.floor(math.log10(self.standard_error)))
        return f"{number:.{decimals}f}"

    def __str__(self) -> str:
        estimate, error, interval = self.cells
        return f"{estimate} +- {error} {interval}"


def mean_of(
    question: Question, moments: Moments | None, counts: Counts, options: Options
) -> Mean | None:
    """The mean of a question whose values are evenly spaced numbers, and their variance
    beside it.

    None for other questions, where `parts_of` has none, and where it is not known by
    how much forged reports can move a mean.
    """
    from scipy.special import ndtri, stdtrit

    ends = ends_of(question.domain)
    if ends is None:
        return None
    if isinstance(
        decoder_of(question.randomizer).mean.reach(question.randomizer), Refusal
    ):
        return None
    parts = parts_of(question.randomizer, moments, counts)
    if parts is None:
        return None
    respondents = (
        total_reports(counts, question.layout) if moments is None else moments.reports
    )
    of_population = options.estimand == "population"
    low, high, step = ends
    quantile = float(ndtri((1 + options.level) / 2))
    shows_spread = respondents >= _FEWEST_OF_VARIANCES
    if not shows_spread and respondents > 1:
        quantile = float(stdtrit(respondents - 1, (1 + options.level) / 2))
    spread = parts.mean_square - parts.estimate**2 + parts.variance
    # Few reports may show less noise than there can be; and how answers spread they do
    # not show.
    variance = max(parts.variance, parts.least_variance)
    few = respondents < FEWEST
    widest = ((high - low) / step / 2) ** 2
    if of_population:
        unseen = few and parts.spread_error is not None
        variance += (widest if unseen else max(spread, 0.0)) / max(respondents - 1, 1)
        if few:
            variance = max(
                variance, parts.least_variance + widest / max(respondents, 1)
            )
    else:
        variance += rounding_variance(question) / max(respondents, 1)
        spread *= respondents / max(respondents - 1, 1)
        widest *= respondents / max(respondents - 1, 1)
    of_answers = None
    error = parts.spread_error if of_population else parts.spread_noise
    if error is not None and shows_spread:
        of_answers = _with_interval(
            step**2 * spread,
            step**2 * max(error, parts.least_spread_error),
            quantile=quantile,
            range_=(0.0, step**2 * widest),
        )
    mean = _with_interval(
        (low + high) / 2 + step * parts.estimate,
        step * math.sqrt(max(variance, 0.0)),
        quantile=quantile,
        range_=(low, high),
    )
    number = _few_reports(question, moments, respondents, options=options)
    if number is not None:
        mean = replace(mean, low=number.low, high=number.high)
    return replace(mean, variance=of_answers)


def _few_reports(
    question: Question, moments: Moments | None, reports: int, options: Options
) -> Contrast | None:
    """The mean of few reports, by the jumps that these make; None where normal theory
    holds.
    """
    ends = ends_of(question.domain)
    if moments is None or ends is None:
        return None
    if moments.answering is not None:
        functions = functions_of_queries(
            moments.answering, question, reports, options=options
        )
    else:
        functions = functions_of(moments, question, (), options=options)
    if functions.spread is None or not functions.exclusive:
        return None
    low, high, step = ends
    places = step * from_middle(len(functions.frequency))
    number = functions.function("mean", places, (low + high) / 2)
    if number.remarks:
        return number
    return None


def rounding_variance(question: Question) -> float:
    """What rounding on a device may add to the variance of one report, in steps
    squared.
    """
    if question.rounds:
        return 0.25
    return 0.0


def _with_interval(
    estimate: float, error: float, *, quantile: float, range_: tuple[float, float]
) -> Mean:
    """An estimate with its interval, cut to a range."""
    least, most = range_
    reach = quantile * error
    low, high = (
        min(max(end, least), most) for end in (estimate - reach, estimate + reach)
    )
    return Mean(estimate, error, low, high=high)


def ends_of(domain: Domain) -> tuple[float, float, float] | None:
    """The lowest value, the highest, and the step between, where values are evenly
    spaced.

    None on a circle: which of its values are low depends on where it is cut.
    """
    spacing = domain.spacing
    if spacing is None or domain.size is None or domain.circular:
        return None
    low, step = spacing
    return float(low), float(low + step * (domain.size - 1)), float(step)


def parts_of(
    randomizer: Randomizer, moments: Moments | None, counts: Counts
) -> MeanParts | None:
    """The parts for values one step apart.

    None if the frequencies have no covariance, or there are too many.
    """
    return decoder_of(randomizer).mean.parts(randomizer, moments, counts)
