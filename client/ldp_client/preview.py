"""What would be sent, shown before anything is: for a person who decides, and for the app that asks
her.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ldp.accounting import posterior
from ldp.exact import float_upper, log_upper, text_upper
from ldp.randomness import Random
from ldp.survey import Survey


class Preview(NamedTuple):
    """A report of the same law as the one that would be sent, drawn for show and thrown away, and
    what it could tell.

    It is not the one that will be sent, so seeing it costs nothing as long as it stays on the
    device: show it, and do not store it.
    """

    question: str
    row: bytes
    epsilon: float
    lifetime_epsilon: float
    """What all reports about answers to the question can ever cost."""
    most_likely: float
    """What whoever thought the answer 50 % likely may come to think, at most, from one report."""

    def __str__(self) -> str:
        belief = text_upper(100 * Fraction(self.most_likely), 1)
        epsilon, lifetime = text_upper(self.epsilon, 6), text_upper(self.lifetime_epsilon, 6)
        return (
            f"{self.question}: {len(self.row)} bytes would be sent, such as {self.row[:16].hex()}"
            f"{'...' if len(self.row) > 16 else ''}, drawn anew for this answer and any other "
            f"alike.\n"
            f"Whoever thought this answer 50 % likely may come to think it {belief}% likely, at "
            f"most "
            f"(epsilon {epsilon}; {lifetime} for all answers that will ever be sent)."
        )


def preview(survey: Survey, name: str, answer: object, random: Random) -> Preview:
    """What an answer would look like. Raises `AnswerError` if it does not fit its question."""
    question = survey[name]
    drawn = question.randomizer.randomize(question.value(answer), random)
    ratio = question.randomizer.ratio
    return Preview(
        name,
        drawn.to_bytes(question.width, "little"),
        log_upper(ratio),
        log_upper(question.price**question.charges),
        float_upper(posterior(ratio)),
    )
