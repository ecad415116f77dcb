"""Preview of a report, shown to a person who decides before anything is sent.

And to the app that asks her.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ldp.numbers.accounting import posterior
from ldp.numbers.exact import float_upper, log_upper, percent_below, text_upper
from ldp.numbers.randomness import Random
from ldp.survey.survey import Survey
from ldp_client.keeping.hidden_answer import question_of


class Preview(NamedTuple):
    """A report for show, and what it could tell.

    It is drawn by the law of the one that would be sent, and thrown away.

    It is not the one that will be sent, so seeing it costs nothing as long as it stays
    on the device: show it, and do not store it.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> with ldp_client.EmbeddedClient(survey, state=None) as client:
    ...     shown = client.preview("mode", "bus")
    >>> shown.question
    'mode'
    """

    question: str
    row: bytes
    epsilon: float
    lifetime_epsilon: float
    """What all reports about answers to the question can ever cost."""
    most_likely: float
    """How likely one report can make an answer at most that was thought 50 % likely
    before.
    """
    share: Fraction = Fraction(1)
    """The share of the devices that send a report: all, unless they draw one of several
    questions.
    """

    def __str__(self) -> str:
        belief = percent_below(Fraction(self.most_likely))
        epsilon = text_upper(self.epsilon, 6)
        lifetime = text_upper(self.lifetime_epsilon, 6)
        row = self.row[:16].hex()
        if len(self.row) > 16:
            row += "..."
        drawn = ""
        if self.share != 1:
            drawn = f" if this question is drawn (chance {self.share})"
        return (
            f"{self.question}: {len(self.row)} bytes would be sent{drawn}, such as "
            f"{row}, "
            "drawn anew for this answer and any other alike.\n"
            "Anyone who thought this answer 50 % likely may come to think it "
            f"{belief}% likely, at most "
            f"(epsilon {epsilon}; {lifetime} for all answers that will ever be sent)."
        )


def preview(survey: Survey, name: str, answer: object, random: Random) -> Preview:
    """Preview the report of an answer. Raises `AnswerError` if it does not fit its
    question.
    """
    question = question_of(survey, name)
    report = question.randomizer.randomize(question.value(answer, random), random)
    ratio = question.randomizer.ratio
    return Preview(
        question=name,
        row=report.to_bytes(question.width, "little"),
        epsilon=log_upper(ratio),
        lifetime_epsilon=log_upper(question.price**question.charges),
        most_likely=float_upper(posterior(ratio)),
        share=question.share,
    )
