"""Plans of many fields: how well the table of two will be known, beside other ways to
ask for it.

A table for each question whose devices tell some of many fields. All errors are of a
cell of the table of two fields, as the root of its mean variance over all pairs and
their cells, if answers are spread evenly; they shrink with the root of the number of
respondents. The ways:

    subsets          n Var as `ldp.mechanisms.sets.subsets` has it, for m fields told
                     together
    pairs            each device tells one pair of fields, and counts for that alone:
                     (pairs) V (1 - 1/cells) - 1/cells (1 - 1/cells)
    split epsilon    each device tells every field by itself, with epsilon / d each,
                     linked: product over both fields of [V (1 - 1/a) + 1/a^2], less
                     1/cells
    bound            no mechanism of this epsilon has less, on average over all pairs:
                     [V_lim (sum of roots)^2 - sum] of what matters in the tables of all
                     pairs, with V_lim = 4 E / (E - 1)^2. A pair matters by 1 / (pairs
                     (a b)^2) in each of its (a-1) (b-1) interactions, and a field by
                     the sum of that over its pairs in each of its a - 1 main effects

V is half of n Var of the difference of two cells (`ldp.mechanisms.numbers.tree`). All
is for the respondents; of a population, 1/cells (1 - 1/cells) comes on top.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from ldp.errors import EstimateError
from ldp.mechanisms.numbers.tree import best_space, difference_variance, oracle_of
from ldp.mechanisms.sets.subsets import FEWEST_TOGETHER, Sizes, fits, pair_error
from ldp.numbers.exact import fraction, odds
from ldp.survey.survey import Question
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.answers.results.manipulation import frequency_reach
from ldp_aggregator.output.sheet import TextTable
from ldp_simulations.planning.kinds.asking import Ask
from ldp_simulations.planning.kinds.entries import (
    answering,
    caption_of,
    described_plan,
    drawn_in_words,
    enough,
    forged_in_words,
    forged_shift,
    short,
    whole,
)

THIS = "this survey"


class TableMethod(NamedTuple):
    """A way to learn the tables of all pairs, and the mean n Var of a cell."""

    name: str
    together: int | None
    """How many fields a device tells with one draw."""
    variance: float


class FieldPlan(NamedTuple):
    """Errors of many fields from n respondents; `respondents` is None if none are
    enough.
    """

    question: Question
    respondents: int | None
    ways: tuple[TableMethod, ...]
    quantile: float
    """Of the normal law, for intervals."""
    reach: float


def fields_of_survey(
    questions: Sequence[Question], respondents: int | None, ask: Ask
) -> list[FieldPlan]:
    """A plan for each question whose devices tell some of many fields. Raises
    `EstimateError`.
    """
    return [
        _plan(question, answering(question.share, respondents), ask)
        for question in questions
        if question.randomizer.kind == "marginals"
    ]


def record(plan: FieldPlan, forged: int | None) -> dict[str, Any]:
    """Ready for JSON."""
    respondents = plan.respondents
    response: Any = plan.question.randomizer
    entry: dict[str, Any] = {
        **described_plan(plan.question, respondents),
        "fields": len(response.sizes),
        "together": response.together,
        "ways": [_record(plan, way) for way in plan.ways],
    }
    if respondents is not None:
        entry |= forged_shift(plan.reach, respondents, forged)
    return entry


def text_table(plan: FieldPlan, ask: Ask, forged: int | None) -> TextTable:
    """A row for each way, and what the columns mean."""
    entry = record(plan, forged)
    headings = (
        "way",
        "fields\ntogether",
        "standard\nerror",
        "half-\nwidth",
        "respondents\nneeded",
    )
    rows = [
        (
            way["name"],
            whole(way["together"]),
            *(short(way.get(key)) for key in ("standard_error", "half_width")),
            "-" if "times" not in way else f"{short(way['times'])} x",
        )
        for way in entry["ways"]
    ]
    family = ""
    if ask.simultaneous:
        family = ", of all cells of all pairs simultaneously (Bonferroni)"
    shift = short(entry.get("forged", {}).get("shift"))
    remarks = [
        "standard error, half-width: of a cell of the table of two fields and its "
        f"{ask.level:g} interval{family} for {WHOM[ask.estimand]}, if answers are "
        "spread evenly; on average over all pairs",
        "respondents needed: for the same error, beside this survey's way",
        f"{forged_in_words(forged)}, if forged, can move the share of a field's value "
        f"by at most {shift}",
        *drawn_in_words([entry]),
    ]
    caption = caption_of(plan.question, plan.respondents)
    return TextTable(plan.question.name, caption, headings, rows=rows, remarks=remarks)


def _record(plan: FieldPlan, way: TableMethod) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": way.name, "together": way.together}
    own = next((other.variance for other in plan.ways if other.name == THIS), None)
    entry |= {"variance": way.variance} | (
        {} if own is None else {"times": way.variance / own}
    )
    if plan.respondents is None:
        return entry
    error = math.sqrt(way.variance / plan.respondents)
    return entry | {"standard_error": error, "half_width": plan.quantile * error}


def _plan(question: Question, respondents: int | None, ask: Ask) -> FieldPlan:
    from scipy.special import ndtri

    response: Any = question.randomizer
    ways = tuple(_ways(question, ask))
    missing = 1 - ask.level
    if ask.simultaneous:
        missing /= sum(
            first * second for first, second in combinations(response.sizes, 2)
        )
    quantile = -float(ndtri(missing / 2))
    own = next((way.variance for way in ways if way.name == THIS), None)
    if respondents is None:
        if ask.half_width is None or own is None:
            raise EstimateError(
                f"question {question.name!r}, which tells some of many fields: "
                "expected --respondents, or --half-width to find them by, where two "
                "fields or more are told together"
            )
        respondents = enough(math.sqrt(own), ask.half_width, quantile)
    reach = frequency_reach(response)
    return FieldPlan(
        question, respondents, ways, quantile=quantile, reach=float(reach or 0)
    )


def _ways(question: Question, ask: Ask) -> Iterator[TableMethod]:
    """The survey's own first, and then others."""
    response: Any = question.randomizer
    sizes, weights = response.sizes, (response.truth, response.other)
    epsilon = fraction(question.declared.text)
    sampled = 0.0
    if ask.estimand == "population":
        sampled = _mean(sizes, _of_sampling)

    def subsets(name: str, together: int) -> TableMethod:
        variance = float(pair_error(sizes, together, weights))
        return TableMethod(name, together, variance + sampled)

    if response.together >= FEWEST_TOGETHER:
        yield subsets(THIS, response.together)
    for together in (response.together - 1, response.together + 1):
        if FEWEST_TOGETHER <= together <= len(sizes) and fits(sizes, together, weights):
            yield subsets("subsets of other sizes", together)
    yield TableMethod("each pair by itself", 2, by_pairs(sizes, weights) + sampled)
    yield TableMethod(
        "epsilon split among fields", 1, by_splitting(sizes, epsilon) + sampled
    )
    yield TableMethod("no way has less than", None, bound(sizes, epsilon) + sampled)


def by_pairs(sizes: Sizes, odds_: tuple[int, int]) -> float:
    """Return the error of devices that tell one pair each, which counts for that
    alone.
    """
    pairs = math.comb(len(sizes), 2)

    def cell(first: int, second: int) -> float:
        cells = first * second
        return pairs * _variance(cells, odds_) * (1 - 1 / cells) - _of_sampling(
            first, second
        )

    return _mean(sizes, cell)


def by_splitting(sizes: Sizes, epsilon: Fraction) -> float:
    """Return the error of devices that tell every field, with a part of epsilon
    each.
    """
    weights = odds(epsilon / len(sizes))

    def square(size: int) -> float:
        return _variance(size, weights) * (1 - 1 / size) + 1 / size**2

    return _mean(
        sizes,
        lambda first, second: square(first) * square(second) - 1 / (first * second),
    )


def bound(sizes: Sizes, epsilon: Fraction) -> float:
    """Return the lower bound of all mechanisms."""
    ratio = math.exp(epsilon)
    pairs = math.comb(len(sizes), 2)
    roots = total = 0.0
    for place, size in enumerate(sizes):
        others = (other for at, other in enumerate(sizes) if at != place)
        matters = sum(1 / (size * other) ** 2 for other in others) / pairs
        roots += (size - 1) * math.sqrt(matters)
        total += (size - 1) * matters
    for first, second in combinations(sizes, 2):
        matters, many = 1 / (pairs * (first * second) ** 2), (first - 1) * (second - 1)
        roots += many * math.sqrt(matters)
        total += many * matters
    return 4 * ratio / (ratio - 1) ** 2 * roots**2 - total


def _mean(sizes: Sizes, cell: Callable[[int, int], float]) -> float:
    """Over all pairs."""
    return sum(cell(*pair) for pair in combinations(sizes, 2)) / math.comb(
        len(sizes), 2
    )


def _of_sampling(first: int, second: int) -> float:
    """Return the part of n Var of a cell from drawing respondents from a population."""
    return (1 - 1 / (first * second)) / (first * second)


def _variance(cells: int, odds_: tuple[int, int]) -> float:
    """V of the response that tells two of so many cells apart best."""
    oracle = oracle_of(cells, best_space(cells, *odds_), odds_[0], other=odds_[1])
    return float(difference_variance(oracle, cells))
