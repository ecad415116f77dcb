"""How well a report tells one answer from another, for each two answers by themselves.

Epsilon is that of the two answers which are told apart best. A matrix, two coins with
different rates or noise on a scale tell some answers apart less well than others, and
may do so on purpose: an answer that is hard to give is hidden among all others. So
where epsilon stays, a report may still come to tell more of the one answer for which it
was chosen:

    max over reports y of  P[y | answer] / P[y | other answer]

of each two answers, in either order, that both versions have. Where the law of a report
is not written down here, epsilon is taken for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations

from ldp.numbers.channel import Row
from ldp.numbers.exact import log_text
from ldp.survey.survey import Question
from ldp_aggregator.versions.change import PAIRS, Change, shorten, verdict_of

Told = Callable[[str, str], Fraction | None]
"""The ratio for an answer and another one; None if it has no bound."""

_MOST_VALUES = {"matrix": 64, "noise": 32, "mean": 32, "window": 32}
"""By kind: of how many values the law is written down."""
_PLACES = 6
_GRID = 1 + Fraction(1, 1 << 30)
"""What is no difference: weights of equal epsilons lie on a grid of 2^-32."""


def pair_changes(place: str, old: Question, new: Question) -> Iterator[Change]:
    """The two answers that come to be told apart better, where there are such; or less
    well.
    """
    rows = [_rows(question) for question in (old, new)]
    is_by_distance = old.declared.metric is not None and new.declared.metric is not None
    if rows[0] == rows[1] or is_by_distance:
        return
    known = set(new.domain.values or ())
    values = [value for value in old.domain.values or () if value in known]
    before, after = (
        _distance(question, law) for question, law in zip((old, new), rows, strict=True)
    )
    rises: list[tuple[Fraction, str, str]] = []
    falls = False
    for one, other in permutations(values, 2):
        ratios = before(one, other), after(one, other)
        if ratios[0] is None or ratios[1] is None:
            # What has no bound is refused where surveys are read.
            continue
        if ratios[1] > ratios[0] * _GRID:
            rises.append((ratios[1] / ratios[0], one, other))
        falls = falls or ratios[1] * _GRID < ratios[0]
    if not rises and not falls:
        return
    verdict, says = verdict_of(
        bool(rises),
        (
            "some answers are told from others better than they were, whatever the "
            "largest epsilon is"
        ),
        "some answers are told from others less well than they were",
    )
    if not rises:
        yield Change(
            place, PAIRS, "as it was", after="less", verdict=verdict, says=says
        )
        return
    # The first of those that rise most.
    most = max(rise for rise, _, _ in rises)
    one, other = next((one, other) for rise, one, other in rises if rise == most)
    texts = [
        log_text(ratio, _PLACES)
        for ratio_of in (before, after)
        if (ratio := ratio_of(one, other))
    ]
    yield Change(
        place,
        PAIRS,
        shorten(f"{one} from {other}: {texts[0]}"),
        after=texts[1],
        verdict=verdict,
        says=says,
    )


def _rows(question: Question) -> dict[str, Row] | None:
    """The law of a report by value; None where two answers are told apart as well as
    any two.
    """
    values = question.domain.values or ()
    if not 2 <= len(values) <= _MOST_VALUES.get(question.randomizer.kind, 0):
        return None
    return dict(zip(values, question.randomizer.channel().rows, strict=True))


def _distance(question: Question, rows: dict[str, Row] | None) -> Told:
    def worst_ratio(one: str, other: str) -> Fraction | None:
        if rows is None:
            return question.randomizer.ratio
        worst = Fraction(0)
        for mass, of_other in zip(rows[one], rows[other], strict=True):
            if mass and not of_other:
                return None
            if mass:
                worst = max(worst, mass / of_other)
        return worst

    return worst_ratio
