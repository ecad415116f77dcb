"""Draws: several questions of which a device answers one, or a few, each with its whole
epsilon.

    [[draw]]
    questions = ["age", "hours", "gain"]
    weights = [2, 1, 1]

A device draws one question of the group, by the weights and whatever its answers are,
and keeps the draw for good. It reports that question alone; answers to the others are
dropped. With w_j the weights, W their sum and R_j the ratio of question j,

    P[question j, report y | answers] = (w_j / W) P_j[y | answer j]

so that all that a device ever sends about the group has the ratio max R_j, not the
product: the weights cancel. Of d numbers with equal weights, a number that counts d
times if it is drawn, and 0 if it is not, has the variance d (V + x^2) - x^2 about x,
with V that of a report about x; a mean of the reports alone, which is what is
estimated, has less where x is far from 0. Reports about all d, with epsilon / d each,
would have about d times as much while epsilon is small.

With `answers = 2` a device draws so many questions, every such set as likely as any
other. Which these are depends on no answer, and each is answered by itself: all that a
device ever sends about the group has the product of the ratios of what it drew, at most
that of the two largest.

Rules
- A group has two questions or more, and a question is in one group at most, in no
  `joint` group.
- Memoized questions are refused: whether they were drawn would show in every report to
  come.
- Who draws several has no weights, and leaves one question out at least.
- Names, weights and the number of answers are part of the fingerprints of the
  questions.

Source: Nguyen, Xiao, Yang, Hui, Shin and Shin 2016 (Harmony), which draws one of
several numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.answers.keys import Keys

MOST_MEMBERS = 100
MOST_WEIGHT = 1 << 16


class Draw(NamedTuple):
    """Questions of which a device answers one or a few, by name, and how likely each
    is.
    """

    names: tuple[str, ...]
    weights: tuple[int, ...]
    answers: int = 1
    """How many of them a device answers; of several all weights are 1."""

    @property
    def text(self) -> str:
        """Text that fingerprints cover."""
        pairs = zip(self.names, self.weights, strict=True)
        weighted = ",".join(f"{name}:{weight}" for name, weight in pairs)
        if self.answers == 1:
            return weighted
        return f"{weighted};{self.answers}"

    def share(self, name: str) -> Fraction:
        """The share of the devices that answer a question."""
        return Fraction(
            self.answers * self.weights[self.names.index(name)], sum(self.weights)
        )

    def draw_questions(
        self, random: Random, known: Iterable[str] = ()
    ) -> tuple[str, ...]:
        """The questions that a device answers, drawn without a look at any answer.

        Those that are `known` are among them.
        """
        chosen = [*known]
        left = {
            name: weight
            for name, weight in zip(self.names, self.weights, strict=True)
            if name not in chosen
        }
        while len(chosen) < self.answers:
            number = randbelow(sum(left.values()), random)
            for name, weight in left.items():
                number -= weight
                if number < 0:
                    chosen.append(name)
                    break
            del left[chosen[-1]]
        return tuple(chosen)


def draws_of(tables: Sequence[Keys]) -> list[Draw]:
    """The draws that a survey's tables describe; their problems are noted in the
    tables.
    """
    draws = []
    for keys in tables:
        names = keys.texts("questions", 2, MOST_MEMBERS)
        # Of names that were refused, nothing is known.
        most = MOST_MEMBERS
        if not keys.problems:
            most = max(len(names) - 1, 1)
        answers = keys.integer("answers", 1, most, default=1)
        if "weights" in keys and answers > 1:
            expected = (
                "no weights where a device answers several: each is as likely as any "
                "other"
            )
            keys.problem("weights", expected, "some")
        weights = keys.integers("weights", len(names), MOST_WEIGHT)
        keys.finish()
        draws.append(Draw(names, weights, answers))
    return draws
