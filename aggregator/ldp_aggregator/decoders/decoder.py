"""Contract of decoders: everything that the aggregator has to know about one kind of
mechanism.

A module of this folder holds one kind and is named after it. It ends with its row,

    DECODER = Decoder(score_range=..., shares=ShareDecoder(...), ...)

which `ldp_aggregator.decoders.table` finds by the kind's name. Estimates, bounds,
health and associations go by the row, and do not ask what class a randomizer has. Omitted
fields keep their defaults: the operation raises `EstimateError` or does nothing.

Every estimate is a mean of scores: what one report is worth to a value, or to a mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np

from ldp.answers.texts import to_nfc
from ldp.errors import EstimateError
from ldp_aggregator.decoders.moments.scores import Scores, symbol_scores
from ldp_aggregator.tallies.counting.counting import total_reports

if TYPE_CHECKING:
    from ldp.answers.domain import Domain
    from ldp.mechanisms.contract import Randomizer
    from ldp.mechanisms.places.pyramid import View
    from ldp.mechanisms.values.projective import ProjectiveResponse
    from ldp.survey.survey import Question
    from ldp_aggregator.decoders.count_law import CountLaw
    from ldp_aggregator.decoders.key_laws import Balances
    from ldp_aggregator.decoders.moments.joint_errors import ScoreCumulants
    from ldp_aggregator.decoders.moments.moments import Moments
    from ldp_aggregator.decoders.other_results import Grouped, SearchReach, VectorParts
    from ldp_aggregator.numerics.arrays import Counts, Floats, Indices, Integers

MOST_VALUES = 2048
"""For a mean of frequencies: beyond, their covariance is too large to be summed up."""

Kind = TypeVar("Kind")


class DecoderRequest(NamedTuple):
    """Request of an analyst to a decoder."""

    values: Sequence[str] = ()
    """The candidates of an open question."""
    reports_per_person: int = 1
    """How many reports each respondent sent, all of one permanent response."""
    design: Any = None
    """The candidates' bits, of shape (cohorts * bits, M), if not our hash functions set
    them.
    """
    queries: Floats | None = None
    """The ranges whose frequencies are asked for, of shape (Q, values), with 1 for
    values within.

    Every value by itself, if it is None.
    """
    known: Queries | None = None
    """How queries are answered, where that has been worked out already."""


class Refusal(NamedTuple):
    """Why there is no such thing for a kind."""

    reason: str


class Range(NamedTuple):
    """The least and the greatest score that any report has for any value."""

    least: Fraction
    most: Fraction


class MeanParts(NamedTuple):
    """Parts of a mean: unbiased, and linear in the tally.

    Values are one step apart, and counted from the middle of their range.
    """

    estimate: float
    mean_square: float
    variance: float
    """For the respondents."""
    spread_error: float | None = None
    """The standard error of the variance of what respondents hold, mean_square -
    estimate^2.

    None where no report tells how values spread about their mean.
    """
    least_variance: float = 0.0
    """What the variance is at least, whatever respondents hold: few reports may show
    less.
    """
    least_spread_error: float = 0.0
    """The same of the standard error."""
    spread_noise: float | None = None
    """The standard error for these respondents alone: known where `spread_error` is."""


class QueryAnswers(NamedTuple):
    """Answers to queries of a distribution: arrays of shape (Q,).

    A query has a number for each value, and asks for the mean of the numbers of what
    people hold.
    """

    estimate: Floats
    mean_square: Floats
    """Of the numbers themselves, among the respondents: unbiased."""
    variance: Floats
    """Of the estimate, for the respondents: unbiased, so that few reports may put it
    below 0.
    """
    least: Floats
    """What any such variance is at least, whatever respondents hold."""

    def of_population(self, reports: int) -> Floats:
        """The variance for a population that the respondents were drawn from."""
        return self.variance + (self.mean_square - self.estimate**2) / reports

    def errors(self, reports: int | None = None) -> Floats:
        """Standard errors for the respondents, or for the population of so many."""
        variance = self.variance
        if reports is not None:
            variance = self.of_population(reports)
        return np.sqrt(np.maximum(variance, self.least))


class Queries(NamedTuple):
    """How any query of a distribution is answered."""

    frequency: Floats
    """Of every value, of shape (values,): unbiased."""
    answer: Callable[[Floats], QueryAnswers]
    """From queries of shape (Q, values)."""
    correlation: Callable[[Floats], Floats]
    """Of the errors of queries, of shape (Q, Q), roughly."""
    covariance: Callable[[Floats], Floats]
    """Of the answers to disjoint ranges, for the respondents: of shape (Q, Q)."""
    below: Callable[[Integers], QueryAnswers] | None = None
    """Of the shares below places of the line, where these are not asked for as any
    other query.
    """
    largest_error: Callable[[float], float] | None = None
    """How many standard errors all of these stay within with a probability, if known
    without a correlation.
    """
    cells: Callable[[View], QueryAnswers] | None = None
    """Of a map: the cells of a zoom, side by side, (2^a x 2^b,), by how often axes are
    halved.
    """
    shrunk: Callable[[], Floats] | None = None
    """Of a map: the shares of all cells in a view for the eye, (values,): biased."""
    missing: float = 1.0
    """The share of the reports that are expected not to hold their respondent's value.
    """
    root: Callable[[Floats], Floats] | None = None
    """A root of the correlation, with a row for each query, where that is known without
    one.
    """
    spread: Callable[[Floats], ScoreCumulants] | None = None
    """The law of one report's score for a query, (values,), by what is held."""


class Rates(NamedTuple):
    """How many of how many reports support each value, and the least and greatest rate
    of that.
    """

    ones: Counts
    trials: Counts
    rates: tuple[Fraction, Fraction]


class Finds(NamedTuple):
    """Findings of a search for texts."""

    reach: Callable[[int], list[SearchReach]]
    """How frequent a text has to be, by its length, for n respondents."""
    never: str
    """Which texts are never found, in words."""


def known_as(randomizer: Randomizer, kind: type[Kind]) -> Kind:
    """Return the randomizer of a decoder, as the kind that the table has it for."""
    assert isinstance(randomizer, kind)  # noqa: S101 (a fact about our own table, not about input)
    return randomizer


def no_moments(
    randomizer: Randomizer,  # noqa: ARG001
    counts: Counts,  # noqa: ARG001
    asked: DecoderRequest,  # noqa: ARG001
) -> Moments:
    """For kinds that estimate no frequencies."""
    raise EstimateError(
        "expected a mechanism that estimates frequencies, got one for a mean alone"
    )


def mean_of_frequencies(
    randomizer: Randomizer,  # noqa: ARG001
    moments: Moments,
    counts: Counts,  # noqa: ARG001
) -> MeanParts | None:
    """The parts c f, c^2 f and c Cov c for values c.

    None if the frequencies have no covariance, or are too many.
    """
    frequency = moments.frequency
    if len(frequency) > MOST_VALUES:
        return None
    try:
        covariance = moments.covariance()
    except EstimateError:
        return None
    values = from_middle(len(frequency))
    return MeanParts(
        float(values @ frequency),
        float(values**2 @ frequency),
        float(values @ covariance @ values),
    )


def noise_under_parabola(
    places: Floats, noise: Floats, mean: float, mean_square: float
) -> float:
    """The mean noise of what is held, at most: what holders of some places have,
    (places,) each.

    Of what is held a mean and a mean square are known, and so the mean of any parabola.
    Through two places goes a line.
    """
    scale = float(np.abs(places).max()) or 1.0
    degree = min(2, len(places) - 1)
    parabola = np.polynomial.polynomial.polyfit(places / scale, noise, degree)
    above = noise - np.polynomial.polynomial.polyval(places / scale, parabola)
    held = np.array([1.0, mean / scale, mean_square / scale**2])[: degree + 1]
    return float(parabola @ held) + float(above.max())


def no_vector(randomizer: Randomizer, counts: Counts) -> VectorParts:  # noqa: ARG001
    """For kinds whose answers are no vectors."""
    raise EstimateError(
        "expected a question of type vector for a mean vector, got another"
    )


def all_reports(randomizer: Randomizer, counts: Counts) -> int:
    """The number of reports that estimates are made from: all."""
    return total_reports(counts, randomizer.layout)


def no_score_range(randomizer: Randomizer) -> Refusal:  # noqa: ARG001
    """For kinds that estimate no frequencies."""
    return Refusal("no frequencies are estimated")


def no_mean(randomizer: Randomizer) -> Fraction | Refusal:  # noqa: ARG001
    """For kinds that no mean is estimated of."""
    return Refusal("no mean is estimated")


def no_scores(question: Question, counts: Counts, values: Sequence[str]) -> Scores:  # noqa: ARG001
    """For kinds whose reports have no joint tally."""
    raise EstimateError(
        f"question {question.name!r}: expected a question that is reported as symbols "
        "or bits for an association (through grr, ss, pgr, hr or oue, say), got "
        f"mechanism {question.mechanism}"
    )


def list_values(
    question: Question,
    counts: Counts,  # noqa: ARG001
    candidates: Sequence[str],
) -> tuple[tuple[str, ...], str]:
    """The values of the question, or the candidates; and nothing to say about them."""
    # Candidates are hashed as answers are.
    return question.domain.values or tuple(map(to_nfc, candidates)), ""


def no_values(
    question: Question,  # noqa: ARG001
    counts: Counts,  # noqa: ARG001
    candidates: Sequence[str],  # noqa: ARG001
) -> tuple[tuple[str, ...], str]:
    """None, for kinds that estimate no frequencies."""
    return (), ""


def nothing(randomizer: Randomizer, *asked: object) -> None:
    """Default of what a kind does not have, or does not know."""


def no_lines(asked: object) -> list[str]:  # noqa: ARG001
    """Default of kinds that need no words of their own."""
    return []


class ShareDecoder(NamedTuple):
    """How the shares of values are decoded."""

    moments: Callable[[Randomizer, Counts, DecoderRequest], Moments] = no_moments
    """Frequencies of all values, and what their errors depend on."""
    of_few: Callable[[Randomizer, Counts, Indices], Moments | None] | None = None
    """The moments of the values at some places, without estimating all others; None
    where that is no quicker. They know how these err together.
    """
    alike: Callable[[Randomizer, Counts, Sequence[str]], Grouped] | None = None
    """The candidates, of which those that reports cannot tell apart are one."""
    joint_scores: Callable[[Question, Counts, Sequence[str]], Scores] = no_scores
    """What a report is worth to each value, as functions of the tally cells that it
    marks.
    """
    count_law: Callable[[Randomizer], CountLaw | None] = nothing
    """How a warehouse decodes counts by itself, where sums of them are enough."""
    known_before: bool = False
    """Whether the variance of a score, for those without the value, depends on no
    answers.
    """
    if_asked: bool = False
    """Whether they are so noisy beside the mean that they are shown only when asked
    for.
    """


class MeanDecoder(NamedTuple):
    """How a mean is decoded."""

    parts: Callable[[Randomizer, Any, Counts], MeanParts | None] = mean_of_frequencies
    """From the moments of the frequencies, which are None where there are none."""
    reach: Callable[[Randomizer], Fraction | Refusal] = no_mean
    """The most by which a report's worth to the mean differs from what its device may
    hold.
    """


class RangeDecoder(NamedTuple):
    """How queries of a distribution or a map are answered."""

    queries: Callable[[Randomizer, Counts], Queries | None] = nothing
    score_range: Callable[[Randomizer, Floats], Range] | None = None
    """The least and the greatest score of any report for any of the queries, (Q,
    values).
    """


class KeyDecoder(NamedTuple):
    """How numbers that come with keys are decoded."""

    balances: Callable[[Randomizer, Counts], Balances | None] = nothing
    """What reports say of the keys' numbers."""
    sum_reach: Callable[[Randomizer, tuple[Fraction, Fraction]], Fraction | None] = (
        nothing
    )
    """The most by which a report's worth to the sum of a key's numbers, which lie
    between two ends, differs from what its device may hold.
    """


class SearchDecoder(NamedTuple):
    """How texts are found that nobody listed."""

    reports: Callable[[Randomizer, Counts], int] = all_reports
    """How many reports shares are estimated from: all but those that were searched."""
    finds: Callable[[Randomizer], Finds | None] = nothing


class ReportLaw(NamedTuple):
    """What is known of reports before any arrive, which health checks compare."""

    payload_chances: Callable[[Randomizer], tuple[Floats, Floats] | None] = nothing
    """(least, greatest) probability of each symbol, or one number where all are alike.

    Given its cohort, of shape (cohorts, symbols), where they depend on that.
    """
    cohort_shares: Callable[[Randomizer], Floats | None] = nothing
    """How likely a device draws each cohort, where they are not all alike."""
    support_rates: Callable[[Randomizer, Counts], Rates | None] = nothing
    """Where a single rate says how often reports support a value."""
    points: Callable[[Randomizer], ProjectiveResponse | None] = nothing
    """The response whose reports are points, of which some are values that no one can
    hold.
    """


class Decoder(NamedTuple):
    """One row of the table of decoders: what is known of a kind."""

    score_range: Callable[[Randomizer], Range | Refusal]
    """Of any report for any value; forged reports can move an estimate by no more."""
    gives: Literal["frequencies", "mean", "distribution", "places", "vector"] = (
        "frequencies"
    )
    """What an estimate of this kind is."""
    values: Callable[[Question, Counts, Sequence[str]], tuple[tuple[str, ...], str]] = (
        list_values
    )
    """Which values are estimated, and what to know about the choice."""
    shares: ShareDecoder = ShareDecoder()
    mean: MeanDecoder = MeanDecoder()
    ranges: RangeDecoder = RangeDecoder()
    keys: KeyDecoder = KeyDecoder()
    search: SearchDecoder = SearchDecoder()
    shape: Callable[[Randomizer, Counts, str], Floats] | None = None
    """Biased frequencies of all values, by `em` or `ems`, of a kind that estimates no
    others.
    """
    vector_parts: Callable[[Randomizer, Counts], VectorParts] = no_vector
    """The mean of vectors, and what its errors are made of."""
    report_law: ReportLaw = ReportLaw()
    explain: Callable[[Question], list[str]] = no_lines
    """Lines of `ldp explain`."""
    warnings: Callable[[Randomizer], list[str]] = no_lines
    """Warnings of `ldp check` and `ldp explain`."""


def of_one_report(
    decode: Callable[[Randomizer, Counts], Moments],
) -> Callable[[Randomizer, Counts, DecoderRequest], Moments]:
    """The moments of kinds that have one report of each respondent, and no
    candidates.
    """

    def moments(
        randomizer: Randomizer,
        counts: Counts,
        asked: DecoderRequest,  # noqa: ARG001
    ) -> Moments:
        return decode(randomizer, counts)

    return moments


def scores_of_symbols(
    decode: Callable[[Randomizer, Counts], Moments],
) -> Callable[[Question, Counts, Sequence[str]], Scores]:
    """The joint scores of kinds whose reports are one symbol each."""

    def scores(question: Question, counts: Counts, values: Sequence[str]) -> Scores:  # noqa: ARG001
        return symbol_scores(question, counts, decode)

    return scores


def lines_of_mean(domain: Domain, error: float) -> list[str]:
    """Explain the scope of epsilon, and the largest error of a mean of one respondent,
    in steps.
    """
    _, step = domain.spacing or (0, 1)
    unit = ""
    if domain.unit:
        unit = f" {domain.unit}"
    return [
        f"  sensitivity         {(domain.size or 1) - 1}: epsilon covers any value "
        "against any other, not one step",
        (
            f"  error of a mean     at most {float(step) * error:.4g}{unit} / "
            "sqrt(respondents)"
        ),
    ]


def of_support(p: Fraction, q: Fraction) -> Range:
    """Of (support - q) / (p - q)."""
    scores = (-q / (p - q), (1 - q) / (p - q))
    return Range(min(scores), max(scores))


def alike(least: Fraction | float, most: Fraction | float) -> tuple[Floats, Floats]:
    """The chances of symbols that are all alike."""
    return np.array(float(least)), np.array(float(most))


def chances_of_supporters(
    symbols: int, supporters: int, p: Fraction
) -> tuple[Floats, Floats]:
    """Of symbols of which a number support each value, one of them with probability
    p.
    """
    return alike((1 - p) / (symbols - supporters), p / supporters)


def from_middle(size: int) -> Floats:
    """Values one step apart, as many as `size`, counted from their middle."""
    return np.arange(size, dtype=np.float64) - (size - 1) / 2


def half(size: int) -> Fraction:
    """How far the first and the last of n whole numbers are from their middle."""
    return Fraction(size - 1, 2)


def reach_of_mean(size: int, highest: int, scores: Range) -> Fraction:
    """Of a report with its greatest score at `highest` values of its choice, its least
    elsewhere.

    Values count c from -h to h, from the middle of their range, and add up to 0: the
    best choice is that of the `highest` largest c, whose sum is highest (size -
    highest) / 2. Its device may hold -h.
    """
    worth = Fraction(highest * (size - highest), 2) * (scores.most - scores.least)
    return worth + half(size)
