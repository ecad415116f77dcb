"""`plan`: what a survey, or every mechanism for n values, will be able to tell."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ldp.errors import EstimateError, UnknownNameError
from ldp.numbers.exact import epsilon_of, fraction
from ldp.survey.survey import Survey, check_survey
from ldp_aggregator.output.formats.formats import render_sheet
from ldp_aggregator.output.sheet import Sheet
from ldp_simulations.planning import report
from ldp_simulations.planning.kinds import (
    distribution_plan,
    field_plan,
    key_plan,
    level_plan,
    mean_plan,
    place_plan,
    search_plan,
    vector_plan,
)
from ldp_simulations.planning.kinds.asking import Ask, PlanRequest
from ldp_simulations.planning.pictures import pictures
from ldp_simulations.planning.plans import Plan, of_survey, of_values


@dataclass(frozen=True, repr=False)
class Planned:
    """What was asked, and a plan for each question or mechanism; its `repr` is a table.

    `plan` has an example.
    """

    ask: Ask
    plans: Sequence[Plan]
    searches: Sequence[search_plan.SearchPlan] = ()
    """Of questions whose texts are found by a search."""
    means: Sequence[mean_plan.MeanPlan] = ()
    """Of questions of which a mean is estimated, and no frequencies."""
    distributions: Sequence[distribution_plan.DistributionPlan] = ()
    """Of questions of which a distribution is estimated."""
    forged: int | None = None
    """How many reports are taken to be forged; None for 1 % of them."""
    trees: Sequence[level_plan.TreePlan] = ()
    """Of questions whose values are the leaves of a tree."""
    keys: Sequence[key_plan.KeyPlan] = ()
    """Of questions about keys that numbers come with: shares and means."""
    places: Sequence[place_plan.PlacePlan] = ()
    """Of questions of type place: maps and rectangles."""

    vectors: Sequence[vector_plan.VectorPlan] = ()
    """Of questions of which a mean vector is estimated."""
    fields: Sequence[field_plan.FieldPlan] = ()
    """Of questions whose devices tell some of many fields."""

    def sheet(self) -> Sheet:
        """Tables of plans of every sort, as formats ask for them."""
        records = [report.record(plan, self.ask, self.forged) for plan in self.plans]
        sheet = report.sheet(
            records,
            self.searches,
            self.ask,
            means=self.means,
            distributions=self.distributions,
            forged=self.forged,
            trees=self.trees,
            keys=self.keys,
            vectors=self.vectors,
            places=self.places,
            fields=self.fields,
        )
        return replace(sheet, bars=lambda: list(pictures(self.plans, self.ask)))

    def records(self) -> list[dict[str, Any]]:
        """A record for each plan, ready for JSON; what cannot be had is None."""
        plans: list[dict[str, Any]] = self.to_dict()["plans"]
        return plans

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: the format that `ldp plan --format json` writes."""
        return dict(self.sheet().record())

    def __repr__(self) -> str:
        return str(render_sheet(self.sheet(), "table"))


def plan(
    survey: Survey | None = None,
    *,
    values: int | None = None,
    epsilon: str | int | float | Fraction | None = None,
    respondents: int | None = None,
    half_width: float | None = None,
    detect: float | None = None,
    mean_half_width: float | None = None,
    median_half_width: float | None = None,
    level: float = 0.95,
    power: float = 0.8,
    frequency: float | None = None,
    estimand: str = "population",
    simultaneous: str | None = None,
    forged: int | None = None,
    candidates: Mapping[str, Sequence[str]] | None = None,
    shares: Sequence[str | int | float | Fraction] | None = None,
    names: Collection[str] = (),
    value: str | None = None,
    response_rate: float | None = None,
) -> Planned:
    """Plan the errors of a survey's questions, or of every mechanism for n values.

    survey        the survey; or
    values        a number of values, at least 2, to compare mechanisms for, with an
                  epsilon or a number of respondents, or both
    epsilon       what one report may reveal
    respondents   how many answer; left out, the least number that keeps what is asked
                  for is found
    half_width    the largest half-width of intervals, as a share from 0 to 1, of a
                  distribution those of any range, of places those of any rectangle;
                  finds respondents or epsilon, one of which is left out
    detect        a share of the respondents that has to be found
    mean_half_width  the largest half-width of the interval of a mean, in the unit of
                     the answers;
                  finds respondents
    median_half_width  the same of the median of a distribution
    level, power  of intervals and detection, and the chance to detect
    frequency     the share of a typical value; an even one, unless given
    estimand      "population" or "respondents": whom errors are for
    simultaneous  "bonferroni" if all intervals of a question shall hold together
    forged        how many reports are forged, of those of the respondents; 1 % unless
                  given
    candidates    the texts to look for, by open question
    shares        of the upper levels of trees, in place of the survey's
    names         the questions to plan; all, if there are none
    value         whose errors are planned; the one with the widest interval, unless
                  given
    response_rate  the share of those who are asked that answers, to say how many to ask

    Raises `TypeError` for what is no survey, `EstimateError` for arguments that no plan
    can be found by, `UnknownNameError` for names that are no questions or values, and
    `FileError` for an open question without candidates.

    >>> import ldp, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> found = ldp_simulations.plan(survey, half_width=0.01)
    >>> found.plans[0].respondents
    44968
    """
    ask = Ask(
        level,
        power,
        estimand,
        simultaneous=simultaneous,
        frequency=frequency,
        half_width=half_width,
        detect=detect,
        mean_half_width=mean_half_width,
        median_half_width=median_half_width,
        value=value,
        response_rate=response_rate,
    )
    if survey is not None:
        check_survey(survey, "plan(survey)")
    asked = PlanRequest(
        survey, values, epsilon, respondents=respondents, forged=forged, ask=ask
    )
    misfit = asked.misfit()
    if misfit is not None:
        raise EstimateError(misfit)
    if survey is None:
        exact = None
        if epsilon is not None:
            exact = epsilon_of(epsilon)
        return Planned(
            ask, of_values(values or 0, exact, respondents, ask=ask), (), forged=forged
        )
    known = [question.name for question in survey]
    for name in names:
        if name not in known:
            raise UnknownNameError(name, known, "one of the survey's questions")
    chosen = [question for question in survey if not names or question.name in names]
    searches = search_plan.searches_of_survey(chosen, respondents, ask)
    of_levels = None
    if shares is not None:
        of_levels = [fraction(share) for share in shares]
    return Planned(
        ask,
        of_survey(chosen, candidates or {}, respondents, ask=ask),
        searches,
        means=mean_plan.means_of_survey(chosen, respondents, ask),
        distributions=distribution_plan.distributions_of_survey(
            chosen, respondents, ask
        ),
        forged=forged,
        vectors=vector_plan.vectors_of_survey(chosen, respondents, ask),
        trees=level_plan.trees_of_survey(chosen, respondents, of_levels, ask=ask),
        keys=key_plan.keys_of_survey(chosen, respondents, ask),
        places=place_plan.places_of_survey(chosen, respondents, ask),
        fields=field_plan.fields_of_survey(chosen, respondents, ask),
    )
