"""Cells of a public geography on a map: values that are the names of districts, with
their shares.

Devices know names alone (`readers.place_keys`). Whoever looks may have borders for
these, from a GeoJSON file, and then sees the shares on a map: in one colour for each
district, hatched where it cannot be told from an empty one. No border cuts anything
here, as each answer was a district.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ldp.survey.survey import Question
from ldp_aggregator.answers.geography import Geography
from ldp_aggregator.numerics.arrays import Flags, Floats
from ldp_aggregator.output.formats.formats import Pictured
from ldp_aggregator.output.sheet import Bars, Shapes


@dataclass(frozen=True, eq=False)
class Regions(Pictured):
    """The shares of the districts that values name, and that are in a file:
    (districts,) each.
    """

    title: str
    names: tuple[str, ...]
    shapes: tuple[Any, ...]
    """Polygons of shapely."""
    rings: tuple[tuple[Floats, ...], ...]
    """Their borders, of shape (corners, 2) each."""
    estimate: Floats
    """Unbiased unless `post_process` names a view."""
    standard_error: Floats
    """Of the unbiased estimate, as are the intervals."""
    low: Floats
    high: Floats
    level: float
    post_process: str | None = None
    missing: int = 0
    """How many values the file has no district for."""

    @property
    def told(self) -> Flags:
        """Which districts can be told from empty ones: those whose interval is
        above 0.
        """
        return self.low > 0

    def geojson(self) -> dict[str, Any]:
        """The districts with their shares, errors and intervals (RFC 7946)."""
        return {
            "type": "FeatureCollection",
            "name": self.title,
            "level": self.level,
            "post_process": self.post_process,
            "features": [self._feature(place) for place in range(len(self.names))],
        }

    def _feature(self, place: int) -> dict[str, Any]:
        from shapely.geometry import mapping

        return {
            "type": "Feature",
            "properties": {
                "name": self.names[place],
                "share": float(self.estimate[place]),
                "standard_error": float(self.standard_error[place]),
                "low": float(self.low[place]),
                "high": float(self.high[place]),
                "told_from_zero": bool(self.told[place]),
            },
            "geometry": mapping(self.shapes[place]),
        }

    @property
    def caption(self) -> str:
        """Caption of the picture."""
        caption = (
            f"shares of districts; hatched: not told from 0 ({self.level:.4g} interval)"
        )
        if self.post_process is not None:
            caption = f"{caption}; {self.post_process}: biased"
        if self.missing:
            return f"{caption}; {self.missing} values not on it"
        return caption

    def panels(self, truth: Any = None) -> list[Bars]:  # noqa: ARG002
        """A map of the districts."""
        return [self.bars()]

    def bars(self) -> Bars:
        """The map as a panel of a picture."""
        return Bars(
            self.title,
            self.caption,
            self.names,
            lengths=self.estimate,
            low=self.low,
            high=self.high,
            form=Shapes(self.rings),
        )


def regions_of(
    question: Question,
    values: Sequence[str],
    columns: tuple[Floats, Floats, Floats, Floats],
    *,
    geography: Geography,
    level: float,
    post_process: str | None,
) -> Regions | None:
    """The districts that values name; None of a question that is not about districts.

    `columns` are shares, standard errors, and both ends of intervals, of the values.
    """
    if not geography.is_named_by(question.domain):
        return None
    place_of = {
        question.domain.index_of(value): place for place, value in enumerate(values)
    }
    drawn = [
        (name, shape, rings, place_of[index])
        for name, shape, rings in zip(
            geography.names, geography.shapes, geography.rings, strict=True
        )
        if (index := question.domain.index_of(name)) in place_of
    ]
    if not drawn:
        return None
    names, shapes, rings, places = zip(*drawn, strict=True)
    share, error, low, high = (column[list(places)] for column in columns)
    return Regions(
        question.name,
        names,
        shapes,
        rings=rings,
        estimate=share,
        standard_error=error,
        low=low,
        high=high,
        level=level,
        post_process=post_process,
        missing=len(values) - len(drawn),
    )
