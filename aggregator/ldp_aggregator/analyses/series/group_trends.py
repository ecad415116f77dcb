"""Following groups by public attributes over epochs.

Which groups an epoch shows is decided for that epoch: in others a group is missing. As
several are looked at, each is tested at its part of the alarm rate, so that the chance
that anything of any of them is ever called changed that has not is the rate that was
asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ldp.errors import EstimateError
from ldp_aggregator.analyses.groups.group_estimates import GroupEstimates
from ldp_aggregator.analyses.groups.parts import (
    GroupTallies,
    Labels,
    group_name,
    of_group,
    said_of,
)
from ldp_aggregator.analyses.series.following import follow
from ldp_aggregator.analyses.series.history import Epoch
from ldp_aggregator.analyses.series.trends import Trends
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.output.formats.formats import Rendered
from ldp_aggregator.output.sheet import Sheet

_FAMILY = (
    "the alarm rate of {rate:.4g} is that of all {size} groups together, those that "
    "are not shown included: {own:.4g} for each"
)
_NOT_FOLLOWED = "{group}: not followed ({problem})"

_Key = tuple[tuple[str, str], ...]
"""The labels of a group."""


@dataclass(frozen=True, eq=False, repr=False)
class GroupTrends(Rendered):
    """The courses of groups that are shown; iterating gives labels and `Trends`.

    `follow_groups` has an example.
    """

    parts: GroupTallies
    trends: tuple[tuple[Labels, Trends], ...]
    alarm_rate: float
    """Of all groups together."""
    remarks: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[tuple[Labels, Trends]]:
        return iter(self.trends)

    def __len__(self) -> int:
        return len(self.trends)

    def __getitem__(self, values: str | tuple[str, ...]) -> Trends:
        """Return the member of a group, by its values of the attributes in `by`."""
        return of_group(
            self, values, by=self.parts.asked.by, wanted="a group that is followed"
        )

    @property
    def alarm(self) -> bool:
        """Whether something has changed, in any group."""
        return any(trends.alarm for _, trends in self)

    @property
    def tested(self) -> bool:
        """Whether any value could be tested for a change, in any group."""
        return any(trends.tested for _, trends in self)

    def sheet(self) -> Sheet:
        """All that is shown (`ldp_aggregator.output.sheet`)."""
        sheets = [(labels, trends.sheet()) for labels, trends in self]
        [name] = {trends.question.name for _, trends in self}
        whole = self.parts.sheet(f"{name}: over time, by group", sheets, self.remarks)
        record = whole.record
        return replace(whole, record=lambda: {**record(), "alarm": self.alarm})

    def to_dict(self) -> Mapping[str, Any]:
        """Ready for JSON."""
        return self.sheet().record()


def follow_groups(
    history: Iterable[tuple[Epoch, GroupEstimates]],
    /,
    question: str,
    *,
    alarm_rate: float = 0.01,
    **asked: Any,
) -> GroupTrends:
    """The course of a question in each group, and in all of them together.

    history   (epoch, estimates by group) of `estimate_groups`, in the order of time; a
              group is missing in an epoch in which it is suppressed
    question  which question

    The rest is as for `follow`. Groups that cannot be followed, such as those with a
    single epoch, are named in the remarks. Raises the errors of `follow`, and
    `EstimateError` if there are only such.

    `follow` has an example.
    """
    known = list(history)
    by_group = _by_group(known, question)
    if not by_group:
        raise EstimateError(
            f"expected groups of question {question!r} that are shown, got none"
        )
    # Those that are not shown yet count as well, or the rate would grow when they are.
    size = len({*by_group, *map(_key, _not_shown(known, question))})
    own = alarm_rate / size
    trends: list[tuple[Labels, Trends]] = []
    problems = []
    for key, epochs in by_group.items():
        try:
            trends.append((dict(key), follow(epochs, alarm_rate=own, **asked)))
        except EstimateError as error:
            problems.append(
                _NOT_FOLLOWED.format(group=group_name(dict(key)), problem=error)
            )
    if not trends:
        raise EstimateError(problems[0])
    latest = known[-1][1]
    parts = GroupTallies(latest.asked, latest.least, (), suppressions={})
    remarks = [*problems, *said_of(latest.least, _suppressed_epochs(known, question))]
    if size > 1:
        remarks.insert(0, _FAMILY.format(rate=alarm_rate, size=size, own=own))
    return GroupTrends(parts, tuple(trends), alarm_rate, remarks=tuple(remarks))


def _by_group(
    history: list[tuple[Epoch, GroupEstimates]], question: str
) -> dict[_Key, list[tuple[Epoch, QuestionEstimates]]]:
    """The epochs in which a group is shown; the total, then groups in the order of the
    survey.
    """
    by_group: dict[_Key, list[tuple[Epoch, QuestionEstimates]]] = {}
    for epoch, groups in history:
        for group in groups.groups:
            if question in group.questions:
                by_group.setdefault(_key(group.labels), []).append(
                    (epoch, group[question])
                )
    return by_group


def _key(labels: Labels) -> _Key:
    return tuple(labels.items())


def _not_shown(
    history: list[tuple[Epoch, GroupEstimates]], question: str
) -> Iterator[Labels]:
    """The groups that are suppressed in some epoch."""
    return (
        labels
        for _, groups in history
        for labels in groups.suppressions.get(question, ())
    )


def _suppressed_epochs(
    history: list[tuple[Epoch, GroupEstimates]], question: str
) -> list[str]:
    """The groups that are not shown in some epochs, and in which."""
    epochs: dict[str, list[Epoch]] = {}
    for epoch, groups in history:
        for labels in groups.suppressions.get(question, ()):
            epochs.setdefault(group_name(labels), []).append(epoch)
    return [
        f"{question}: {name} (in epochs {', '.join(map(str, those))})"
        for name, those in epochs.items()
    ]
