"""Simulated surveys: a known population answers, its reports are decoded, estimates
meet the truth.

Three ways lead to a tally. `clients` is the real one: a client for each respondent, the
bytes of its report, ingest. `reports` draws reports of the same law without clients, in
bulk for mechanisms that `reports.bulk` knows. `law` draws the tally from the
distribution that those reports would give it, in a time that depends little on how many
they are.
"""

from __future__ import annotations

import random as standard_random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp.numbers.randomness import Random, system
from ldp.survey.survey import Envelope, Question, Survey, check_survey
from ldp.wire.wire import Batch
from ldp_aggregator.answers.distributions.distribution_estimates import (
    distribution_behind,
)
from ldp_aggregator.answers.estimates.estimation import DEFAULTS, estimate
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.answers.lines.line import MOST_VALUES
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.pairs.room import means_of_keys
from ldp_aggregator.answers.results.means import Mean
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.decoders.key_values.means import KeyMeans
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.tallies.intake.ingest import Ingest
from ldp_aggregator.tallies.tally import Tally
from ldp_client import frames, row_batches
from ldp_simulations.holders import Holders
from ldp_simulations.key_holders import PairHolders
from ldp_simulations.population import Population, from_table, synthetic
from ldp_simulations.reports.bulk import draw_rows
from ldp_simulations.sampling.table import sample_counts
from ldp_simulations.simulation.distribution_runs import (
    DistributionRuns,
    distribution_runs,
)
from ldp_simulations.simulation.drawing import only_drawn, thin
from ldp_simulations.simulation.randomizing import record
from ldp_simulations.tables import Table

CLIENTS, REPORTS, LAW = "clients", "reports", "law"
_AT_ONCE = 1000


@dataclass(frozen=True, repr=False)
class Simulation:
    """What came of it: the estimates of the first run, and all runs' errors by
    question.

    `simulate` has an example.
    """

    survey: Survey
    population: Population
    way: str
    first: SurveyEstimates
    runs: dict[str, Runs]
    report_size: int
    """Bytes of the reports of the first run; 0 if none were made."""

    def __repr__(self) -> str:
        runs = max(
            (len(of_question.frequency) for of_question in self.runs.values()),
            default=0,
        )
        lines = [
            f"<Simulation of survey {self.survey.name!r}, {runs} runs by {self.way}:"
        ]
        lines += [
            f"  {name}: {of_question!r}" for name, of_question in self.runs.items()
        ]
        return "\n".join(lines) + ">"

    def only(self, names: Collection[str]) -> Simulation:
        """Return the results of these questions."""
        estimates = {
            name: question
            for name, question in self.first.questions.items()
            if name in names
        }
        return replace(
            self,
            first=replace(self.first, questions=estimates),
            runs={name: self.runs[name] for name in estimates},
        )


@dataclass(frozen=True, repr=False)
class Runs:
    """All runs of one question; arrays of shape (runs, M), NaN where a value has no
    estimate.

    `truth` of shape (M,).

    `simulate` has an example.
    """

    truth: Floats
    frequency: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    mean: Runs | None = None
    """Of a question whose mean is estimated: the same of the mean, which has the place
    of a single frequency (M = 1).
    """
    distribution: DistributionRuns | None = None
    """Of a question of which a distribution is estimated."""
    key_means: Runs | None = None
    """Of keys that come with numbers: the same of their means, by key (NaN where a run
    tells none).
    """

    def __repr__(self) -> str:
        values = f"no estimates of {len(self.truth):,} values"
        if self._there.any():
            values = f"{len(self.truth):,} values, {self._summary}"
        if self.key_means is not None:
            values = f"{values}; means by key: {self.key_means._summary}"
        if self.mean is None:
            return values
        return f"{values}; mean: {self.mean._summary}"

    @property
    def _there(self) -> NDArray[np.bool_]:
        """Which values have an estimate, by run."""
        return ~np.isnan(self.low)

    @property
    def _summary(self) -> str:
        """The errors and the coverage of all estimates together."""
        there = self._there & ~np.isnan(self.truth)
        known = there & ~np.isnan(self.frequency)
        if not known.any():
            return "none that was told"
        error = np.sqrt(np.mean((self.frequency - self.truth)[known] ** 2))
        stated = np.sqrt(np.mean(self.standard_error[known] ** 2))
        coverage = np.mean(
            ((self.low <= self.truth) & (self.truth <= self.high))[there]
        )
        return (
            f"error {error:.4g} (stated {stated:.4g}), {coverage:.1%} of intervals "
            "hold the truth"
        )

    def only(self, places: NDArray[np.int64]) -> Runs:
        """The values at these places, in their order; the mean stays that of all."""
        return Runs(
            self.truth[places],
            self.frequency[:, places],
            self.standard_error[:, places],
            low=self.low[:, places],
            high=self.high[:, places],
            mean=self.mean,
            distribution=self.distribution,
            key_means=None if self.key_means is None else self.key_means.only(places),
        )

    @property
    def empirical_error(self) -> Floats:
        """Root mean square difference between estimate and truth, by value."""
        error: Floats = np.sqrt(_mean_of_known((self.frequency - self.truth) ** 2))
        return error

    @property
    def stated_error(self) -> Floats:
        """Root mean square of the standard errors that the estimates carried, by
        value.
        """
        error: Floats = np.sqrt(_mean_of_known(self.standard_error**2))
        return error

    @property
    def coverage(self) -> Floats:
        """Share of intervals that hold the truth, by value."""
        inside = (self.low <= self.truth) & (self.truth <= self.high)
        return _mean_of_known(
            np.where(self._there & ~np.isnan(self.truth), inside, np.nan)
        )


def _mean_of_known(columns: Floats) -> Floats:
    """The mean of what is known of each value, over runs of shape (runs, M); NaN of
    nothing.
    """
    known = ~np.isnan(columns)
    total, runs = np.where(known, columns, 0.0).sum(axis=0), known.sum(axis=0)
    means: Floats = np.divide(
        total, runs, out=np.full(len(runs), np.nan), where=runs > 0
    )
    return means


def simulate(
    survey: Survey,
    population: Population | Table | None = None,
    *,
    respondents: int = 10_000,
    runs: int = 1,
    seed: int | None = None,
    way: str = LAW,
    level: float | None = None,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    over: Any = iter,
) -> Simulation:
    """Simulate surveys of one population, and compare their estimates with the truth.

    population  a table of true answers, or what `from_table` or `synthetic` give; made
                up unless given, as by `synthetic`
    respondents how many people are made up
    runs        how many surveys
    seed        makes the simulation repeatable
    way         "law" draws tallies from their exact law; "reports" makes the reports,
                in bulk where a mechanism has such a draw; "clients" has a client make
                each
    level       coverage of the intervals, in place of that of the options
    options     of the estimates; frequencies are estimated of all mechanisms. Intervals
                are for the respondents, whose truth is known; where devices draw one of
                several questions, for a population
    candidates  the texts to look for, by open question
    over        wraps the range of runs (for a progress bar)

    Raises `EstimateError` if the options cannot be met.

    >>> import ldp, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> result = ldp_simulations.simulate(survey, respondents=1_000, runs=20)
    >>> result.runs["mode"].frequency.shape
    (20, 2)
    """
    check_survey(survey, "simulate(survey, population)")
    if population is None:
        population = synthetic(survey, respondents, candidates=candidates)
    elif not _is_population(population):
        population = from_table(survey, population, candidates)
    # Of a draw the truth is that of all people, of whom a share answers each of its
    # questions.
    options = options.changed(level, "population" if survey.draws else "respondents")
    generator = np.random.default_rng(seed)
    # A predictable source, which no device ever uses: a seed is asked for so that the
    # simulation can be repeated.
    random = system if seed is None else standard_random.Random(seed).randbytes  # noqa: S311
    estimates, report_size = [], 0
    for _ in over(range(runs)):
        if way in (CLIENTS, REPORTS):
            answers = _respondents(survey, population, generator)
            tally, report_size = _collect(
                survey, report_files(survey, answers, random, bulk=way == REPORTS)
            )
        else:
            tally = Tally.empty(survey)
            answering = thin(survey, population, generator)
            for question in survey:
                tally.counts[question.name] = sample_counts(
                    question, answering[question.name], generator
                )
        estimates.append(_estimate(tally, options, candidates))
    by_question = {
        question.name: _runs(question.name, population, estimates)
        for question in survey
    }
    return Simulation(
        survey,
        population,
        way,
        first=estimates[0],
        runs=by_question,
        report_size=report_size,
    )


def _is_population(value: object) -> bool:
    """Return whether a value is what `from_table` and `synthetic` give, rather than a
    table.
    """
    return isinstance(value, dict) and all(
        hasattr(one, "counts") for one in value.values()
    )


def report_files(
    survey: Survey,
    respondents: Iterable[Mapping[str, object]],
    random: Random = system,
    *,
    bulk: bool = True,
) -> Iterator[bytes]:
    """The reports of respondents as the bytes of report files; concatenated they are
    one file.

    Drawn, in bulk where there is such a draw, unless a client is to make each.
    """
    for envelope, rows in _rows(survey, respondents, random, bulk=bulk):
        yield frames(_batches(envelope, rows, random))


def _batches(envelope: Envelope, rows: bytes, random: Random) -> Iterator[Batch]:
    return row_batches(
        envelope.fingerprint, rows, envelope.width, epoch=envelope.epoch, random=random
    )


def _rows(
    survey: Survey,
    respondents: Iterable[Mapping[str, object]],
    random: Random,
    *,
    bulk: bool,
) -> Iterator[tuple[Envelope, bytes]]:
    """The reports to each question or group, as rows end to end, of one part after the
    other.
    """
    respondents = iter(respondents)
    while chunk := list(islice(respondents, _AT_ONCE)):
        chunk = [only_drawn(survey, answers, random) for answers in chunk]
        for envelope in survey.envelopes:
            names = {question.name for question in envelope.members}
            answers = [answer for answer in chunk if names <= answer.keys()]
            if bulk:
                yield envelope, _draw(envelope, answers, random)
                continue
            yield (
                envelope,
                b"".join(
                    record(survey, envelope, answer, random=random).row
                    for answer in answers
                ),
            )


def _estimate(
    tally: Tally, options: Options, candidates: Mapping[str, Sequence[str]] | None
) -> SurveyEstimates:
    """With the frequencies of all values; of very many numbers, those of the cells of a
    histogram.

    All that is no frequency is the same with either.
    """
    known: dict[str, QuestionEstimates] = {}
    for frequencies in (True, False):
        own = replace(options, frequencies=frequencies)
        names = [
            question.name
            for question in tally.survey
            if frequencies != _by_cells(question)
        ]
        if names:
            of_names = estimate(tally, options=own, candidates=candidates, names=names)
            known |= of_names.questions
    questions = {question.name: known[question.name] for question in tally.survey}
    return SurveyEstimates(tally.survey.name, tally.survey.fingerprint.hex(), questions)


def _by_cells(question: Question) -> bool:
    """Whether a question for a distribution has too many values to look at one by
    one.
    """
    size = question.domain.size or 0
    return (
        decoder_of(question.randomizer).gives == "distribution" and size > MOST_VALUES
    )


def _draw(
    envelope: Envelope, answers: Sequence[Mapping[str, object]], random: Random
) -> bytes:
    """A report from each respondent, as rows end to end."""
    rows = []
    for question in envelope.members:
        values = [question.value(answer[question.name], random) for answer in answers]
        rows.append(draw_rows(question, values, random))
    joined: bytes = np.concatenate(rows, axis=1).tobytes()
    return joined


def _collect(survey: Survey, reports: Iterable[bytes]) -> tuple[Tally, int]:
    ingest, size = Ingest(survey), 0
    for chunk in reports:
        ingest.feed(chunk)
        size += len(chunk)
    ingest.end_of_stream()
    return ingest.tally, size


def _respondents(
    survey: Survey, population: Population, generator: np.random.Generator
) -> Iterator[dict[str, object]]:
    """Respondents who hold the population's values, in random order for each
    question.
    """
    orders: dict[str, NDArray[np.int64]] = {}
    for question in survey:
        counts = population[question.name].counts
        orders[question.name] = generator.permutation(
            np.repeat(np.arange(len(counts)), counts)
        )
    answers = {
        question.name: [
            question.domain.parse(value) for value in population[question.name].values
        ]
        for question in survey
    }
    for index in range(max(len(order) for order in orders.values())):
        yield {
            name: answers[name][order[index]]
            for name, order in orders.items()
            if index < len(order)
        }


def _truth(holders: Holders, estimates: QuestionEstimates) -> Floats:
    """The true frequencies of what is estimated: of values, or of the cells of a
    histogram.
    """
    distribution = distribution_behind(estimates)
    if distribution is None or not _by_cells(estimates.question):
        return np.array(holders.frequencies(estimates.values))
    cells = distribution.line.histogram(estimates.options.numbers.edges or None)
    return cells.queries @ holders.counts / max(1, holders.respondents)


def _runs(name: str, population: Population, estimates: list[SurveyEstimates]) -> Runs:
    of_runs = [of_survey[name] for of_survey in estimates]
    mean = _runs_of_mean(population[name], [of_run.mean for of_run in of_runs])
    values = of_runs[0].values
    if all(of_run.values == values for of_run in of_runs):
        return Runs(
            _truth(population[name], of_runs[0]),
            np.stack([of_run.frequency for of_run in of_runs]),
            np.stack([of_run.standard_error for of_run in of_runs]),
            low=np.stack([of_run.low for of_run in of_runs]),
            high=np.stack([of_run.high for of_run in of_runs]),
            mean=mean,
            distribution=distribution_runs(population[name], of_runs),
            key_means=_runs_of_keys(
                population[name], [means_of_keys(of_run) for of_run in of_runs]
            ),
        )
    # A search finds other texts in every run. Those of the first come first.
    values = tuple(
        dict.fromkeys(value for of_run in of_runs for value in of_run.values)
    )
    place = {value: index for index, value in enumerate(values)}
    shape = len(of_runs), len(values)
    frequency, error, low, high = (np.full(shape, np.nan) for _ in range(4))
    for run, of_run in enumerate(of_runs):
        columns = [place[value] for value in of_run.values]
        frequency[run, columns], error[run, columns] = (
            of_run.frequency,
            of_run.standard_error,
        )
        low[run, columns], high[run, columns] = of_run.low, of_run.high
    return Runs(
        np.array(population[name].frequencies(values)),
        frequency,
        error,
        low=low,
        high=high,
    )


def _runs_of_keys(holders: Holders, means: Sequence[KeyMeans | None]) -> Runs | None:
    """All runs of the means of keys; None where no numbers come with values."""
    columns = [of_run.means for of_run in means if of_run is not None]
    if not columns or not isinstance(holders, PairHolders):
        return None
    return Runs(
        holders.means(len(columns[0].estimate)),
        np.stack([of_run.estimate for of_run in columns]),
        np.stack([of_run.standard_error for of_run in columns]),
        low=np.stack([of_run.low for of_run in columns]),
        high=np.stack([of_run.high for of_run in columns]),
    )


def _runs_of_mean(holders: Holders, means: Sequence[Mean | None]) -> Runs | None:
    """All runs of a mean; None where none is estimated, which a question's runs agree
    on.
    """
    estimated = [mean for mean in means if mean is not None]
    if not estimated:
        return None
    numbers = [
        (mean.estimate, mean.standard_error, *mean.interval) for mean in estimated
    ]
    # (runs, 4) to four columns of shape (runs, 1).
    estimate, error, low, high = np.split(np.array(numbers), 4, axis=1)
    return Runs(np.array([holders.mean]), estimate, error, low=low, high=high)
