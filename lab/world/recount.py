"""The oracle's recount, once a world is calm: frame by frame, against what the service
says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import cast

from lab.world.oracle import Oracle
from lab.world.scenario import EPOCH
from lab.world.surveys import DAILY, MEMOIZED, ONCE, VALUES
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp_aggregator.numerics.arrays import Counts
from ldp_client.answering.ledger import Ledger
from ldp_service.analysis.analysis import Analysis
from ldp_service.counting.publication import Publication
from ldp_service.counting.served import Served
from ldp_service.store.reading import count_received, outcomes_in_all, tally_of
from ldp_service.store.records import EVER, Epoch
from ldp_service.store.store import Snapshot
from ldp_service.store.verification import findings

_ROUNDING = 1e-9

Place = tuple[str, str, Epoch]
"""A survey, a question and an epoch."""


def recount(
    oracle: Oracle,
    snapshot: Snapshot,
    served: Mapping[str, Served],
    journal: Sequence[tuple[Epoch, bytes]],
    *,
    acknowledged: int | None,
) -> list[str]:
    """What is wrong with what was counted."""
    wrong = [str(finding) for finding in findings(snapshot, acknowledged)]
    claimed = Counter(id_ for _, id_ in journal)
    wrong += [
        f"counted: {id_.hex()} {times} times"
        for id_, times in claimed.items()
        if times > 1
    ]
    wrong += [
        f"counted: {id_.hex()} was acknowledged, and is not there"
        for id_ in sorted(oracle.acknowledged - claimed.keys())
    ]
    wrong += [
        f"counted: {id_.hex()} is no one's"
        for id_ in sorted(claimed - oracle.frames.keys())
    ]
    for epoch, id_ in journal:
        frame = oracle.frames.get(id_)
        if frame is not None and epoch != _epoch(frame.epoch):
            wrong.append(f"counted: {id_.hex()} of epoch {frame.epoch} in {epoch}")
    wrong += _tallies(oracle, snapshot, served, claimed=claimed)
    outcomes = outcomes_in_all(snapshot)
    if count_received(snapshot) != outcomes.total():
        wrong.append(
            f"accounts: received {count_received(snapshot)}, and know of "
            f"{outcomes.total()}"
        )
    if outcomes["accepted"] != claimed.total():
        wrong.append(
            f"accounts: accepted {outcomes['accepted']}, and claimed {claimed.total()}"
        )
    return wrong


def look(
    oracle: Oracle,
    analysis: Analysis,
    served: Mapping[str, Served],
    publication: Publication,
) -> list[str]:
    """What is wrong with what analysts see now, compared with what they saw before."""
    wrong = []
    for name, item in served.items():
        epochs = {
            frame.epoch for frame in oracle.frames.values() if frame.survey == name
        }
        for number in sorted(epochs, key=str):
            tally = analysis.tally(item, _epoch(number))
            for question in item.survey:
                seen = Counter(_counts(tally.counts[question.name]))
                place = f"{name}/{number}", question.name
                before = oracle.shown.get(place, Counter())
                grown = seen.total() - before.total()
                # After some minutes fewer more are shown, but never fewer in all.
                weighed = grown if publication.minutes is None else seen.total()
                if grown and (
                    weighed < publication.least
                    or any(seen[at] < before[at] for at in before)
                ):
                    wrong.append(
                        f"shown: {grown} reports more of {place}: {publication}"
                    )
                oracle.shown[place] = seen
    return wrong


def page(oracle: Oracle, analysis: Analysis, served: Mapping[str, Served]) -> list[str]:
    """What is wrong with the estimates that the page draws, where the arithmetic is
    simple.

    A question that is answered once: f = (c / n - q) / (p - q), of what may be looked
    at.
    """
    wrong = []
    for name, item in served.items():
        shown = [
            counts
            for (place, what), counts in oracle.shown.items()
            if what == ONCE and place.partition("/")[0] == name
        ]
        seen = sum(shown, Counter[int]())
        estimates = analysis.estimates(item).questions[ONCE]
        if estimates.reports != seen.total():
            wrong.append(
                f"page: {estimates.reports} reports of {name}, {seen.total()} expected"
            )
        if not seen:
            continue
        _, truth, other = cast(RandomizedResponse, item.survey[ONCE].randomizer)
        p, q = (
            weight / (truth + (len(VALUES) - 1) * other) for weight in (truth, other)
        )
        for symbol, frequency in enumerate(estimates.frequency.tolist()):
            expected = (seen[symbol] / seen.total() - q) / (p - q)
            if abs(frequency - expected) > _ROUNDING:
                wrong.append(
                    f"page: {frequency} of {name}/{VALUES[symbol]}, {expected} expected"
                )
    return wrong


def spent(oracle: Oracle, number: int, ledger: Ledger) -> list[str]:
    """What is wrong with a device's ledger."""
    wrong = []
    charges = Counter(charge.question for charge in ledger.charges)
    sent = {
        frame.question for frame in oracle.frames.values() if frame.device == number
    }
    for question, most in ((ONCE, 1), (DAILY, min(MEMOIZED, len(VALUES)))):
        tried = len(oracle.tried.get((number, question), ()))
        least = len(oracle.charged.get((number, question), ()))
        charged = charges[question]
        if charged > min(tried, most):
            wrong.append(
                f"ledger: device {number} has {charged} charges for {question}"
            )
        is_sure = number not in oracle.vague | oracle.restored
        if is_sure and charged < min(least, most):
            wrong.append(
                f"ledger: device {number} lacks charges for {question}: {charged}"
            )
        if charged and question not in sent:
            wrong.append(
                f"ledger: device {number} is charged for {question}, and sent nothing"
            )
        if question in sent and not charged and number not in oracle.restored:
            wrong.append(f"ledger: device {number} sent {question}, and is not charged")
    return wrong


def _tallies(
    oracle: Oracle,
    snapshot: Snapshot,
    served: Mapping[str, Served],
    claimed: Counter[bytes],
) -> list[str]:
    expected: dict[Place, Counter[int]] = defaultdict(Counter)
    for id_ in claimed:
        frame = oracle.frames.get(id_)
        if frame is not None:
            expected[frame.survey, frame.question, _epoch(frame.epoch)].update(
                frame.symbols
            )
    wrong = []
    epochs = {epoch for _, _, epoch in expected}
    for name, item in served.items():
        for epoch in sorted(epochs):
            tally = tally_of(snapshot, item.survey, epoch)
            for question in item.survey:
                counts = Counter(_counts(tally.counts[question.name]))
                if counts != expected.get((name, question.name, epoch), Counter()):
                    wrong.append(
                        f"tally: {name}/{question.name} of {epoch} is {dict(counts)}"
                    )
    # Of all epochs together: so that nothing stands in one that no batch is of.
    for name, item in served.items():
        whole = tally_of(snapshot, item.survey)
        for question in item.survey:
            places = [at for at in expected if at[:2] == (name, question.name)]
            total = sum((expected[at] for at in places), Counter())
            counts = Counter(_counts(whole.counts[question.name]))
            if counts != total:
                wrong.append(f"tally: {name}/{question.name} in all is {dict(counts)}")
    return wrong


def _counts(counts: Counts) -> dict[int, int]:
    return {
        symbol: int(count) for symbol, count in enumerate(counts.reshape(-1)) if count
    }


def _epoch(number: int | None) -> Epoch:
    return EVER if number is None else Epoch(EPOCH, number)
