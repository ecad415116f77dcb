"""A true answer on its way in: error reporters send the local variables of every frame
they see.

Rules
- The first line of what an app calls with an answer wraps it, so that its text tells
  nothing.
- An error that leaves takes no frame along that has seen the answer as it is: those
  below are emptied. The names of functions and the lines stay.
- No error of a client repeats the name of a question that there is not.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Generic, TypeVar

from ldp.errors import AnswerError
from ldp.survey.survey import Question, Survey

Value = TypeVar("Value")


class HiddenAnswer(Generic[Value]):
    """A value that shows itself to no one who prints it."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "<answer>"


def forget_locals(error: BaseException) -> None:
    """Empty the frames that an error has left, and those of the errors that led to
    it.
    """
    led_to: BaseException | None = error
    while led_to is not None:
        trace = led_to.__traceback__
        while trace is not None:
            # What still runs keeps its variables: it is one that wraps, or the app's
            # own.
            with suppress(RuntimeError):
                trace.tb_frame.clear()
            trace = trace.tb_next
        led_to = led_to.__context__


def question_of(survey: Survey, name: str) -> Question:
    """Return the question of this name.

    Raises `AnswerError` that does not repeat the name: it is an answer, if an app mixes
    up the two.
    """
    with suppress(AnswerError):
        return survey[name]
    names = ", ".join(question.name for question in survey)
    raise AnswerError(f"expected one of the survey's questions ({names}), got another")
