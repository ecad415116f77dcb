"""A second survey about means, on the ranges that a first one found.

Where no one knows how large numbers are, a mean over all that is possible has an error that is a
share of that. So part of the people answer for the distribution, on few cells over the whole range;
and the others for the mean, on the range where nearly all answers lie:

    low  = q10 - 1.5 (q90 - q10),   high = q90 + 1.5 (q90 - q10)

from the first and the last decile of the first survey, each taken out to the next edge of its
cells. What lies outside is clipped, so that what the second survey estimates is the mean of clipped
numbers; the first one says what share that concerns.

Ask other people in the second survey: whoever answers both spends both epsilons.

Source: two rounds as in Kamath et al. 2019 (range first, mean second), with deciles for a range.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection
from fractions import Fraction
from typing import NamedTuple

import ldp
from ldp.errors import EstimateError, UnknownNameError
from ldp.exact import decimal_text
from ldp.survey import Question, Survey
from ldp_aggregator.distributions.answers import Share
from ldp_aggregator.distributions.distribution import Distribution
from ldp_aggregator.estimates.estimation import estimate
from ldp_aggregator.tallies.tally import Tally

_BEYOND = 1.5


class Narrowed(NamedTuple):
    """The second survey, and what share of the answers to the first lies outside its ranges."""

    survey: Survey
    outside: dict[str, tuple[Share, ...]]
    """By question, the shares below and above, where these are not empty."""

    def to_toml(self) -> str:
        """The survey as a file, with what is known of the shares outside as comments."""
        lines = [
            f"# {name}: {share.frequency:.1%} of the first survey's answers lie in {share.range}, "
            f"95 % interval {share.low:.1%} to {share.high:.1%}; they are clipped"
            for name, shares in self.outside.items()
            for share in shares
        ]
        return "".join(f"{line}\n" for line in [*lines, ""]) + self.survey.to_toml()


def narrowed(tally: Tally, names: Collection[str] = ()) -> Narrowed:
    """A survey about the means of numbers whose distributions a tally tells.

    tally  of the first survey
    names  the questions to go on with; all that are for distributions, if there are none

    Raises `EstimateError` where there is none, or no reports, and `UnknownNameError`.
    """
    survey = tally.survey
    known = [question.name for question in survey]
    for name in names:
        if name not in known:
            raise UnknownNameError(name, known, "one of the survey's questions")
    estimates = estimate(tally, names=names)
    questions = []
    outside: dict[str, tuple[Share, ...]] = {}
    for question in estimates:
        if question.distribution is None or question.question.domain.circular:
            if names:
                raise _not_for(question.name)
            continue
        first, last = _range(question.distribution)
        low, high = question.distribution.line.ends(first, last)
        questions.append(_about_the_mean(question.question, low, high))
        outside[question.name] = _outside(question.distribution, first, last)
    if not questions:
        raise _not_for(", ".join(known))
    return Narrowed(ldp.survey(survey.name, *questions), outside)


def _not_for(name: str) -> EstimateError:
    return EstimateError(
        f'question {name}: expected one of `goal = "distribution"` that has reports, from which to '
        "find a range, and whose values lie on no circle"
    )


def _range(distribution: Distribution) -> tuple[int, int]:
    """The places of the first value where nearly all lie, and of the one behind the last."""
    lower, upper = (distribution.quantile(share).estimate for share in (0.1, 0.9))
    edges = distribution.line.edges
    # Where both deciles are in one cell, its width stands for how far they are apart.
    spread = max(upper - lower, float(edges[-1] - edges[0]) / distribution.line.size)
    first = bisect_right(edges, lower - _BEYOND * spread) - 1
    last = bisect_left(edges, upper + _BEYOND * spread)
    return max(first, 0), min(last, distribution.line.size)


def _about_the_mean(question: Question, low: Fraction, high: Fraction) -> dict[str, object]:
    scale = question.domain.scale
    return ldp.question(
        question.name,
        type="number",
        text=question.text or None,
        low=decimal_text(low),
        high=decimal_text(high),
        unit=scale.unit or None if scale is not None else None,
        per_device=question.domain.per_device or None,
        goal="mean",
        epsilon=question.declared.text,
        outside="clip",
        missing=list(scale.missing) or None if scale is not None else None,
    )


def _outside(distribution: Distribution, first: int, last: int) -> tuple[Share, ...]:
    """The shares below and above, where there is room for any."""
    ranges = ((0, first), (last, distribution.line.size))
    return tuple(distribution.at_places(*ends) for ends in ranges if ends[0] < ends[1])
