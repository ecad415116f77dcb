"""A map in two stages: the first one says where people are, and so how the next one
asks.

The cells of a grid hold very different numbers of people: some hardly any, which is
told of each of them at the price of the others. A first stage, of few respondents, is
enough to cut the map in cells that hold about as many each (`maps.cuts`). These cells
are then public and have names, and the next version of the survey asks others, with the
whole epsilon, in which of them they are. What comes of it is unbiased, with intervals,
whatever the first stage said.

How many cells: as many as an even share of would be above its margin of error, if as
many answer as in the first stage. With V = 4R/(R - 1)^2 for what a cell errs by, and z
of the level,

    1/K > z sqrt(V/n),   K at most 256, and at most the cells of the grid
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp.answers.cells import cell_name
from ldp.errors import EstimateError, UnknownNameError
from ldp.survey.declarations import question as declared
from ldp.survey.survey import Question, Survey, survey_table
from ldp.survey.survey_file import parse_survey
from ldp.survey.survey_toml import toml_text
from ldp_aggregator.answers.estimates.estimation import estimate
from ldp_aggregator.answers.maps.cuts import cut, share_of
from ldp_aggregator.answers.maps.map_estimates import MapEstimates
from ldp_aggregator.answers.maps.places import Places
from ldp_aggregator.answers.options import MapOptions, Options
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.postprocessing import norm_sub
from ldp_aggregator.output.sheet import Sheet, TextTable
from ldp_aggregator.tallies.tally import Tally

MOST_CELLS = 256
_TWO_SIDED = 1.959964
"""Standard errors on either side, of an interval of 0.95."""


@dataclass(frozen=True, eq=False)
class SecondStage:
    """The cells of the next stage, and the survey that asks for them.

    `second_stage` has an example.
    """

    survey: Survey
    """The next version: the question about the map is replaced."""
    question: Question
    """The one in its place."""
    corners: tuple[tuple[float, float, float, float], ...]
    """Of each cell: west, south, east, north."""
    shares: Floats
    """What the first stage makes of them, (cells,): never negative, and biased."""
    respondents: int
    """Those of the first stage."""

    @property
    def cells(self) -> tuple[str, ...]:
        """Their names."""
        return self.question.domain.values or ()

    @property
    def error(self) -> float:
        """About what the share of a cell will err by, from as many respondents: one
        deviation.
        """
        return math.sqrt(_variance(self.question) / self.respondents)

    def geojson(self) -> dict[str, Any]:
        """The cells as polygons with names (RFC 7946): borders for those who look."""
        features = []
        for name, (west, south, east, north) in zip(
            self.cells, self.corners, strict=True
        ):
            # Anticlockwise, and closed.
            ring = [
                [west, south],
                [east, south],
                [east, north],
                [west, north],
                [west, south],
            ]
            geometry = {"type": "Polygon", "coordinates": [ring]}
            features.append(
                {"type": "Feature", "properties": {"name": name}, "geometry": geometry}
            )
        return {
            "type": "FeatureCollection",
            "name": self.question.name,
            "features": features,
        }

    def sheet(self) -> Sheet:
        """The cells as a table, and what the next stage will bring."""
        rows = [
            (name, f"{share:.4f}")
            for name, share in zip(self.cells, self.shares, strict=True)
        ]
        remarks = (
            f"{len(self.cells)} cells, for {self.respondents:,} respondents: an even "
            f"share is {1 / len(self.cells):.4f}, with a standard error of about "
            f"{self.error:.4f}",
            (
                "shares here are those of the first stage, cut at zero: biased, and "
                "not to be reported"
            ),
        )
        table = TextTable(
            self.question.name, "", ("cell", "share"), rows=rows, remarks=remarks
        )
        return Sheet(
            f"{self.survey.name}: second stage",
            tables=lambda: (table,),
            record=lambda: {
                "cells": dict(zip(self.cells, self.shares.tolist(), strict=True))
            },
            columns=("cell", "share"),
            rows=lambda: zip(self.cells, self.shares.tolist(), strict=True),
        )


def second_stage(
    tally: Tally, name: str, cells: int | None = None, called: str | None = None
) -> SecondStage:
    """The next stage of a question about a map, from the tally of the first one.

    name    a question of type place, with a grid
    cells   how many cells the next one has; without, as many as such a tally can tell
    called  the name of the next one; without, that of this one with -2

    Raises `EstimateError`.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> home = ldp.question("home", x=(0, 8), y=(0, 8), cells=8, goal="rectangles", epsilon="4")
    >>> survey = ldp.survey("town", home)
    >>> reports = ldp_simulations.randomize(survey, {"home": [(1, 1), (7, 7)] * 1000})
    >>> stage = ldp_aggregator.second_stage(ldp_aggregator.aggregate(survey, reports), "home", 4)
    >>> stage.question.name, len(stage.corners)
    ('home-2', 4)
    """
    places, shares = _first(tally, name)
    question, reports = places.question, places.reports
    grid = shares.reshape(places.axes[0].size, places.axes[1].size)
    boxes = cut(grid, _number_of(cells, question, reports))
    x, y = (axis.edges for axis in places.axes)
    names = [
        cell_name((x[box.west], x[box.east]), (y[box.south], y[box.north]))
        for box in boxes
    ]
    called = called or f"{name}-2"
    table = _rename(survey_table(tally.survey), name, called, names=names)
    survey = parse_survey(toml_text(table), "the next version")
    return SecondStage(
        survey,
        survey[called],
        tuple(
            (
                float(x[box.west]),
                float(y[box.south]),
                float(x[box.east]),
                float(y[box.north]),
            )
            for box in boxes
        ),
        shares=np.array([share_of(grid, box) for box in boxes]),
        respondents=reports,
    )


def _first(tally: Tally, name: str) -> tuple[Places, Floats]:
    """What is known of the map, and a view of its cells that has none below 0."""
    known = {question.name: question for question in tally.survey}
    if name not in known:
        raise UnknownNameError(name, tuple(known), "one of the questions of the survey")
    question = known[name]
    if not question.domain.is_place:
        raise EstimateError(
            f"question {name!r}: expected a question of type place with x and y, whose "
            "map is to be cut, got another"
        )
    side = question.domain.fields[0].size
    of_rectangles = decoder_of(question.randomizer).gives == "places"
    options = Options(post_process="norm-sub")
    if of_rectangles:
        options = Options(post_process="shrunk", maps=MapOptions(zoom=(side, side)))
    estimates = estimate(tally, options=options, names=(name,))[name]
    if not isinstance(estimates, MapEstimates) or estimates.places is None:
        raise EstimateError(
            f"question {name!r}: expected reports of a first stage, got none"
        )
    return estimates.places, norm_sub(estimates.frequency)


def _number_of(cells: int | None, question: Question, reports: int) -> int:
    most = min(MOST_CELLS, question.domain.size or 2)
    if cells is None:
        margin = _TWO_SIDED * math.sqrt(_variance(question) / reports)
        return max(2, min(most, int(1 / margin)))
    if not 2 <= cells <= most:
        raise EstimateError(f"expected 2 to {most} cells, got {cells}")
    return cells


def _variance(question: Question) -> float:
    """What n times the variance of a small share is at least, or nearly."""
    ratio = float(question.declared.bound)
    return 4 * ratio / (ratio - 1) ** 2


def _rename(
    table: dict[str, Any], name: str, called: str, names: list[str]
) -> dict[str, Any]:
    """The table of a survey with another question in place of one."""
    entries = []
    for entry in table["question"]:
        if entry["name"] != name:
            entries.append(entry)
            continue
        if "epsilon" not in entry:
            raise EstimateError(
                f"question {name!r}: expected one that states an epsilon, which the "
                "next stage then has, got another"
            )
        text = entry.get("text")
        entries.append(
            declared(called, cells=names, text=text, epsilon=entry["epsilon"])
        )

    def rename(names: list[str]) -> list[str]:
        return [called if other == name else other for other in names]

    head, draws = dict(table["survey"]), table.get("draw", ())
    if "joint" in head:
        head["joint"] = [rename(group) for group in head["joint"]]
    if draws:
        draws = [{**draw, "questions": rename(draw["questions"])} for draw in draws]
    return {"survey": head, **({"draw": draws} if draws else {}), "question": entries}
