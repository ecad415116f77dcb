"""Simulated data poisoning: forged reports beside honest ones, and what they did to the
estimates.

Honest tallies are drawn from their exact law.

    random        forged reports are anything that can be sent, uniformly
    input         forged devices hold a target each, and keep to the protocol
    maximal-gain  forged reports are worth as much to the targets as any can be
                  (`ldp_simulations.reports.forging`)

The gain is what the forged reports add to an estimate, against as many that would add
the honest frequency f, no more:

    gain = poisoned estimate - (1 - b) (estimate from the honest reports) - b f

with b the share of the reports that are forged. This is what
`estimates.manipulation` bounds, for sure. Where frequencies are estimated from
reports held out of a search, b is their share among these.

Where devices draw one of several questions (`survey.draws`), all of them are the
respondents, and a share of these answers the one that is attacked. Forged devices need
not draw: for `random` and `maximal-gain` all of them answer it, so that b, the share of
its reports that is forged, is larger than that of all reports; for `input` they draw as
well.

Of a mean vector the coordinates have the place of values, and their means that of
frequencies.

A question for a mean alone has no frequencies to move. Its mean is then the one
estimate that is attacked, f stands for the honest mean, and targets say which way
forgers pull: to the end of the range that the targets are near.

Source: Cao, Jia and Gong 2021, Data Poisoning Attacks to Local Differential Privacy
Protocols.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.random import Generator

from ldp.answers.balls import UNIT, pack_coordinates
from ldp.answers.booleans import canonical_value
from ldp.answers.domain import SEPARATOR, Value
from ldp.answers.key_values import ENDS
from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.analyses.health_checks.draw_checks import draw_check
from ldp_aggregator.analyses.health_checks.report_checks import health
from ldp_aggregator.answers.estimates.estimation import DEFAULTS
from ldp_aggregator.answers.results.manipulation import decoded_reports, manipulation
from ldp_aggregator.answers.results.means import ends_of, mean_of
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.decoders.marginals.marginals import values_of
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers
from ldp_aggregator.tallies.counting.counting import count_rows, empty_counts
from ldp_simulations.field_holders import FieldHolders
from ldp_simulations.holders import Holders, SetHolders, apportion
from ldp_simulations.key_holders import PairHolders
from ldp_simulations.reports.form import Wanted
from ldp_simulations.reports.rows import random_rows
from ldp_simulations.sampling.table import crafted_rows, sample_counts
from ldp_simulations.simulation.drawing import how_many_draw
from ldp_simulations.vector_holders import VectorHolders

RANDOM, INPUT, MAXIMAL_GAIN = ATTACKS = ("random", "input", "maximal-gain")
MEAN = "mean"
"""What the mean is called among estimates."""
_AT_ONCE = 1 << 22
"""Cells of forged reports that are made together."""


@dataclass(frozen=True)
class Attack:
    """Attack with `forged` reports for `targets`, places of some of the holders'
    values.
    """

    question: Question
    holders: Holders
    """All who are asked, also those who draw another question."""
    targets: tuple[int, ...]
    forged: int
    kind: str
    hashes: int | None = None
    """Hash functions that a forger is given to choose from, where reports name one.

    All, if None.
    """

    @property
    def values(self) -> tuple[str, ...]:
        """Names of the estimates: values or nodes of the question, or texts looked
        for.
        """
        return estimate_names(self.question, self.holders)

    @property
    def is_of_mean(self) -> bool:
        """Whether the mean is attacked, because there are no frequencies."""
        return gives_mean(self.question)

    @property
    def truth(self) -> Floats:
        """The frequencies among the honest respondents, of shape (M,); or their mean,
        (1,).
        """
        if self.is_of_mean:
            return np.array([self.holders.mean])
        return np.array(self.holders.frequencies(self.values))

    @property
    def estimates(self) -> tuple[tuple[int, str], ...]:
        """The estimates that are shown: their places among all, and what they are
        called.
        """
        if self.is_of_mean:
            return ((0, MEAN),)
        return tuple((target, self.values[target]) for target in self.targets)


@dataclass(frozen=True)
class AttackOutcome:
    """Outcome of one simulated attack; arrays of shape (M,), or (1,) where a mean was
    attacked.
    """

    honest: Floats
    poisoned: Floats
    gain: Floats
    bound: float | None
    noticed: tuple[str, ...]
    """The health checks that became suspicious."""


def simulate_attack(attack: Attack, generator: Generator) -> AttackOutcome:
    """One run.

    Raises `EstimateError` where there is no such attack, or honest reports cannot be
    decoded.
    """
    randomizer, name = attack.question.randomizer, attack.question.name
    honest_answers = _answering_devices(attack, attack.holders.respondents, generator)
    # Those who keep to the protocol draw as honest devices do; others answer what they
    # attack.
    forged_answers = {name: attack.forged}
    if attack.kind == INPUT:
        forged_answers = _answering_devices(attack, attack.forged, generator)
    respondents, forgers = honest_answers[name], forged_answers[name]
    counts = _honest_counts(attack, respondents, generator)
    if not decoded_reports(randomizer, counts):
        raise EstimateError(
            "expected more respondents: none of these was held out of the search"
        )
    forged = forged_counts(replace(attack, forged=forgers), generator)
    honest, poisoned = (
        _estimates(attack, tally) for tally in (counts, counts + forged)
    )
    deceived = decoded_reports(randomizer, forged) / decoded_reports(
        randomizer, counts + forged
    )
    reach = _reach(attack, counts + forged)
    return AttackOutcome(
        honest,
        poisoned,
        poisoned - (1 - deceived) * honest - deceived * attack.truth,
        bound=None if reach is None else forgers / (respondents + forgers) * reach,
        noticed=_suspicious_checks(
            attack, counts + forged, Counter(honest_answers) + Counter(forged_answers)
        ),
    )


def _answering_devices(
    attack: Attack, devices: int, generator: Generator
) -> dict[str, int]:
    """How many devices answer each question: all of them this one, unless they draw."""
    draw = attack.question.draw
    if draw is None:
        return {attack.question.name: devices}
    return how_many_draw(draw, devices, generator)


def _honest_counts(attack: Attack, answering: int, generator: Generator) -> Counts:
    """The tally of the honest reports, of so many of the respondents."""
    if not answering:
        raise EstimateError(
            "expected more respondents: none of these drew the question"
        )
    holders = attack.holders
    if answering < holders.respondents:
        holders = holders.some(answering, generator)
    return sample_counts(attack.question, holders, generator)


def _suspicious_checks(
    attack: Attack, counts: Counts, reports: Mapping[str, int]
) -> tuple[str, ...]:
    """The checks that become suspicious, that of the draw among them."""
    candidates = attack.values if attack.question.domain.size is None else ()
    checks = health(attack.question, counts, candidates)
    draw = attack.question.draw
    if draw is not None:
        checks += (draw_check(draw, [reports[name] for name in draw.names]),)
    return tuple(check.name for check in checks if check.suspicious)


def gives_mean(question: Question) -> bool:
    """Whether a mean is all that is estimated of a question."""
    return decoder_of(question.randomizer).gives == "mean"


def can_be_attacked_directly(question: Question) -> bool:
    """Whether there is anything to move without a view: frequencies, or a mean."""
    return not gives_mean(question) or ends_of(question.domain) is not None


def _estimates(attack: Attack, counts: Counts) -> Floats:
    """The frequencies of all values, of shape (M,); or the mean, (1,)."""
    ball = attack.question.domain.ball
    if ball is not None:
        randomizer = attack.question.randomizer
        parts = decoder_of(randomizer).vector_parts(randomizer, counts)
        return float(ball.radius) * parts.estimate
    if not attack.is_of_mean:
        return moments_of(attack.question.randomizer, counts, attack.values).frequency
    mean = mean_of(attack.question, None, counts, options=DEFAULTS)
    return np.array([np.nan if mean is None else mean.estimate])


def _reach(attack: Attack, counts: Counts) -> float | None:
    """How far reports that are all forged could move what is attacked."""
    randomizer, ball = attack.question.randomizer, attack.question.domain.ball
    if ball is not None:
        return manipulation(randomizer, counts, step=float(ball.radius)).mean_reach
    if not attack.is_of_mean:
        return manipulation(randomizer, counts).reach
    _, _, step = ends_of(attack.question.domain) or (0.0, 0.0, None)
    return manipulation(randomizer, counts, step=step).mean_reach


def forged_counts(attack: Attack, generator: Generator) -> Counts:
    """The tally of the forged reports."""
    if attack.kind == INPUT:
        return sample_counts(attack.question, _pretenders(attack), generator)
    layout, targets = attack.question.layout, _randomizer_values(attack)
    texts = [attack.values[target] for target in attack.targets]
    counts = empty_counts(layout)
    at_once = max(1, _AT_ONCE // max(layout.bits, layout.places))
    for start in range(0, attack.forged, at_once):
        reports = min(at_once, attack.forged - start)
        if attack.kind == RANDOM:
            rows = random_rows(layout, reports, generator)
        else:
            wanted = Wanted(targets, texts, reports, hashes=attack.hashes)
            rows = crafted_rows(attack.question.randomizer, wanted, generator)
        counts += count_rows(rows, layout)
    return counts


def _randomizer_values(attack: Attack) -> Integers:
    """The targets as values of the randomizer: holders may have coarser ones."""
    targets = np.array(attack.targets, dtype=np.int64)
    size = attack.question.domain.size
    if not attack.is_of_mean or size is None or size == len(attack.values):
        return targets
    return targets * (size - 1) // (len(attack.values) - 1)


def _pretenders(attack: Attack) -> Holders:
    """Forgers who hold a target each, in equal numbers; or as many targets as a set may
    hold.
    """
    domain, targets = attack.question.domain, attack.targets
    if domain.ball is not None:
        # Each as long as can be, along the axis of a target.
        axes = np.eye(domain.ball.dimensions, dtype=np.int64)[list(targets)] * UNIT
        shares = apportion(attack.forged, np.ones(len(targets))).tolist()
        held: dict[Value, int] = {
            pack_coordinates(axis): share
            for axis, share in zip(axes.tolist(), shares, strict=True)
        }
        return VectorHolders.of(domain.ball, held)
    if isinstance(attack.holders, FieldHolders):
        return attack.holders.pretending(targets, attack.forged)
    if domain.most is None:
        places = [_held_for(attack, target) for target in targets]
        forgers = np.zeros(len(attack.holders.values), dtype=np.int64)
        np.add.at(forgers, places, apportion(attack.forged, np.ones(len(targets))))
        return Holders(attack.holders.values, forgers)
    most = min(domain.most, len(targets))
    sets = tuple(
        tuple(sorted((targets + targets)[first : first + most]))
        for first in range(len(targets))
    )
    shares = apportion(attack.forged, np.ones(len(sets)))
    if domain.key_scale is not None:
        # With the greatest number each: those count for the sum as well.
        pairs = (tuple((ENDS * key + 1, 0) for key in keys) for keys in sets)
        return PairHolders.of(domain, zip(pairs, shares.tolist(), strict=True))
    written = tuple(
        SEPARATOR.join(attack.values[place] for place in places) for places in sets
    )
    return SetHolders(written, shares, sets)


def _held_for(attack: Attack, target: int) -> int:
    """The place of the value that a forger holds for a target: for a node, the first
    below it.
    """
    taxonomy = attack.question.domain.taxonomy
    if taxonomy is None:
        return target
    inner = len(taxonomy.inner)
    nodes = range(inner, len(taxonomy.parents))
    return next(node for node in nodes if target in taxonomy.path(node)) - inner


def estimate_names(question: Question, holders: Holders) -> tuple[str, ...]:
    """Return the names of a question's estimates that these holders answer."""
    if question.domain.ball is not None:
        return question.domain.ball.names
    if question.domain.collect:
        return values_of(question)
    taxonomy = question.domain.taxonomy
    values = question.domain.values or holders.values
    if taxonomy is None:
        return values
    return (*taxonomy.inner, *values)


def usual_targets(question: Question, holders: Holders) -> tuple[int, ...]:
    """The places of the two values that fewest hold; of one only, where there are few.

    Of a mean, the end of the range that it is further from.
    """
    if gives_mean(question):
        low, high = (float(Fraction(holders.values[end])) for end in (0, -1))
        if holders.mean > (low + high) / 2:
            return (0,)
        return (len(holders.values) - 1,)
    values = estimate_names(question, holders)
    shares = np.array(holders.frequencies(values))
    return tuple(np.argsort(shares, kind="stable")[: 1 + (len(values) > 3)].tolist())


def places_of(
    question: Question, holders: Holders, targets: Sequence[str]
) -> tuple[int, ...] | None:
    """The places of targets among the values; None if one of them is no value of the
    question.
    """
    values = estimate_names(question, holders)
    named = dict.fromkeys(canonical_value(target, values) for target in targets)
    if not named.keys() <= set(values):
        return None
    return tuple(map(values.index, named))
