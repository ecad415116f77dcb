"""Exact core of a local differential privacy collection framework.

Surveys and their mechanisms, randomness as an argument, exact privacy arithmetic, and
the wire format. Standard library, xxhash and msgpack only; no input or output, no
clock.

`parse_survey(text)` reads a survey file; `survey(name, question(...), ...)` says the
same in Python, and `Survey.to_toml()` writes it down. The function `survey` hides the
folder of its name, from which modules can be imported all the same (`from
ldp.survey.survey import Group`).

numbers       exact arithmetic, probabilities as ratios of integers, randomness, epochs
answers       what an answer may be: domains, scales, sets, fields, taxonomies, texts
mechanisms    how answers are randomized, a module for each algorithm
survey        surveys and their files
wire          reports as bytes
privacy       certificates, and the privacy of shuffled batches
transparency  public registers of surveys, and stop lists

A room imports those above it; the last three do not import each other.
"""

from ldp.answers.cells import cell_at
from ldp.errors import (
    AlreadyAnsweredError,
    AnswerError,
    BudgetError,
    EstimateError,
    LDPError,
    MismatchError,
    NotDrawnError,
    Problem,
    RandomnessError,
    StateError,
    SurveyError,
    UnknownNameError,
    WireError,
)
from ldp.survey.declarations import attribute, draw, field, question, survey
from ldp.survey.survey import Question, Survey
from ldp.survey.survey_file import parse_survey

__version__ = "0.1.0"
"""Of all four distributions, which are released together."""

__all__ = [
    "AlreadyAnsweredError",
    "AnswerError",
    "BudgetError",
    "EstimateError",
    "LDPError",
    "MismatchError",
    "NotDrawnError",
    "Problem",
    "Question",
    "RandomnessError",
    "StateError",
    "Survey",
    "SurveyError",
    "UnknownNameError",
    "WireError",
    "__version__",
    "attribute",
    "cell_at",
    "draw",
    "field",
    "parse_survey",
    "question",
    "survey",
]
