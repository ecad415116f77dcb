"""What someone asked to see, by the query of a URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from ldp_aggregator.groups.asking import Asked as Groups
from ldp_aggregator.options import Options
from ldp_aggregator.service.analysis.queries import groups_of, names_of, options_of, served_as
from ldp_aggregator.service.counting.served import Catalogue, Served


@dataclass(frozen=True)
class Asked:
    """What someone asked to see: a version of a survey, with options; one question over time.

    If no version is named, and there are several, the estimates are `pooled`; all else is of the
    newest.
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

    @classmethod
    def of(cls, catalogue: Catalogue, query: Mapping[str, str]) -> Self:
        """By the query of a URL; the first survey if it names none.

        Raises `EstimateError`, `RequestError`.
        """
        name = query.get("survey") or next(iter(catalogue.by_name), "")
        served = served_as(catalogue, name, query)
        timed = [question.name for question in served.survey if question.epoch is not None]
        over_time = query.get("over_time")
        versions = catalogue.by_name[name]
        pooled = len(versions) > 1 and not query.get("version")
        return cls(
            served=served,
            versions=versions,
            pooled=pooled,
            options=options_of(query),
            names=names_of(served, query),
            over_time=over_time if over_time in timed else None,
            groups=groups_of(query) if served.survey.attributes else None,
        )

    def query(self, **changes: str | None) -> dict[str, str]:
        """The query that asks for the same, but for what changes; None leaves a key out."""
        options, usual = self.options, Options.quantiles
        query = {
            "survey": self.served.survey.name,
            "version": None if self.pooled else self.served.fingerprint,
            "level": str(options.level),
            "estimand": options.estimand,
            "interval": options.interval,
            "simultaneous": "1" if options.simultaneous else None,
            "post": options.post,
            "frequencies": "1" if options.frequencies else None,
            "reports_each": str(options.reports_each) if options.reports_each > 1 else None,
            "quantiles": written(options.quantiles) if options.quantiles != usual else None,
            "ranges": ",".join(map(":".join, options.ranges)),
            "edges": ",".join(options.edges),
            "rectangles": rectangles_written(options),
            "zoom": zoom_written(options),
            "question": ",".join(self.names),
            "over_time": self.over_time,
            **({} if self.groups is None else self.groups.query),
            **changes,
        }
        return {key: value for key, value in query.items() if value}


def rectangles_written(options: Options) -> str:
    """Rectangles as a query has them."""
    return ";".join(f"{':'.join(x)},{':'.join(y)}" for x, y in options.rectangles)


def zoom_written(options: Options) -> str:
    """A zoom as a query has it."""
    return "" if options.zoom is None else "x".join(map(str, options.zoom))


def written(shares: Sequence[float]) -> str:
    """Shares as a query has them."""
    return ",".join(f"{share:g}" for share in shares)
