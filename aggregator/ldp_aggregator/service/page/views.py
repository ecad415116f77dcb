"""What the page shows, as records: read from an `Analysis`, and not yet markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from ldp_aggregator.arrays import Floats
from ldp_aggregator.checks import Check
from ldp_aggregator.distributions.applicable import options_for
from ldp_aggregator.estimates.detection import adjusted_p_values
from ldp_aggregator.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.groups.asking import Asked as Groups
from ldp_aggregator.groups.group_estimates import GroupEstimates
from ldp_aggregator.options import Options
from ldp_aggregator.rendering.bars import MOST_BARS, shown_places
from ldp_aggregator.series.changes import Changes
from ldp_aggregator.service.analysis.analysis import Accounts, Analysis
from ldp_aggregator.service.analysis.queries import groups_of, names_of, options_of, served_as
from ldp_aggregator.service.counting.served import Catalogue, Served
from ldp_aggregator.service.store.records import Epoch
from ldp_aggregator.service.uploads.debugging import DebugUpload

CORRECTION = "bonferroni"
MOST_EPOCHS = 60
"""The last ones; the history of the API has all."""

Series = Sequence[tuple[Epoch, QuestionEstimates]]
GroupSeries = Sequence[tuple[Epoch, GroupEstimates]]


@dataclass(frozen=True)
class Asked:
    """What someone asked to see: a version of a survey, with options; one question over time.

    If no version is named, and there are several, the estimates are `pooled`; all else is of the
    newest.
    """

    served: Served
    versions: Sequence[Served]
    pooled: bool
    options: Options
    names: tuple[str, ...]
    """The questions to show; all, if there are none."""
    over_time: str | None
    groups: Groups | None = None
    """Groups by public attributes, if any are asked for."""

    @classmethod
    def of(cls, catalogue: Catalogue, query: Mapping[str, str]) -> Self:
        """By the query of a URL; the first survey if it names none.

        Raises `EstimateError`, `RequestError`.
        """
        name = query.get("survey") or next(iter(catalogue.by_name), "")
        served = served_as(catalogue, name, query)
        timed = [question.name for question in served.survey if question.epoch is not None]
        over_time = query.get("over_time")
        versions = catalogue.by_name[name]
        pooled = len(versions) > 1 and not query.get("version")
        return cls(
            served=served,
            versions=versions,
            pooled=pooled,
            options=options_of(query),
            names=names_of(served, query),
            over_time=over_time if over_time in timed else None,
            groups=groups_of(query) if served.survey.attributes else None,
        )

    def query(self, **changes: str | None) -> dict[str, str]:
        """The query that asks for the same, but for what changes; None leaves a key out."""
        options, usual = self.options, Options.quantiles
        query = {
            "survey": self.served.survey.name,
            "version": None if self.pooled else self.served.fingerprint,
            "level": str(options.level),
            "estimand": options.estimand,
            "interval": options.interval,
            "simultaneous": "1" if options.simultaneous else None,
            "post": options.post,
            "frequencies": "1" if options.frequencies else None,
            "reports_each": str(options.reports_each) if options.reports_each > 1 else None,
            "quantiles": written(options.quantiles) if options.quantiles != usual else None,
            "ranges": ",".join(map(":".join, options.ranges)),
            "edges": ",".join(options.edges),
            "rectangles": rectangles_written(options),
            "zoom": zoom_written(options),
            "question": ",".join(self.names),
            "over_time": self.over_time,
            **({} if self.groups is None else self.groups.query),
            **changes,
        }
        return {key: value for key, value in query.items() if value}


def rectangles_written(options: Options) -> str:
    """Rectangles as a query has them."""
    return ";".join(f"{':'.join(x)},{':'.join(y)}" for x, y in options.rectangles)


def zoom_written(options: Options) -> str:
    """A zoom as a query has it."""
    return "" if options.zoom is None else "x".join(map(str, options.zoom))


def written(shares: Sequence[float]) -> str:
    """Shares as a query has them."""
    return ",".join(f"{share:g}" for share in shares)


@dataclass(frozen=True)
class ServiceView:
    """What is shown of the service: its surveys by name, its batches, and what is wrong."""

    surveys: Sequence[str]
    accounts: Accounts
    trouble: str | None
    signed_in: bool
    """Whether there is anything to sign out of."""
    together: int = 1
    """How many reports are shown together."""
    debug: Sequence[DebugUpload] | None = None
    """Uploads of developers; None where the service was not started for them."""

    @property
    def balances(self) -> bool:
        """Whether every batch that was received has become something."""
        return self.accounts.received == sum(self.accounts.outcomes.values())

    clock: str | None = None
    """What is wrong with the clock, by which epochs close."""


@dataclass(frozen=True)
class QuestionView:
    """One question: its estimates, the places of the values shown, and what lies beside them."""

    estimates: QuestionEstimates
    shown: Sequence[int]
    chances: Floats
    """By value, the simultaneous p-value of its not being there at all."""
    checks: Sequence[Check]
    series: Series | None
    """The last epochs, where they were asked for."""
    changes: Changes | None = None
    """What has changed over closed epochs, where there are any."""

    @classmethod
    def of(
        cls,
        estimates: QuestionEstimates,
        checks: Sequence[Check] = (),
        series: Series | None = None,
        *,
        changes: Changes | None = None,
    ) -> QuestionView:
        """What follows from the estimates of a question, and what is known beside them."""
        estimates = estimates.merged(MOST_BARS)
        return cls(
            estimates=estimates,
            shown=shown_places(estimates.frequency),
            chances=adjusted_p_values(estimates, CORRECTION),
            checks=checks,
            series=series,
            changes=changes,
        )

    @property
    def complete(self) -> bool:
        """Whether all values are shown."""
        return len(self.shown) == len(self.estimates)

    @property
    def found(self) -> int:
        """How many values are there, surely."""
        return int((self.chances <= self.miss).sum())

    @property
    def miss(self) -> float:
        """The chance that any value is taken to be there wrongly."""
        return 1 - self.estimates.options.level


@dataclass(frozen=True)
class SurveyView:
    """A version of a survey: its questions, and what became of its batches."""

    questions: Sequence[QuestionView]
    outcomes: Counter[str]
    groups: GroupEstimates | None = None
    groups_over_time: GroupSeries = ()
    """Of the question that is shown over time, its groups in the last closed epochs."""


def survey_view(analysis: Analysis, asked: Asked) -> SurveyView:
    """All that is shown of a survey.

    Raises `EstimateError` if its estimates cannot be given as asked.
    """
    served, options = asked.served, asked.options
    health, changes = analysis.health(served), analysis.changes(served)
    series, own = None, options
    by_epoch: GroupSeries = ()
    if asked.over_time is not None:
        own = options_for(served.survey[asked.over_time], options)
        series = analysis.history(served, asked.over_time, own)[-MOST_EPOCHS:]
    if asked.pooled:
        survey_estimates = analysis.pooled(served.survey.name, options, asked.names)
    else:
        survey_estimates = analysis.estimates(served, options, names=asked.names)
    questions = []
    for estimates in survey_estimates:
        over_time = series if estimates.name == asked.over_time else None
        changed = changes.get(estimates.name)
        checks = health[estimates.name]
        questions.append(QuestionView.of(estimates, checks, over_time, changes=changed))
    outcomes = sum(analysis.outcomes(served).values(), Counter[str]())
    groups = None
    if asked.groups is not None:
        groups = analysis.groups(served, asked.groups, options, names=asked.names)
        if asked.over_time is not None:
            by_epoch = analysis.group_history(served, asked.over_time, asked.groups, options=own)
    return SurveyView(questions, outcomes, groups, groups_over_time=by_epoch[-MOST_EPOCHS:])
