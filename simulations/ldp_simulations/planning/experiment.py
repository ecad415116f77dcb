"""Planning an experiment: how many people each arm takes, before anyone is asked.

People are given, by lot, a direct question or a randomized one. If a share d of the
first say a value and a share r is true of the second, the difference of the arms is r -
d, with the variance

    s0^2 / n0 + s1^2 / n1,  s0^2 = d (1 - d),  s1^2 = n variance of the estimate at r

s1 has the noise of the mechanism: the randomized arm needs more people. For a given
total the variance is least with n0 : n1 = s0 : s1 (Neyman), and the two-sided test at 1
- level, such as that of `compare`, finds the difference with the power

    Phi((r - d) / (s0 + s1) sqrt(n) - z((1 + level) / 2))

Two randomized arms, such as a device and paper coins with the same law, are planned
beside it: what it takes to find the same difference between them.

Sources: Neyman 1934; Ulrich, Schroeter, Striegel and Simon 2012, Asking sensitive
questions: a statistical power analysis of randomized response models.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

from ldp.answers.booleans import canonical_value
from ldp.errors import EstimateError, UnknownNameError
from ldp.survey.survey import Question
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.output.formats.formats import Tabled
from ldp_aggregator.output.sheet import Sheet, TextTable
from ldp_simulations.planning.kinds.asking import MOST_RESPONDENTS, Ask
from ldp_simulations.planning.kinds.planning import PlannedMechanism

FORMAT = 1
_MANY = 10**6
"""Reports at which the error of one answer is taken."""
_KINDS_WITHOUT = ("search", "views", "marginals", "sketch")


@dataclass(frozen=True)
class Arms:
    """Two arms of an experiment, with so many people each.

    `plan_experiment` has an example.
    """

    name: str
    first: int
    second: int
    power: float
    """With what chance the difference is found."""


@dataclass(frozen=True)
class ExperimentPlan(Tabled):
    """What it takes to find a difference between arms, or how likely it is found.

    `plan_experiment` has an example.
    """

    question: str
    value: str
    direct: float
    """The share that a direct question brings out."""
    randomized: float
    """The share that is true, or that the randomized question brings out."""
    level: float
    plans: tuple[Arms, ...]

    def __getitem__(self, name: str) -> Arms:
        known = {arms.name: arms for arms in self.plans}
        if name not in known:
            raise UnknownNameError(name, list(known), "one of the designs planned")
        return known[name]

    def sheet(self) -> Sheet:
        """A table and a record, as formats ask for them."""
        return Sheet(
            "Plan of an experiment", tables=lambda: [self._table()], record=self.to_dict
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "format": FORMAT,
            "question": self.question,
            "value": self.value,
            "direct": self.direct,
            "randomized": self.randomized,
            "level": self.level,
            "plans": [vars(arms) for arms in self.plans],
        }

    def _table(self) -> TextTable:
        shares = (
            f"{self.direct:.4g} in the first arm, {self.randomized:.4g} in the second"
        )
        rows = [
            [arms.name, f"{arms.first:,}", f"{arms.second:,}", f"{arms.power:.3f}"]
            for arms in self.plans
        ]
        return TextTable(
            self.question,
            f"{self.value}: {shares}",
            ("arms", "people in\nthe first", "people in\nthe second", "power"),
            rows=rows,
            remarks=[
                f"power: the chance that a two-sided test at {1 - self.level:.4g} "
                "finds the difference; each person is given one arm by lot, in these "
                "shares",
            ],
        )


def plan_experiment(
    question: Question,
    value: str,
    *,
    direct: float,
    randomized: float,
    respondents: int | None = None,
    level: float = 0.95,
    power: float = 0.8,
) -> ExperimentPlan:
    """How many people in each arm find a difference between a direct and a randomized
    question.

    question             the randomized one
    value                whose share is compared
    direct, randomized   shares in the two arms, 0 < direct < randomized < 1
    respondents          of both arms together, to be told the power; without it, what
                         power takes
    level                one less the chance to find a difference that is not there

    Raises `EstimateError` for numbers that cannot be, and for questions of which no
    frequencies are estimated, and `UnknownNameError` for another value.

    >>> import ldp, ldp_simulations
    >>> survey = ldp.survey("health", ldp.question("smokes", type="boolean", epsilon="1"))
    >>> planned = ldp_simulations.plan_experiment(
    ...     survey["smokes"], "true", direct=0.1, randomized=0.2
    ... )
    >>> planned.plans[0].power >= 0.8
    True
    """
    from scipy.special import ndtr, ndtri

    _check(
        question, direct, randomized, respondents=respondents, level=level, power=power
    )
    values = list(question.domain.values or ())
    value = canonical_value(value, values)
    if value not in values:
        raise UnknownNameError(value, values, "one of the values")
    design = PlannedMechanism.of(
        question.name, question.declared, question.randomizer, values=values
    )
    place = values.index(value)
    line = float(ndtri((1 + level) / 2))

    def of_one(share: float) -> float:
        """The standard error of the estimate of this share by one report."""
        errors = design.error(share, _MANY, Ask(estimand="population"))
        return float(errors[place if len(errors) > 1 else 0]) * sqrt(_MANY)

    noisy = of_one(randomized)
    beside = {
        "direct, randomized": sqrt(direct * (1 - direct)),
        "randomized, randomized": of_one(direct),
    }
    plans = []
    for name, spread in beside.items():
        together = (spread + noisy) / (randomized - direct)
        if respondents is None:
            people = ((line + float(ndtri(power))) * together) ** 2
            first = max(ceil(people * spread / (spread + noisy)), 1)
            second = max(ceil(people * noisy / (spread + noisy)), 1)
        else:
            first = min(
                max(round(respondents * spread / (spread + noisy)), 1), respondents - 1
            )
            second = respondents - first
        error = sqrt(spread**2 / first + noisy**2 / second)
        reached = float(ndtr((randomized - direct) / error - line))
        plans.append(Arms(name, first, second, power=reached))
    return ExperimentPlan(
        question.name,
        value,
        direct,
        randomized=randomized,
        level=level,
        plans=tuple(plans),
    )


def _check(
    question: Question,
    direct: float,
    randomized: float,
    *,
    respondents: int | None,
    level: float,
    power: float,
) -> None:
    if not 0 < direct < randomized < 1:
        raise EstimateError(
            "experiment: expected a direct share above 0, and below that of the "
            f"randomized question, which is below 1, got {direct:g} and {randomized:g}"
        )
    if not (0 < level < 1 and 0 < power < 1):
        raise EstimateError(
            f"expected a level and a power between 0 and 1, got {level:g} and {power:g}"
        )
    if respondents is not None and not 2 <= respondents <= MOST_RESPONDENTS:
        raise EstimateError(
            f"expected from 2 to {MOST_RESPONDENTS:,} respondents for two arms, got "
            f"{respondents:,}"
        )
    randomizer = question.randomizer
    if (
        question.domain.values is None
        or randomizer.kind in _KINDS_WITHOUT
        or decoder_of(randomizer).gives != "frequencies"
    ):
        raise EstimateError(
            f"question {question.name!r}: expected one about a list of values, of "
            "which frequencies are estimated, got another"
        )
