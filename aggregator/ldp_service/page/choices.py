"""What can be chosen of a survey: versions, options, ranges of time, groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from ldp_aggregator.answers.options import ESTIMANDS, INTERVALS, POST, SHAPES, Options
from ldp_aggregator.decoders.table import decoder_of
from ldp_service.page.views.view_request import (
    ViewRequest,
    rectangles_written,
    shares_text,
    zoom_written,
)

_HIDDEN = (
    "survey",
    "reports_per_person",
    "over_time",
    "way",
    "axes",
    "values_of",
    "find",
)

_Choices = Mapping[str, str]
"""By value in a query, the words."""
_Texts = Iterable[tuple[str, str, str, str]]
"""Fields: words, the name and the value in the query, an example."""


class ViewForm(NamedTuple):
    """The fields of the form, and what is chosen in those with choices."""

    hidden: _Choices
    versions: _Choices
    version: str
    questions: _Choices
    question: str
    estimands: _Choices
    intervals: _Choices
    views: _Choices
    groups: _Choices
    group: str
    texts: _Texts


def choices(asked: ViewRequest) -> ViewForm:
    """Return fields for all that can be chosen of a survey."""
    survey = asked.served.survey
    versions = {"": "all, pooled"}
    for number, served in enumerate(asked.versions, 1):
        versions[served.fingerprint] = f"{number}: {served.fingerprint[:8]}…"
    names, question = [one.name for one in survey], ",".join(asked.names)
    decoders = [decoder_of(one.randomizer) for one in survey]
    shapes = any(decoder.shape is not None for decoder in decoders)
    views = {"": "unbiased"}
    views |= {name: f"{name} (biased)" for name in POST if shapes or name not in SHAPES}
    texts: list[tuple[str, str, str, str]] = []
    if any(decoder.gives == "distribution" for decoder in decoders):
        texts += _of_numbers(asked.options)
    if any(one.domain.is_place for one in survey):
        texts += _of_maps(asked.options)
    groups, group = _groups(asked)
    return ViewForm(
        hidden={key: value for key, value in asked.query().items() if key in _HIDDEN},
        versions=versions,
        version="" if asked.pooled else asked.served.fingerprint,
        questions=_choices_of({"": "all"}, filter(None, (question, *names))),
        question=question,
        estimands=_choices_of({}, ESTIMANDS),
        intervals=_choices_of({}, INTERVALS),
        views=views,
        groups=groups,
        group=group,
        texts=[*texts, *_where(asked)],
    )


def _choices_of(first: _Choices, names: Iterable[str]) -> _Choices:
    return {**first, **{name: name for name in names}}


def _groups(asked: ViewRequest) -> tuple[_Choices, str]:
    """The attributes to divide by, one or two, and those that are chosen."""
    survey = asked.served.survey
    if not survey.attributes or survey.epoch is None:
        return {}, ""
    names = [attribute.name for attribute in survey.attributes]
    chosen = ""
    if asked.groups is not None:
        chosen = asked.groups.query.get("by", "")
    pairs = map(",".join, combinations(names, 2))
    return _choices_of({"": "everyone"}, filter(None, (chosen, *names, *pairs))), chosen


def _where(asked: ViewRequest) -> Iterator[tuple[str, str, str, str]]:
    """What to look at alone."""
    survey = asked.served.survey
    if survey.attributes and survey.epoch is not None:
        first = survey.attributes[0]
        chosen = ""
        if asked.groups is not None:
            chosen = asked.groups.query.get("where", "")
        yield "Groups where", "where", chosen, f"{first.name}={first.values[0]}"


def _of_numbers(options: Options) -> _Texts:
    """Return the choices of distributions."""
    return (
        ("Quantiles", "quantiles", shares_text(options.numbers.quantiles), ".1,.5,.9"),
        (
            "Ranges",
            "ranges",
            ",".join(map(":".join, options.numbers.ranges)),
            "18:25,65:100",
        ),
        ("Histogram edges", "edges", ",".join(options.numbers.edges), "18,25,40,65"),
    )


def _of_maps(options: Options) -> _Texts:
    """Return the choices of maps."""
    return (
        ("Rectangles", "rectangles", rectangles_written(options), "0:4,0:8;4:8,0:8"),
        ("Zoom", "zoom", zoom_written(options), "8x8"),
    )
