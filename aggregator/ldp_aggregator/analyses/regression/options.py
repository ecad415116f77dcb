"""Options of a regression, and their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ldp.errors import EstimateError
from ldp_aggregator.analyses.regression.links import LINKS

LIKELIHOOD, EQUATIONS = "likelihood", "equations"
METHODS = (LIKELIHOOD, EQUATIONS)
WALD, PROFILE = "wald", "profile"
INTERVALS = (WALD, PROFILE)
SANDWICH, MODEL = "sandwich", "model"
ERRORS = (SANDWICH, MODEL)
FIRTH = "firth"


@dataclass(frozen=True)
class RegressionOptions:
    """Options of a regression. Raises `EstimateError` for unknown ones.

    >>> import ldp_aggregator
    >>> ldp_aggregator.RegressionOptions(model="logit").level
    0.95
    """

    model: str | None = None
    """`logit`, `probit`, `cloglog`, `linear` or `poisson`; without, by what is
    explained.
    """
    event: str | None = None
    """The value whose chance is explained; the last of two, if it is None."""
    method: str | None = None
    """`likelihood` or `equations`; without, the likelihood where it is known."""
    interval: str = WALD
    """`wald`, or `profile` for the likelihood."""
    errors: str = SANDWICH
    """`sandwich`, or `model` for the likelihood: right only where the model is."""
    level: float = 0.95
    reports_per_person: int | None = None
    """Reports of each respondent under one permanent response; None for the most that
    their epochs allow.
    """
    penalty: str | None = None
    """`firth` keeps coefficients finite, for the likelihood of predictors in clear."""
    predict: tuple[Mapping[str, Any], ...] = ()
    """Values of all predictors, of whom the mean is predicted."""

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise EstimateError(
                f"expected a level between 0 and 1, such as 0.95, got {self.level}"
            )
        for name, known in (
            ("model", (None, *LINKS)),
            ("method", (None, *METHODS)),
            ("interval", INTERVALS),
            ("errors", ERRORS),
            ("penalty", (None, FIRTH)),
        ):
            if getattr(self, name) not in known:
                listed = ", ".join(str(one) for one in known if one is not None)
                raise EstimateError(
                    f"expected {name} to be one of {listed}, got "
                    f"{getattr(self, name)!r}"
                )
