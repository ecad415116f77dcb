"""What an analyst asks for in the query of a URL: a version of a survey, and options of its
estimates.
"""

from __future__ import annotations

from collections.abc import Mapping

from ldp_aggregator.options import Options
from ldp_aggregator.service.counting.served import Catalogue, Served

_YES = ("1", "true", "yes")


class RequestError(Exception):
    """A request that cannot be answered as it was asked: the status, and what was expected."""

    def __init__(self, status: int, expected: str) -> None:
        self.status = status
        super().__init__(expected)


def served_as(catalogue: Catalogue, name: str, query: Mapping[str, str]) -> Served:
    """The version that is asked for, by its fingerprint, or else the newest.

    Raises `RequestError`.
    """
    versions, wanted = catalogue.by_name.get(name, []), query.get("version")
    if not versions:
        raise RequestError(404, "expected the name of a survey that is served, got another")
    found = [each for each in versions if not wanted or wanted == each.fingerprint]
    if not found:
        known = ", ".join(each.fingerprint for each in versions)
        raise RequestError(404, f"expected version to be one of {known}, got another")
    return found[-1]


def options_of(query: Mapping[str, str]) -> Options:
    """How the estimates are to be. Raises `EstimateError`, `RequestError`."""
    try:
        level, each = float(query.get("level", "0.95")), int(query.get("reports_each", "1"))
    except ValueError:
        raise RequestError(400, "expected level and reports_each to be numbers") from None
    simultaneous = query.get("simultaneous") in (*_YES, "bonferroni")
    return Options(
        level,
        query.get("estimand", "respondents"),
        query.get("interval", "score"),
        "bonferroni" if simultaneous else None,
        query.get("post") or None,
        reports_each=each,
        frequencies=query.get("frequencies") in _YES,
    )
