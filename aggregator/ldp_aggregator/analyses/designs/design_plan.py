"""Power of a design with so many respondents, or how many it takes, as a sheet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scipy.special import ndtri

from ldp.errors import EstimateError
from ldp_aggregator.analyses.designs.sizes import size_of_slope
from ldp_aggregator.analyses.designs.survey_design import Design
from ldp_aggregator.numerics.bisection import least_share
from ldp_aggregator.output.formats.formats import Tabled
from ldp_aggregator.output.sheet import Sheet, TextTable

_TYPICAL = 0.1
_REMARKS = ("Everybody follows the design.",)
_OF_SLOPES = (
    "odds ratio: of one standard deviation of a predictor in a logit; with other "
    "predictors, divide the number by 1 - R^2 of this one on them",
)


@dataclass(frozen=True, repr=False)
class DesignPlan(Tabled):
    """Errors of the estimated share at one prevalence, for the population."""

    design: str
    privacy: str
    share: str
    """The name of what is estimated."""
    prevalence: float
    respondents: int
    arms: int
    half_width: float
    detects: float | None
    """The least share that is told from 0 with this power; None if none is."""
    level: float
    power: float
    odds_ratio: float | None = None
    """Of a standard deviation of a predictor, which is found with this power."""
    to_ask: int | None = None
    """How many to ask, if only some of them answer."""

    def sheet(self) -> Sheet:
        """All that is shown, in the shapes that formats ask for."""
        return Sheet(
            f"{self.design}: plan",
            lead=(self.design, self.privacy),
            tables=self._tables,
            record=self.to_dict,
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"format": 1, **vars(self)}

    def _tables(self) -> Iterator[TextTable]:
        detects = "-"
        if self.detects is not None:
            detects = f"{self.detects:.4f}"
        headings = [f"share of {self.share!r}", "respondents", "half-width", "detects"]
        row = [
            f"{self.prevalence:.4f}",
            f"{self.respondents:,}",
            f"{self.half_width:.4f}",
            detects,
        ]
        if self.odds_ratio is not None:
            headings.append("odds ratio")
            row.append(f"{self.odds_ratio:.4g}")
        if self.to_ask is not None:
            headings.append("to ask")
            row.append(f"{self.to_ask:,}")
        samples = ""
        if self.arms > 1:
            samples = f" in {self.arms} samples alike large"
        yield TextTable(
            "",
            (
                f"{self.level:.4g} intervals for the population; power "
                f"{self.power:.4g}{samples}"
            ),
            headings,
            rows=[row],
            remarks=_REMARKS if self.odds_ratio is None else _OF_SLOPES,
        )


def plan_design(
    design: Design,
    *,
    frequency: float | None = None,
    respondents: int | None = None,
    half_width: float | None = None,
    detect: float | None = None,
    odds_ratio: float | None = None,
    non_followers: float | None = None,
    response_rate: float | None = None,
    level: float = 0.95,
    power: float = 0.8,
) -> DesignPlan:
    """Return the plan for so many respondents, or for as many as a wish takes.

    frequency   the share that is expected
    half_width  of its interval
    detect      a share that is to be told from 0
    odds_ratio  of a standard deviation of a predictor, that is to be told from 1
    non_followers
                the share of the people who do not follow the design, beside that
    response_rate
                the share of those asked who answer

    Raises `EstimateError` unless one of the respondents and the wishes is given.
    """
    wishes = (respondents, half_width, detect, odds_ratio)
    if sum(wish is not None for wish in wishes) != 1:
        raise EstimateError(
            "expected one of respondents, half-width, detect and odds-ratio"
        )
    if non_followers is not None and odds_ratio is None:
        raise EstimateError(
            "expected an odds ratio beside non-followers; shares of those who do not "
            "follow are estimated by a design such as cheater"
        )
    if frequency is None:
        frequency = _TYPICAL if detect is None else detect
    if half_width is not None:
        respondents = design.sample_size(frequency, half_width=half_width, level=level)
    elif detect is not None:
        respondents = design.sample_size(detect, other=0.0, level=level, power=power)
    elif odds_ratio is not None:
        respondents = size_of_slope(
            design.variance(frequency),
            frequency,
            odds_ratio,
            non_followers=non_followers or 0.0,
            level=level,
            power=power,
        )
    people = max(respondents or 1, len(design.law.arms))
    error = math.sqrt(design.variance(frequency) / people)

    def tells(share: float) -> bool:
        return share > 0 and design.power(share, people, level=level) >= power

    return DesignPlan(
        design.words,
        design.privacy,
        design.law.measures[0].name,
        prevalence=frequency,
        respondents=people,
        arms=len(design.law.arms),
        half_width=float(ndtri((1 + level) / 2)) * error,
        detects=least_share(tells),
        level=level,
        power=power,
        odds_ratio=odds_ratio,
        to_ask=None if response_rate is None else math.ceil(people / response_rate),
    )
