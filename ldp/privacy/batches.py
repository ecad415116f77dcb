"""Privacy of batches: the epsilon of one respondent among n, if a relay mixed the
reports.

A shuffler (relay) between devices and collector takes one message a respondent, and
hands on a batch in random order with nothing that tells the messages apart. Against a
collector that sees only the batch, the reports give (epsilon, delta)-differential
privacy with an epsilon far below that of one report. If relay and collector work
together, that of one report is what remains. So results have both.

Neighbours are batches that differ in one respondent's answer: n is public, and taking
part is not hidden. n counts honest and distinct respondents; reports of colluders are
no cover.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

from ldp.mechanisms.blankets import Blanket, blanket_of, of_row, shortened
from ldp.numbers.exact import decimal_text, exp_lower, fraction, log_upper
from ldp.privacy.deltas import Effort, delta_above, fine, quick
from ldp.survey.survey import Envelope

USUAL_DELTA = Fraction(1, 10**8)

_DIGITS = 5
"""Of an epsilon, which is rounded up."""
_CLOSE, _AIM = Fraction(96, 100), Fraction(98, 100)
"""How much of the delta that may be spent is spent, at least and about: a thousandth of
epsilon.
"""
_CLOSER, _CLOSER_AIM = Fraction(985, 1000), Fraction(993, 1000)
"""The same of what is worked out finely."""
_TRIALS = 12
_DECIMALS = 10**30
_FAR = -8


def blanket_of_message(envelope: Envelope) -> Blanket:
    """Return that of what travels together: the report of a question, or the row of a
    group.
    """
    blankets = tuple(blanket_of(question.randomizer) for question in envelope.members)
    if len(blankets) == 1:
        return blankets[0]
    return shortened(of_row(blankets))


class BatchPrivacy(NamedTuple):
    """Privacy of each respondent in a batch of `reports` (colluders not counted).

    (`epsilon`, `delta`) if relay and collector are apart: an upper bound, rounded up.
    Epsilon is `local`, that of one report, if they are not.
    """

    reports: int
    epsilon: Fraction
    delta: Fraction
    local: Fraction
    mixed_by: str = ""
    first_only: bool = False
    """Whether only a device's first report is hidden (memoized mechanisms)."""
    parts: int = 1
    """How many questions travel together, as one message."""

    @property
    def amplifies(self) -> bool:
        """Whether the batch hides more than the report itself does."""
        return self.epsilon < self.local

    @property
    def local_text(self) -> str:
        """Privacy of one report without a relay, in words."""
        return f"epsilon {_format_epsilon(self.local)}"

    @property
    def text(self) -> str:
        """Both figures, in the words that people read."""
        relay = ""
        if self.mixed_by:
            relay = f", mixed by {self.mixed_by}"
        if not self.amplifies:
            return (
                f"{self.reports:,} reports{relay}: too few to hide among, so "
                f"{self.local_text} whether relay and collector are apart or not"
            )
        words = (
            f"{self.reports:,} reports{relay}: ({_format_epsilon(self.epsilon)}, "
            f"{delta_text(self.delta)}) if relay and collector are apart, "
            f"{self.local_text} if not"
        )
        if self.first_only:
            return f"{words}; first reports of a device only"
        return words


def batch_privacy(
    question: Envelope,
    reports: int,
    delta: str | float | Fraction = USUAL_DELTA,
    colluding: str | float | Fraction = 0,
    mixed_by: str = "",
    finely: bool = False,
) -> BatchPrivacy:
    """Return the privacy of a batch of so many reports of a question, or rows of a
    group.

    `colluding` is the share of the reports that are no cover: those of colluders,
    forged ones. Worked out `finely` it is nearer to the truth by a percent or two, and
    takes seconds.

    Raises `ValueError` for numbers out of range.
    """
    share, wanted = fraction(colluding), fraction(delta)
    if reports < 0 or not 0 <= share < 1 or not 0 < wanted < 1:
        raise ValueError(
            "expected a number of reports from 0, a share of colluders from 0 to below "
            f"1 and a delta between 0 and 1, got {reports}, {colluding} and {delta}"
        )
    honest = math.floor(reports * (1 - share))
    ratio = math.prod(
        (member.randomizer.ratio for member in question.members), start=Fraction(1)
    )
    local = rounded_up(Fraction(log_upper(ratio)))
    epsilon = batch_epsilon(blanket_of_message(question), honest, wanted, finely=finely)
    return BatchPrivacy(
        honest,
        min(epsilon, local),
        wanted,
        local=local,
        mixed_by=mixed_by,
        first_only=any(member.memoizes for member in question.members),
        parts=len(question.members),
    )


def batch_epsilon(
    blanket: Blanket, count: int, delta: Fraction, finely: bool = True
) -> Fraction:
    """The least epsilon, rounded up, at which an upper bound of a batch's delta is at
    most `delta`.

    That of one report where a batch of `count` does no better.
    """
    first = _epsilon(
        blanket, count, delta, effort=quick(count, blanket.both > 0), start=None
    )
    if not finely:
        return first
    return min(
        first,
        _epsilon(
            blanket, count, delta, effort=fine(count, blanket.both > 0), start=first
        ),
    )


@lru_cache(maxsize=4096)
def _epsilon(
    blanket: Blanket,
    count: int,
    delta: Fraction,
    effort: Effort,
    start: Fraction | None,
) -> Fraction:
    local = rounded_up(Fraction(log_upper(max(blanket.first, blanket.second))))
    if count < 2:
        return local
    low, high = Fraction(0), local
    spent = float(delta)
    close, aim = (_CLOSE, _AIM) if start is None else (_CLOSER, _CLOSER_AIM)
    for trial in range(_TRIALS):
        # Where a normal law would have it; the rest is corrected by what came out
        # before.
        epsilon = rounded_up(
            Fraction(_normal_epsilon(blanket, count, spent, most=float(local)))
        )
        if start is not None and trial == 0:
            epsilon = start
        if not low < epsilon < high:
            epsilon = rounded_up((low + high) / 2)
        if epsilon >= high:
            break
        above = delta_above(blanket, count, power(epsilon), effort=effort)
        if above <= delta:
            high = epsilon
            if above >= close * delta:
                break
        else:
            low = epsilon
        assumed = _normal_delta(blanket, count, float(epsilon))
        if above:
            spent = min(assumed * float(delta * aim / above), 0.5)
    return high


def power(epsilon: Fraction) -> Fraction:
    """e^epsilon, cut behind its 30th decimal: nothing is claimed for less than
    epsilon.
    """
    return max(
        Fraction(math.floor(exp_lower(epsilon) * _DECIMALS), _DECIMALS), Fraction(1)
    )


def rounded_up(number: Fraction, digits: int = _DIGITS) -> Fraction:
    """A number above 0, with so many digits, rounded up."""
    if number <= 0:
        return Fraction(0)
    places = digits - math.floor(math.log10(number)) - 1
    scale = Fraction(10) ** places
    return Fraction(math.ceil(number * scale)) / scale


def delta_text(delta: Fraction) -> str:
    """A delta as people write it, such as 1e-8."""
    text = decimal_text(delta)
    if len(text) < 6 or "/" in text:
        return text
    return f"{float(delta):g}".replace("e-0", "e-")


def _format_epsilon(epsilon: Fraction) -> str:
    return decimal_text(rounded_up(epsilon, 3))


def _normal_delta(blanket: Blanket, count: int, epsilon: float) -> float:
    """Roughly the delta: the sum of gains as if it were normal, as many covers as on
    average.
    """
    t = math.exp(epsilon)
    first, second = float(blanket.first), float(blanket.second)
    law = [
        float(mass) for mass in (blanket.only_first, blanket.only_second, blanket.both)
    ]
    law.append(1 - sum(law))
    values = (first - t, 1 - t * second, first - t * second, 1 - t)
    mean = sum(mass * value for mass, value in zip(law, values, strict=True))
    square = (
        sum(mass * value**2 for mass, value in zip(law, values, strict=True)) - mean**2
    )
    draws = 1 + (count - 1) * float(blanket.covers)
    spread = math.sqrt(draws * max(square, 1e-300))
    at = draws * mean / spread
    normal = NormalDist()
    excess = normal.pdf(at) + at * normal.cdf(at)
    if at < _FAR:
        # The two terms cancel: their difference by Mills' ratio.
        excess = normal.pdf(at) / (at * at + 3)
    return float(blanket.gamma) / draws * spread * excess


def _normal_epsilon(blanket: Blanket, count: int, delta: float, most: float) -> float:
    low, high = 0.0, most
    for _ in range(40):
        middle = (low + high) / 2
        if _normal_delta(blanket, count, middle) > delta:
            low = middle
        else:
            high = middle
    return high
