"""Certificates of batches: what a batch is worth, in integers that anyone can work out
again.

A certificate states what travels as one message, the integers that its randomizers draw
with, the blanket that follows from them, how many honest reports there are, epsilon and
delta; and how the bound of delta was come by: t is e^epsilon cut behind its 30th
decimal, and the law of the covers is cut into `blocks`, that of s into `stretches`,
that of U into `parts` (`ldp.privacy.deltas`). From these the upper bound follows to the
last digit, and `examples/check_batch_certificate.py`, which shares no code with this
package, works it out again. The lower bound says how much of the upper one is rounding.
"""

from __future__ import annotations

import math
from fractions import Fraction

from ldp.mechanisms.blankets import Blanket
from ldp.numbers.exact import decimal_text, fraction, log_text
from ldp.privacy.batches import USUAL_DELTA, batch_privacy, blanket_of_message, power
from ldp.privacy.deltas import delta_above, delta_below, fine
from ldp.survey.compiled import written_integers
from ldp.survey.survey import Envelope

BATCH_FORMAT = 1

_PLACES = 45
"""Decimals of a delta."""


def batch_certificate(
    question: Envelope,
    reports: int,
    delta: str | float | Fraction = USUAL_DELTA,
    colluding: str | float | Fraction = 0,
) -> dict[str, object]:
    """The certificate of a batch, ready for JSON: integers and fractions as texts.

    Raises `ValueError` for numbers out of range, and for a batch that hides nobody.
    """
    batch = batch_privacy(question, reports, delta, colluding=colluding, finely=True)
    if not batch.amplifies:
        raise ValueError(
            "expected a batch that hides more than a report does, got "
            f"{batch.reports:,} reports; ask of more of them, or of a larger delta"
        )
    blanket = blanket_of_message(question)
    effort = fine(batch.reports, blanket.both > 0)
    t = power(batch.epsilon)
    above = delta_above(blanket, batch.reports, t, effort=effort)
    below = delta_below(blanket, batch.reports, t, effort=effort)
    ratio = math.prod(
        (member.randomizer.ratio for member in question.members), start=Fraction(1)
    )
    return {
        "format": BATCH_FORMAT,
        "message": question.name,
        "fingerprint": question.fingerprint.hex(),
        "questions": [
            {
                "name": member.name,
                "mechanism": member.mechanism,
                "fingerprint": member.fingerprint.hex(),
                "integers": written_integers(member.randomizer),
            }
            for member in question.members
        ],
        "reports": str(reports),
        "colluding": decimal_text(fraction(colluding)),
        "honest": str(batch.reports),
        "first_reports_only": batch.first_only,
        "epsilon": decimal_text(batch.epsilon),
        "delta": decimal_text(batch.delta),
        "epsilon_if_relay_and_collector_collude": log_text(ratio, 6),
        "blanket": blanket_texts(blanket),
        "t": decimal_text(t),
        "blocks": str(effort.blocks),
        "stretches": str(effort.stretches),
        "parts": str(effort.parts),
        "upper": _decimals(above, up=True),
        "lower": _decimals(below, up=False),
    }


def blanket_texts(blanket: Blanket) -> dict[str, str]:
    """The numbers of a blanket, as texts."""
    return {name: str(number) for name, number in blanket._asdict().items()}


def _decimals(number: Fraction, up: bool) -> str:
    scaled = number * 10**_PLACES
    whole, part = divmod(math.ceil(scaled) if up else math.floor(scaled), 10**_PLACES)
    return f"{whole}.{part:0{_PLACES}d}"
