"""Kind `marginals`: a report is a symbol for the cell of some of the fields of a table.

What is estimated of the question as such is the share of every value of every field;
the tables of two fields or more are asked for one by one (`association.crosstab`). All
are means of scores that the survey fixes (`marginals.tables`). With c values of a field
i, a report of a subset that holds it is worth

    1 / c + I / J_i x (t, added up over the cells with a value, and centred)        to that value

and one of a subset without it 1 / c, whatever it says. The mean is that of `x_i =
value`, so that

    n Var of the estimate, respondents    E[score^2] - share

where E[score^2] is one number for those who hold the value and another for those who do
not, if the response tells any two cells apart as well as any others. It does with
numbered sets. With points it is so for respondents whose other fields are spread
evenly; what others differ by makes up to a tenth of a standard error. So both numbers
are then multiplied by one, such that the error of a share is what the scores of all
reports say, as everywhere else.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.sets.subsets import SubsetsResponse, pair_error
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import (
    Decoder,
    Range,
    ReportLaw,
    ShareDecoder,
    known_as,
    of_one_report,
)
from ldp_aggregator.decoders.marginals.subsets import (
    SubsetInformation,
    Subsets,
    subsets_of,
)
from ldp_aggregator.decoders.marginals.tables import Tables
from ldp_aggregator.decoders.moments.jumps import directions
from ldp_aggregator.decoders.moments.moments import Findings, Moments, ScoreJumps
from ldp_aggregator.numerics.arrays import Counts, Floats

_MOST_TIMES = 1.5
"""By which a variance is multiplied: what few reports say of it beyond that is chance.
"""
_NOTE = (
    "the shares of the values of each field add up to 1; ldp analyze crosstab has the "
    "tables of two fields or more"
)


def tables_of(randomizer: Randomizer, counts: Counts) -> Tables:
    """The tables of any few fields, from counts of shape (subsets, symbols)."""
    return Tables(subsets_of(known_as(randomizer, SubsetsResponse)), counts)


def marginal_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Marginal moments of every value of every field, from counts of shape (subsets,
    symbols).
    """
    response = known_as(randomizer, SubsetsResponse)
    tables = tables_of(randomizer, counts)
    subsets = tables.subsets
    fields = range(len(response.sizes))
    frequency = np.concatenate([tables.shares((field,)) for field in fields])
    # (powers, held or not, values of all fields)
    powers = np.concatenate([_powers(subsets, field) for field in fields], axis=2)
    if any(order for _, order, *_ in response.spaces):
        times = _times(tables, frequency, powers[0])
        powers *= np.stack([times, times**1.5, times**2, times**2])[:, None]
    (held, other), (third, third_if_not), above, below = powers
    jumps = directions(held, above[0], below[0]), directions(other, above[1], below[1])
    fourth, rising, falling = zip(*jumps, strict=True)
    return Moments(
        int(counts.sum()),
        frequency,
        held,
        variance_if_not=other,
        covariance=lambda: _covariance(tables),
        jumps=ScoreJumps((third, third_if_not), fourth, rising, falling=falling),
        findings=Findings(_NOTE),
    )


def scores_of(subsets: Subsets, part: SubsetInformation, field: int) -> Floats:
    """Return the worth of a part's symbols to the values of a field, (values,
    symbols).
    """
    return 1 / len(part.supports) + part.worths / subsets.information((field,))


def _powers(subsets: Subsets, field: int) -> Floats:
    """Mean powers of what a score differs by from what is held.

    The squares, the cubes, and the fourth powers of those above it and below; each of
    holders of a value and of others: of shape (4, 2, values).
    """
    size = subsets.response.sizes[field]
    asked = sum(part.share for part in subsets.parts((field,)))
    # Those who tell nothing of the field are worth 1 / c.
    silent = _score_powers(np.full((size, 1), 1 / size))
    powers = (1 - asked) * silent[..., 0]
    for part in subsets.parts((field,)):
        # (4, 2, values, symbols)
        raised = _score_powers(scores_of(subsets, part, field))
        of_others = (part.law.sum(axis=0) - part.law) / (size - 1)
        powers[:, 0] += part.share * np.einsum("pvy,vy->pv", raised[:, 0], part.law)
        powers[:, 1] += part.share * np.einsum("pvy,vy->pv", raised[:, 1], of_others)
    return powers


def _times(tables: Tables, frequency: Floats, variances: Floats) -> Floats:
    """By how much the variance of each share is that of the scores of all reports,
    (values,).
    """
    held, other = variances
    stated = frequency * held + (1 - frequency) * other
    squares = [
        np.diag(tables.table((field,)).products)
        for field in range(len(tables.subsets.response.sizes))
    ]
    own = np.concatenate(squares) - frequency
    times = np.divide(own, stated, out=np.ones_like(own), where=stated > 0)
    return np.asarray(np.clip(times, 1 / _MOST_TIMES, _MOST_TIMES))


def _score_powers(scores: Floats) -> Floats:
    """Powers of scores less 1, as a holder's are, and of scores: (4, 2, values,
    symbols).
    """
    away = np.stack([scores - 1, scores])
    square = away**2
    above = square**2 * (away > 0)
    return np.stack([square, square * away, above, square**2 - above])


def _covariance(tables: Tables) -> Floats:
    """Covariance of all values of all fields, for the respondents."""
    response = tables.subsets.response
    if response.together == 1:
        raise EstimateError(
            "expected two fields or more to be told together for a covariance, got one"
        )
    ends = np.cumsum([0, *response.sizes]).tolist()
    spans = [slice(*span) for span in pairwise(ends)]
    matrix = np.zeros((ends[-1], ends[-1]))
    for first, rows in enumerate(spans):
        for second, columns in enumerate(spans[first + 1 :], first + 1):
            shares, products = tables.table((first, second))
            shape = shares.shape
            # (rows, columns, rows, columns), added up to pairs of values of either
            # field, or both.
            apart = products.reshape(*shape, *shape)
            held = shares.sum(axis=1), shares.sum(axis=0)
            matrix[rows, rows] = apart.sum(axis=(1, 3)) - np.diag(held[0])
            matrix[columns, columns] = apart.sum(axis=(0, 2)) - np.diag(held[1])
            matrix[rows, columns] = apart.sum(axis=(1, 2)) - shares
            matrix[columns, rows] = matrix[rows, columns].T
    return matrix / tables.reports


def score_range(randomizer: Randomizer) -> Range:
    """Score range of any symbol for any value of any field."""
    least, most = _ends(known_as(randomizer, SubsetsResponse))
    return Range(Fraction(least), Fraction(most))


@lru_cache(maxsize=32)
def _ends(response: SubsetsResponse) -> tuple[float, float]:
    subsets = subsets_of(response)
    scores = [
        scores_of(subsets, part, field)
        for field in range(len(response.sizes))
        for part in subsets.parts((field,))
    ]
    return float(min(some.min() for some in scores)), float(
        max(some.max() for some in scores)
    )


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """Of every symbol of every subset, of shape (subsets, symbols): 0 for those not in
    use.
    """
    response = known_as(randomizer, SubsetsResponse)
    layout = response.layout
    low, high = np.zeros((2, layout.cohorts, layout.symbols))
    for group in subsets_of(response).groups:
        low[group.numbers, : group.symbols] = group.other
        high[group.numbers, : group.symbols] = group.other + group.surplus
    return low, high


def values(
    question: Question,
    counts: Counts,  # noqa: ARG001
    candidates: object,  # noqa: ARG001
) -> tuple[tuple[str, ...], str]:
    """The values of every field, with the field's name before them."""
    return values_of(question), ""


def values_of(question: Question) -> tuple[str, ...]:
    """The same."""
    return tuple(
        f"{field.name}: {value}"
        for field in question.domain.fields
        for value in field.domain.values or ()
    )


def explain(question: Question) -> list[str]:
    """How many fields a device tells, and how well the table of two is known."""
    response = known_as(question.randomizer, SubsetsResponse)
    together, fields = response.together, len(response.sizes)
    lines = [
        (
            f"  subsets             {response.subsets:,}: a device tells {together} of "
            f"{fields} fields"
        ),
        "  the subset tells    nothing: it is drawn whatever the answer is, and "
        "epsilon covers any values of all fields against any others",
    ]
    if together > 1:
        error = (
            pair_error(response.sizes, together, (response.truth, response.other))
            ** 0.5
        )
        lines.append(
            f"  table of two        standard error of a cell about {float(error):.3g} "
            "/ sqrt(respondents), on average over all pairs, if answers are spread "
            "evenly"
        )
    return lines


DECODER = Decoder(
    score_range=score_range,
    values=values,
    shares=ShareDecoder(moments=of_one_report(marginal_moments)),
    report_law=ReportLaw(payload_chances=payload_chances),
    explain=explain,
)
