"""The table of survey designs: each one a row with its parameters, its law and its
source.

A design has no code of its own beyond its row. `p` and the other names are those of the
literature:

    chance to say yes                 carriers           others
    warner, crosswise                 p                  1 - p
    forced yes=a no=b                 1 - b              a
    unrelated p, prevalence u         p + (1 - p) u      (1 - p) u
    mangat p, triangular p            1                  1 - p, p
    two-stage t, p                    t + (1 - t) p      (1 - t)(1 - p)
    cheater yes=a1,a2 no=b1,b2        1 - b              a           cheaters: 0
    lie-detector p1,p2                1 or 0 (lies)      1 - p
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from ldp.errors import EstimateError
from ldp_aggregator.analyses.designs.law import (
    NO,
    YES,
    Arm,
    Family,
    Law,
    Measure,
    closed_law,
    said_yes,
)
from ldp_aggregator.analyses.designs.words import Parameter

_MOST_QUESTIONS = 6
_FEWEST_FOR_PAIRS = 4
_MOST_ITEMS = 20
CHEATER = "says no to everything"
_BY_CHANCE = "answers by chance"
_UNKNOWN = "Whether those who say no to everything carry, no answer tells."


class DesignRow(NamedTuple):
    """A design: what it is called, what it takes, its law and who wrote of it."""

    title: str
    parameters: Mapping[str, Parameter]
    law: Callable[..., Law]
    source: str
    labels: bool = False
    """Whether names of answers are parameters as well."""


_YES_NO = (YES, NO)
_P = Parameter("the chance of the sensitive statement")
_TWO_P = Parameter("the same chance in each of two samples", 2, 2)
_PREVALENCE = Parameter("the known share of yes to the innocuous question or statement")
_FORCED = {
    YES: Parameter("the chance to be told to say yes, in each of two samples", 2, 2),
    NO: Parameter(
        "the chance to be told to say no, in each of two samples", 2, 2, default="0,0"
    ),
}


def _one(carriers: Fraction, others: Fraction) -> Law:
    """The law of one question, from the chances to say yes."""
    return closed_law(_YES_NO, _YES_NO, [Arm("", said_yes(carriers, others))])


def _warner(p: Fraction) -> Law:
    return _one(p, 1 - p)


def _extended_crosswise(p: Fraction) -> Law:
    arms = [Arm(f"p={chance}", said_yes(chance, 1 - chance)) for chance in (p, 1 - p)]
    return closed_law(_YES_NO, _YES_NO, arms)


def _forced_law(**labels: Fraction) -> Law:
    """Answers by their names: each is prescribed with a chance, the rest is the
    truth.
    """
    names = _YES_NO if labels.keys() <= {*_YES_NO} else tuple(labels)
    return _prescribed_law(names, [labels.get(name, Fraction(0)) for name in names])


def _prescribed_law(names: Sequence[str], chances: Sequence[Fraction]) -> Law:
    rest = 1 - sum(chances)
    if rest <= 0 or len(names) < 2:
        raise EstimateError(
            "expected two answers or more whose chances to be prescribed leave some "
            f"for the truth, got a sum of {1 - rest}"
        )
    rows = tuple(
        tuple(
            chance + rest * (own == name)
            for name, chance in zip(names, chances, strict=True)
        )
        for own in names
    )
    return closed_law(names, names, [Arm("", rows)])


def _unrelated_law(
    p: tuple[Fraction, ...], prevalence: Fraction | None, **labels: Fraction
) -> Law:
    if len(p) == 2:
        if labels or prevalence is not None:
            raise EstimateError("expected one p beside a known prevalence, got two")
        return _unknown_prevalence(p)
    (own,) = p
    if labels and prevalence is None:
        if sum(labels.values()) != 1:
            raise EstimateError(
                "expected shares of the innocuous question's answers that sum to 1, "
                f"got {sum(labels.values())}"
            )
        return _prescribed_law(
            tuple(labels), [(1 - own) * share for share in labels.values()]
        )
    if prevalence is None:
        raise EstimateError(
            "expected prevalence=..., the share of yes to the innocuous question; "
            "where it is not known, two samples with other chances, such as p=.7,.3"
        )
    return _one(own + (1 - own) * prevalence, (1 - own) * prevalence)


def _unknown_prevalence(chances: Sequence[Fraction]) -> Law:
    """Types by both questions: what is estimable of them are the two shares."""
    held = tuple(product((1, 0), repeat=2))
    types = tuple(f"{_YES_NO[not own]} and {_YES_NO[not other]}" for own, other in held)
    arms = tuple(
        Arm(f"p={p}", said_yes(*(p * own + (1 - p) * other for own, other in held)))
        for p in chances
    )
    measures = (
        Measure(YES, types[:2]),
        Measure("innocuous yes", types[::2]),
    )
    return Law(types, _YES_NO, arms, measures=measures, honest=len(types))


def _mangat(p: Fraction) -> Law:
    return _one(Fraction(1), 1 - p)


def _triangular(p: Fraction) -> Law:
    return _one(Fraction(1), p)


def _two_stage(t: Fraction, p: Fraction) -> Law:
    return _one(t + (1 - t) * p, (1 - t) * (1 - p))


def _direct() -> Law:
    return _one(Fraction(1), Fraction(0))


def _kuk(red: tuple[Fraction, ...], cards: int) -> Law:
    rows = tuple(
        tuple(
            math.comb(cards, count) * share**count * (1 - share) ** (cards - count)
            for count in range(cards + 1)
        )
        for share in red
    )
    return _of_counts([Arm("", rows)])


def _of_counts(arms: Sequence[Arm], first: int = 0) -> Law:
    """The law of answers that are whole numbers, estimated by their mean."""
    numbers = range(first, first + len(arms[0].rows[0]))
    law = closed_law(_YES_NO, tuple(map(str, numbers)), arms)
    return law._replace(numbers=tuple(map(Fraction, numbers)))


def _christofides(marks: tuple[Fraction, ...]) -> Law:
    if sum(marks) != 1:
        raise EstimateError(
            f"expected chances of marks that sum to 1, got {sum(marks)}"
        )
    return _of_counts([Arm("", (marks[::-1], marks))], 1)


def _cheater(yes: tuple[Fraction, ...], no: tuple[Fraction, ...]) -> Law:
    chances = zip(yes, no, strict=True)
    arms = [Arm(f"yes={a}", said_yes(1 - b, a, Fraction(0))) for a, b in chances]
    law = closed_law((YES, NO, CHEATER), _YES_NO, arms)
    return law._replace(honest=2, note=_UNKNOWN)


def _cheating_triangular(p: tuple[Fraction, ...]) -> Law:
    law = _cheater(p, (Fraction(0), Fraction(0)))
    return law._replace(
        arms=tuple(Arm(f"p={arm.name[4:]}", arm.rows) for arm in law.arms)
    )


def _lie_detector(p: tuple[Fraction, ...]) -> Law:
    liars = "carriers who say no"
    arms = tuple(
        Arm(f"p={one}", said_yes(Fraction(1), 1 - one, Fraction(0))) for one in p
    )
    types = ("carriers who admit it", NO, liars)
    measures = (
        Measure(YES, (types[0], liars)),
        Measure("admit it, among carriers", types[:1], (types[0], liars)),
    )
    note = "The model says that only carriers lie."
    return Law(types, _YES_NO, arms, measures=measures, honest=2, note=note)


def _anchor_law(p: Fraction, anchor: Fraction) -> Law:
    """Two answers of each respondent: to the question, and to one whose truth is known
    to be no.
    """
    half = Fraction(1, 2)
    chances = ((p, 1 - anchor), (1 - p, 1 - anchor), (half, half))
    rows = tuple(
        tuple(first * second for first in (a, 1 - a) for second in (b, 1 - b))
        for a, b in chances
    )
    types = (YES, NO, _BY_CHANCE)
    measures = (
        Measure("yes, among the attentive", (YES,), (YES, NO)),
        Measure(_BY_CHANCE, (_BY_CHANCE,)),
    )
    answers = tuple("+".join(pair) for pair in product(_YES_NO, repeat=2))
    note = "The share of carriers among those who answer by chance is not known."
    return Law(types, answers, (Arm("", rows),), measures=measures, honest=2, note=note)


def _self_protective(yes: Fraction, no: Fraction, questions: int, pairs: int) -> Law:
    """Several questions with forced answers, and people who say no to all of them."""
    if not 2 <= questions <= _MOST_QUESTIONS:
        raise EstimateError(
            f"expected 2 to {_MOST_QUESTIONS} questions, got {questions}"
        )
    if pairs and questions < _FEWEST_FOR_PAIRS:
        raise EstimateError(
            f"expected four questions or more for pairs, got {questions}"
        )
    chances = {1: said_yes(1 - no)[0], 0: said_yes(yes)[0]}
    held = tuple(product((1, 0), repeat=questions))
    answers = tuple(product((0, 1), repeat=questions))
    rows = tuple(
        tuple(
            math.prod(
                (chances[own][said] for own, said in zip(type_, answer, strict=True)),
                start=Fraction(1),
            )
            for answer in answers
        )
        for type_ in held
    )
    protective = tuple(Fraction(int(all(answer))) for answer in answers)
    types = tuple("+".join(_YES_NO[not own] for own in type_) for type_ in held)
    measures = [Measure(CHEATER, (CHEATER,))]
    for question in range(questions):
        of = tuple(
            name for name, type_ in zip(types, held, strict=True) if type_[question]
        )
        measures.append(
            Measure(f"yes to question {question + 1}, among the others", of, types)
        )
    return Law(
        (*types, CHEATER),
        tuple("+".join(_YES_NO[said] for said in answer) for answer in answers),
        (Arm("", (*rows, protective)),),
        measures=tuple(measures),
        honest=len(types),
        held=held,
        pairs=bool(pairs),
        note=_UNKNOWN,
    )


def _list_experiment(items: int) -> Law:
    """Control items alone, and the same with the sensitive one: how many apply."""
    if not 1 <= items <= _MOST_ITEMS:
        raise EstimateError(f"expected 1 to {_MOST_ITEMS} items, got {items}")
    held = [(count, own) for own in (1, 0) for count in range(items + 1)]
    words = {1: "with the sensitive item", 0: "without it"}
    types = tuple(f"{count} items, {words[own]}" for count, own in held)
    answers = range(items + 2)

    def arm(name: str, longer: int) -> Arm:
        rows = (
            tuple(Fraction(int(answer == count + own * longer)) for answer in answers)
            for count, own in held
        )
        return Arm(name, tuple(rows))

    carriers, others = types[: items + 1], types[items + 1 :]
    return Law(
        types,
        tuple(map(str, answers)),
        (arm("control", 0), arm("treatment", 1)),
        measures=(Measure(YES, carriers),),
        honest=len(types),
        families=(Family("carriers", carriers), Family("others", others)),
        epsilon=False,
        note=(
            "Answers of 0 and of all items (floor and ceiling) reveal the sensitive "
            "one."
        ),
    )


def _item_count(prevalence: tuple[Fraction, ...]) -> Law:
    """One sample: the sensitive item beside innocuous ones of known shares."""
    counts = [Fraction(1)]
    for share in prevalence:
        longer = [*counts, Fraction(0)]
        shifted = [Fraction(0), *counts]
        counts = [
            (1 - share) * a + share * b for a, b in zip(longer, shifted, strict=True)
        ]
    rows = ((Fraction(0), *counts), (*counts, Fraction(0)))
    return _of_counts([Arm("", rows)])._replace(epsilon=False)


ROWS: Mapping[str, DesignRow] = {
    "warner": DesignRow(
        "Warner's randomized response", {"p": _P}, _warner, source="Warner 1965"
    ),
    "crosswise": DesignRow(
        "crosswise model (same or different)",
        {"p": _PREVALENCE},
        _warner,
        source="Yu, Tian and Tang 2008",
    ),
    "extended-crosswise": DesignRow(
        "extended crosswise model: two samples, with a test of compliance",
        {
            "p": Parameter(
                "the innocuous prevalence of the first sample; 1 - p of the second"
            )
        },
        _extended_crosswise,
        source="Heck, Hoffmann and Moshagen 2018",
    ),
    "crosswise-anchor": DesignRow(
        "crosswise model with an anchor question for inattentive respondents",
        {
            "p": _PREVALENCE,
            "anchor": Parameter(
                "the same of the anchor question, whose true answer is no"
            ),
        },
        _anchor_law,
        source="Atsusaka and Stevenson 2023",
    ),
    "forced": DesignRow(
        "forced response (directed answers), also of several categories",
        {},
        _forced_law,
        source="Boruch 1971",
        labels=True,
    ),
    "one-coin": DesignRow(
        "one coin: heads, say yes; tails, the truth",
        {},
        lambda: _one(Fraction(1), Fraction(1, 2)),
        source="textbooks",
    ),
    "unrelated": DesignRow(
        "unrelated question; two samples where its prevalence is unknown",
        {
            "p": Parameter(
                "the chance of the sensitive question, also in two samples", 1, 2
            ),
            "prevalence": _PREVALENCE._replace(default=""),
        },
        _unrelated_law,
        source="Greenberg, Abul-Ela, Simmons and Horvitz 1969",
        labels=True,
    ),
    "mangat": DesignRow(
        "Mangat's improved design: carriers say yes, others no with chance p",
        {"p": Parameter("the chance that those who do not carry say no")},
        _mangat,
        source="Mangat 1994",
    ),
    "triangular": DesignRow(
        "triangular model (at least one yes)",
        {"p": _PREVALENCE},
        _triangular,
        source="Yu, Tian and Tang 2008",
    ),
    "two-stage": DesignRow(
        "two-stage design: direct with chance t, else Warner's",
        {"t": Parameter("the chance of the direct question"), "p": _P},
        _two_stage,
        source="Mangat and Singh 1990",
    ),
    "kuk": DesignRow(
        "Kuk's cards: how many of them are red",
        {
            "red": Parameter("the shares of red cards of carriers and of others", 2, 2),
            "cards": Parameter("how many cards are drawn", default="1", whole=True),
        },
        _kuk,
        source="Kuk 1990",
    ),
    "christofides": DesignRow(
        "Christofides' cards with marks 1, 2, ...",
        {"marks": Parameter("the chance of each mark", 2, 100)},
        _christofides,
        source="Christofides 2003",
    ),
    "direct": DesignRow("direct question", {}, _direct, source="no randomization"),
    "cheater": DesignRow(
        "cheater detection: forced yes in two samples",
        _FORCED,
        _cheater,
        source="Clark and Desharnais 1998; Ostapczuk, Musch and Moshagen 2009",
    ),
    "cheating-triangular": DesignRow(
        "cheating detection triangular model: two samples",
        {
            "p": _TWO_P._replace(
                meaning="the innocuous prevalence in each of two samples"
            )
        },
        _cheating_triangular,
        source="Hoffmann and others 2023",
    ),
    "lie-detector": DesignRow(
        "stochastic lie detector: two samples",
        {"p": _TWO_P},
        _lie_detector,
        source="Moshagen, Musch and Erdfelder 2012",
    ),
    "self-protective": DesignRow(
        "several forced questions, and people who say no to all of them",
        {
            YES: Parameter("the chance to be told to say yes"),
            NO: Parameter("the chance to be told to say no"),
            "questions": Parameter("how many questions", whole=True),
            "pairs": Parameter(
                "1 for associated answers, 0 for independent ones",
                1,
                1,
                default="0",
                whole=True,
            ),
        },
        _self_protective,
        source="Boeckenholt and van der Heijden 2007; Cruyff and others 2007",
    ),
    "list": DesignRow(
        "list experiment (item count): difference in means",
        {"items": Parameter("how many control items", whole=True)},
        _list_experiment,
        source="Blair and Imai 2012",
    ),
    "item-count": DesignRow(
        "item count of one sample, with items of known prevalence",
        {
            "prevalence": Parameter(
                "the known share of each innocuous item", 1, _MOST_ITEMS
            )
        },
        _item_count,
        source="Petroczi and others 2011",
    ),
}
