"""Questions that are answered together, as a survey file lists them: `joint = ["a",
"b"]`.

Rules
- A group has two or three questions, and a question is in one group at most.
- A report of the group is the reports of its questions, end to end; each is drawn by
  itself, as ever.
- What the reports of one respondent add to the tallies of their questions can be
  multiplied: a joint tally sums these products, has as many cells as the tallies' sizes
  multiplied, and must stay small.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping

from ldp.answers.keys import Keys
from ldp.survey.survey import Group, Question

MOST_MEMBERS = 3
MOST_CELLS = 1 << 23
"""Of a joint tally: 64 MiB."""
_DECODED = ("pure", "blocks", "matrix", "noise", "sum", "bloom")


def joint_groups(
    keys: Keys, listed: tuple[tuple[str, ...], ...], questions: Mapping[str, Question]
) -> tuple[Group, ...]:
    """The groups that a survey lists under `joint`, those with problems left out."""
    often = Counter(name for group in listed for name in group)
    for name in sorted(name for name, count in often.items() if count > 1):
        keys.problem("joint", "each question at most once", f"{name!r} again")
    return tuple(
        Group(tuple(questions[name] for name in group))
        for group in listed
        if _sound(keys, group, questions)
    )


def _sound(
    keys: Keys, names: tuple[str, ...], questions: Mapping[str, Question]
) -> bool:
    """Whether a group has no problem; those that it has are noted."""
    wrong = list(_wrong(names, questions))
    for expected, came in wrong:
        keys.problem("joint", expected, came)
    return not wrong


def _wrong(
    names: tuple[str, ...], questions: Mapping[str, Question]
) -> Iterator[tuple[str, str]]:
    """Yield (expected, got) for each mistake in a group."""
    if not 2 <= len(names) <= MOST_MEMBERS:
        yield f"2 to {MOST_MEMBERS} questions in a group", f"{len(names)} of them"
        return
    for name in names:
        if name not in questions:
            yield "names of sound questions of the survey", name
    members = [questions[name] for name in names if name in questions]
    for question in members:
        if not _multiplies(question):
            yield (
                "questions of which a respondent has one answer, reported as symbols "
                "or bits (grr, ss, oue, matrix, rappor and their like; no hash "
                "functions, sketches or sets, and so few values that tallies do not "
                "fold)",
                f"{question.name!r} ({question.mechanism})",
            )
    cells = math.prod(question.layout.cells for question in members)
    if cells > MOST_CELLS:
        yield (
            f"a joint tally of at most {MOST_CELLS:,} cells",
            f"{cells:,} for {' and '.join(names)}",
        )


def _multiplies(question: Question) -> bool:
    """Whether products of what its reports and others add to tallies can be decoded."""
    layout = question.layout
    hashed = layout.modulus or layout.folding
    return (
        question.domain.most is None
        and question.randomizer.kind in _DECODED
        and not hashed
    )
