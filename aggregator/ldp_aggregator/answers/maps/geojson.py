"""Districts of a GeoJSON file (RFC 7946), with errors that say what is wrong, and in
which one.

A file has a collection of features, each of them a polygon or several, and a property
that names it. Everything else in it is let be. Raises `EstimateError`, and `FileError`
for a file that cannot be read.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ldp.errors import EstimateError
from ldp_aggregator.answers.geography import Geography
from ldp_aggregator.answers.requests import BY
from ldp_aggregator.output.files import read_bytes

LARGEST = 1 << 26
"""Bytes of a file."""
MOST_DISTRICTS = 4096
_POLYGONS = ("Polygon", "MultiPolygon")
_FEWEST_CORNERS = 4
"""Of a ring, the last of which is the first."""
_FARTHEST = 1e12
"""What a coordinate may be at most; no number that is none is below it."""


def read_geography(
    path: str | os.PathLike[str], name: str = "name", by: str = "area"
) -> Geography:
    """The districts in a file; `name` is the property that names them.

    `by` is how cells are counted that a border cuts: by "area" or by "centre".

    >>> import ldp_aggregator
    >>> geography = ldp_aggregator.read_geography("examples/districts.geojson")  # doctest: +SKIP
    >>> geography.names  # doctest: +SKIP
    ('West', 'Lake')
    """
    content = read_bytes(Path(path), LARGEST)
    try:
        collection = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise EstimateError(f"{path}: expected GeoJSON, got no JSON: {error}") from None
    try:
        return geography_of(collection, name, by)
    except EstimateError as error:
        raise EstimateError(f"{path}: {error}") from None


def geography_of(collection: Any, name: str = "name", by: str = "area") -> Geography:
    """Geography of a collection that has been read already, as dictionaries and
    lists.
    """
    if by not in BY:
        raise EstimateError(f"expected districts by {' or '.join(BY)}, got {by!r}")
    named = dict(_districts(_features(collection), name))
    return Geography(tuple(named), tuple(map(_polygon, named, named.values())), by)


def _features(collection: Any) -> Sequence[Any]:
    if _type(collection) != "FeatureCollection":
        raise EstimateError(
            f"expected a FeatureCollection, got {_shorten(_type(collection))}"
        )
    features = collection.get("features")
    if not isinstance(features, list) or not features:
        raise EstimateError(
            "expected a list of features, of one district or more, got none"
        )
    if len(features) > MOST_DISTRICTS:
        raise EstimateError(
            f"expected at most {MOST_DISTRICTS:,} features, got {len(features):,}"
        )
    return features


def _districts(
    features: Sequence[Any], key: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every district's name and geometry."""
    names = [
        _name(place, feature, key) for place, feature in enumerate(features, start=1)
    ]
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise EstimateError(
            f"expected a name for each district, got {name!r} {times} times"
        )
    for name, feature in zip(names, features, strict=True):
        geometry = feature.get("geometry")
        if _type(geometry) not in _POLYGONS:
            raise EstimateError(
                f"district {name!r}: expected a geometry that is a Polygon or a "
                f"MultiPolygon, got {_shorten(_type(geometry))}"
            )
        yield name, geometry


def _name(place: int, feature: Any, key: str) -> str:
    if _type(feature) != "Feature":
        raise EstimateError(
            f"feature {place}: expected a Feature, got {_shorten(_type(feature))}"
        )
    properties = feature.get("properties") or {}
    name = None
    if isinstance(properties, dict):
        name = properties.get(key)
    if isinstance(name, str | int) and str(name):
        return str(name)
    known = ", ".join(map(str, properties)) or "none"
    raise EstimateError(
        f"feature {place}: expected a name as its property {key!r}, got none; its "
        f"properties are {known} (--district-name says which one is the name)"
    )


def _polygon(name: str, geometry: Mapping[str, Any]) -> Any:
    """As a polygon of shapely, or several."""
    try:
        import shapely
    except ImportError:
        raise EstimateError(
            "expected shapely for districts, found none; install it with pip install "
            '"ldpkit-aggregator[geo]"'
        ) from None
    coordinates = geometry.get("coordinates")
    several = coordinates
    if geometry["type"] != "MultiPolygon":
        several = [coordinates]
    if not isinstance(several, list) or not several:
        raise EstimateError(
            f"district {name!r}: expected coordinates of polygons, got none"
        )
    parts = [
        shapely.Polygon(rings[0], rings[1:])
        for rings in (_rings(name, part) for part in several)
    ]
    shape = parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)
    if not shape.is_valid:
        raise EstimateError(
            f"district {name!r}: expected borders that do not cross themselves or each "
            f"other, got {shapely.is_valid_reason(shape)}"
        )
    return shape


def _rings(name: str, polygon: Any) -> list[list[tuple[float, float]]]:
    """The outer border of a polygon, then those of its holes."""
    if not isinstance(polygon, list) or not polygon:
        raise EstimateError(
            f"district {name!r}: expected a polygon with a border, got none"
        )
    return [_ring(name, ring) for ring in polygon]


def _ring(name: str, ring: Any) -> list[tuple[float, float]]:
    corners = []
    if isinstance(ring, list):
        corners = [_corner(name, corner) for corner in ring]
    if len(corners) < _FEWEST_CORNERS or corners[0] != corners[-1]:
        raise EstimateError(
            f"district {name!r}: expected rings of {_FEWEST_CORNERS} corners or more, "
            f"the last of which is the first, got one of {len(corners)}"
        )
    return corners


def _corner(name: str, corner: Any) -> tuple[float, float]:
    numbers = []
    if isinstance(corner, list):
        numbers = corner[:2]
    usable = [
        float(number)
        for number in numbers
        if isinstance(number, int | float) and abs(number) < _FARTHEST
    ]
    if len(usable) < 2:
        raise EstimateError(
            f"district {name!r}: expected corners such as [8.54, 47.37], got "
            f"{_shorten(corner)}"
        )
    return usable[0], usable[1]


def _type(part: Any) -> Any:
    if isinstance(part, dict):
        return part.get("type")
    return part


def _shorten(part: Any) -> str:
    text = repr(part)
    if len(text) <= 40:
        return text
    return f"{text[:39]}…"
