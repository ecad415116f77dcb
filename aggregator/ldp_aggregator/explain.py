"""What a survey costs its respondents, in plain words and exact numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ldp.accounting import posterior
from ldp.certificate import certify
from ldp.exact import log_upper
from ldp.mechanisms.contract import Memoized
from ldp.mechanisms.matrix import StochasticMatrix
from ldp.optimum import efficiency
from ldp.survey import Question, Survey
from ldp_aggregator.moments import channel_array

WORST_CONDITION = 1000.0


def explanation(survey: Survey) -> str:
    """The whole survey, question by question, and the total for one respondent."""
    parts = [f"survey {survey.name} ({survey.fingerprint.hex()})", *(_question(question) for question in survey)]
    total, lifetime = Fraction(1), Fraction(1)
    unbounded = False
    for question in survey:
        total *= question.randomizer.ratio
        unbounded |= question.randomizer.lifetime_ratio is None
        lifetime *= question.randomizer.lifetime_ratio or 1
    ever = "UNBOUNDED" if unbounded else f"{log_upper(lifetime):.6f}"
    parts.append(
        f"total for one respondent who answers every question once: epsilon {log_upper(total):.6f}\n"
        f"total over all reports a respondent ever sends, answers unchanged: epsilon {ever}"
    )
    return "\n\n".join(parts)


def warnings(survey: Survey) -> list[str]:
    """What a designer should think about again."""
    found = []
    for question in survey:
        randomizer = question.randomizer
        if randomizer.lifetime_ratio is None:
            found.append(
                f"question {question.name!r}: eps_inf is INFINITE (f = 0, no permanent response): "
                "every further report would be fresh noise on the true answer, so a device answers only once"
            )
        if isinstance(randomizer, StochasticMatrix):
            condition = float(np.linalg.cond(channel_array(randomizer)))
            if condition > WORST_CONDITION:
                found.append(
                    f"question {question.name!r}: the matrix is badly conditioned ({condition:.3g}); "
                    "standard errors will be that many times those of a plain sample, at worst"
                )
    return found


def _question(question: Question) -> str:
    certified = certify(question)
    randomizer = question.randomizer
    ratio = randomizer.ratio
    size = question.domain.size
    lines = [
        f"{question.name}: {question.mechanism}, {'open vocabulary' if size is None else f'{size} values'}",
        f"  declared epsilon    {question.declared.text}",
        f"  delivered epsilon   {log_upper(ratio):.12f} = ln({_short(ratio)})",
    ]
    if isinstance(randomizer, Memoized):
        lifetime = randomizer.lifetime_ratio
        ever = "INFINITE: no permanent response (f = 0)" if lifetime is None else f"{log_upper(lifetime):.6f}"
        lines += [
            f"  eps_1   (one report)                     {log_upper(ratio):.6f}",
            f"  eps_inf (all reports, answer unchanged)  {ever}",
        ]
        if lifetime is not None:
            lines.append("  a respondent whose answer takes c different values over time spends at most c x eps_inf")
    efficient = efficiency(randomizer)
    if efficient is not None:
        lines.append(
            f"  efficiency          {float(efficient):.3f} of what is possible with {size} values at the delivered "
            "epsilon (least total error, minimax)"
        )
    lines += [
        f"  report              {randomizer.layout.width} bytes, the same for every answer",
        f"  what one report can reveal: whoever thought a certain answer 50 % likely may come to think it "
        f"{float(posterior(ratio)):.1%} likely, at most",
        f"  certificate         delivered {_short(ratio)} <= declared {_short(question.declared.bound)} (e^epsilon), "
        f"fingerprint {certified['fingerprint']}",
    ]
    return "\n".join(lines)


def _short(ratio: Fraction) -> str:
    text = str(ratio)
    return text if len(text) <= 60 else f"{float(ratio):.15g}..."
