"""Estimates of groups by public attributes: those that may be shown, and everyone.

The counts of a group are the sums of those of its combinations, so whatever can be
estimated of all respondents can be of a group, in the same way, with the variance that
fewer reports have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from ldp.errors import EstimateError
from ldp.survey.attributes import Attributes
from ldp.survey.survey import Question, Survey
from ldp_aggregator.analyses.groups.asking import GroupRequest, check_groups
from ldp_aggregator.analyses.groups.crowds import Crowd, members
from ldp_aggregator.analyses.groups.group_estimates import (
    GroupEstimates,
    GroupOfEstimates,
)
from ldp_aggregator.analyses.groups.parts import GroupTallies, GroupTally, parts_of
from ldp_aggregator.analyses.groups.release import Release, Sizes, release
from ldp_aggregator.answers.estimates.applicable import options_for
from ldp_aggregator.answers.estimates.estimation import estimate
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.counting.counting import total_reports
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
    by           attributes: a group for each combination of their values, "unknown"
                 among them
    where        attributes with values: only those who have them
    least_group  reports that a group needs; at least the `least_group` of the survey,
                 which it is unless given
    earlier      tallies of the same reports when there were fewer, of which groups were
                 shown, the first in front: no difference of two releases shows fewer
                 reports either

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
    check_groups(tally.survey.attributes, GroupRequest.of(by, where or {}))
    # What is asked of all has to be sound, before it is asked of groups.
    whole = estimate(tally, options=options, candidates=candidates, names=names)
    parts = divide(
        tally,
        GroupRequest.of(by, where or {}),
        tuple(whole.questions),
        reports_per_person=options.repeats,
        least_group=least_group,
        earlier=earlier,
    )
    return estimates_of(parts, tally.survey, options=options, candidates=candidates)


def divide(
    tally: Tally,
    asked: GroupRequest,
    names: Iterable[str],
    *,
    reports_per_person: int = 1,
    least_group: int | None = None,
    earlier: Sequence[Tally] = (),
) -> GroupTallies:
    """The groups of a tally that are asked for and may be shown, for some questions.

    Raises `EstimateError`, and `UnknownNameError` for what is no attribute of the
    survey.
    """
    survey = tally.survey
    check_groups(survey.attributes, asked)
    least = least_of(survey, least_group) * reports_per_person
    shown = {}
    for name in names:
        question = survey[name]
        release = release_groups(
            tally, question, least, earlier=earlier, within=(survey.least_group,)
        )
        shown[name] = _Counts(tally, question, release)
    return parts_of(tally, asked, shown, least=least)


def least_of(survey: Survey, least_group: int | None) -> int:
    """The least size of a group that is shown. Raises `EstimateError` for one that is
    too low.
    """
    if least_group is None:
        return survey.least_group
    if least_group < survey.least_group:
        raise EstimateError(
            f"expected a least group of {survey.least_group:,} reports or more, as the "
            f"survey says to those who are asked, got {least_group:,}"
        )
    return least_group


def release_groups(
    tally: Tally,
    question: Question,
    least: int,
    *,
    earlier: Sequence[Tally] = (),
    within: Sequence[int] = (),
) -> Release:
    """Which groups of a question are shown, as `release` says."""
    try:
        return release(
            question.attributes,
            sizes_of(tally, question),
            least,
            earlier=[sizes_of(before, question) for before in earlier],
            within=within,
        )
    except ValueError as error:
        raise EstimateError(str(error)) from None


def sizes_of(tally: Tally, question: Question) -> Sizes:
    """The reports to a question by combination."""
    by_number = tally.combinations.get(question.name, {})
    return {
        number: total_reports(counts, question.layout)
        for number, counts in by_number.items()
    }


def counts_of(tally: Tally, name: str, attributes: Attributes, crowd: Crowd) -> Counts:
    """The counts of a question in a crowd."""
    by_number = tally.combinations.get(name, {})
    inside = members(attributes, [crowd], list(by_number))[0]
    parts = [
        counts
        for counts, is_in in zip(by_number.values(), inside, strict=True)
        if is_in
    ]
    return sum(parts, np.zeros_like(tally.counts[name]))


def estimates_of(
    parts: GroupTallies,
    survey: Survey,
    options: Options,
    *,
    candidates: Mapping[str, Sequence[str]] | None = None,
) -> GroupEstimates:
    """The estimates of groups that are shown.

    What is asked of some questions alone, such as ranges of numbers, is asked of these:
    in a group there may be none of them.
    """
    known = {name: options_for(survey[name], options) for name in _questions(parts)}

    def of(part: GroupTally, name: str) -> QuestionEstimates:
        own = known[name]
        return estimate(part.tally, options=own, candidates=candidates, names=(name,))[
            name
        ]

    groups = [
        GroupOfEstimates(part.labels, {name: of(part, name) for name in part.questions})
        for part in parts.parts
    ]
    return GroupEstimates(
        survey.name,
        survey.fingerprint.hex(),
        parts.asked,
        least=parts.least,
        groups=tuple(groups),
        suppressions=parts.suppressions,
    )


def _questions(parts: GroupTallies) -> set[str]:
    """Those of which a group is shown."""
    return {name for part in parts.parts for name in part.questions}


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
