"""How places are estimated: the cells of a zoom or of the grid, or districts by their
names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ldp.errors import EstimateError
from ldp_aggregator.answers.maps.districts import District
from ldp_aggregator.answers.maps.map_estimates import MapEstimates
from ldp_aggregator.answers.maps.places import Places, places_of
from ldp_aggregator.answers.results.room import AnswerKind, CountedQuestion
from ldp_aggregator.answers.shares.room import numbers_of, shares_of
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.checks import Remark

_CUT = {
    "area": "the share of the area is counted",
    "centre": "those are counted whose middles are within",
}


def estimate(counted: CountedQuestion) -> MapEstimates:
    """The shares of the cells of a map, from a question with reports."""
    question, counts, options = counted.question, counted.counts, counted.options
    places, values, queries = places_of(question, counts, options), counted.values, None
    if places is not None and not places.is_whole:
        values, queries = places.zoom(places.shown_view)
    known = None if places is None else places.queries
    numbers = numbers_of(counted, values, queries=queries, known=known)
    places = places or places_of(
        question, counts, options, frequency=numbers.moments.frequency
    )
    shares = shares_of(counted, numbers, values, kind=MapEstimates, places=places)
    if options.maps.geography is not None:
        remarks = on_districts(shares.shown_districts, options.maps.geography.by)
        shares = replace(shares, remarks=(*shares.remarks, *remarks))
    if options.post_process != "shrunk":
        return shares
    return replace(shares, frequency=_shrunk(places))


def _shrunk(places: Places | None) -> Floats:
    shares = None
    if places is not None:
        shares = places.shrunk()
    if shares is None:
        raise EstimateError(
            "expected another view than shrunk, which is for questions of `goal = "
            '"rectangles"`'
        )
    return shares


def on_districts(districts: Sequence[District], by: str) -> tuple[Remark, ...]:
    """Whether borders cut cells."""
    approximate = sum(district.is_approximate for district in districts)
    if not approximate:
        return ()
    text = (
        f"{approximate:,} of {len(districts):,} districts are approximate: of cells "
        f"that borders cut, {_CUT[by]}. Where within a cell people live, no report "
        "tells; `surely_low` and `surely_high` (JSON: `surely`) are the ends of an "
        "interval that holds wherever it is."
    )
    return (Remark("cut-cells", text),)


ROOM = AnswerKind(MapEstimates, estimate)
