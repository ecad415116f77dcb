"""Estimates of groups by public attributes: those that may be shown, and everyone.

The counts of a group are the sums of those of its combinations, so whatever can be estimated of all
respondents can be of a group, in the same way, with the variance that fewer reports have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ldp.attributes import Attributes
from ldp.errors import EstimateError
from ldp.survey import Question, Survey
from ldp_aggregator.arrays import Counts
from ldp_aggregator.estimates.estimation import estimate
from ldp_aggregator.groups.asking import Asked, check_groups, crowds_asked, with_any
from ldp_aggregator.groups.crowds import Crowd, members, shown_crowd
from ldp_aggregator.groups.group_estimates import GroupEstimates, GroupOfEstimates
from ldp_aggregator.groups.release import Release, Sizes, release
from ldp_aggregator.options import Options
from ldp_aggregator.tallies.counting import total_reports
from ldp_aggregator.tallies.tally import Tally

DEFAULTS = Options()


def estimate_groups(
    tally: Tally,
    *,
    by: Iterable[str] = (),
    where: Mapping[str, str] | None = None,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    names: tuple[str, ...] = (),
    least_group: int | None = None,
    earlier: Sequence[Tally] = (),
) -> GroupEstimates:
    """Estimates by public attributes, of the groups that are large enough to be shown.

    tally        of a survey with attributes
    by           attributes: a group for each combination of their values, "unknown" among them
    where        attributes with values: only those who have them
    least_group  reports that a group needs; at least the `least_group` of the survey, which it is
                 unless given
    earlier      tallies of the same reports when there were fewer, of which groups were shown, the
                 first in front: no difference of two releases shows fewer reports either

    `options`, `candidates` and `names` are as for `estimate`. Raises its errors, and
    `UnknownNameError` for what is no attribute of the survey.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> platform = ldp.attribute("platform", ["android", "ios"])
    >>> mode = ldp.question("mode", ["car", "bus"], epsilon="1")
    >>> survey = ldp.survey("trip", mode, attributes=[platform])
    >>> people = {"mode": ["car", "bus"] * 500, "platform": ["ios"] * 950 + ["android"] * 50}
    >>> tally = ldp_aggregator.aggregate(survey, ldp_simulations.randomize(survey, people))
    >>> groups = ldp_aggregator.estimate_groups(tally, by=["platform"])
    >>> groups.suppressed
    ('mode: platform unknown', 'mode: android', 'mode: ios')
    """
    survey = tally.survey
    asked = Asked.of(by, where or {})
    check_groups(survey.attributes, asked)
    least = least_of(survey, least_group)
    # What is asked of all has to be sound, before it is asked of groups.
    whole = estimate(tally, options=options, candidates=candidates, names=names)
    least *= options.reports_each
    shown = {
        name: _Counts(tally, survey[name], released(tally, survey[name], least, earlier=earlier))
        for name in whole.questions
    }
    return grouped(tally, asked, shown, least=least, options=options, candidates=candidates)


def least_of(survey: Survey, least_group: int | None) -> int:
    """The least size of a group that is shown. Raises `EstimateError` for one that is too low."""
    if least_group is None:
        return survey.least_group
    if least_group < survey.least_group:
        raise EstimateError(
            f"expected a least group of {survey.least_group:,} reports or more, as the survey says "
            f"to those who are asked, got {least_group:,}"
        )
    return least_group


def released(
    tally: Tally, question: Question, least: int, earlier: Sequence[Tally] = ()
) -> Release:
    """Which groups of a question are shown."""
    try:
        return release(
            question.attributes,
            sizes_of(tally, question),
            least,
            earlier=[sizes_of(before, question) for before in earlier],
        )
    except ValueError as error:
        raise EstimateError(str(error)) from None


def sizes_of(tally: Tally, question: Question) -> Sizes:
    """The reports to a question by combination."""
    by_number = tally.combinations.get(question.name, {})
    return {number: total_reports(counts, question.layout) for number, counts in by_number.items()}


def counts_of(tally: Tally, name: str, attributes: Attributes, crowd: Crowd) -> Counts:
    """The counts of a question in a crowd."""
    by_number = tally.combinations.get(name, {})
    inside = members(attributes, [crowd], list(by_number))[0]
    parts = [counts for counts, is_in in zip(by_number.values(), inside, strict=True) if is_in]
    return sum(parts, np.zeros_like(tally.counts[name]))


def grouped(
    tally: Tally,
    asked: Asked,
    shown: Mapping[str, Mapping[Crowd, Counts]],
    *,
    least: int,
    options: Options,
    candidates: Mapping[str, Sequence[str]] | None = None,
) -> GroupEstimates:
    """The estimates of the groups that are asked for.

    `shown` has the counts of all that are shown, by question.
    """
    groups: dict[tuple[tuple[str, str], ...], GroupOfEstimates] = {}
    suppressed: dict[str, list[dict[str, str]]] = {}
    for name, counts_by_crowd in shown.items():
        attributes = tally.survey[name].attributes
        crowds = crowds_asked(attributes, asked) or []
        totals = [with_any(crowd, attributes, asked.by) for crowd in crowds[:1]]
        for crowd in dict.fromkeys((*totals, *crowds)):
            labels = shown_crowd(attributes, crowd)
            if crowd not in counts_by_crowd:
                suppressed.setdefault(name, []).append(labels)
                continue
            part = replace(tally, counts={**tally.counts, name: counts_by_crowd[crowd]})
            estimates = estimate(part, options=options, candidates=candidates, names=(name,))
            group = groups.setdefault(tuple(labels.items()), GroupOfEstimates(labels, {}))
            group.questions[name] = estimates.questions[name]
    survey = tally.survey
    return GroupEstimates(
        survey.name,
        survey.fingerprint.hex(),
        asked,
        least=least,
        groups=tuple(groups.values()),
        suppressions={name: tuple(labels) for name, labels in suppressed.items()},
    )


class _Counts(Mapping[Crowd, Counts]):
    """The counts of the groups that are shown, made when they are asked for."""

    def __init__(self, tally: Tally, question: Question, release: Release) -> None:
        self._tally = tally
        self._question = question
        self._release = release

    def __getitem__(self, crowd: Crowd) -> Counts:
        if crowd not in self._release:
            raise KeyError(crowd)
        question = self._question
        return counts_of(self._tally, question.name, question.attributes, crowd=crowd)

    def __iter__(self) -> Iterator[Crowd]:
        return iter(self._release.shown)

    def __len__(self) -> int:
        return len(self._release.shown)
