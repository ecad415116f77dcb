"""Whether devices drew questions by the weights of the survey: a check on several
tallies at once.

A device draws one question of a group whatever its answers are, so the numbers of
reports are a multinomial with the weights: a chi-square with one degree of freedom less
than there are questions. Where it draws k of m, these numbers vary less, by the factor
(m - k) / (m - 1) (sampling without replacement), which the chi-square is divided by.
Those who have no answer to what they drew send nothing, so a small p-value may also
mean that one question is answered by fewer people than another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ldp.survey.draws import Draw
from ldp.survey.survey import Survey
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.output.checks import Check
from ldp_aggregator.tallies.counting.counting import total_reports


def draw_health(
    survey: Survey, counts: Mapping[str, Counts]
) -> dict[str, tuple[Check, ...]]:
    """The check of each draw, by the name of each of its questions.

    None of a draw without reports, nor of one of whose questions a tally is missing,
    nor of a panel: its questions ask the same in one epoch after the other.
    """
    checks: dict[str, tuple[Check, ...]] = {}
    for draw in survey.draws:
        if not counts.keys() >= set(draw.names):
            continue
        questions = [survey[name] for name in draw.names]
        alike = len({question.domain.values for question in questions}) == 1
        if questions[0].epoch is not None and alike and questions[0].domain.values:
            continue
        reports = [
            total_reports(counts[question.name], question.layout)
            for question in questions
        ]
        if any(reports):
            checks |= dict.fromkeys(draw.names, (draw_check(draw, reports),))
    return checks


def draw_check(draw: Draw, reports: Sequence[int]) -> Check:
    """The check of one draw, from the number of reports to each of its questions."""
    from scipy.special import chdtrc

    # (questions,): as many reports as were to be expected, and as came.
    shares = np.array([float(draw.share(name) / draw.answers) for name in draw.names])
    expected = sum(reports) * shares
    differences = np.array(reports) - expected
    questions = len(reports)
    less = (questions - draw.answers) / (questions - 1)
    p_value = float(chdtrc(questions - 1, (differences**2 / expected).sum() / less))
    errors = np.sqrt(less * expected * (1 - shares))
    beyond = int((np.abs(differences) > 3 * errors).sum())
    return Check(
        "draw",
        beyond,
        p_value,
        meaning=f"{beyond} of {len(reports)} questions of a draw have a number of "
        "reports further than 3 standard errors from their share; a small p-value: "
        "devices drew by other weights, reports of some were lost or made up, or fewer "
        "people had an answer",
    )
