"""Exact core of a local differential privacy collection framework.

Surveys and their mechanisms, randomness as an argument, exact privacy arithmetic, and the wire
format. Standard library, xxhash and msgpack only; no input or output, no clock.

`parse_survey(text)` reads a survey file; `survey(name, question(...), ...)` says the same in
Python, and `Survey.to_toml()` writes it down. The function `survey` hides the module of its name,
from which names can be imported all the same (`from ldp.survey import Group`).
"""

from ldp.cells import cell_at
from ldp.declarations import attribute, draw, field, question, survey
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
from ldp.survey import Question, Survey
from ldp.survey_file import parse_survey

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
