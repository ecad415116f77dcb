"""Plans of taxonomies: how well the nodes of each level will be known, by the shares of
the levels.

The more people are asked for an upper level, the better it is known, and the less the
values are: a table for each question has a row for each level. Errors are those that
the decoder states of the tally to be expected with answers spread evenly over the
values, and shrink with the root of the number of respondents. Beside them stands the
error that a level would have if it stood alone, with everybody asked for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.texts.taxonomy import TaxonomyResponse, response_to_levels
from ldp.survey.survey import Question
from ldp_aggregator.answers.results.manipulation import frequency_reach
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.numerics.arrays import Floats
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
from ldp_simulations.sampling.table import expected_counts


class LevelPlan(NamedTuple):
    """One level of a question's tree."""

    name: str
    cells: int
    share: float
    """Of the people."""
    error: float
    """The standard error that a single respondent would leave, of the worst of its
    cells.
    """
    alone: float
    """The same if everybody were asked for this level, and no other helped."""


class TreePlan(NamedTuple):
    """Errors of a tree from n respondents; `respondents` is None if none are enough."""

    question: Question
    respondents: int | None
    levels: tuple[LevelPlan, ...]
    quantile: float
    """Of the normal law, for intervals."""
    reach: float


def trees_of_survey(
    questions: Sequence[Question],
    respondents: int | None,
    shares: Sequence[Fraction] | None,
    ask: Ask,
) -> list[TreePlan]:
    """A plan for each question whose values are the leaves of a tree.

    With `shares` in place of those of its upper levels, if there are any. Raises
    `EstimateError`.
    """
    asked = [question for question in questions if question.domain.taxonomy is not None]
    if shares is not None and not asked:
        raise EstimateError(
            "expected a question whose values have parents for shares, got none"
        )
    return [
        _plan(question, answering(question.share, respondents), shares, ask=ask)
        for question in asked
    ]


def record(plan: TreePlan, forged: int | None) -> dict[str, Any]:
    """Ready for JSON."""
    respondents = plan.respondents
    entry: dict[str, Any] = {
        **described_plan(plan.question, respondents),
        "levels": [_level(plan, level) for level in plan.levels],
    }
    if respondents is not None:
        entry |= forged_shift(plan.reach, respondents, forged)
    return entry


def text_table(plan: TreePlan, ask: Ask, forged: int | None) -> TextTable:
    """A row for each level, and what the columns mean."""
    entry = record(plan, forged)
    headings = (
        "level",
        "cells",
        "share of\npeople",
        "standard\nerror",
        "half-\nwidth",
        "error if\nalone",
    )
    rows = [
        (
            level["name"],
            whole(level["cells"]),
            short(level["share"]),
            *(
                short(level.get(key))
                for key in ("standard_error", "half_width", "error_alone")
            ),
        )
        for level in entry["levels"]
    ]
    family = ", of all nodes simultaneously (Bonferroni)" if ask.simultaneous else ""
    shift = short(entry.get("forged", {}).get("shift"))
    remarks = [
        f"standard error, half-width: of a cell and its {ask.level:g} interval{family} "
        f"for the {ask.estimand}, if answers are spread evenly over the values; of the "
        "worst cell",
        (
            "error if alone: if everybody were asked for this level, and no other "
            "level helped"
        ),
        f"{forged_in_words(forged)}, if forged, can move the estimate of one node by "
        f"at most {shift}",
        *drawn_in_words([entry]),
    ]
    caption = caption_of(plan.question, plan.respondents)
    return TextTable(plan.question.name, caption, headings, rows=rows, remarks=remarks)


def _level(plan: TreePlan, level: LevelPlan) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": level.name,
        "cells": level.cells,
        "share": level.share,
    }
    if plan.respondents is None:
        return entry
    root = math.sqrt(plan.respondents)
    return entry | {
        "standard_error": level.error / root,
        "half_width": plan.quantile * level.error / root,
        "error_alone": level.alone / root,
    }


def _plan(
    question: Question,
    respondents: int | None,
    shares: Sequence[Fraction] | None,
    ask: Ask,
) -> TreePlan:
    from scipy.special import ndtri

    response: Any = question.randomizer
    taxonomy = question.domain.taxonomy
    assert taxonomy is not None  # noqa: S101 (asked for where there is one)
    if shares is not None:
        response = _with_shares(question, shares)
    errors = _errors(response, question.domain.values or (), ask)
    missing = 1 - ask.level
    if ask.simultaneous:
        missing /= len(errors)
    quantile = -float(ndtri(missing / 2))
    levels = tuple(
        LevelPlan(
            name,
            len(level.nodes),
            float(share),
            error=float(errors[list(level.nodes)].max()),
            alone=_alone(oracle.support, len(level.nodes), ask),
        )
        for name, level, share, oracle in zip(
            taxonomy.levels,
            response.levels,
            response.shares,
            response.oracles,
            strict=True,
        )
    )
    if respondents is None:
        if ask.half_width is None:
            raise EstimateError(
                f"question {question.name!r}, whose values are leaves of a tree: "
                "expected --respondents, or --half-width to find them by"
            )
        respondents = enough(float(errors.max()), ask.half_width, quantile)
    reach = frequency_reach(response)
    return TreePlan(
        question, respondents, levels, quantile=quantile, reach=float(reach or 0)
    )


def _with_shares(question: Question, shares: Sequence[Fraction]) -> TaxonomyResponse:
    """The response with these shares of the upper levels. Raises `EstimateError`."""
    response: Any = question.randomizer
    upper = len(response.law) - 1
    if len(shares) != upper or min(shares) < 0 or sum(shares) >= 1:
        raise EstimateError(
            f"question {question.name!r}: expected shares of its {upper} upper levels, "
            "numbers from 0 that add up to less than 1, got "
            f"{', '.join(map(str, shares))}"
        )
    return response_to_levels(
        response.parents,
        response.size,
        tuple(shares),
        odds_=(response.truth, response.other),
    )


def _errors(response: TaxonomyResponse, values: Sequence[str], ask: Ask) -> Floats:
    """Return the standard error of one respondent, for every node."""
    even = np.full(len(values), 1 / len(values))
    moments = moments_of(response, expected_counts(response, values, even), values)
    share = moments.frequency
    variance = share * moments.variance_if_held + (1 - share) * moments.variance_if_not
    drawn = share * (1 - share) if ask.estimand == "population" else 0.0
    errors: Floats = np.sqrt(variance + drawn)
    return errors


def _alone(support: tuple[Fraction, Fraction], cells: int, ask: Ask) -> float:
    p, q = (float(rate) for rate in support)
    share = 1 / cells
    variance = (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2
    if ask.estimand == "population":
        variance += share * (1 - share)
    return math.sqrt(variance)
