"""Which options apply to which questions of a survey.

What is asked of several questions together is asked of those that can give it: a range
of those for a distribution, a shape of those whose mechanism has one. If none can, it
is a mistake.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.answers.options import POST, SHAPES, Options
from ldp_aggregator.decoders.table import decoder_of

_OF_EVERY_ONE = (
    "; ranges and edges are asked of every question for a distribution; name those "
    "that are meant (--question, names= in Python, question= in a query)"
)
_RANGES = 'of `goal = "distribution"` for ranges and edges'
_RECTANGLES = "of type place for rectangles"
_DISTRICTS = "of type place, or whose values are names in the file, for districts"
_ZOOM = 'of `goal = "rectangles"` for another zoom than its own'
_ONLY_FOR = {
    **dict.fromkeys(SHAPES, "questions through square-wave"),
    "monotone": 'questions of `goal = "distribution"` on a line',
    "shrunk": 'questions of `goal = "rectangles"`',
}


def check_asked(questions: Collection[Question], options: Options) -> None:
    """Raise `EstimateError` for what none of these questions can give."""
    post_process = options.post_process
    if post_process is not None and not any(
        _has_view(question, post_process) for question in questions
    ):
        others = [
            view
            for view in POST
            if any(_has_view(question, view) for question in questions)
        ]
        raise EstimateError(
            f"expected another view than {post_process}, which is for "
            f"{_ONLY_FOR[post_process]}; these questions have {', '.join(others)}"
        )
    for asked, have, what in (
        (options.numbers.ranges or options.numbers.edges, _of_distribution, _RANGES),
        (options.maps.rectangles, _of_places, _RECTANGLES),
        (
            options.maps.geography is not None,
            partial(has_districts, options),
            _DISTRICTS,
        ),
        (options.maps.zoom is not None, _of_rectangles, _ZOOM),
    ):
        if asked and not any(map(have, questions)):
            raise EstimateError(
                f"expected a question {what}, got none; name such questions with "
                "--question, if there are any"
            )


def options_for(question: Question, options: Options) -> Options:
    """Options for one question of several, without those that only others have."""
    if options.post_process is not None and not _has_view(
        question, options.post_process
    ):
        options = replace(options, post_process=None)
    if not _of_distribution(question):
        options = replace(
            options, numbers=replace(options.numbers, ranges=(), edges=())
        )
    maps = options.maps
    if not _of_places(question):
        maps = replace(maps, rectangles=())
    if not has_districts(options, question):
        maps = replace(maps, geography=None)
    if not _of_rectangles(question):
        maps = replace(maps, zoom=None)
    return replace(options, maps=maps)


def has_districts(options: Options, question: Question) -> bool:
    """Whether its shares are those of districts, or of cells of which these are
    made.
    """
    geography = options.maps.geography
    if geography is None:
        return False
    return _of_places(question) or geography.is_named_by(question.domain)


def advice(questions: Collection[Question], options: Options) -> str:
    """What to do about ranges that one question of several cannot have."""
    asked = options.numbers.ranges or options.numbers.edges
    if asked and sum(map(_of_distribution, questions)) > 1:
        return _OF_EVERY_ONE
    return ""


def not_this_view(own: Options, options: Options) -> str:
    """What to say of a question that is not seen in the view that others are seen
    in.
    """
    if own.post_process == options.post_process or options.post_process is None:
        return ""
    return (
        f"not by {options.post_process}, which is for {_ONLY_FOR[options.post_process]}"
    )


def _has_view(question: Question, post_process: str) -> bool:
    if post_process in SHAPES:
        return decoder_of(question.randomizer).shape is not None
    if post_process == "monotone":
        return _of_distribution(question) and not question.domain.circular
    return post_process != "shrunk" or _of_rectangles(question)


def _of_distribution(question: Question) -> bool:
    return decoder_of(question.randomizer).gives == "distribution"


def _of_places(question: Question) -> bool:
    return question.domain.is_place


def _of_rectangles(question: Question) -> bool:
    return decoder_of(question.randomizer).gives == "places"
