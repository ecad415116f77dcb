"""The manipulation bound: how far forged reports (data poisoning) can move an estimate.

An estimate is the mean, over n reports, of what each is worth to a value: its score,
which lies between `least` and `most`. Let m of them be forged, and let a share f of
those who sent the others hold the value. Then, exactly,

    estimate - f = (1 - m/n) (estimate from the honest reports alone - f)
                   + (m/n) (mean score of the forged ones - f)

The first term is the noise that standard errors are for. The second is the
manipulation, and as 0 <= f <= 1 it is

    at most (m/n) reach,  reach = max(most, 1 - least)

for sure, even if the forgers have read all the other reports; and as much where
everyone or no one holds the value. It is the same if forgers count as respondents with
an answer of their own: 0 or 1 then stands for f. So an analyst who believes that at
most a share b of the reports is forged widens every interval by b reach. The range of a
score is in the row of each decoder (`ldp_aggregator.decoders`); where a search looked
at some of the reports, all forged ones may be among the others, so that reach grows.
For Bloom filters there is none.

A mean counts values c from the middle of their range, from -h to h, so that they add up
to 0; a report is worth the sum of c x score to it. One with its greatest score at k
values of its choice, and its least at the others, is worth at most k (d - k) / 2 x
(most - least), if these are the k largest c; and its opposite as much less than 0. k is
1 for a symbol, w for a set of w values, any number (d/2 is best) for bits and levels; a
window has its best place. `reach` is that plus h.

Source: Cheu, Smith and Ullman 2021 (manipulation attacks); the formulas by the
linearity of the estimators.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ldp.mechanisms.contract import Randomizer
from ldp_aggregator.decoders.decoder import Range, Refusal
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.tallies.counting.counting import total_reports


@dataclass(frozen=True)
class Manipulation:
    """How far forged reports can move a question's estimates, for each share of the
    reports.
    """

    reach: float | None
    """A share b of forged reports moves a frequency by at most b times this.

    None where there is no bound.
    """
    mean_reach: float | None = None
    """The same of the mean; None where there is no mean."""
    reason: str = ""
    """Why there is no bound."""
    sum_reach: float | None = None
    """The same of the sum of the numbers that come with a key, by respondent, where
    there are such.
    """

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        mean = {}
        if self.mean_reach is not None:
            mean = {"mean_reach": self.mean_reach}
        if self.sum_reach is not None:
            mean |= {"sum_reach": self.sum_reach}
        return {
            "reach": self.reach,
            **mean,
            **({"note": self.reason} if self.reason else {}),
        }

    def __str__(self) -> str:
        of_mean = ""
        if self.mean_reach is not None:
            of_mean = f"the mean by at most {self.mean_reach / 100:.3g}"
        if self.reach is not None:
            frequency = (
                "1 % forged reports can move a frequency by at most "
                f"{self.reach / 100:.3g}"
            )
            if self.sum_reach is not None:
                return (
                    f"{frequency}, and the sum of a key's numbers, by respondent, by "
                    f"at most {self.sum_reach / 100:.3g}; a mean by that over the "
                    "share who hold the key."
                )
            if of_mean:
                return f"{frequency}, and {of_mean}."
            return f"{frequency}."
        if of_mean:
            return f"1 % forged reports can move {of_mean}."
        return (
            "Forged reports can move a frequency without a bound that is known: "
            f"{self.reason}."
        )


def manipulation(
    randomizer: Randomizer,
    counts: Counts,
    *,
    step: float | None = None,
    queries: Floats | None = None,
    ends: tuple[Fraction, Fraction] | None = None,
) -> Manipulation:
    """The bound for a tally with reports.

    Of the mean too, if its values are numbers a step apart; of `queries` of a
    distribution in place of its values; of sums too, if numbers between two `ends` come
    with its values.
    """
    decoder = decoder_of(randomizer)
    if queries is not None and decoder.ranges.score_range is not None:
        scores: Range | Refusal = decoder.ranges.score_range(randomizer, queries)
    else:
        scores = decoder.score_range(randomizer)
    of_mean = None
    if step is not None:
        of_mean = step * float(mean_reach(randomizer))
    if isinstance(scores, Refusal):
        return Manipulation(None, of_mean, scores.reason)
    shares = Fraction(
        total_reports(counts, randomizer.layout), decoded_reports(randomizer, counts)
    )
    of_sum = None
    if ends is not None:
        of_sum = decoder.keys.sum_reach(randomizer, ends)
    return Manipulation(
        float(_reach(scores, 0, 1) * shares),
        of_mean,
        sum_reach=None if of_sum is None else float(of_sum),
    )


def decoded_reports(randomizer: Randomizer, counts: Counts) -> int:
    """How many reports frequencies are estimated from: all but those a search looked
    at.
    """
    return decoder_of(randomizer).search.reports(randomizer, counts)


def frequency_reach(randomizer: Randomizer) -> Fraction | None:
    """The most by which a report's score differs from what its device may hold.

    None for Bloom filters.

    >>> import ldp, ldp_aggregator
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> round(float(ldp_aggregator.frequency_reach(survey["mode"].randomizer)), 2)
    1.58
    """
    scores = score_range(randomizer)
    if scores is None:
        return None
    return _reach(scores, 0, 1)


def score_range(randomizer: Randomizer) -> Range | None:
    """The least and the greatest score that any report has for any value.

    None for Bloom filters.
    """
    scores = decoder_of(randomizer).score_range(randomizer)
    if isinstance(scores, Refusal):
        return None
    return scores


def mean_reach(randomizer: Randomizer) -> Fraction:
    """The most by which a report's worth to the mean differs from what its device may
    hold.
    """
    reach = decoder_of(randomizer).mean.reach(randomizer)
    assert not isinstance(reach, Refusal)  # noqa: S101 (asked for where there is a mean)
    return reach


def _reach(scores: Range, low: Fraction | int, high: Fraction | int) -> Fraction:
    return max(scores.most - low, high - scores.least)
