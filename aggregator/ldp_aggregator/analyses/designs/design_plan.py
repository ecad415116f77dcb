"""Power of a design with so many respondents, or how many it takes, as a sheet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scipy.special import ndtri

from ldp.errors import EstimateError
from ldp_aggregator.analyses.designs.survey_design import Design
from ldp_aggregator.numerics.bisection import least_share
from ldp_aggregator.output.formats.formats import Tabled
from ldp_aggregator.output.sheet import Sheet, TextTable

_TYPICAL = 0.1


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
        detects = "-" if self.detects is None else f"{self.detects:.4f}"
        samples = f" in {self.arms} samples alike large" if self.arms > 1 else ""
        yield TextTable(
            "",
            (
                f"{self.level:.4g} intervals for the population; power "
                f"{self.power:.4g}{samples}"
            ),
            (f"share of {self.share!r}", "respondents", "half-width", "detects"),
            rows=[
                (
                    f"{self.prevalence:.4f}",
                    f"{self.respondents:,}",
                    f"{self.half_width:.4f}",
                    detects,
                )
            ],
            remarks=(
                "Everybody follows the design. Ask more where people may not answer.",
            ),
        )


def plan_design(
    design: Design,
    *,
    frequency: float | None = None,
    respondents: int | None = None,
    half_width: float | None = None,
    detect: float | None = None,
    level: float = 0.95,
    power: float = 0.8,
) -> DesignPlan:
    """Return the plan for so many respondents, or for as many as a wish takes.

    frequency   the share that is expected
    half_width  of its interval
    detect      a share that is to be told from 0

    Raises `EstimateError` unless one of the last three is given.
    """
    wishes = [wish for wish in (respondents, half_width, detect) if wish is not None]
    if len(wishes) != 1:
        raise EstimateError("expected one of respondents, half-width and detect")
    if frequency is None:
        frequency = _TYPICAL if detect is None else detect
    if half_width is not None:
        respondents = design.sample_size(frequency, half_width=half_width, level=level)
    elif detect is not None:
        respondents = design.sample_size(detect, other=0.0, level=level, power=power)
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
    )
