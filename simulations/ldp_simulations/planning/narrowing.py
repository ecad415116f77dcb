"""A second survey about means, on the ranges that a first one found.

Where no one knows how large numbers are, a mean over all that is possible has an error
that is a share of that. So part of the people answer for the distribution, on few cells
over the whole range; and the others for the mean, on the range where nearly all answers
lie:

    low  = q10 - 1.5 (q90 - q10),   high = q90 + 1.5 (q90 - q10)

from the first and the last decile of the first survey, each taken out to the next edge
of its cells. Where more than one answer in a hundred surely lies beyond an end (by
three standard errors of their share), it moves away from the other one until that is so
no more, doubling the range: a few large numbers may be most of a mean. What lies
outside is clipped, so that what the second survey estimates is the mean of clipped
numbers; the first one says what share that concerns, and how far it may move the mean.

Ask other people in the second survey: whoever answers both spends both epsilons.

Source: two rounds as in Kamath et al. 2019 (range first, mean second), with deciles for
a range.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection
from fractions import Fraction
from typing import NamedTuple

from scipy.special import ndtri

import ldp
from ldp.errors import EstimateError, UnknownNameError
from ldp.numbers.exact import decimal_text
from ldp.survey.survey import Question, Survey
from ldp_aggregator.answers.distributions.distribution import Distribution
from ldp_aggregator.answers.distributions.distribution_estimates import (
    distribution_behind,
)
from ldp_aggregator.answers.estimates.estimation import estimate
from ldp_aggregator.answers.lines.answers import Share
from ldp_aggregator.tallies.tally import Tally

_BEYOND = 1.5
_FEW = 0.01
"""What share of the answers may surely be clipped, at either end."""
_SURELY = 3
"""Standard errors: to widen a range for nothing costs more than to clip a few."""


class Shift(NamedTuple):
    """How far clipping moves a mean, with a 95 % interval, in the unit of the
    answers.
    """

    estimate: float
    low: float
    high: float


class Narrowed(NamedTuple):
    """The second survey, and what share of the answers to the first lies outside its
    ranges.

    `narrow` has an example.
    """

    survey: Survey
    outside: dict[str, tuple[Share, ...]]
    """By question, the shares below and above, where these are not empty."""
    shift: dict[str, Shift]
    """By question, what clipping them does to the mean."""
    left_out: tuple[str, ...]
    """The other questions of the first survey, which have no range to be found."""

    @property
    def notes(self) -> list[str]:
        """Notes on the shares outside, in words."""
        return [line for name in self.outside for line in self._notes_of(name)]

    @property
    def warnings(self) -> list[str]:
        """Warnings before asking: shares that are surely outside, questions left
        out.
        """
        lines = [
            line
            for name, shares in self.outside.items()
            for line in self._notes_of(name)
            if any(share.low > 0 for share in shares)
        ]
        if self.left_out:
            names = ", ".join(self.left_out)
            lines.append(
                f"not in the second survey, as they have no range to find: {names}"
            )
        return lines

    def _notes_of(self, name: str) -> list[str]:
        shares, shift = self.outside[name], self.shift[name]
        lines = [
            f"{name}: {share.frequency:.1%} of the first survey's answers lie in "
            f"{share.range}, 95 % interval {share.low:.1%} to {share.high:.1%}; they "
            "are clipped"
            for share in shares
        ]
        if shares:
            lines.append(
                f"{name}: clipping moves the mean by {shift.estimate:.4g}, 95 % "
                f"interval {shift.low:.4g} to {shift.high:.4g}"
            )
        return lines

    def to_toml(self) -> str:
        """The survey as a file, with the notes as comments."""
        lines = [f"# {line}" for line in self.notes]
        return "".join(f"{line}\n" for line in [*lines, ""]) + self.survey.to_toml()


def narrow(tally: Tally, names: Collection[str] = ()) -> Narrowed:
    """A survey about the means of numbers whose distributions a tally tells.

    tally  of the first survey
    names  the questions to go on with; all that are for distributions, if there are
           none

    Raises `EstimateError` where there is none, or no reports, and `UnknownNameError`.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> rent = ldp.question("rent", low=0, high=9999, bins=100, goal="distribution", epsilon="4")
    >>> survey = ldp.survey("rents", rent)
    >>> reports = ldp_simulations.randomize(survey, {"rent": list(range(500, 1500)) * 3})
    >>> second = ldp_simulations.narrow(ldp_aggregator.aggregate(survey, reports))
    >>> list(second.survey.questions)[0].name
    'rent'
    """
    survey = tally.survey
    known = [question.name for question in survey]
    for name in names:
        if name not in known:
            raise UnknownNameError(name, known, "one of the survey's questions")
    estimates = estimate(tally, names=names)
    questions = []
    outside: dict[str, tuple[Share, ...]] = {}
    shift: dict[str, Shift] = {}
    for question in estimates:
        distribution = distribution_behind(question)
        if distribution is None or question.question.domain.circular:
            if names:
                raise _not_for(question.name)
            continue
        first, last = _range(distribution)
        low, high = distribution.line.ends(first, last)
        questions.append(_about_the_mean(question.question, low, high))
        outside[question.name] = _outside(distribution, first, last)
        shift[question.name] = _shift(distribution, first, last)
    if not questions:
        raise _not_for(", ".join(known))
    left_out = tuple(name for name in names or known if name not in outside)
    return Narrowed(
        ldp.survey(survey.name, *questions), outside, shift, left_out=left_out
    )


def _not_for(name: str) -> EstimateError:
    return EstimateError(
        f'question {name}: expected one of `goal = "distribution"` that has reports, '
        "from which to "
        "find a range, and whose values lie on no circle"
    )


def _range(distribution: Distribution) -> tuple[int, int]:
    """The places of the first value where nearly all lie, and of the one behind the
    last.
    """
    lower, upper = (distribution.quantile(share).estimate for share in (0.1, 0.9))
    edges = distribution.line.edges
    # Where both deciles are in one cell, its width stands for how far they are apart.
    spread = max(upper - lower, float(edges[-1] - edges[0]) / distribution.line.size)
    first = max(bisect_right(edges, lower - _BEYOND * spread) - 1, 0)
    last = min(bisect_left(edges, upper + _BEYOND * spread), distribution.line.size)
    while first > 0 and _surely_more(distribution, 0, first):
        first = max(2 * first - last, 0)
    while last < distribution.line.size and _surely_more(distribution, last, None):
        last = min(2 * last - first, distribution.line.size)
    return first, last


def _surely_more(distribution: Distribution, first: int, last: int | None) -> bool:
    """Whether there are more than a few answers, from one place up to another or to the
    end.
    """
    end = distribution.line.size if last is None else last
    share = distribution.at_places(first, end)
    return share.frequency - _SURELY * share.standard_error > _FEW


def _about_the_mean(
    question: Question, low: Fraction, high: Fraction
) -> dict[str, object]:
    scale = question.domain.scale
    return ldp.question(
        question.name,
        type="number",
        text=question.text or None,
        low=decimal_text(low),
        high=decimal_text(high),
        unit=question.domain.unit or None,
        per_device=question.domain.per_device or None,
        goal="mean",
        epsilon=question.declared.text,
        outside="clip",
        missing=list(scale.missing) or None if scale is not None else None,
    )


def _shift(distribution: Distribution, first: int, last: int) -> Shift:
    """Return the shift of the mean if values outside are taken for the ends."""
    values = distribution.line.middles
    low, high = map(float, distribution.line.ends(first, last))
    query = (values.clip(low, high) - values)[None]
    estimate = float(distribution.queries.answer(query).estimate[0])
    reach = float(ndtri(0.975) * distribution.errors(query)[0])
    return Shift(estimate, estimate - reach, estimate + reach)


def _outside(distribution: Distribution, first: int, last: int) -> tuple[Share, ...]:
    """The shares below and above, where there is room for any."""
    ranges = ((0, first), (last, distribution.line.size))
    return tuple(distribution.at_places(*ends) for ends in ranges if ends[0] < ends[1])
