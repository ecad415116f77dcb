"""Kind `views`: a report is a symbol for the cell of a value in one of several public
views.

The views are levels of a tree, and what is estimated is the share of every node: inner
ones and leaves. A node's estimate is the mean over all reports of its score s_v
(`taxonomies.worths`): what two passes of least squares make of one report. Scores are
fixed by the survey, and E[s_v | x] is 1 if the value x is below v, and else 0, for
every x. So

    n Var of the estimate, respondents   E[s_v^2] - f_v
    the same, of a population            E[s_v^2] - f_v^2

exactly, with no model of what people hold. E[s_v^2 | x] depends on x a little, since
the noise of a node is that of its cells, and of its relatives'; `variance_if_held` is
its mean over the values below v, less 1, and `variance_if_not` that over all others,
weighted by the estimated shares (`two_passes.shared_out`). Third and fourth cumulants
likewise.

Parents are the sums of their children, and any two nodes can be compared: for nodes v
and u the covariance is that of their scores,

    n Cov = E[s_v s_u] - (the share of the node below, if one is below the other; else
    0)

A report is worth more to a node the fewer people are asked for its level, by 1 / w_j:
so the range of scores, and with it what forged reports can do, grows where a level's
share is small.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.texts.taxonomy import TaxonomyResponse
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import (
    Decoder,
    Range,
    ReportLaw,
    ShareDecoder,
    known_as,
    of_one_report,
)
from ldp_aggregator.decoders.moments.jumps import directions
from ldp_aggregator.decoders.moments.moments import Moments, ScoreJumps
from ldp_aggregator.decoders.taxonomies.two_passes import shared_out, totals
from ldp_aggregator.decoders.taxonomies.worths import (
    SymbolScores,
    frequencies,
    parts_of,
    scores_of_nothing,
    views_of,
)
from ldp_aggregator.numerics.arrays import Counts, Floats

_HARDLY_ANY = 1e-13
"""The share that is taken for that of a node which no one seems to hold, among its
siblings.
"""


class NodePowers(NamedTuple):
    """Sums of powers of scores about their mean, over the law of reports; (nodes,)
    each.
    """

    second: Floats
    third: Floats
    rising: Floats
    """Of the fourth powers, those above the mean."""
    falling: Floats


def view_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Moments of every node, inner ones first, from counts of shape (levels,
    symbols).
    """
    response = known_as(randomizer, TaxonomyResponse)
    reports = int(counts.sum())
    frequency = frequencies(response, counts)
    shares = shared_out(response.parents, frequency, _HARDLY_ANY)
    of_holders, of_others = _powers(response, shares)
    (held, held_third, *held_parts), (other, other_third, *other_parts) = (
        NodePowers(*(power / share for power in powers))
        for powers, share in (
            (of_holders, shares),
            (of_others, np.maximum(1 - shares, 1e-12)),
        )
    )
    held_jumps = directions(held, *held_parts)
    other_jumps = directions(other, *other_parts)
    fourth, rising, falling = zip(held_jumps, other_jumps, strict=True)
    return Moments(
        reports,
        frequency,
        held,
        variance_if_not=other,
        covariance=lambda: _covariance(response, counts, frequency),
        jumps=ScoreJumps((held_third, other_third), fourth, rising, falling=falling),
    )


def _powers(
    response: TaxonomyResponse, shares: Floats
) -> tuple[NodePowers, NodePowers]:
    """Powers of holders of every node, and of all others, if the nodes have these
    shares.
    """
    sums = np.zeros((2, 4, len(shares)))
    for part in parts_of(response):
        # (nodes, symbols): how likely a respondent holds the node and sends the symbol;
        # and the same of those who do not hold it.
        held, other = _laws(response, part, shares)
        for place, (law, mean) in enumerate(((held, 1.0), (other, 0.0))):
            away = part.scores - mean
            square = away * away
            weighted = law * square
            sums[place, 0] += weighted.sum(axis=1)
            sums[place, 1] += np.einsum("vy,vy->v", weighted, away)
            quartic = weighted * square
            above = np.einsum("vy,vy->v", quartic, away > 0)
            sums[place, 2] += above
            sums[place, 3] += quartic.sum(axis=1) - above
    return NodePowers(*sums[0]), NodePowers(*sums[1])


def _laws(
    response: TaxonomyResponse, part: SymbolScores, shares: Floats
) -> tuple[Floats, Floats]:
    view = part.view
    # (nodes, symbols): the share of the respondents who hold a node's values in cells
    # that the symbol supports. Nodes above the cells have the sums of those below.
    inside = view.cell_of >= 0
    supported = np.where(inside, shares, 0.0)[:, None] * part.supports[view.cell_of]
    if not inside.all():
        cells = np.zeros_like(supported)
        cells[view.nodes] = supported[view.nodes]
        above = totals(response.parents, cells)
        supported[~inside] = above[~inside]
    everyone = supported[np.array(response.parents) == 0].sum(axis=0)
    held = view.share * (view.other * shares[:, None] + view.surplus * supported)
    other = view.share * (
        view.other * (1 - shares)[:, None] + view.surplus * (everyone - supported)
    )
    return held, np.maximum(other, 0.0)


def _covariance(
    response: TaxonomyResponse, counts: Counts, frequency: Floats
) -> Floats:
    """Covariance of all nodes, for the respondents."""
    reports, size = int(counts.sum()), len(frequency)
    products = np.zeros((size, size))
    unused = counts.copy()
    for part in parts_of(response):
        often = counts[part.view.number, part.symbols]
        products += (part.scores * often) @ part.scores.T
        unused[part.view.number, part.symbols] = 0
    for number, score in scores_of_nothing(response).items():
        products += unused[number].sum() * np.outer(score, score)
    matrix: Floats = (products / reports - _in_both(response, frequency)) / reports
    return matrix


def _in_both(response: TaxonomyResponse, frequency: Floats) -> Floats:
    """The share of those who hold both of two nodes: that of the lower, or none."""
    size = len(frequency)
    both = np.diag(frequency)
    for node in range(size):
        above = response.parents[node]
        while above:
            both[node, above - 1] = both[above - 1, node] = frequency[node]
            above = response.parents[above - 1]
    return both


def score_range(randomizer: Randomizer) -> Range:
    """Score range of any symbol for any node."""
    least, most = _ends(known_as(randomizer, TaxonomyResponse))
    return Range(Fraction(least), Fraction(most))


@lru_cache(maxsize=32)
def _ends(response: TaxonomyResponse) -> tuple[float, float]:
    scores = chain(
        scores_of_nothing(response).values(),
        (part.scores for part in parts_of(response)),
    )
    least, most = zip(*((some.min(), some.max()) for some in scores), strict=True)
    return float(min(least)), float(max(most))


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """Of every symbol of every level, of shape (levels, symbols): 0 for those that it
    never has.
    """
    response = known_as(randomizer, TaxonomyResponse)
    layout = response.layout
    low, high = np.zeros((2, layout.cohorts, layout.symbols))
    for view in views_of(response).views:
        used = view.number, slice(view.oracle.layout.symbols)
        low[used], high[used] = view.other, view.other + view.surplus
    return low, high


def cohort_shares(randomizer: Randomizer) -> Floats:
    """The law of the levels."""
    return np.array(
        [float(share) for share in known_as(randomizer, TaxonomyResponse).shares]
    )


def values(
    question: Question,
    counts: Counts,  # noqa: ARG001
    candidates: object,  # noqa: ARG001
) -> tuple[tuple[str, ...], str]:
    """All nodes: the inner ones, from the top, and the values."""
    taxonomy = question.domain.taxonomy
    inner = () if taxonomy is None else taxonomy.inner
    return (*inner, *(question.domain.values or ())), ""


def explain(question: Question) -> list[str]:
    """How people are dealt out to the levels."""
    response = known_as(question.randomizer, TaxonomyResponse)
    taxonomy = question.domain.taxonomy
    names = () if taxonomy is None else taxonomy.levels
    parts = [
        f"{name} {float(share):.3g} (cells: {len(level.nodes):,})"
        for name, share, level in zip(
            names, response.shares, response.levels, strict=True
        )
    ]
    return [
        (
            f"  levels              {', '.join(parts)}: the share of the devices that "
            "answer for each"
        ),
        "  the level tells     nothing: it is drawn whatever the answer is, and "
        "epsilon covers any value against any other",
    ]


DECODER = Decoder(
    score_range=score_range,
    values=values,
    shares=ShareDecoder(moments=of_one_report(view_moments)),
    report_law=ReportLaw(payload_chances=payload_chances, cohort_shares=cohort_shares),
    explain=explain,
)
