"""Estimates by public attributes, out of a store that grows.

Rules
- Groups are of epochs that are closed, whose reports do not change any more: what is
  shown of an epoch is decided once (`groups.release`) and stays, so that no two looks
  at a service differ by a small group.
- It is decided by the `least_group` of the first survey that asked the question. Where
  another version of the survey wants more, or several reports are of each respondent, a
  part of it is shown. So two answers together show no more than the first survey
  promised.
- Over all epochs a group is the sum of those in which it is shown. Nothing else is told
  of it.
- A survey without epochs is never closed: its groups are for who holds the tallies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ldp.errors import EstimateError
from ldp.survey.survey import Question, Survey
from ldp_aggregator.analyses.groups.asking import GroupRequest, check_groups
from ldp_aggregator.analyses.groups.crowds import Crowd
from ldp_aggregator.analyses.groups.estimation import (
    counts_of,
    estimates_of,
    least_of,
    release_groups,
)
from ldp_aggregator.analyses.groups.group_estimates import GroupEstimates
from ldp_aggregator.analyses.groups.parts import parts_of
from ldp_aggregator.analyses.groups.release import Release
from ldp_aggregator.answers.estimates.applicable import check_asked
from ldp_aggregator.answers.options import Options
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.counting.counting import total_reports
from ldp_aggregator.tallies.tally import Tally, sum_by_combination, sum_epochs
from ldp_service.counting.served import Served
from ldp_service.store.reading import EpochRange, by_combination, least_groups
from ldp_service.store.records import Epoch, Least, Scanned, last_closed_epochs

_MOST_REMEMBERED = 10_000


class GroupReader:
    """Reads groups, and remembers what is shown of closed epochs."""

    def __init__(self) -> None:
        self._releases: dict[tuple[bytes, Epoch, Least, int], Release] = {}

    def estimates(
        self,
        snapshot: Scanned,
        served: Served,
        asked: GroupRequest,
        options: Options,
        *,
        epoch: Epoch | EpochRange | None,
        names: tuple[str, ...],
    ) -> GroupEstimates:
        """The groups that are asked for, of one closed epoch, or over some or all of
        them.

        Raises `EstimateError` for what is not closed.
        """
        survey = served.survey
        check_groups(survey.attributes, asked)
        check_asked([survey[name] for name in names] or [*survey], options)
        last = closed_until(snapshot, survey, epoch)
        shown: dict[str, Mapping[Crowd, Counts]] = {}
        leasts = []
        nobody = Tally.empty(survey)
        for question in survey:
            if not names or question.name in names:
                tallies = _tallies(snapshot, survey, question, epoch=epoch, last=last)
                for tally in tallies.values():
                    nobody.epochs = sum_epochs(nobody.epochs, tally.epochs)
                noted = _thresholds(snapshot, survey, question)
                leasts.append(noted.highest * options.repeats)
                shown[question.name] = self._visible_counts(
                    tallies, question, noted, least=leasts[-1]
                )
        parts = parts_of(nobody, asked, shown, least=max(leasts))
        return estimates_of(parts, survey, options, candidates=served.candidates)

    def history(
        self,
        snapshot: Scanned,
        survey: Survey,
        name: str,
        asked: GroupRequest,
        *,
        options: Options,
        candidates: Mapping[str, Sequence[str]],
        least_group: int | None = None,
    ) -> list[tuple[Epoch, GroupEstimates]]:
        """The groups of a question in each closed epoch, in the order of time.

        Raises `EstimateError` where none is ever closed, and for a `least_group` below
        that of the survey.
        """
        check_groups(survey.attributes, asked)
        question = survey[name]
        check_asked([question], options)
        last = closed_until(snapshot, survey, None)
        noted = _thresholds(snapshot, survey, question)
        least = max(noted.highest, least_of(survey, least_group)) * options.repeats
        epochs = []
        for epoch, tally in _tallies(
            snapshot, survey, question, epoch=None, last=last
        ).items():
            shown = {
                name: self._visible_counts({epoch: tally}, question, noted, least=least)
            }
            parts = parts_of(tally, asked, shown, least=least)
            epochs.append(
                (epoch, estimates_of(parts, survey, options, candidates=candidates))
            )
        return epochs

    def _visible_counts(
        self,
        tallies: Mapping[Epoch, Tally],
        question: Question,
        noted: Least,
        *,
        least: int,
    ) -> dict[Crowd, Counts]:
        """The counts of all groups of a question that are shown, over some epochs."""
        counts: dict[Crowd, Counts] = {}
        for epoch, tally in tallies.items():
            key = question.fingerprint, epoch, noted, least
            if key not in self._releases:
                if len(self._releases) >= _MOST_REMEMBERED:
                    self._releases.clear()
                self._releases[key] = release_groups(
                    tally, question, least, within=noted
                )
            for crowd in self._releases[key].shown:
                own = counts_of(tally, question.name, question.attributes, crowd=crowd)
                counts[crowd] = counts[crowd] + own if crowd in counts else own
        return counts


def closed_until(
    snapshot: Scanned, survey: Survey, epoch: Epoch | EpochRange | None
) -> int:
    """The number of the last closed epoch, -1 if there is none.

    Raises `EstimateError` for groups of an epoch after it, and where there are no
    epochs.
    """
    if survey.epoch is None:
        raise EstimateError(
            "expected a survey with epochs for estimates by attributes, since only "
            "what is closed gives no small group away by its growth; of others, ldp "
            "estimate --by shows groups to who holds the tallies"
        )
    last = last_closed_epochs(snapshot).get(survey.epoch, -1)
    if isinstance(epoch, Epoch) and epoch.number > last:
        raise EstimateError(
            "expected an epoch that is closed for estimates by attributes"
        )
    return last


def _thresholds(snapshot: Scanned, survey: Survey, question: Question) -> Least:
    """How many reports groups of a question need, by all surveys that ever asked it."""
    noted = least_groups(snapshot, question.fingerprint)
    return noted or Least(survey.least_group, survey.least_group)


def _tallies(
    snapshot: Scanned,
    survey: Survey,
    question: Question,
    *,
    epoch: Epoch | EpochRange | None,
    last: int,
) -> dict[Epoch, Tally]:
    """Return the tallies of a question in closed epochs, by combination."""
    by_epoch: dict[Epoch, dict[int, Counts]] = defaultdict(dict)
    for (at, number), counts in by_combination(snapshot, question, epoch).items():
        if at.number <= last:
            by_epoch[at] = sum_by_combination(by_epoch[at], {number: counts})
    tallies = {}
    for at, by_number in sorted(by_epoch.items()):
        tally = Tally.empty(survey)
        tally.combinations[question.name] = by_number
        sizes = [total_reports(own, question.layout) for own in by_number.values()]
        tally.add_epoch(question, at.number, sum(sizes))
        tallies[at] = tally
    return tallies
