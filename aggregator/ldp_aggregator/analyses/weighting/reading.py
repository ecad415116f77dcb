"""Answers from tallies: one, or one for each combination of public attributes.

A tally of symbols says how many reports were alike, which is all that there is to know
of them. Of questions that were answered together the reports of a respondent are one:
what it is worth to a combination of values is the product of what its parts are worth
to each.

What a report cost is said first, as nothing that is made of reports afterwards costs
more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ldp.errors import EstimateError
from ldp.numbers.exact import log_upper
from ldp.survey.survey import Group, Question, Survey
from ldp_aggregator.analyses.weighting.answers import (
    Products,
    ReportAnswers,
    ReportPart,
    Units,
)
from ldp_aggregator.analyses.weighting.showing import check_shown
from ldp_aggregator.analyses.weighting.worth import AnswerScores, reports_in, worth_of
from ldp_aggregator.answers.results.remarks import on_privacy, on_repeats
from ldp_aggregator.decoders.moments.repeats import most_repeats
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.tallies.counting.joint_counting import joint_table
from ldp_aggregator.tallies.tally import Tally, attributes_of, check_same

Combination = tuple[str, ...]
Tallies = Tally | Mapping[Any, Tally]
"""One, or one for each combination; of one attribute its value may stand for the
combination.
"""
Design = Mapping[Any, float]
"""Design weights, by combination."""
MOST_CELLS = 2000
"""Cells whose scores are multiplied pair by pair."""
MOST_PRODUCTS = 1 << 25


def answers_in(
    tallies: Tallies,
    name: str,
    *,
    attributes: Sequence[str] = (),
    design: Design | None = None,
    among: Collection[str] | None = None,
) -> ReportAnswers:
    """What tallies say of a question, or of a group of questions that were answered
    together.

    tallies     one, whose reports say the public attributes that the survey lists, if
                it does; or one for each combination of the values of public attributes:
                tuples, or texts if there is one attribute
    name        of the question; of a group, `a & b`
    attributes  what these values are of, in their order
    design      the design weight of each respondent of a combination: how many people
                one stands for, by the sampling frame
    among       of the attributes that reports say, those that matter; all unless given

    Raises `EstimateError` for what cannot be taken together, and without reports.
    """
    wholes = [tallies] if isinstance(tallies, Tally) else [*tallies.values()]
    if isinstance(tallies, Tally):
        if attributes:
            raise EstimateError(
                "expected a tally for each combination of attributes, got one"
            )
        whole = tallies
        attributes, tallies = apart(whole, name, among)
        asked = members_of(whole.survey, name)
        check_shown(whole, asked, attributes, combinations=tallies.keys())
    tallies = {_combination(key): tally for key, tally in tallies.items()}
    survey = _survey_of(tallies, attributes)
    combinations = tuple(tallies)
    weights = _design(combinations, design)
    members = members_of(survey, name)
    if len(members) > 1:
        return _together(
            survey, members, tallies, attributes=attributes, weights=weights
        )
    question = members[0]
    counts = [tally.counts[question.name] for tally in tallies.values()]
    total = np.sum(counts, axis=0)
    check_reports(question.name, reports_in(question, total))
    worth = worth_of(question, total)
    _check_cells(len(worth.scores))
    flat = [table.ravel().astype(np.float64) for table in counts]
    return ReportAnswers(
        question.name,
        spent_on((question,)),
        tuple(attributes),
        combinations=combinations,
        parts=parts_of(question),
        is_mean=worth.is_mean,
        reports=reports_in(question, total),
        units=_units(worth, flat, weights) if worth.once else None,
        products=None if worth.once else _products(worth, flat, weights),
        **repeats_in(question, _epochs_of(question, wholes)),
    )


def repeats_in(question: Question, epochs: Mapping[int, int]) -> dict[str, Any]:
    """How many reports of each respondent there may be, and how that was found."""
    return {
        "repeats": most_repeats(epochs),
        "repeated": on_repeats(question, None, epochs),
    }


def _epochs_of(question: Question, tallies: Iterable[Tally]) -> Counter[int]:
    epochs: Counter[int] = Counter()
    for tally in tallies:
        epochs += tally.epochs.get(question.name, Counter())
    return epochs


def apart(
    tally: Tally, name: str, among: Collection[str] | None = None
) -> tuple[tuple[str, ...], dict[Combination, Tally]]:
    """The public attributes that reports to a question carry, and the tally of each
    combination.

    `among` has those that matter; reports that say other things alike are counted
    together.
    """
    names = [question.name for question in members_of(tally.survey, name)]
    group = None
    if len(names) > 1:
        group = tally.survey.group_of.get(names[0])
    counted = names
    if group is not None:
        counted = [*names, group.name]
    attributes = tuple(
        attribute.name for attribute in attributes_of(tally.survey, counted[-1])
    )
    kept = [
        place for place, own in enumerate(attributes) if among is None or own in among
    ]
    if not kept:
        return (), {(): tally}
    parts: dict[Combination, dict[str, Counts]] = {}
    for one in counted:
        for combination, counts in tally.groups(one).items():
            own = parts.setdefault(tuple(combination[place] for place in kept), {})
            own[one] = own[one] + counts if one in own else counts
    return tuple(attributes[place] for place in kept), {
        combination: Tally(tally.survey, counts)
        for combination, counts in parts.items()
    }


def members_of(survey: Survey, name: str) -> tuple[Question, ...]:
    """The question that is called so; of a group, its questions. Raises
    `UnknownNameError`.
    """
    names = [part.strip() for part in name.split("&")]
    questions = tuple(survey[part] for part in names)
    if len(questions) > 1:
        groups = {survey.group_of.get(part) for part in names}
        if len(groups) > 1 or None in groups:
            raise EstimateError(
                "expected questions that the survey asks together (joint in [survey]), "
                f"got {name}"
            )
    return questions


def parts_of(question: Question) -> tuple[ReportPart, ...]:
    """Its fields, or itself."""
    fields = question.domain.fields
    if fields:
        return tuple(_part(field.name, field.domain) for field in fields)
    return (_part(question.name, question.domain),)


def _part(name: str, domain: object) -> ReportPart:
    numbers = getattr(domain, "numbers", None)
    scale = getattr(domain, "scale", None)
    if numbers is None and scale is not None:
        edges = np.array([float(edge) for edge in scale.edges])
        numbers = None
        if len(edges):
            numbers = (edges[:-1] + edges[1:]) / 2
    own = None
    if numbers is not None:
        own = np.array([float(number) for number in numbers])
    return ReportPart(name, getattr(domain, "values", None) or (), own)


def spent_on(questions: Sequence[Question]) -> tuple[str, ...]:
    """What a report cost its respondent, in sentences; what follows from reports costs
    no more.
    """
    names = " and ".join(question.name for question in questions)
    revealing = [
        remark.text for question in questions for remark in on_privacy(question)
    ]
    if revealing:
        return tuple(f"privacy: {text}" for text in revealing)
    if len(questions) > 1:
        total = sum(log_upper(question.randomizer.ratio) for question in questions)
        own = ", ".join(
            f"{question.name} epsilon {question.declared.text}"
            for question in questions
        )
        return (
            f"privacy: who answered {names} spent epsilon {float(total):.4g} in all, "
            f"as the reports travel together ({own}); nothing more is spent here",
        )
    (question,) = questions
    fields = question.domain.fields
    cost = f"epsilon {question.declared.text}"
    if not fields:
        return (
            f"privacy: a report of {names} spent {cost}; nothing more is spent here",
        )
    linked = " and ".join(field.name for field in fields)
    total = len(fields) * log_upper(question.randomizer.ratio)
    return (
        f"privacy: a report of {names} tells of {linked} together and spent {cost} for "
        "all of them; nothing more is spent here. Linked reports, one to each of them "
        f"at epsilon {question.declared.text}, would spend {float(total):.4g}",
    )


def check_reports(name: str, reports: int) -> None:
    """Raise `EstimateError` if there are none."""
    if not reports:
        raise EstimateError(f"question {name!r}: expected reports, got none yet")


def _combination(key: Any) -> Combination:
    if isinstance(key, str):
        return (key,)
    return tuple(key)


def _survey_of(
    tallies: Mapping[Combination, Tally], attributes: Sequence[str]
) -> Survey:
    if not tallies:
        raise EstimateError(
            "expected a tally for each combination of attributes, got none"
        )
    for combination in tallies:
        if len(combination) != len(attributes):
            raise EstimateError(
                f"expected {len(attributes)} values in each combination "
                f"({', '.join(attributes) or 'no attributes'}), got {combination!r}"
            )
    if len(set(attributes)) < len(attributes):
        raise EstimateError(
            f"expected attributes that differ, got {', '.join(attributes)}"
        )
    for one, other in pairwise(tallies.values()):
        theirs = {part.name: part.fingerprint for part in other.survey.tally_parts}
        check_same(one.survey, theirs, other.survey.name)
    return next(iter(tallies.values())).survey


def _design(combinations: Sequence[Combination], given: Design | None) -> Floats:
    """The design weight of each combination's respondents, (combinations,)."""
    if given is None:
        return np.ones(len(combinations))
    design = {_combination(key): weight for key, weight in given.items()}
    missing = [combination for combination in combinations if combination not in design]
    if missing:
        raise EstimateError(
            f"expected a design weight for each combination, none for {missing[0]}"
        )
    weights = np.array([float(design[combination]) for combination in combinations])
    return checked_design(weights)


def checked_design(weights: Floats) -> Floats:
    """Design weights: finite, and more than 0. Raises `EstimateError`."""
    wrong = ~(np.isfinite(weights) & (weights > 0))
    if wrong.any():
        raise EstimateError(
            f"expected design weights above 0, got {float(weights[wrong][0])} (place "
            f"{int(np.flatnonzero(wrong)[0]) + 1})"
        )
    return weights


def _units(worth: AnswerScores, counts: Sequence[Floats], weights: Floats) -> Units:
    """Reports that are alike, by combination and mark."""
    table = np.stack(counts)
    combination, mark = np.nonzero(table)
    return Units(
        combination.astype(np.int64),
        table[combination, mark],
        weights[combination],
        scores=np.ascontiguousarray(worth.scores.T[mark]),
        law=None if worth.law is None else np.ascontiguousarray(worth.law.T[mark]),
    )


def _products(
    worth: AnswerScores, counts: Sequence[Floats], weights: Floats
) -> Products:
    """Products of tallies of bits, (combinations, 1 + M) and (combinations, 1 + M, 1 +
    M).
    """
    size = 1 + len(worth.scores)
    if len(counts) * size**2 > MOST_PRODUCTS:
        raise EstimateError(
            f"expected at most {MOST_PRODUCTS:,} products of scores, got "
            f"{len(counts) * size**2:,}"
        )
    first = np.zeros((len(counts), size))
    second = np.zeros((len(counts), size, size))
    for place, marks in enumerate(counts):
        own = np.concatenate([[worth.ones @ marks], worth.scores @ marks])
        first[place] = weights[place] * own
        second[place, 0], second[place, :, 0] = own, own
        second[place, 1:, 1:] = worth.moments(marks)
        second[place] *= weights[place] ** 2
    return Products(first, second)


def _together(
    survey: Survey,
    members: tuple[Question, ...],
    tallies: Mapping[Combination, Tally],
    *,
    attributes: Sequence[str],
    weights: Floats,
) -> ReportAnswers:
    """Of questions that were answered together: products of what their reports are
    worth.
    """
    group = survey.group_of[members[0].name]
    assert isinstance(group, Group)  # noqa: S101 (`members_of` has looked)
    names = [question.name for question in members]
    margins = [
        np.sum([tally.counts[name] for tally in tallies.values()], axis=0)
        for name in names
    ]
    worths = [worth_of(*pair) for pair in zip(members, margins, strict=True)]
    if not all(worth.once and not worth.is_mean for worth in worths):
        raise EstimateError(
            "expected questions whose reports are one symbol each, for "
            f"{' & '.join(names)}"
        )
    counts = [
        _joint(group, tally.counts[group.name], names) for tally in tallies.values()
    ]
    reports = round(float(sum(table.sum() for table in counts)))
    check_reports(" & ".join(names), reports)
    scores, law = worths[0].scores, worths[0].law
    for worth in worths[1:]:
        # Products of all pairs: the last question's varying fastest, of cells and of
        # marks.
        scores = _kron(scores, worth.scores)
        law = None if law is None or worth.law is None else _kron(law, worth.law)
    _check_cells(len(scores))
    both = worths[0]._replace(scores=scores, law=law)
    return ReportAnswers(
        " & ".join(names),
        spent_on(members),
        tuple(attributes),
        combinations=tuple(tallies),
        parts=tuple(parts_of(question)[0] for question in members),
        is_mean=False,
        reports=reports,
        units=_units(both, counts, weights),
    )


def _kron(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.kron(one, other), dtype=np.float64)


def _joint(group: Group, counts: Counts, names: Sequence[str]) -> Floats:
    return joint_table(group, counts, names).astype(np.float64).ravel()


def _check_cells(cells: int) -> None:
    if cells > MOST_CELLS:
        raise EstimateError(
            f"expected at most {MOST_CELLS:,} values or cells, got {cells:,}; ask for "
            "fewer values"
        )
