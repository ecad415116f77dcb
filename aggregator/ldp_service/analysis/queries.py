"""Queries of analysts in a URL: a version of a survey, and options."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ldp_aggregator.analyses.groups.asking import GroupRequest, by_of, where_of
from ldp_aggregator.answers.options import MapOptions, NumberOptions, Options
from ldp_aggregator.answers.requests import (
    edges_of,
    quantiles_of,
    range_of,
    rectangle_of,
    zoom_of,
)
from ldp_service.counting.served import Catalogue, Served

OPTIONS = (
    "level",
    "estimand",
    "interval",
    "simultaneous",
    "post_process",
    "frequencies",
    "reports_per_person",
    "quantiles",
    "ranges",
    "edges",
    "rectangles",
    "zoom",
)
"""The parameters that say how estimates are to be."""

GROUPS = ("by", "where")
"""Those that ask for groups by public attributes."""

_YES = ("1", "true", "yes")


class RequestError(Exception):
    """A request that cannot be answered as it was asked: the status, and what was
    expected.
    """

    def __init__(self, status: int, expected: str) -> None:
        self.status = status
        super().__init__(expected)


def served_as(catalogue: Catalogue, name: str, query: Mapping[str, str]) -> Served:
    """The version that is asked for, by its fingerprint, or else the newest.

    Raises `RequestError`.
    """
    versions = catalogue.by_name.get(name, [])
    wanted = query.get("version")
    if not versions:
        raise RequestError(
            404, "expected the name of a survey that is served, got another"
        )
    matching = [
        version for version in versions if wanted in (None, "", version.fingerprint)
    ]
    if not matching:
        served = ", ".join(version.fingerprint for version in versions)
        raise RequestError(404, f"expected version to be one of {served}, got another")
    return matching[-1]


def check_parameters(query: Collection[str], known: Collection[str]) -> None:
    """Raise `RequestError` for parameters that mean nothing here, such as misspelled
    ones.
    """
    unknown = [name for name in query if name not in known]
    if unknown:
        listed = ", ".join(known) or "none"
        raise RequestError(
            400, f"expected parameters of {listed}, got {unknown[0][:40]!r}"
        )


def names_of(served: Served, query: Mapping[str, str]) -> tuple[str, ...]:
    """The questions that are asked for, side by side; none if it is all. Raises
    `RequestError`.
    """
    names = tuple(filter(None, query.get("question", "").split(",")))
    known = [question.name for question in served.survey]
    unknown = [name for name in names if name not in known]
    if unknown:
        listed = ", ".join(known)
        raise RequestError(
            400, f"expected question to be of {listed}, got {unknown[0][:40]!r}"
        )
    return names


def options_of(query: Mapping[str, str]) -> Options:
    """How the estimates are to be. Raises `EstimateError`, `RequestError`."""
    try:
        level = float(query.get("level", "0.95"))
        repeats = query.get("reports_per_person")
        reports_per_person = None
        if repeats:
            reports_per_person = int(repeats)
    except ValueError:
        raise RequestError(
            400, "expected level and reports_per_person to be numbers"
        ) from None
    simultaneous = query.get("simultaneous") in (*_YES, "bonferroni")
    return Options(
        level,
        query.get("estimand", "population"),
        query.get("interval", "score"),
        simultaneous="bonferroni" if simultaneous else None,
        post_process=query.get("post_process") or None,
        reports_per_person=reports_per_person,
        frequencies=query.get("frequencies") in _YES,
        numbers=_of_numbers(query),
        maps=_of_maps(query),
    )


def groups_of(query: Mapping[str, str]) -> GroupRequest | None:
    """The groups that are asked for, if any are. Raises `EstimateError`."""
    asked = GroupRequest(by_of(query.get("by", "")), where_of(query.get("where", "")))
    if asked.names:
        return asked
    return None


def _of_numbers(query: Mapping[str, str]) -> NumberOptions:
    """Read the options of distributions; ranges stand side by side."""
    asked: dict[str, Any] = {}
    if query.get("quantiles"):
        asked["quantiles"] = quantiles_of(query["quantiles"])
    if query.get("ranges"):
        asked["ranges"] = tuple(map(range_of, query["ranges"].split(",")))
    if query.get("edges"):
        asked["edges"] = edges_of(query["edges"])
    return NumberOptions(**asked)


def _of_maps(query: Mapping[str, str]) -> MapOptions:
    """Read the options of maps; rectangles stand side by side."""
    asked: dict[str, Any] = {}
    if query.get("rectangles"):
        asked["rectangles"] = tuple(map(rectangle_of, query["rectangles"].split(";")))
    if query.get("zoom"):
        asked["zoom"] = zoom_of(query["zoom"])
    return MapOptions(**asked)
