"""Stop lists on the collector's side: files, and what they mean for estimates.

A list that stops a question, or has it asked of a share of the devices only, changes
whom the reports are from: devices that were drawn at random, whatever their answers
are. So shares stay unbiased for all devices, and what is said of the respondents is
said of that sample.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ldp.errors import WireError
from ldp.transparency.stops import MOST_BYTES, Stops, read_stops
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.output.checks import Remark
from ldp_aggregator.output.files import FileError, read_bytes


class StopLists:
    """The stop lists of several surveys, one file each; read anew whenever they are
    asked for.
    """

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self._paths = tuple(paths)

    def file_of(self, survey: str) -> bytes | None:
        """The bytes of a survey's list; None if there is none. Raises `FileError`."""
        for path in self._paths:
            content = read_bytes(path, MOST_BYTES)
            if _read(path, content).survey == survey:
                return content
        return None

    def of(self, survey: str) -> Stops | None:
        """A survey's list; None if there is none. Raises `FileError`."""
        content = self.file_of(survey)
        if content is None:
            return None
        return read_stops(content, key=None)


def stops_in(path: Path) -> Stops:
    """The list in a file, whose signature is not looked at. Raises `FileError`."""
    return _read(path, read_bytes(path, MOST_BYTES))


def with_shares(estimates: SurveyEstimates, stops: Stops | None) -> SurveyEstimates:
    """Estimates that say of whom a list has each question asked."""
    if stops is None:
        return estimates
    questions = {question.name: _with_share(question, stops) for question in estimates}
    return replace(estimates, questions=questions)


def _with_share(question: QuestionEstimates, stops: Stops) -> QuestionEstimates:
    return replace(
        question, remarks=(*question.remarks, *_remark(question.name, stops))
    )


def _remark(name: str, stops: Stops) -> tuple[Remark, ...]:
    share = stops.shares.get(name, 1)
    if share == 1:
        return ()
    if share == 0:
        text = (
            f"Stop list {stops.serial} has stopped this question: no device is asked "
            "any more."
        )
        return (Remark("stopped", text),)
    text = (
        f"Stop list {stops.serial} has this question asked of {share} of the devices, "
        "drawn at random whatever their answers are: the respondents are that sample, "
        "and errors for the population allow for the draw."
    )
    return (Remark("sampled", text),)


def _read(path: Path, content: bytes) -> Stops:
    try:
        return read_stops(content, key=None)
    except WireError as error:
        raise FileError(
            f"{path}: {error}; `ldp survey stop-list sign` writes such lists"
        ) from None
