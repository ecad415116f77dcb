"""Questions of analysts to a service: estimates, tallies, history, health.

All of it is read from the store at every call.

Looking costs no privacy and does not touch the writer. What was estimated once is
remembered until the next commit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from ldp.survey.survey import Question, Survey
from ldp_aggregator.analyses.groups.asking import GroupRequest
from ldp_aggregator.analyses.groups.group_estimates import GroupEstimates
from ldp_aggregator.analyses.health_checks.draw_checks import draw_health
from ldp_aggregator.analyses.health_checks.report_checks import health
from ldp_aggregator.analyses.series.changes import Changes
from ldp_aggregator.answers.estimates.applicable import has_districts, options_for
from ldp_aggregator.answers.estimates.estimation import estimate, with_repeats
from ldp_aggregator.answers.estimates.pooling import Version, estimate_pooled, poolable
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.estimates.stop_lists import StopLists, with_shares
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.answers.geography import Geography
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.decoders.moments.repeats import most_repeats
from ldp_aggregator.explanations.mixed_batches import mixed_question, with_mixing
from ldp_aggregator.output.checks import Check
from ldp_aggregator.tallies.counting.counting import total_reports
from ldp_aggregator.tallies.mixing.batches import MixedBatch, worth_of
from ldp_aggregator.tallies.tally import Tally
from ldp_service.analysis.changes import ChangeReader
from ldp_service.analysis.groups import GroupReader
from ldp_service.counting.served import Catalogue, Served
from ldp_service.store.reading import (
    EpochRange,
    accepted_by_epoch,
    commits,
    count_received,
    history,
    includes_epoch,
    mixed_batches,
    outcomes_by_epoch,
    outcomes_in_all,
    sent_on,
    tally_of,
)
from ldp_service.store.records import DAY, Epoch, last_closed_epochs
from ldp_service.store.store import Snapshot

DEFAULTS = Options()
_ALONE = (
    "of the newest version alone: {reports:,} reports to other versions of this "
    "question, which are not pooled with it, are to be asked for by version"
)

Made = TypeVar("Made")


class Accounts(NamedTuple):
    """Batches received, and what became of them; the two agree at every moment."""

    received: int
    outcomes: Counter[str]


class Analysis:
    """Reads what a store has of the surveys of a catalogue.

    Everything may be called from any thread.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        snapshot: Callable[[], AbstractContextManager[Snapshot]],
        stop_lists: StopLists,
        geography: Geography | None = None,
    ) -> None:
        self.catalogue = catalogue
        self._geography = geography
        self._stop_lists = stop_lists
        self._snapshot = snapshot
        self._remembered: dict[object, tuple[int, Any]] = {}
        self._groups = GroupReader()
        self._changes = ChangeReader()

    def tally(self, served: Served, epoch: Epoch | None = None) -> Tally:
        """The tally of one version of a survey."""
        with self._snapshot() as snapshot:
            return tally_of(snapshot, served.survey, epoch)

    def batches(
        self, served: Served, epoch: Epoch | EpochRange | None = None
    ) -> list[tuple[MixedBatch, str]]:
        """Return the batches of relays for one version of a survey, and their privacy
        in words.
        """
        with self._snapshot() as snapshot:
            return worth_of(
                mixed_batches(snapshot, served.survey, epoch), served.survey.envelopes
            )

    def estimates(
        self,
        served: Served,
        options: Options = DEFAULTS,
        epoch: Epoch | EpochRange | None = None,
        names: tuple[str, ...] = (),
    ) -> SurveyEstimates:
        """Estimates of one version of a survey; of the questions that are named, if any
        are.
        """
        options = self._with_districts(served, options, names)

        def make(snapshot: Snapshot) -> SurveyEstimates:
            tally = tally_of(snapshot, served.survey, epoch)
            estimates = estimate(
                tally, options=options, candidates=served.candidates, names=names
            )
            batches = mixed_batches(snapshot, served.survey, epoch)
            return with_mixing(estimates, served.survey, batches)

        estimates = self._once(
            ("estimates", served.fingerprint, options, epoch, names), make
        )
        return with_shares(estimates, self._stop_lists.of(served.survey.name))

    def pool(
        self,
        name: str,
        options: Options = DEFAULTS,
        names: tuple[str, ...] = (),
        span: EpochRange | None = None,
    ) -> SurveyEstimates:
        """Estimates of the newest version of a survey, pooled with earlier ones where
        it is sound.

        A question of which several versions have reports, and may be pooled, is
        estimated from all. Of a `span` of epochs, or of all.
        """
        versions = self.catalogue.by_name[name]
        newest = versions[-1]
        options = self._with_districts(newest, options, names)

        def make(snapshot: Snapshot) -> SurveyEstimates:
            tallies = [tally_of(snapshot, version.survey, span) for version in versions]
            estimates = estimate(
                tallies[-1], options=options, candidates=newest.candidates, names=names
            )
            for question in map(newest.survey.__getitem__, estimates.questions):
                parts = _poolable(question, tallies)
                if len(parts) > 1:
                    own = options_for(question, options)
                    estimates.questions[question.name] = estimate_pooled(parts, own)
                elif apart := _apart(question, tallies):
                    alone = estimates.questions[question.name]
                    note = "; ".join(
                        filter(None, (alone.note, _ALONE.format(reports=apart)))
                    )
                    estimates.questions[question.name] = replace(alone, note=note)
            mixed = [
                (version.survey, mixed_batches(snapshot, version.survey, span))
                for version in versions
            ]
            return _with_worth(estimates, mixed, tallies)

        estimates = self._once(("pooled", name, options, names, span), make)
        return with_shares(estimates, self._stop_lists.of(name))

    def groups(
        self,
        served: Served,
        asked: GroupRequest,
        options: Options = DEFAULTS,
        epoch: Epoch | EpochRange | None = None,
        names: tuple[str, ...] = (),
    ) -> GroupEstimates:
        """Estimates by public attributes, of closed epochs
        (`ldp_service.analysis.groups`).
        """

        def make(snapshot: Snapshot) -> GroupEstimates:
            return self._groups.estimates(
                snapshot, served, asked, options=options, epoch=epoch, names=names
            )

        return self._once(
            ("groups", served.fingerprint, asked, options, epoch, names), make
        )

    def history(
        self, served: Served, name: str, options: Options = DEFAULTS
    ) -> list[tuple[Epoch, QuestionEstimates]]:
        """Estimates of a question in each epoch, in the order of time."""
        question = served.survey[name]
        options = self._with_districts(served, options, (name,))

        def make(snapshot: Snapshot) -> list[tuple[Epoch, QuestionEstimates]]:
            candidates = served.candidates.get(name)
            return [
                (
                    epoch,
                    estimate_question(question, counts, options, candidates=candidates),
                )
                for epoch, counts in history(snapshot, question)
            ]

        return self._once(("history", served.fingerprint, name, options), make)

    def cumulate(
        self,
        served: Served,
        name: str,
        options: Options = DEFAULTS,
        span: EpochRange | None = None,
    ) -> list[tuple[Epoch, QuestionEstimates]]:
        """Estimates of a question after each epoch, from all of a span up to it."""
        question = served.survey[name]
        options = self._with_districts(served, options, (name,))

        def make(snapshot: Snapshot) -> list[tuple[Epoch, QuestionEstimates]]:
            candidates = served.candidates.get(name)
            tally = Tally.empty(served.survey)
            after: list[tuple[Epoch, QuestionEstimates]] = []
            for epoch, counts in history(snapshot, question):
                if not includes_epoch(span, epoch):
                    continue
                tally.counts[name] += counts
                tally.add_epoch(
                    question, epoch.number, total_reports(counts, question.layout)
                )
                estimates = estimate_question(
                    question,
                    tally.counts[name].copy(),
                    with_repeats(options, tally, question),
                    candidates=candidates,
                )
                after.append((epoch, estimates))
            return after

        return self._once(("cumulated", served.fingerprint, name, options, span), make)

    def growth(self, served: Served) -> dict[str, list[tuple[Epoch, int]]]:
        """How many reports of each question are shown of each epoch, in the order of
        time.
        """

        def make(snapshot: Snapshot) -> dict[str, list[tuple[Epoch, int]]]:
            return {
                question.name: [
                    (epoch, total_reports(counts, question.layout))
                    for epoch, counts in history(snapshot, question)
                ]
                for question in served.survey
            }

        return self._once(("growth", served.fingerprint), make)

    def last_closed_epoch(self, served: Served) -> int:
        """The number of the last epoch that is closed; -1 if there is none."""
        with self._snapshot() as snapshot:
            return last_closed_epochs(snapshot).get(served.survey.epoch or 0, -1)

    def group_history(
        self,
        served: Served,
        name: str,
        asked: GroupRequest,
        options: Options = DEFAULTS,
    ) -> list[tuple[Epoch, GroupEstimates]]:
        """Estimates of a question by public attributes in each closed epoch, in
        order.
        """

        def make(snapshot: Snapshot) -> list[tuple[Epoch, GroupEstimates]]:
            return self._groups.history(
                snapshot,
                served.survey,
                name,
                asked=asked,
                options=options,
                candidates=served.candidates,
            )

        return self._once(
            ("group history", served.fingerprint, name, asked, options), make
        )

    def changes(self, served: Served) -> dict[str, Changes]:
        """Return the changes over closed epochs, by question
        (`ldp_service.analysis.changes`).
        """
        with self._snapshot() as snapshot:
            return self._changes.changes(snapshot, served)

    def health(self, served: Served) -> dict[str, tuple[Check, ...]]:
        """The checks of each question's reports, over all epochs."""

        def make(snapshot: Snapshot) -> dict[str, tuple[Check, ...]]:
            counts = tally_of(snapshot, served.survey).counts
            drawn = draw_health(served.survey, counts)
            return {
                question.name: health(
                    question,
                    counts[question.name],
                    served.candidates.get(question.name, ()),
                )
                + drawn.get(question.name, ())
                for question in served.survey
            }

        return self._once(("health", served.fingerprint), make)

    def commits(self) -> int:
        """How often anything has changed, in all shards.

        While the number stays, so does all there is to read.
        """
        with self._snapshot() as snapshot:
            return commits(snapshot)

    def accounts(self) -> Accounts:
        """Return the numbers of received batches of all shards and surveys, by
        outcome.
        """
        with self._snapshot() as snapshot:
            return Accounts(count_received(snapshot), outcomes_in_all(snapshot))

    def sent_today(self, now: float) -> Counter[str]:
        """Reports that were accepted today under each token, by its name."""
        with self._snapshot() as snapshot:
            return sent_on(snapshot, int(now // DAY))

    def outcomes(self, served: Served) -> dict[Epoch, Counter[str]]:
        """Count the batches of a survey's questions by outcome and epoch."""
        with self._snapshot() as snapshot:
            return outcomes_by_epoch(snapshot, served.survey)

    def count_batches(self, name: str) -> dict[Epoch, Counter[str]]:
        """How many batches of each question or group of a survey were counted, by
        epoch.

        Those of all versions, each question by its name.
        """
        names = {
            envelope.fingerprint: envelope.name
            for served in self.catalogue.by_name[name]
            for envelope in served.survey.envelopes
        }
        with self._snapshot() as snapshot:
            return accepted_by_epoch(snapshot, names)

    def _with_districts(
        self, served: Served, options: Options, names: Sequence[str]
    ) -> Options:
        """The options with the districts that are shown, where a question has any."""
        shown = replace(options, maps=replace(options.maps, geography=self._geography))
        survey = served.survey
        asked = [survey[name] for name in names] if names else list(survey)
        if any(has_districts(shown, question) for question in asked):
            return shown
        return options

    def _once(self, what: object, make: Callable[[Snapshot], Made]) -> Made:
        with self._snapshot() as snapshot:
            now = commits(snapshot)
            remembered = self._remembered.get(what)
            if remembered is not None and remembered[0] == now:
                answer: Made = remembered[1]
                return answer
            result = make(snapshot)
        if len(self._remembered) > 256:
            self._remembered.clear()
        self._remembered[what] = (now, result)
        return result


def _apart(question: Question, tallies: Sequence[Tally]) -> int:
    """How many reports other versions of a question have, that are not pooled with its
    own.
    """
    others = {
        candidate.fingerprint: Version(candidate, tally.counts[candidate.name]).reports
        for tally in tallies
        for candidate in tally.survey
        if candidate.name == question.name
        and candidate.fingerprint != question.fingerprint
    }
    return sum(others.values())


def _with_worth(
    estimates: SurveyEstimates,
    mixed: Sequence[tuple[Survey, list[MixedBatch]]],
    tallies: Sequence[Tally],
) -> SurveyEstimates:
    """Estimates that say what relays' batches were worth, of all versions that they are
    from.
    """
    if not any(batches for _, batches in mixed):
        return estimates
    for name, estimated in estimates.questions.items():
        question = mixed[-1][0][name]
        parts = _poolable(question, tallies)
        wanted = {part.question.fingerprint for part in parts if len(parts) > 1}
        wanted.add(question.fingerprint)
        # Versions may have a question, and its batches, in common.
        versions = {
            survey.group_of.get(name, survey[name]).fingerprint: (survey, batches)
            for survey, batches in mixed
            if wanted & {own.fingerprint for own in survey if own.name == name}
        }
        estimates.questions[name] = mixed_question(estimated, versions.values())
    return estimates


def _poolable(question: Question, tallies: Sequence[Tally]) -> list[Version]:
    """The versions of a question that have reports and may be pooled, the newest
    last.
    """
    versions: dict[bytes, Version] = {}
    for tally in tallies:
        for candidate in tally.survey:
            if candidate.name != question.name or not poolable([candidate, question]):
                continue
            repeats = most_repeats(tally.epochs.get(candidate.name, {}))
            version = Version(candidate, tally.counts[candidate.name], repeats)
            if version.reports:
                versions[candidate.fingerprint] = version
    return list(versions.values())
