"""Comparing groups by public attributes: with each other, or each at one time with it
at another.

Of one tally every group is compared with the rest, or with a group that is the
baseline. The rest is everyone less the group: what follows from groups that are shown
rests on enough reports, too (`analyses.groups`), so that it needs no permission of its
own. Nobody is in both, and errors are independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import EstimateError, UnknownNameError
from ldp.survey.survey import Survey
from ldp_aggregator.analyses.comparisons.comparing import compare_pairs
from ldp_aggregator.analyses.comparisons.comparison import Comparison
from ldp_aggregator.analyses.groups.asking import GroupRequest
from ldp_aggregator.analyses.groups.estimation import divide
from ldp_aggregator.analyses.groups.parts import (
    EVERYONE,
    GroupTallies,
    GroupTally,
    Labels,
    of_group,
    suppressed_names,
)
from ldp_aggregator.answers.estimates.estimation import estimate
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.output.formats.formats import Rendered
from ldp_aggregator.output.sheet import Sheet
from ldp_aggregator.tallies.tally import Tally

DEFAULTS = Options()
REST = "the rest"
"""What everyone but a group is called."""

_FAMILY = (
    "p-values and intervals are those of one family: the values of all {size} "
    "comparisons, and each mean in all of them; the test of any difference is of a "
    "comparison by itself"
)

Side = tuple[QuestionEstimates, QuestionEstimates, tuple[str, str]]
"""What is compared, and what the two are called."""


@dataclass(frozen=True, eq=False, repr=False)
class GroupComparisons(Rendered):
    """Comparisons by group; iterating gives labels and comparisons of the groups that
    are shown.

    `compare_groups` has an example.
    """

    parts: GroupTallies
    comparisons: tuple[tuple[Labels, Comparison], ...]

    def __iter__(self) -> Iterator[tuple[Labels, Comparison]]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def __getitem__(self, values: str | tuple[str, ...]) -> Comparison:
        """Return the member of a group, by its values of the attributes in `by`."""
        return of_group(
            self, values, by=self.parts.asked.by, wanted="a group that is compared"
        )

    @property
    def suppressed(self) -> tuple[str, ...]:
        """The groups that are not shown, each as `question: values`."""
        return suppressed_names(self.parts.suppressions)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on all of them."""
        family = len(self) > 1 and any(one.simultaneous for _, one in self)
        if family:
            return (_FAMILY.format(size=len(self)),)
        return ()

    def sheet(self) -> Sheet:
        """All that is shown (`ldp_aggregator.output.sheet`)."""
        sheets = [(labels, comparison.sheet()) for labels, comparison in self]
        [name] = {comparison.first.name for _, comparison in self}
        return self.parts.sheet(f"{name}: groups compared", sheets, self.remarks)

    def to_dict(self) -> Mapping[str, Any]:
        """Ready for JSON."""
        return self.sheet().record()


class _Reading(NamedTuple):
    """How the estimates of a part come about."""

    question: str
    options: Options
    candidates: Mapping[str, Sequence[str]] | None

    def of(self, tally: Tally) -> QuestionEstimates:
        """Make them from a tally."""
        known = estimate(
            tally,
            options=self.options,
            candidates=self.candidates,
            names=[self.question],
        )
        return known[self.question]


def compare_groups(
    first: Tally,
    second: Tally | None = None,
    /,
    *,
    question: str | None = None,
    by: Iterable[str] = (),
    where: Mapping[str, str] | None = None,
    baseline: str | None = None,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    least_group: int | None = None,
    earlier: Sequence[Tally] = (),
    names: tuple[str, str] = ("A", "B"),
    **asked: Any,
) -> GroupComparisons:
    """Compare groups that are large enough to be shown.

    first     a tally of a survey with attributes, whose groups are compared with each
              other
    second    another tally, of other reports: each group in it is then compared with
              the same group in the first, and `names` is what the two tallies are
              called
    question  which question; may be left out if there is but one
    baseline  the group that others are compared with, as "ios" or "ios, de"; by default
              the rest of each, and of two groups the first

    `by`, `where`, `least_group` and `earlier` are as for `estimate_groups`;
    `simultaneous`, `margin`, `overlap` and `allow_equal` as for `compare`. All values
    of all groups are one family. Raises the errors of both.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> platform = ldp.attribute("platform", ["android", "ios"])
    >>> mode = ldp.question("mode", ["car", "bus"], epsilon="1")
    >>> survey = ldp.survey("trip", mode, attributes=[platform])
    >>> people = {"mode": ["car", "bus"] * 500, "platform": ["ios"] * 500 + ["android"] * 500}
    >>> tally = ldp_aggregator.aggregate(survey, ldp_simulations.randomize(survey, people))
    >>> compared = ldp_aggregator.compare_groups(tally, by=["platform"])
    >>> compared["ios"]["bus"].p_value > 1e-6
    True
    """
    name = _question(first.survey, question)
    asked_of = GroupRequest.of(by, where or {})
    reading = _Reading(name, options, candidates)
    size = options.repeats

    def parts_of(tally: Tally, before: Sequence[Tally] = ()) -> GroupTallies:
        return divide(
            tally,
            asked_of,
            [name],
            reports_per_person=size,
            least_group=least_group,
            earlier=before,
        )

    parts = parts_of(first, earlier)
    if second is None:
        pairs = _within(parts, reading, baseline)
    elif baseline is not None or earlier:
        raise EstimateError(
            "expected one tally for a baseline group, or for earlier tallies of the "
            "same reports, got two"
        )
    else:
        others = parts_of(second)
        pairs = _between(parts, others, reading, names=names)
        parts = replace(parts, suppressions=_either(parts, others))
    compared = compare_pairs([pair for _, pair in pairs], **asked)
    labels = [labels for labels, _ in pairs]
    return GroupComparisons(parts, tuple(zip(labels, compared, strict=True)))


def _question(survey: Survey, name: str | None) -> str:
    names = [question.name for question in survey]
    if name is None and len(names) > 1:
        raise EstimateError(
            f"expected the name of a question to compare, one of {names}, got none"
        )
    return survey[names[0] if name is None else name].name


def _within(
    parts: GroupTallies, reading: _Reading, baseline: str | None
) -> list[tuple[Labels, Side]]:
    """Each group, and what it is compared with."""
    groups = parts.with_question(reading.question)
    if not parts.asked.by:
        raise EstimateError(
            "expected attributes to compare the groups of (by), got none"
        )
    if baseline is None and _are_halves(parts, groups, reading.question):
        baseline = _own(parts, groups[0])
    if baseline is None:
        pairs = [
            (
                group.labels,
                (reading.of(rest), reading.of(group.tally), (REST, _own(parts, group))),
            )
            for group in groups
            if (rest := _rest(parts, group, reading.question)) is not None
        ]
    else:
        base = _baseline(parts, groups, baseline)
        known = reading.of(base.tally)
        pairs = [
            (
                group.labels,
                (known, reading.of(group.tally), (baseline, _own(parts, group))),
            )
            for group in groups
            if group is not base
        ]
    if not pairs:
        shown = ", ".join(group.name for group in groups) or "none"
        not_shown = "; ".join(suppressed_names(parts.suppressions)) or "none"
        raise EstimateError(
            f"expected groups that can be compared, got {shown} (suppressed: "
            f"{not_shown})"
        )
    return pairs


def _are_halves(
    parts: GroupTallies, groups: Sequence[GroupTally], question: str
) -> bool:
    """Whether either of two groups is the rest of the other, so that one comparison
    says all.
    """
    if len(groups) != 2:
        return False
    rest = _rest(parts, groups[0], question)
    return rest is not None and np.array_equal(
        rest.counts[question], groups[1].tally.counts[question]
    )


def _rest(parts: GroupTallies, group: GroupTally, question: str) -> Tally | None:
    """Everyone but a group; None if that is nobody.

    Raises `EstimateError` where everyone is not shown.
    """
    total = parts.total(question)
    if total is None:
        raise EstimateError(
            "expected a total that is shown, to compare each group with the rest, got "
            "one that is suppressed; name a baseline among the groups"
        )
    rest = total.tally.counts[question] - group.tally.counts[question]
    tally = replace(total.tally, counts={**total.tally.counts, question: rest})
    if tally.reports(question):
        return tally
    return None


def _baseline(
    parts: GroupTallies, groups: Sequence[GroupTally], name: str
) -> GroupTally:
    known = {_own(parts, group): group for group in groups}
    if name not in known:
        raise UnknownNameError(
            name, list(known), "a group that is shown, for a baseline"
        )
    return known[name]


def _between(
    parts: GroupTallies,
    others: GroupTallies,
    reading: _Reading,
    *,
    names: tuple[str, str],
) -> list[tuple[Labels, Side]]:
    """Each group in two tallies, where both show it; the total first."""
    matching = {tuple(part.labels.items()): part for part in others.parts}
    pairs: list[tuple[Labels, Side]] = []
    for part in parts.parts:
        other = matching.get(tuple(part.labels.items()))
        if other is not None and reading.question in other.questions:
            estimates = reading.of(part.tally), reading.of(other.tally)
            pairs.append((part.labels, (*estimates, names)))
    if not pairs:
        raise EstimateError("expected groups that are shown of both tallies, got none")
    return pairs


def _either(parts: GroupTallies, others: GroupTallies) -> dict[str, tuple[Labels, ...]]:
    """The groups that are suppressed in one of two tallies."""
    listed: dict[str, list[Labels]] = {}
    for suppressions in (parts.suppressions, others.suppressions):
        for name, groups in suppressions.items():
            known = listed.setdefault(name, [])
            known.extend(labels for labels in groups if labels not in known)
    return {name: tuple(groups) for name, groups in listed.items()}


def _own(parts: GroupTallies, group: GroupTally) -> str:
    """The values of a group without those that all have."""
    values = [label for name, label in group.labels.items() if name in parts.asked.by]
    return ", ".join(values) or EVERYONE
