"""Parts of an audit: the questions of a survey, answers to them, and their declared
bounds.

A *part* is one question of what travels in a row. Its answers are a few that fit: the
first, the middle and the last of a list, so that what goes wrong at an end is seen;
more of them, or all, if more are asked for, evenly spread. What is declared of its
reports is written down as far as it can be:

    columns   where there are few reports, how likely each is, exactly
              (`conformance.law`)
    bits      how likely each bit of the row is 1, where columns, or p and q, say so
    pairs     how likely a bit and the next are both 1, where `joint_support` says so
    distant   how likely two bits that are no neighbours are both 1, where it says so
    events    for two answers, the reports that speak most for the one against the
              other: where there are columns, those with the largest ratios, as many as
              give the best bound; elsewhere those that support the one and not the
              other

Of all else the core's own reports are the law, as many as were audited.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any, NamedTuple, cast

import numpy as np

from ldp.answers.domain import Domain, Value
from ldp.errors import LDPError
from ldp.mechanisms.chains.longitudinal import Chain
from ldp.mechanisms.contract import Pure, Randomizer, is_pure
from ldp.mechanisms.values.local_hashing import LocalHashing
from ldp.numbers.channel import Row
from ldp.numbers.exact import log_upper
from ldp.survey.survey import Envelope, Question, Survey
from ldp_aggregator.numerics.arrays import Flags, Floats, Integers, Rows
from ldp_simulations.audit.bounds import FALSE_ALARMS, least_epsilon
from ldp_simulations.conformance.law import law_of
from ldp_simulations.conformance.specimens import answers_of

FEW = 3
MOST_CELLS = 1 << 16
"""Probabilities that are written out."""
MOST_PAIRED = 128
"""Bits of a row, from the first on, of which every two are compared."""
_THRESHOLDS = 64
_MULTIPLIER = (1 << 32) - 1


class Event(NamedTuple):
    """Reports that speak for one answer and against another, by their places among the
    answers.
    """

    one: int
    other: int
    what: str
    happens: Callable[[Rows], Flags]
    """From rows, (reports, width)."""
    chances: tuple[float, float] | None
    """How likely it is with either answer, if that is known."""


class EnvelopePart:
    """One question of an envelope: where its reports lie, and what they have to be.

    `draws` is how many reports are meant, by which events are chosen; `answers` how
    many are tried.
    """

    def __init__(
        self, question: Question, start: int, draws: int, answers: int = FEW
    ) -> None:
        self.question = question
        self.name = question.name
        self.start = start
        self.width = question.width
        self.answers = fitting_answers(question, answers)
        self.columns = _columns(question, self.answers)
        self.bits, self.pairs = _bits(question, self.answers, self.columns)
        self.distant = _distant(question, self.answers, self.columns)
        self.events = tuple(_events(self, draws))
        layout = question.layout
        cells = 8 * layout.body_width * layout.cohorts
        self.counts_within = (
            self.columns is None and layout.cohorts > 1 and cells <= MOST_CELLS
        )
        """Whether bits are counted in each cohort by itself."""

    @property
    def allowance(self) -> Fraction:
        """The largest ratio that the survey allows a report."""
        return self.question.declared.bound

    @property
    def epsilon(self) -> float:
        """Its logarithm, rounded up."""
        return log_upper(self.allowance)

    def column_of(self, rows: Rows) -> Integers:
        """The numbers of reports, (reports,), as the columns of a channel have them."""
        layout = self.question.layout
        prefix = number_of(rows[:, : layout.prefix_width])
        body = number_of(rows[:, layout.prefix_width :])
        bodies = 0
        if layout.prefix_width:
            bodies = layout.symbols or 1 << layout.bits
        return prefix * bodies + body


def parts_of(
    envelope: Envelope, draws: int, answers: int = FEW
) -> tuple[EnvelopePart, ...]:
    """Return the parts of an envelope that travels as one row."""
    parts = []
    start = 0
    for question in envelope.members:
        parts.append(EnvelopePart(question, start, draws, answers=answers))
        start += question.width
    return tuple(parts)


def fitting_answers(question: Question, number: int = FEW) -> tuple[Any, ...]:
    """A few different answers that the question takes, as JSON has them; so many, of a
    list.
    """
    if number <= FEW:
        chosen = answers_of(question.domain)
    else:
        chosen = _spread(question.domain, number)
    answers = {json.dumps(answer): answer for answer in chosen}
    return tuple(answer for answer in answers.values() if _fits(question, answer))


def _spread(domain: Domain, number: int) -> list[Any]:
    """So many values of a list or a range, from the first to the last; of all else the
    usual.
    """
    listed = domain.numbers or (domain.values if domain.type == "category" else None)
    if not listed or domain.per_device:
        return answers_of(domain)
    places = (
        np.linspace(0, len(listed) - 1, min(number, len(listed))).round().astype(int)
    )
    return [listed[place] for place in places.tolist()]


def envelopes_of(survey: Survey, names: Sequence[str] = ()) -> tuple[Envelope, ...]:
    """Return the envelopes for the named questions, or for all."""
    return tuple(
        envelope
        for envelope in survey.envelopes
        if not names or any(question.name in names for question in envelope.members)
    )


def number_of(parts: Rows) -> Integers:
    """Little-endian numbers, (reports,), of up to eight bytes each."""
    numbers = np.zeros(len(parts), dtype=np.int64)
    for place in range(parts.shape[1]):
        numbers |= parts[:, place].astype(np.int64) << (8 * place)
    return numbers


def bits_of(rows: Rows) -> Flags:
    """Rows as bits, (reports, 8 x width), the lowest of a byte first."""
    return np.unpackbits(rows, axis=1, bitorder="little").view(bool)


def best_columns(one: Floats, other: Floats, draws: int) -> Flags:
    """Which columns, of likelihoods (columns,), give the best bound of so many draws of
    each.
    """
    seen = (one > 0) & (one > other)
    if not seen.any():
        return seen
    ratios = np.where(seen, one / np.maximum(other, 1e-12), 0.0)
    lines = np.unique(ratios[seen])
    if len(lines) > _THRESHOLDS:
        lines = np.unique(np.quantile(lines, np.linspace(0, 1, _THRESHOLDS)))
    # shape: lines, columns
    chosen = seen & (ratios >= lines[:, None])
    happened = (draws * (chosen @ one), draws * (chosen @ other))
    bounds = least_epsilon(happened, (draws, draws), FALSE_ALARMS)
    best: Flags = chosen[int(np.argmax(bounds))]
    return best


def _fits(question: Question, answer: object) -> bool:
    try:
        question.places(answer)
    except LDPError:
        return False
    return True


def _columns(question: Question, answers: Sequence[object]) -> Floats | None:
    """The law of the columns, (answers, columns)."""
    rows: tuple[Row, ...] | None = law_of(question, MOST_CELLS)
    if rows is None:
        return None
    chosen = [rows[_index(question, answer)] for answer in answers]
    return np.array([[float(mass) for mass in row] for row in chosen])


def _index(question: Question, answer: object) -> int:
    return int(cast(int, question.place(answer)[0]))


def _one_report(randomizer: Randomizer) -> Randomizer:
    """The mechanism of a first report, where a response is kept."""
    if isinstance(randomizer, Chain):
        return randomizer.once
    return randomizer


def _has_a_bit_each(question: Question) -> bool:
    randomizer = question.randomizer
    layout = question.layout
    plain = question.domain.most is None and question.domain.key_scale is None
    plain = plain and not question.domain.fields
    if not (plain and is_pure(randomizer) and layout.bits):
        return False
    return layout.cohorts == 1 and layout.bits == randomizer.size


def _bits(
    question: Question, answers: Sequence[object], columns: Floats | None
) -> tuple[Floats | None, Floats | None]:
    """P[bit is 1], (answers, 8 x width), and P[a bit and the next are 1], one less of
    these.
    """
    layout, places = question.layout, 8 * question.width
    if columns is not None:
        numbers = np.arange(columns.shape[1])
        bodies = columns.shape[1] // layout.cohorts
        reports = numbers
        if layout.prefix_width:
            reports = numbers % bodies << 8 * layout.prefix_width | numbers // bodies
        # shape: columns, bits
        shown = (reports[:, None] >> np.arange(places) & 1).astype(float)
        return columns @ shown, columns @ (shown[:, 1:] * shown[:, :-1])
    if not _has_a_bit_each(question):
        return None, None
    randomizer = cast(Pure, _one_report(question.randomizer))
    p, q = (float(rate) for rate in randomizer.support)
    bits, pairs = np.zeros((len(answers), places)), np.zeros((len(answers), places - 1))
    both = randomizer.joint_support()
    for number, answer in enumerate(answers):
        own = _index(question, answer)
        bits[number, : layout.bits] = q
        bits[number, own] = p
        if both is not None:
            pairs[number, : layout.bits - 1] = float(both[1])
            pairs[
                number, [at for at in (own - 1, own) if 0 <= at < layout.bits - 1]
            ] = both[0]
    return bits, None if both is None else pairs


def distant_places(places: int) -> tuple[Integers, Integers]:
    """Every two bits that are no neighbours, of the first of a row."""
    return np.triu_indices(min(places, MOST_PAIRED), 2)


def _distant(
    question: Question, answers: Sequence[object], columns: Floats | None
) -> Floats | None:
    """P[two bits are 1], (answers, pairs); not where the law of whole reports is
    written down.
    """
    if columns is not None or not _has_a_bit_each(question):
        return None
    both = cast(Pure, _one_report(question.randomizer)).joint_support()
    if both is None:
        return None
    one, other = distant_places(8 * question.width)
    owns = [_index(question, answer) for answer in answers]
    with_own = [(one == own) | (other == own) for own in owns]
    chances = np.where(with_own, float(both[0]), float(both[1]))
    return np.where(other < question.layout.bits, chances, 0.0)


def _events(part: EnvelopePart, draws: int) -> list[Event]:
    pairs = list(permutations(range(len(part.answers)), 2))
    if part.columns is not None:
        return [_of_columns(part, part.columns, pair, draws=draws) for pair in pairs]
    if _has_a_bit_each(part.question):
        return [_of_bits(part, *pair) for pair in pairs]
    hashing = _one_report(part.question.randomizer)
    if isinstance(hashing, LocalHashing):
        return [_of_buckets(part, hashing, *pair) for pair in pairs]
    return []


def _of_columns(
    part: EnvelopePart, columns: Floats, pair: tuple[int, int], draws: int
) -> Event:
    one, other = pair
    chosen = best_columns(columns[one], columns[other], draws)
    chances = (float(columns[one] @ chosen), float(columns[other] @ chosen))
    what = f"{int(chosen.sum())} of {len(chosen)} reports"
    return Event(
        one,
        other,
        what,
        happens=lambda rows: in_columns(part, chosen, rows),
        chances=chances,
    )


def in_columns(part: EnvelopePart, chosen: Flags, rows: Rows) -> Flags:
    """Which reports are among chosen columns."""
    numbers = part.column_of(rows)
    inside = numbers < len(chosen)
    flags: Flags = inside & chosen[np.where(inside, numbers, 0)]
    return flags


def _of_bits(part: EnvelopePart, one: int, other: int) -> Event:
    places = [_index(part.question, part.answers[number]) for number in (one, other)]
    start = part.question.layout.prefix_width
    randomizer = cast(Pure, _one_report(part.question.randomizer))

    def happens(rows: Rows) -> Flags:
        own, others = (_bit(rows, 8 * start + place) for place in places)
        return own & ~others

    return Event(
        one,
        other,
        "supports the one only",
        happens=happens,
        chances=_chances_of_one_only(randomizer),
    )


def _chances_of_one_only(randomizer: Pure) -> tuple[float, float] | None:
    """P[a report supports the one of two values and not the other], by what is held.

    Of holders of the one, and of the other; None where no integers say it.
    """
    both = randomizer.joint_support()
    if both is None:
        return None
    p, q = randomizer.support
    return float(p - both[0]), float(q - both[0])


def _of_buckets(
    part: EnvelopePart, hashing: LocalHashing, one: int, other: int
) -> Event:
    values = [_index(part.question, part.answers[number]) for number in (one, other)]
    p, q = hashing.support
    wrong = p * hashing.other / hashing.truth
    meet = (q - wrong) / (p - wrong)

    def happens(rows: Rows) -> Flags:
        seed = number_of(rows[:, :8])
        symbol = number_of(rows[:, 8:])
        own, others = (_bucket(hashing, value, seed) == symbol for value in values)
        flags: Flags = own & ~others
        return flags

    chances = (float(p * (1 - meet)), float(wrong * (1 - meet)))
    return Event(one, other, "supports the one only", happens=happens, chances=chances)


def _bucket(hashing: LocalHashing, value: int, seeds: Integers) -> Integers:
    multiplier, shift = seeds & _MULTIPLIER, seeds >> 32
    residues: Integers = (multiplier * value + shift) % hashing.modulus
    return residues * hashing.buckets // hashing.modulus


def _bit(rows: Rows, place: int) -> Flags:
    flags: Flags = (rows[:, place >> 3] >> (place & 7) & 1).astype(bool)
    return flags


def value_of(question: Question, answer: object) -> Value:
    """Return the input of the core's randomizer, rounded at random where it has to
    be.
    """
    return question.value(answer)
