"""One change between two versions of a survey, as it is for those who are asked.

A change is `worse` if a respondent can lose by it: more can be learnt of them, they are
asked again or for more, they stand in a smaller crowd, or a machine cannot tell (other
words). It is `better` if none of this holds and something can be gained, and `same`
otherwise. What is worse in one way and better in another is two changes: nothing is
weighed against anything.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

BETTER, SAME, WORSE = "better", "same", "worse"
VERDICTS = (WORSE, BETTER, SAME)
"""In the order in which they are shown."""

# Aspects: what of a survey or a question may change.
NAME = "name"
TOTAL = "epsilon of all reports"
LIFETIME = "lifetime"
TOGETHER = "answered together"
EPOCH = "epoch"
GRACE = "grace"
CROWD = "smallest group shown"
ATTRIBUTE = "attribute"
ORDER = "order"
QUESTION = "question"
AGAIN = "asked again"
WORDS = "words"
TYPE = "type"
ANSWERS = "what can be answered"
MOST = "answers at once"
OUTSIDE = "numbers outside"
RECORDS = "records of a device"
CANDIDATES = "texts looked for"
DRAWN = "who is asked"
EPSILON = "epsilon of a report"
PAIRS = "epsilon by answers"
EVER = "epsilon of an unchanged answer, ever"
DISTANCE = "epsilon by distance"
KEPT = "permanent responses"
LINKS = "what links reports"
MECHANISM = "mechanism"
PARAMETERS = "parameters"

NOTHING = "none"
_LONGEST = 120
_DIGITS = 16


class Change(NamedTuple):
    """Change, its place, and its consequence for respondents."""

    place: str
    """`survey`, or `question NAME`."""
    aspect: str
    before: str
    after: str
    verdict: str
    """`better`, `same` or `worse`."""
    says: str
    """What it means, in a sentence."""

    @property
    def line(self) -> str:
        """Line of a register; two changes are one if their lines are equal."""
        return f"{self.place}: {self.aspect}: {self.before} -> {self.after}"


def verdict_of(is_worse: bool, if_worse: str, if_better: str) -> tuple[str, str]:
    """The verdict, worse or better, and the words for it."""
    if is_worse:
        return (WORSE, if_worse)
    return (BETTER, if_better)


def shorten(text: str) -> str:
    """A text of any length as it stands in a change: all of it, or its start and its
    digest.

    Control characters are written as escapes, so that it stays in its line.
    """
    plain = text if text.isprintable() else text.encode("unicode_escape").decode()
    if len(plain) <= _LONGEST:
        return plain
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
    return f"{plain[:_LONGEST]}... (sha256 {digest})"


def list_texts(texts: tuple[str, ...] | list[str]) -> str:
    """Texts one after the other, as they stand in a change; `none` where there is
    none.
    """
    if texts:
        return shorten(", ".join(texts))
    return NOTHING
