"""Of which combinations of public attributes weights and regressions may be made.

A weighted share adds up what combinations say, with factors that anyone can work out;
so do the coefficients of a regression on attributes. Beside the groups that are shown
anyway, either might give away what a group too small to be shown says. So both are made
of groups that are shown (`groups.release`), and of nothing else: they then tell no more
than these do, in whatever way and however often they are asked for. Where a combination
may not be shown, they are refused: to leave it out would be a bias that no error bar
knows.

That is for attributes that reports carry. Who has a file for each stratum, or rows, has
chosen them beside the survey, which promises nothing of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.analyses.groups.crowds import ANY, MOST_BY
from ldp_aggregator.analyses.groups.estimation import release_groups
from ldp_aggregator.analyses.groups.parts import group_name, said_of
from ldp_aggregator.tallies.tally import Tally

_SHOWN = 8
"""Combinations that are named in an error."""


def check_shown(
    tally: Tally,
    members: Sequence[Question],
    attributes: Sequence[str],
    *,
    combinations: Collection[tuple[str, ...]],
) -> None:
    """Raise `EstimateError` unless every combination of the attributes may be shown.

    members     the questions whose reports they are of
    attributes  the names that combinations have values of, some of those that reports
                carry
    """
    if not attributes:
        return
    names = ", ".join(attributes)
    if len(attributes) > MOST_BY:
        raise EstimateError(
            f"expected at most {MOST_BY} attributes together, as groups by more are "
            f"not shown, got {names}"
        )
    least = tally.survey.least_group
    releases = [
        (question, release_groups(tally, question, least)) for question in members
    ]
    hidden = []
    for combination in combinations:
        labels = dict(zip(attributes, combination, strict=True))
        crowds = (
            (tuple(labels.get(one.name, ANY) for one in question.attributes), release)
            for question, release in releases
        )
        if not all(crowd in release for crowd, release in crowds):
            hidden.append(group_name(labels))
    if hidden:
        more = []
        if len(hidden) > _SHOWN:
            more = [f"{len(hidden) - _SHOWN:,} more"]
        [sentence] = said_of(least, [*hidden[:_SHOWN], *more])
        advice = (
            "use fewer of the attributes, or merge values in the survey's next version"
        )
        raise EstimateError(
            f"expected groups by {names} that may be shown, got some that are "
            f"{sentence}; {advice}"
        )
