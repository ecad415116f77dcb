"""Weighting: from reports and known margins to estimates for the population.

What is estimated is said by what a cell counts for: 1 for holders of a value, the
number itself for a mean. Intervals are estimate -+ t standard errors, t with as many
degrees of freedom as there are clusters less strata (without either, that is the normal
quantile); those of shares are cut to 0 and 1.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import stdtrit

from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.analyses.groups.asking import GroupRequest
from ldp_aggregator.analyses.rows.reading import SurveyRows
from ldp_aggregator.analyses.weighting.answers import ReportAnswers, ReportPart
from ldp_aggregator.analyses.weighting.calibration import (
    RAKING,
    Factors,
    Target,
    factors_for,
    targets_of,
)
from ldp_aggregator.analyses.weighting.design_rows import (
    DesignedRows,
    answers_of_any,
    fields_of,
)
from ldp_aggregator.analyses.weighting.estimation import (
    REPLICATES,
    WeightedEstimates,
    replicate_errors,
    weighted_means,
)
from ldp_aggregator.analyses.weighting.margins import Margin, Margins, margins_of
from ldp_aggregator.analyses.weighting.reading import Design, Tallies, answers_in
from ldp_aggregator.analyses.weighting.rows import SamplingFrame
from ldp_aggregator.analyses.weighting.weighted import (
    DesignEffects,
    MarginShown,
    Weighted,
    WeightedShare,
)
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.checks import Remark

MEAN = "mean"
_EVERYBODY = GroupRequest()
_TOLD = 5.0
"""Standard errors from 0 below which a share is too noisy to be divided by."""
_FAR = 5.0
"""A factor beyond which a remark says how much rests on few respondents."""


def weigh(
    tallies: Tallies,
    name: str,
    margins: str | os.PathLike[str] | Margins,
    *,
    attributes: Sequence[str] = (),
    of: str | None = None,
    design: Design | None = None,
    method: str = RAKING,
    level: float = 0.95,
    replicates: str | None = None,
    reports_per_person: int | None = None,
) -> Weighted:
    """Estimates of a question, weighted to known margins of a population.

    tallies     one, whose question has the fields that margins are of; or one for each
                combination of the values of public attributes
    name        of the question
    margins     known shares, or the path of a file of them (`weighting.margins`)
    attributes  the names of the public attributes
    of          the field that is estimated; without, the one that no margin is of, or
                all cells
    design      the design weight of each combination's respondents
    method      `raking`, or `linear`
    replicates  check the standard errors by `jackknife`, `bootstrap`, or `brr` of two
                clusters a stratum
    reports_per_person
                reports of each respondent under one permanent response; the most that
                their epochs allow, unless said

    Raises `EstimateError` for margins that cannot be met, and where there are no
    reports.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> fields = [ldp.field("smokes", type="boolean"), ldp.field("sex", ["f", "m"])]
    >>> habits = ldp.question("habits", type="table", fields=fields, epsilon="2")
    >>> survey = ldp.survey("health", habits)
    >>> people = {"smokes": [True, False] * 500, "sex": ["f", "m", "m", "f"] * 250}
    >>> tally = ldp_aggregator.aggregate(survey, ldp_simulations.randomize(survey, people))
    >>> weighted = ldp_aggregator.weigh(tally, "habits", {"sex": {"f": 0.52, "m": 0.48}})
    >>> len(weighted.shares)
    2
    """
    known = margins_of(margins)
    among = {part for margin in known for part in margin.attributes}
    answers = answers_in(
        tallies, name, attributes=attributes, design=design, among=among
    )
    return weigh_answers(
        answers,
        known,
        of,
        method=method,
        level=level,
        replicates=replicates,
        reports_per_person=reports_per_person,
    )


def weigh_rows(
    rows: SurveyRows | DesignedRows,
    name: str,
    margins: str | os.PathLike[str] | Margins,
    *,
    frame: SamplingFrame = SamplingFrame(),  # noqa: B008 (it is never changed)
    of: str | None = None,
    by: Sequence[str] = (),
    where: Mapping[str, str] | None = None,
    method: str = RAKING,
    level: float = 0.95,
    replicates: str | None = None,
    reports_per_person: int | None = None,
) -> Weighted:
    """The same from rows (`read_rows`, `DesignedRows`), with the columns of a sampling
    frame.

    Without margins (`{}`) the design weights are all there is. `by` has the columns of
    groups, and `where` a value of each of some columns: groups are weighted as all are,
    and the values of their estimates are called as in "female: true".

    >>> import ldp, ldp_aggregator
    >>> copied = ldp.question("copied", type="boolean", mechanism="warner", truth="0.8")
    >>> survey = ldp.survey("exam", copied)
    >>> table = {"z": [1, 0, 1, 0, 0, 0, 0, 1] * 100, "sex": ["f", "f", "m"] * 266 + ["m", "f"]}
    >>> rows = ldp_aggregator.read_rows(survey, table, "z")
    >>> weighted = ldp_aggregator.weigh_rows(rows, "copied", {"sex": {"f": 0.5, "m": 0.5}})
    >>> len(weighted.shares)
    2
    """
    known, groups = margins_of(margins), GroupRequest.of(by, where or {})
    names = [part for margin in known for part in margin.attributes]
    fields = fields_of(rows, name)
    attributes = [
        part for part in dict.fromkeys((*names, *groups.names)) if part not in fields
    ]
    answers = answers_of_any(rows, name, attributes=attributes, frame=frame)
    return weigh_answers(
        answers,
        known,
        of,
        groups=groups,
        method=method,
        level=level,
        replicates=replicates,
        reports_per_person=reports_per_person,
    )


def weigh_answers(
    answers: ReportAnswers,
    margins: Sequence[Margin],
    of: str | None,
    *,
    groups: GroupRequest = _EVERYBODY,
    method: str = RAKING,
    level: float = 0.95,
    replicates: str | None = None,
    reports_per_person: int | None = None,
) -> Weighted:
    """Do the same with answers that have been read."""
    answers = answers.of_each(reports_per_person)
    if not 0 < level < 1:
        raise EstimateError(
            f"expected a level between 0 and 1, such as 0.95, got {level}"
        )
    targets = targets_of(answers, margins)
    factors = factors_for(answers, targets, method)
    shown, outcome = outcome_of(answers, margins, of)
    names, inside = _groups_in(answers, factors, groups)
    if inside is not None and replicates is not None:
        raise EstimateError("expected no replicates beside groups (by, where)")
    numbers = weighted_means(answers, outcome, factors, inside=inside)
    labels = [f"{name}{label}" for name in names for label in shown[1]]
    quantile = float(stdtrit(answers.freedom, (1 + level) / 2))
    return Weighted(
        answers.name,
        answers.spent,
        shown[0],
        reports=answers.reports,
        level=level,
        method=method,
        by=tuple(margin.name for margin in margins),
        designed=answers.has_design_weights,
        freedom=answers.freedom,
        shares=_shares(labels, numbers, quantile, is_share=shown[1][-1:] != (MEAN,)),
        margins=tuple(_margin(target, answers, factors) for target in targets),
        effective=numbers.effective,
        covariance=numbers.covariance,
        replicated=_replicate(answers, outcome, margins, method=method, way=replicates),
        way=replicates,
        remarks=tuple(_remarks(answers, targets, factors)),
    )


def _groups_in(
    answers: ReportAnswers, factors: Factors, asked: GroupRequest
) -> tuple[tuple[str, ...], Floats | None]:
    """What the values of each group begin with, and 1 for its combinations,
    (combinations, D).
    """
    if not asked.names:
        return ("",), None
    if not factors.public:
        raise EstimateError(
            "groups (by, where) are for margins of attributes in the clear"
        )
    for name in asked.names:
        if name not in answers.attributes:
            raise UnknownNameError(name, answers.attributes, "a column of groups")
    places = {name: answers.attributes.index(name) for name in asked.names}
    members: dict[tuple[str, ...], list[int]] = {}
    for number, values in enumerate(answers.combinations):
        if all(values[places[name]] == value for name, value in asked.where):
            own = tuple(values[places[name]] for name in asked.by)
            members.setdefault(own, []).append(number)
    wanted = ", ".join(f"{name} = {value}" for name, value in asked.where)
    if not members:
        raise EstimateError(f"expected respondents with {wanted}, got none")
    inside = np.zeros((len(answers.combinations), len(members)))
    ordered = sorted(members)
    for place, own in enumerate(ordered):
        inside[members[own], place] = 1
    return tuple(f"{', '.join(own) or wanted}: " for own in ordered), inside


def outcome_of(
    answers: ReportAnswers, margins: Sequence[Margin], of: str | None
) -> tuple[tuple[str, tuple[str, ...]], Floats]:
    """What is estimated, how its rows are called, and what each cell counts for,
    (cells, M).
    """
    if answers.is_mean:
        return (answers.parts[0].name, (MEAN,)), np.ones((1, 1))
    known = {name for margin in margins for name in margin.attributes}
    left = [part for part in answers.parts if part.name not in known]
    if of is not None:
        left = [part for part in answers.parts if part.name == of]
        if not left:
            names = ", ".join(part.name for part in answers.parts)
            raise EstimateError(f"expected one of {names} to be estimated, got {of!r}")
    if len(left) == 1:
        return _of_part(answers, left[0])
    if len(answers.parts) == 1:
        return _of_part(answers, answers.parts[0])
    names = ", ".join(part.name for part in answers.parts)
    raise EstimateError(f"expected to know which of {names} is to be estimated (of)")


def _of_part(
    answers: ReportAnswers, part: ReportPart
) -> tuple[tuple[str, tuple[str, ...]], Floats]:
    codes = np.broadcast_to(answers.column(part.name).codes, (1, answers.cells))[0]
    columns = [codes == place for place in range(len(part.values))]
    labels = part.values
    if part.numbers is not None:
        columns.append(part.numbers[codes])
        labels = (*part.values, MEAN)
    return (part.name, labels), np.stack(columns, axis=1).astype(np.float64)


def _shares(
    labels: Sequence[str],
    numbers: WeightedEstimates,
    quantile: float,
    *,
    is_share: bool,
) -> tuple[WeightedShare, ...]:
    rows = []
    for place, label in enumerate(labels):
        estimate = float(numbers.estimate[place])
        error = float(numbers.standard_error[place])
        low, high = estimate - quantile * error, estimate + quantile * error
        if is_share or not label.endswith(MEAN):
            low, high = (min(max(end, 0.0), 1.0) for end in (low, high))
        plain = float(numbers.unweighted_error[place])
        rows.append(
            WeightedShare(
                label,
                estimate,
                error,
                low=low,
                high=high,
                unweighted=float(numbers.unweighted[place]),
                design_effect=(error / plain) ** 2 if plain > 0 else float("nan"),
                effects=DesignEffects(*numbers.effects[:, place].tolist()),
            )
        )
    return tuple(rows)


def _margin(target: Target, answers: ReportAnswers, factors: Factors) -> MarginShown:
    """One value of a margin beside what reports say of it."""
    held = (factors.shares * np.broadcast_to(target.held, factors.shares.shape)).sum()
    met = (factors.shares * factors.factors * target.held).sum()
    responded = None
    if target.people is not None and target.held.shape[1] == 1:
        responded = float(
            answers.reports * _unweighted_share(answers, target) / target.people
        )
    return MarginShown(
        target.margin,
        target.value,
        float(held),
        known=target.share,
        met=float(met),
        responded=responded,
    )


def _unweighted_share(answers: ReportAnswers, target: Target) -> float:
    """Share among the reports themselves, whatever their design weights."""
    held = target.held[:, 0]
    units = answers.units
    if units is None:
        return float(answers.clear_shares @ held)
    return float((units.alike * held[units.combination]).sum() / units.alike.sum())


def _replicate(
    answers: ReportAnswers,
    outcome: Floats,
    margins: Sequence[Margin],
    *,
    method: str,
    way: str | None,
) -> Floats | None:
    if way is None:
        return None
    if way not in REPLICATES:
        raise EstimateError(
            f"expected replicates to be {' or '.join(REPLICATES)}, got {way!r}"
        )
    return replicate_errors(answers, outcome, margins, method=method, way=way)


def _weak(answers: ReportAnswers, targets: Sequence[Target]) -> list[Remark]:
    """Return the values whose share among the respondents can hardly be told from 0."""
    hidden = [target for target in targets if target.held.shape[1] > 1]
    functions = np.zeros((len(answers.combinations), 1 + answers.cells, len(hidden)))
    for place, target in enumerate(hidden):
        functions[:, 1:, place] = target.held
    errors = np.sqrt(np.maximum(np.diag(answers.covariance(functions)), 0.0)).tolist()
    weak = [
        f"{target.margin} {target.value}"
        for target, error in zip(hidden, errors, strict=True)
        if target.seen < _TOLD * error
    ]
    if not weak:
        return []
    text = (
        "hardly told from 0 by the reports, so that their factors are biased: "
        f"{', '.join(weak)}"
    )
    return [Remark("weak-margins", text)]


def _remarks(
    answers: ReportAnswers, targets: Sequence[Target], factors: Factors
) -> list[Remark]:
    remarks = [*answers.repeated]
    if answers.refused:
        remarks.append(Remark("rows-left-out", f"rows left out: {answers.refused}"))
    if not factors.public:
        remarks.append(
            Remark(
                "randomized-margins",
                "margins of randomized fields: shares before weighting are estimates, "
                "and the errors allow for that",
            )
        )
        remarks += _weak(answers, targets)
    largest = float(factors.factors.max())
    if targets and largest > _FAR:
        remarks.append(
            Remark(
                "large-factor",
                f"some respondents count {largest:.1f} times: few stand for many",
            )
        )
    if targets and float(factors.factors.min()) < 0:
        remarks.append(
            Remark(
                "negative-factor", "some factors are below 0; raking has none (method)"
            )
        )
    return remarks
