"""Plans of maps: which cells will show, and how well rectangles will be known.

A cell shows if its share is above the margin of error of its estimate. The finer a map,
the smaller the shares of its cells, while errors stay as they are or grow. So a table
has a row for each map of g x g cells, and says whether an even share of them would
show: the finest that does is the one to choose from so many respondents, whatever a
screen could show. Where cells are told one by one, each row is a question of its own,
with so many cells; of a pyramid, rows are zooms of one question.

Errors are those that the decoder states of the tally to be expected, with people spread
evenly. Of rectangles the worst of those counts whose sides are a quarter, a half or
three quarters of an axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from ldp.errors import EstimateError, SurveyError
from ldp.survey.declarations import survey
from ldp.survey.readers.place_keys import MOST_CELLS
from ldp.survey.survey import Question, question_table
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.decoders.decoder import Queries, QueryAnswers
from ldp_aggregator.decoders.table import decoder_of
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
)
from ldp_simulations.planning.kinds.planning import PlannedMechanism
from ldp_simulations.sampling.table import expected_counts

_PARTS = 4
"""Of an axis, of which the sides of rectangles have some."""
_OTHER = {"pyramid": "stripes", "stripes": "pyramid"}
"""What else there is for rectangles."""
_WORTH_SAYING = 1.05
_ANYWHERE = 100
"""Rectangles by which they are compared."""


class MapRow(NamedTuple):
    """A map of `cells` x `cells`, and the standard error of the share of a cell."""

    cells: int
    error: float
    shows: bool
    """Whether an even share of a cell would show."""


class PlacePlan(NamedTuple):
    """Errors of places from n respondents; None if none are enough."""

    question: Question
    respondents: int | None
    rows: tuple[MapRow, ...]
    quantile: float
    """Of the normal law, for intervals."""
    rectangle: float | None
    """The standard error of the share of a rectangle; None where mechanisms know of
    none.
    """
    reach: float | None
    """How many reports' worth one forged report can shift that."""
    beside: tuple[str, float] | None = None
    """The other mechanism for rectangles, and how many times fewer respondents it needs
    for them.
    """

    @property
    def finest(self) -> int | None:
        """The most cells along an axis that show; None if even four cells do not."""
        return max((row.cells for row in self.rows if row.shows), default=None)


def places_of_survey(
    questions: Sequence[Question], respondents: int | None, ask: Ask
) -> list[PlacePlan]:
    """A plan for each question of type place.

    Raises `EstimateError` if there is neither a number of respondents nor a half-width
    to be kept.
    """
    plans = []
    for question in questions:
        if not question.domain.is_place:
            continue
        known = decoder_of(question.randomizer).gives == "places"
        if respondents is None and ask.half_width is None and known:
            raise EstimateError(
                f"question {question.name!r}, of which rectangles are estimated: "
                "expected --respondents, or --half-width (of the share of any "
                "rectangle) to find them by"
            )
        # Where cells are told one by one, respondents are found for the plan of these.
        if known or respondents is not None:
            plans.append(_plan(question, answering(question.share, respondents), ask))
    return plans


def record(plan: PlacePlan, forged: int | None) -> dict[str, Any]:
    """Ready for JSON."""
    respondents = plan.respondents
    entry = {
        **described_plan(plan.question, respondents),
    }
    if respondents is None:
        return entry
    entry["maps"] = [
        {
            "cells": [row.cells, row.cells],
            "standard_error": row.error,
            "least_share": plan.quantile * row.error,
            "shows": row.shows,
        }
        for row in plan.rows
    ]
    entry["finest"] = plan.finest
    if plan.rectangle is not None and plan.reach is not None:
        width = plan.quantile * plan.rectangle
        entry["rectangle"] = {"standard_error": plan.rectangle, "half_width": width}
        entry |= forged_shift(plan.reach, respondents, forged)
        if plan.beside is not None:
            mechanism, times = plan.beside
            entry["rectangle"]["beside"] = {
                "mechanism": mechanism,
                "times_fewer": times,
            }
    return entry


def text_table(plan: PlacePlan, ask: Ask, forged: int | None) -> TextTable:
    """A row for each map, and what the columns mean."""
    entry = record(plan, forged)
    own = plan.question.domain.fields[0].size
    rows = [
        (
            f"{row.cells} x {row.cells}{' (asked)' if row.cells == own else ''}",
            short(row.error),
            short(plan.quantile * row.error),
            short(1 / row.cells**2),
            "yes" if row.shows else "no",
        )
        for row in plan.rows
    ]
    caption = caption_of(plan.question, plan.respondents)
    headings = (
        "map",
        "error of\na cell",
        "least share\nthat shows",
        "even share",
        "shows",
    )
    remarks = [
        f"error: standard error for {WHOM[ask.estimand]} of the share of a cell; it "
        f"shows if it is above the margin of its {ask.level:g} interval",
        *_on_finest(plan),
        *_on_rectangles(entry, ask, forged),
        *drawn_in_words([entry]),
    ]
    return TextTable(plan.question.name, caption, headings, rows=rows, remarks=remarks)


def _on_finest(plan: PlacePlan) -> Iterator[str]:
    if plan.respondents is None:
        return
    finest = plan.finest
    size = "not even four cells show"
    if finest is not None:
        size = f"{finest} x {finest} cells"
    yield f"finest map on which an even share of a cell shows: {size}"


def _on_rectangles(
    entry: dict[str, Any], ask: Ask, forged: int | None
) -> Iterator[str]:
    if "rectangle" in entry:
        yield (
            f"rectangles: half-width of the {ask.level:g} interval at most "
            f"{short(entry['rectangle']['half_width'])}; {forged_in_words(forged)}, if "
            f"forged, can move one by {short(entry['forged']['shift'])} at most"
        )
        beside = entry["rectangle"].get("beside", {"times_fewer": 0})
        if beside["times_fewer"] > _WORTH_SAYING:
            yield (
                f'`mechanism = "{beside["mechanism"]}"` would know rectangles as well '
                "from "
                f"{beside['times_fewer']:.2f} times fewer respondents, on average"
            )


def _plan(question: Question, respondents: int | None, ask: Ask) -> PlacePlan:
    quantile = float(ndtri((1 + ask.level) / 2))
    expected = _expect(question)
    rectangle = reach = beside = None
    if expected is not None:
        queries = _rectangles(question.domain.fields[0].size)
        answers = expected.queries.answer(queries)
        rectangle = expected.error(answers, ask)
        beside = _beside(question, expected, ask)
        query_range = decoder_of(question.randomizer).ranges.score_range
        assert query_range is not None  # noqa: S101 (a row for rectangles has it)
        scores = query_range(question.randomizer, queries)
        reach = float(max(scores.most, 1 - scores.least))
        if respondents is None:
            respondents = enough(rectangle, ask.half_width or 1, quantile)
    if respondents is None:
        return PlacePlan(
            question, None, (), quantile=quantile, rectangle=None, reach=None
        )
    root = respondents**0.5
    errors = (
        _maps(question, ask) if expected is None else _zooms(question, expected, ask)
    )
    rows = tuple(
        MapRow(cells, error / root, cells**-2 > quantile * error / root)
        for cells, error in errors
    )
    of_one = None if rectangle is None else rectangle / root
    return PlacePlan(
        question,
        respondents,
        rows,
        quantile=quantile,
        rectangle=of_one,
        reach=reach,
        beside=beside,
    )


def _beside(question: Question, own: _Expected, ask: Ask) -> tuple[str, float] | None:
    """The other mechanism, and how many times fewer respondents it needs; None without
    an epsilon.

    On average over rectangles with ends anywhere: those of halves and quarters are few,
    and suit pyramids.
    """
    other = _OTHER.get(question.mechanism)
    if other is None or not question.keys or "epsilon" not in question.keys:
        return None
    left_out = ("goal", "weights", "width")
    table = {
        key: value
        for key, value in question_table(question).items()
        if key not in left_out
    }
    (asked,) = survey("plan", {**table, "mechanism": other})
    expected = _expect(asked)
    assert expected is not None  # noqa: S101 (both are for rectangles)
    queries = _anywhere(question.domain.fields[0].size)
    squares = (
        known.mean_square(known.queries.answer(queries), ask)
        for known in (own, expected)
    )
    return other, next(squares) / next(squares)


class _Expected(NamedTuple):
    """How rectangles are answered from the tally to be expected, and how many reports
    it has.
    """

    queries: Queries
    reports: int

    def error(self, answers: QueryAnswers, ask: Ask) -> float:
        """The greatest standard error that a single respondent would leave."""
        drawn_from = self.reports if ask.estimand == "population" else None
        greatest = float(answers.errors(drawn_from).max())
        return greatest * math.sqrt(self.reports)

    def mean_square(self, answers: QueryAnswers, ask: Ask) -> float:
        """The mean square of the errors that a single respondent would leave."""
        drawn_from = self.reports if ask.estimand == "population" else None
        return float((answers.errors(drawn_from) ** 2).mean()) * self.reports


def _expect(question: Question) -> _Expected | None:
    """Where a mechanism is for rectangles."""
    decoder, size = decoder_of(question.randomizer), question.domain.size or 1
    if decoder.gives != "places":
        return None
    counts = expected_counts(question.randomizer, (), np.full(size, 1 / size))
    queries = decoder.ranges.queries(question.randomizer, counts)
    if queries is None:
        return None
    return _Expected(queries, int(counts.sum()))


def _zooms(
    question: Question, expected: _Expected, ask: Ask
) -> Iterator[tuple[int, float]]:
    """The cells along an axis, and the error that one respondent would leave, of all
    zooms.
    """
    zoomed = expected.queries.cells
    assert zoomed is not None  # noqa: S101 (a map for rectangles has zooms)
    for halved in range(1, question.domain.fields[0].size.bit_length()):
        yield 1 << halved, expected.error(zoomed((halved, halved)), ask)


def _maps(question: Question, ask: Ask) -> Iterator[tuple[int, float]]:
    """Yield the errors of questions that differ in their cells alone, if a mechanism
    has them.
    """
    table = question_table(question)
    for halved in range(1, MOST_CELLS.bit_length()):
        cells = 1 << halved
        try:
            (asked,) = survey("plan", {**table, "cells": cells})
        except SurveyError:
            continue
        design = PlannedMechanism.of(
            asked.mechanism,
            asked.declared,
            asked.randomizer,
            values=asked.domain.values or (),
        )
        yield cells, float(design.error(cells**-2, 1, ask).max())


def _anywhere(side: int) -> Floats:
    """Some rectangles out of all, always the same, of shape (rectangles, values)."""
    ends = [(low, high) for low in range(side) for high in range(low + 1, side + 1)]
    drawn = np.random.default_rng(0).choice(ends, size=(_ANYWHERE, 2))
    places = np.arange(side)
    within = (places >= drawn[:, :, :1]) & (places < drawn[:, :, 1:])
    # (rectangles, 2, places) to the cells of both axes.
    cells = within[:, 0, :, None] & within[:, 1, None, :]
    return np.asarray(cells.reshape(_ANYWHERE, -1), dtype=np.float64)


def _rectangles(side: int) -> Floats:
    """Return all rectangles in question, of shape (rectangles, values)."""
    part = max(side // _PARTS, 1)
    places = np.arange(side)
    along = [
        ((places >= first) & (places < first + wide)).astype(np.float64)
        for wide in range(part, side, part)
        for first in range(0, side - wide + 1, part)
    ]
    return np.array([np.outer(x, y).ravel() for x, y in product(along, along)])
