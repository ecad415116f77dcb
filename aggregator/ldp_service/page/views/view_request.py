"""Requests for views, by the query of a URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Self

from ldp_aggregator.analyses.groups.asking import GroupRequest as Groups
from ldp_aggregator.answers.options import NumberOptions, Options
from ldp_service.analysis.queries import (
    RequestError,
    groups_of,
    names_of,
    options_of,
    served_as,
)
from ldp_service.counting.served import Catalogue, Served
from ldp_service.store.reading import EpochRange
from ldp_service.store.records import DAY

EPOCHS, CUMULATED, SMOOTHED = "epochs", "cumulated", "smoothed"
WAYS = (EPOCHS, CUMULATED, SMOOTHED)
"""How a question is shown over time."""
_MOST_TEXT = 200


class ValueSearch(NamedTuple):
    """Which values are shown of a question with many: a text that is in them, and a
    page.
    """

    question: str = ""
    text: str = ""
    page: int = 1


class Dates(NamedTuple):
    """The first and the last day of a range of time, as they are written; nothing for
    no end.
    """

    since: str = ""
    until: str = ""

    def span(self, length: int | None) -> EpochRange | None:
        """The epochs of so many seconds that begin on these days, UTC; None if it is
        all.

        Raises `RequestError` for what is no day, and where there is none between.
        """
        if length is None or not (self.since or self.until):
            return None
        first = 0 if not self.since else -(-_seconds(self.since, "since") // length)
        last = 1 << 32
        if self.until:
            last = (_seconds(self.until, "until") + DAY - 1) // length
        if first > last:
            raise RequestError(400, "expected since not to be after until")
        return EpochRange(first, last)


ALL_VALUES, ALL_TIME = ValueSearch(), Dates()


@dataclass(frozen=True)
class ViewRequest:
    """Request: a version of a survey, with options; one question over time.

    If no version is named, and there are several, the estimates are `pooled`; all else
    is of the newest.
    """

    served: Served
    versions: Sequence[Served]
    pooled: bool
    options: Options
    names: tuple[str, ...]
    """The questions to show; all, if there are none."""
    over_time: str | None
    groups: Groups | None = None
    """Groups by public attributes, if any are asked for."""
    search: ValueSearch = ALL_VALUES
    dates: Dates = ALL_TIME
    way: str = EPOCHS
    """How the question over time is shown."""
    fitted: bool = False
    """Whether axes over time fit the numbers, and not zero as well."""

    @classmethod
    def of(cls, catalogue: Catalogue, query: Mapping[str, str]) -> Self:
        """By the query of a URL; the first survey if it names none.

        Raises `EstimateError`, `RequestError`.
        """
        name = query.get("survey") or next(iter(catalogue.by_name), "")
        served = served_as(catalogue, name, query)
        timed = [
            question.name for question in served.survey if question.epoch is not None
        ]
        over_time = query.get("over_time")
        versions = catalogue.by_name[name]
        way = query.get("way") or EPOCHS
        if way not in WAYS:
            raise RequestError(400, f"expected way to be one of {', '.join(WAYS)}")
        dates = Dates(query.get("since", ""), query.get("until", ""))
        dates.span(served.survey.epoch)
        return cls(
            served=served,
            versions=versions,
            pooled=len(versions) > 1 and not query.get("version"),
            options=options_of(query),
            names=names_of(served, query),
            over_time=over_time if over_time in timed else None,
            groups=groups_of(query) if served.survey.attributes else None,
            search=_search(query),
            dates=dates,
            way=way,
            fitted=query.get("axes") == "fit",
        )

    @property
    def span(self) -> EpochRange | None:
        """The epochs that are asked for; None for all."""
        return self.dates.span(self.served.survey.epoch)

    def search_in(self, question: str) -> ValueSearch:
        """Return the search among the values of a question."""
        if self.search.question == question:
            return self.search
        return ValueSearch(question)

    def query(self, **changes: str | None) -> dict[str, str]:
        """The query that asks for the same, but for what changes; None leaves a key
        out.
        """
        search = self.search
        query = {
            "survey": self.served.survey.name,
            "version": None if self.pooled else self.served.fingerprint,
            **query_of(self.options),
            "question": ",".join(self.names),
            "over_time": self.over_time,
            "way": self.way if self.way != EPOCHS else None,
            "axes": "fit" if self.fitted else None,
            **self.dates._asdict(),
            "values_of": search.question if search.text or search.page > 1 else None,
            "find": search.text,
            "page": str(search.page) if search.page > 1 else None,
            **({} if self.groups is None else self.groups.query),
            **changes,
        }
        return {key: value for key, value in query.items() if value}


def query_of(options: Options) -> dict[str, str | None]:
    """Options as a query has them."""
    usual, repeats = NumberOptions.quantiles, options.reports_per_person
    return {
        "level": str(options.level),
        "estimand": options.estimand,
        "interval": options.interval,
        "simultaneous": "1" if options.simultaneous else None,
        "post_process": options.post_process,
        "frequencies": "1" if options.frequencies else None,
        "reports_per_person": None if repeats is None else str(repeats),
        "quantiles": shares_text(options.numbers.quantiles)
        if options.numbers.quantiles != usual
        else None,
        "ranges": ",".join(map(":".join, options.numbers.ranges)),
        "edges": ",".join(options.numbers.edges),
        "rectangles": rectangles_written(options),
        "zoom": zoom_written(options),
    }


def rectangles_written(options: Options) -> str:
    """Rectangles as a query has them."""
    return ";".join(f"{':'.join(x)},{':'.join(y)}" for x, y in options.maps.rectangles)


def zoom_written(options: Options) -> str:
    """A zoom as a query has it."""
    if options.maps.zoom is None:
        return ""
    return "x".join(map(str, options.maps.zoom))


def shares_text(shares: Sequence[float]) -> str:
    """Shares as a query has them."""
    return ",".join(f"{share:g}" for share in shares)


def _search(query: Mapping[str, str]) -> ValueSearch:
    page = query.get("page") or "1"
    if not (page.isascii() and page.isdigit() and len(page) <= 7 and int(page)):
        raise RequestError(400, "expected page to be the number of a page, from 1 on")
    text = query.get("find", "").strip()[:_MOST_TEXT]
    return ValueSearch(query.get("values_of", ""), text, int(page))


def _seconds(day: str, name: str) -> int:
    """When a day begins, UTC, since 1970. Raises `RequestError` for what is no day
    since then.
    """
    try:
        start = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise RequestError(
            400, f"expected {name} to be a day such as 2026-03-01"
        ) from None
    seconds = (start - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    if seconds < 0:
        raise RequestError(400, f"expected {name} to be a day after 1970")
    return seconds
