"""Two things side by side: surveys, versions, epochs or groups, and what differs
between them.

A side is written as a query of its own: `survey=commute&epoch=20502`, or `where=os=ios`
in place of an epoch. The two have to be of different reports, since only then are their
errors independent: two surveys, or within one survey two epochs, two groups by one
attribute, or two versions of which the question differs (one that versions share has
one tally). Groups are of closed epochs, as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self
from urllib.parse import parse_qsl, urlencode

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.analyses.comparisons.comparing import compare
from ldp_aggregator.analyses.comparisons.comparison import Comparison
from ldp_aggregator.analyses.groups.asking import GroupRequest as Groups
from ldp_aggregator.analyses.groups.asking import where_of
from ldp_aggregator.answers.estimates.applicable import options_for
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_service.analysis.analysis import Analysis
from ldp_service.analysis.queries import RequestError, options_of, served_as
from ldp_service.counting.served import Catalogue, Served
from ldp_service.page.views.series import MOST_EPOCHS, when
from ldp_service.store.records import Epoch

MOST_VALUES = 1_000
"""Each is looked at by itself, whenever the page is made."""
_KEYS = {"survey", "version", "epoch", "where"}


class SideChoice(NamedTuple):
    """One of the two: what of a survey it is."""

    served: Served
    version: bool = False
    """Whether the version was named; otherwise it is the newest."""
    epoch: Epoch | None = None
    where: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, catalogue: Catalogue, text: str) -> Self:
        """Read a side. Raises `RequestError` and `EstimateError`."""
        query = dict(parse_qsl(text, keep_blank_values=True))
        if query.keys() - _KEYS or "survey" not in query:
            raise RequestError(400, f"expected a side with {', '.join(sorted(_KEYS))}")
        served = served_as(catalogue, query["survey"], query)
        return cls(
            served,
            bool(query.get("version")),
            _epoch(served, query.get("epoch", "")),
            where=where_of(query.get("where", "")),
        )

    @property
    def text(self) -> str:
        """Side as it is written."""
        query = {
            "survey": self.served.survey.name,
            "version": self.served.fingerprint if self.version else "",
            "epoch": "" if self.epoch is None else str(self.epoch.number),
            "where": ",".join("=".join(pair) for pair in self.where),
        }
        return urlencode({key: value for key, value in query.items() if value})

    @property
    def name(self) -> str:
        """Side as people read it."""
        parts = [self.served.survey.name]
        if self.version:
            parts.append(f"version {self.served.fingerprint[:8]}")
        if self.epoch is not None:
            parts.append(when(self.epoch))
        parts += [f"{name} {value}" for name, value in self.where]
        return ", ".join(parts)


@dataclass(frozen=True)
class SidesView:
    """View of two sides: the request, the possible requests, and the differences."""

    first: SideChoice | None
    second: SideChoice | None
    question: str
    options: Options
    choices: Mapping[str, Sequence[SideChoice]]
    """What can stand on a side, by survey."""
    questions: Sequence[str]
    """Those that both sides have, or all of them."""
    comparison: Comparison | None = None
    problem: str = ""
    """Why there is no comparison."""


def sides_view(
    analysis: Analysis, catalogue: Catalogue, query: Mapping[str, str]
) -> SidesView:
    """Compare two sides. Raises `RequestError` for impossible requests."""
    choices = {
        name: list(_choices(analysis, versions))
        for name, versions in catalogue.by_name.items()
    }
    first, second = (
        SideChoice.of(catalogue, query[key]) if query.get(key) else None
        for key in ("first", "second")
    )
    names = _questions(
        catalogue, [side for side in (first, second) if side is not None]
    )
    asked = query.get("question") or (names[0] if names else "")
    view = SidesView(
        first,
        second,
        asked,
        options=options_of(query),
        choices=choices,
        questions=names,
    )
    if first is None or second is None:
        return view
    try:
        comparison = _compare(analysis, first, second, view=view)
    except EstimateError as error:
        return SidesView(**{**vars(view), "problem": str(error)})
    return SidesView(**{**vars(view), "comparison": comparison})


def _compare(
    analysis: Analysis, first: SideChoice, second: SideChoice, view: SidesView
) -> Comparison:
    if view.question not in view.questions:
        raise EstimateError(
            "expected a question of both sides "
            f"({', '.join(view.questions) or 'none'}), got {view.question[:40]!r}"
        )
    both = [side.served.survey[view.question] for side in (first, second)]
    if not are_apart(first, second, (both[0], both[1])):
        raise EstimateError(
            "expected two sides of different reports: two surveys, two epochs, two "
            "groups by one attribute, or two versions of which the question differs"
        )
    estimates = [_estimates(analysis, side, view) for side in (first, second)]
    if max(map(len, estimates)) > MOST_VALUES:
        raise EstimateError(
            f"expected at most {MOST_VALUES:,} values to show side by side; ldp "
            "analyze compare takes more"
        )
    return compare(*estimates, simultaneous="bh", names=(first.name, second.name))


def are_apart(
    first: SideChoice, second: SideChoice, questions: tuple[Question, Question]
) -> bool:
    """Whether no report can be on both sides."""
    if questions[0].fingerprint != questions[1].fingerprint:
        return True
    if (
        first.epoch is not None
        and second.epoch is not None
        and first.epoch != second.epoch
    ):
        return True
    values = dict(first.where)
    return any(name in values and values[name] != value for name, value in second.where)


def _estimates(
    analysis: Analysis, side: SideChoice, view: SidesView
) -> QuestionEstimates:
    served, name = side.served, view.question
    options = options_for(served.survey[name], view.options)
    if not side.where:
        return analysis.estimates(served, options, side.epoch, names=(name,))[name]
    asked = Groups((), side.where)
    groups = analysis.groups(served, asked, options, epoch=side.epoch, names=(name,))
    if name not in groups.total.questions:
        raise EstimateError(
            f"expected a group that is shown, got {side.name}, which has too few "
            "reports in closed epochs"
        )
    return groups.total[name]


def _choices(analysis: Analysis, versions: Sequence[Served]) -> Iterator[SideChoice]:
    """Yield the possible sides of a survey: as a whole, by version, by epoch, and by
    group.
    """
    newest = versions[-1]
    yield SideChoice(newest)
    if len(versions) > 1:
        yield from (SideChoice(served, version=True) for served in versions)
    epochs = {epoch for rows in analysis.growth(newest).values() for epoch, _ in rows}
    timed = sorted(epoch for epoch in epochs if epoch.length)
    yield from (
        SideChoice(newest, epoch=epoch) for epoch in reversed(timed[-MOST_EPOCHS:])
    )
    if newest.survey.epoch is not None:
        for attribute in newest.survey.attributes:
            for value in attribute.values:
                yield SideChoice(newest, where=((attribute.name, value),))


def _questions(catalogue: Catalogue, sides: Sequence[SideChoice]) -> Sequence[str]:
    """The names of questions that all sides have; of all surveys, before one is
    chosen.
    """
    surveys = [side.served.survey for side in sides] or [
        versions[-1].survey for versions in catalogue.by_name.values()
    ]
    named = [[question.name for question in survey] for survey in surveys]
    if not sides:
        return list(dict.fromkeys(name for names in named for name in names))
    return [name for name in named[0] if all(name in names for names in named)]


def _epoch(served: Served, number: str) -> Epoch | None:
    length = served.survey.epoch
    if not number or length is None:
        return None
    if not (number.isascii() and number.isdigit() and len(number) <= 10):
        raise RequestError(400, "expected epoch to be the number of an epoch")
    return Epoch(length, int(number))
