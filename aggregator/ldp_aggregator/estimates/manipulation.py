"""The manipulation bound: how far forged reports can move an estimate, whatever they say.

An estimate is the mean, over n reports, of what each is worth to a value: its score, which lies
between `least` and `most`. Let m of them be forged, and let a share f of those who sent the others
hold the value. Then, exactly,

    estimate - f = (1 - m/n) (estimate from the honest reports alone - f) + (m/n) (mean score of the forged ones - f)

The first term is the noise that standard errors are for. The second is the manipulation, and as 0
<= f <= 1 it is

    at most (m/n) reach,  reach = max(most, 1 - least)

for sure, even if the forgers have read all the other reports; and as much where everybody or nobody
holds the value. It is the same if forgers count as respondents with an answer of their own: 0 or 1
then stands for f. So whoever believes that at most a share b of the reports is forged widens every
interval by b reach. Scores are, with p and q as ever,

    pure, sketch   (1 - q) / (p - q) if the report supports the value, else -q / (p - q); q' for q
                   in a sketch
    matrix         an entry of the decoding matrix
    noise          own_y, or -next_y for the neighbours of y (`ldp_aggregator.decoders.noise`)
    sum            that of a level
    sampled        b/d times that of a bit, or 0
    search         as pure, among the n' reports held out: all forged ones may be there, so reach
                   grows by n / n'
    blocks         c or -c in the value's block, else 0 (`ldp.mechanisms.hadamard`)
    bloom          none. Least squares weighs each bit by what all reports say, and chooses among
                   many candidates by it

A mean counts values c from the middle of their range, from -h to h, so that they add up to 0; a
report is worth the sum of c x score to it. One with its greatest score at k values of its choice,
and its least at the others, is worth at most k (d - k) / 2 x (most - least), if these are the k
largest c; and its opposite as much less than 0. k is 1 for a symbol, w for a set of w values, any
number (d/2 is best) for bits and levels; a window has its best place. `reach` is that plus h.

Source: Cheu, Smith and Ullman 2021 (manipulation attacks); the formulas by the linearity of the
estimators.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ldp.mechanisms.additive import AdditiveNoise
from ldp.mechanisms.bit_flip import BitFlip
from ldp.mechanisms.contract import Pure, Randomizer, is_blocked
from ldp.mechanisms.heavy_hitters import HeavyHitters
from ldp.mechanisms.histogram import NoisyHistogram
from ldp.mechanisms.matrix import StochasticMatrix
from ldp.mechanisms.rappor import Rappor
from ldp.mechanisms.sketches import CountMean, HadamardCountMean
from ldp_aggregator.arrays import Counts
from ldp_aggregator.decoders.noise import Noise
from ldp_aggregator.decoders.search.prefix_extension import rates
from ldp_aggregator.decoders.sketches import support_rates
from ldp_aggregator.moments.moments import channel_array, decoding
from ldp_aggregator.tallies.counting import total_reports

Range = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Manipulation:
    """How far forged reports can move the estimates of a question, for each share of the reports
    that they are.
    """

    reach: float | None
    """A share b of forged reports moves a frequency by at most b times this.

    None where there is no bound.
    """
    mean_reach: float | None = None
    """The same of the mean; None where there is no mean."""
    reason: str = ""
    """Why there is no bound."""

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        mean = {} if self.mean_reach is None else {"mean_reach": self.mean_reach}
        return {"reach": self.reach, **mean, **({"note": self.reason} if self.reason else {})}

    def __str__(self) -> str:
        if self.reach is None:
            return (
                f"Forged reports can move a frequency without a bound that is known: {self.reason}."
            )
        mean = (
            ""
            if self.mean_reach is None
            else f", and the mean by at most {self.mean_reach / 100:.3g}"
        )
        return f"1 % forged reports can move a frequency by at most {self.reach / 100:.3g}{mean}."


def manipulation(
    randomizer: Randomizer, counts: Counts, *, with_mean: bool = False
) -> Manipulation:
    """The bound for a tally with reports.

    Of the mean too, if its values are whole numbers in a row.
    """
    reach = frequency_reach(randomizer)
    if reach is None:
        assert isinstance(randomizer, Rappor)  # noqa: S101 (a fact about our own table)
        bit = _reach(_of_support(*randomizer.support), 0, 1)
        return Manipulation(
            None,
            reason="least squares weighs each bit by what all reports say; the share of a cohort "
            "whose text sets a bit "
            f"moves by at most {float(bit):.3g} times the share of its reports that are forged",
        )
    shares = Fraction(total_reports(counts, randomizer.layout), decoded_reports(randomizer, counts))
    return Manipulation(float(reach * shares), float(mean_reach(randomizer)) if with_mean else None)


def decoded_reports(randomizer: Randomizer, counts: Counts) -> int:
    """How many reports frequencies are estimated from: all, but for those that
    a search looked at.
    """
    if isinstance(randomizer, HeavyHitters):
        return int(counts[randomizer.stages :].sum())
    return total_reports(counts, randomizer.layout)


def frequency_reach(randomizer: Randomizer) -> Fraction | None:
    """The most by which a report's score differs from what its device may hold.

    None for Bloom filters.
    """
    scores = score_range(randomizer)
    return None if scores is None else _reach(scores, 0, 1)


def score_range(randomizer: Randomizer) -> Range | None:
    """The least and the greatest score that any report has for any value.

    None for Bloom filters.
    """
    match randomizer:
        case Rappor(hashes=hashes) if hashes:
            return None
        case CountMean() | HadamardCountMean():
            return _of_support(*support_rates(randomizer))
        case HeavyHitters():
            return _of_support(*map(Fraction, rates(randomizer)))
        case BitFlip():
            least, most = _of_support(*randomizer.within)
            return (
                least * randomizer.size / randomizer.sampled,
                most * randomizer.size / randomizer.sampled,
            )
        case NoisyHistogram():
            levels = randomizer.scores()
            return levels[0], levels[-1]
        case AdditiveNoise():
            noise = Noise.of(randomizer)
            return Fraction(-noise.next.max()), Fraction(noise.own.max())
        case StochasticMatrix():
            scores = decoding(channel_array(randomizer))
            return Fraction(scores.min()), Fraction(scores.max())
    if is_blocked(randomizer):
        return -randomizer.worth, randomizer.worth
    assert isinstance(randomizer, Pure)  # noqa: S101 (a fact about our own table)
    return _of_support(*randomizer.support)


def mean_reach(randomizer: Randomizer) -> Fraction:
    """The most by which what a report is worth to the mean differs from what
    its device may hold.
    """
    if isinstance(randomizer, StochasticMatrix):
        size = len(randomizer.weights)
        worth = decoding(channel_array(randomizer)) @ (np.arange(size) - (size - 1) / 2)
        ends = Fraction(worth.min()), Fraction(worth.max())
    else:
        assert isinstance(randomizer, Pure | BitFlip | NoisyHistogram | AdditiveNoise)  # noqa: S101
        size, most = randomizer.size, _greatest_worth(randomizer)
        ends = -most, most
    return _reach(ends, Fraction(1 - size, 2), Fraction(size - 1, 2))


def _greatest_worth(randomizer: Pure | BitFlip | NoisyHistogram | AdditiveNoise) -> Fraction:
    """Of any report to the mean, values being counted from the middle."""
    if isinstance(randomizer, AdditiveNoise):
        return Fraction(randomizer.size - 1, 2) + Fraction(Noise.of(randomizer).beyond)
    scores = score_range(randomizer)
    assert scores is not None  # noqa: S101 (Bloom filters have no mean)
    if isinstance(randomizer, BitFlip):
        return _best_window(randomizer.size, randomizer.sampled, scores)
    size, layout = randomizer.size, randomizer.layout
    together = layout.places > 1 or (layout.bits and not layout.ones)
    highest = size // 2 if together else layout.ones or 1
    return Fraction(highest * (size - highest), 2) * (scores[1] - scores[0])


def _best_window(size: int, sampled: int, scores: Range) -> Fraction:
    """The greatest worth of a report that has a bit for each value of a window, and 0 for the
    others.
    """
    worths = [
        max((Fraction(2 * value - size + 1, 2)) * score for score in scores)
        for value in range(size)
    ]
    worth = best = sum(worths[:sampled], Fraction(0))
    for start in range(size - 1):
        worth += worths[(start + sampled) % size] - worths[start]
        best = max(best, worth)
    return best


def _of_support(p: Fraction, q: Fraction) -> Range:
    scores = sorted((-q / (p - q), (1 - q) / (p - q)))
    return scores[0], scores[1]


def _reach(scores: Range, low: Fraction | int, high: Fraction | int) -> Fraction:
    least, most = scores
    return max(most - low, high - least)
