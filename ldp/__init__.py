"""Exact core of a local differential privacy collection framework.

Surveys and their mechanisms, randomness as an argument, exact privacy arithmetic, and the wire
format. Standard library, xxhash and msgpack only; no input or output, no clock.
"""

from ldp.errors import (
    AlreadyAnsweredError,
    AnswerError,
    BudgetError,
    EstimateError,
    LDPError,
    MismatchError,
    Problem,
    RandomnessError,
    StateError,
    SurveyError,
    WireError,
)
from ldp.survey import Question, Survey
from ldp.survey_file import parse_survey

__all__ = [
    "AlreadyAnsweredError",
    "AnswerError",
    "BudgetError",
    "EstimateError",
    "LDPError",
    "MismatchError",
    "Problem",
    "Question",
    "RandomnessError",
    "StateError",
    "Survey",
    "SurveyError",
    "WireError",
    "parse_survey",
]
