"""The form to choose with: versions, options, ranges of time, groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from ldp_aggregator.answers.options import ESTIMANDS, INTERVALS, POST, SHAPES, Options
from ldp_aggregator.decoders.table import decoder_of
from ldp_service.page.markup.tags import Safe, joined, tag
from ldp_service.page.views.asked import Asked, rectangles_written, written, zoom_written

_HIDDEN = ("survey", "reports_each", "over_time", "way", "axes", "values_of", "find")


def choices(asked: Asked) -> Safe:
    """Fields for all that can be chosen of a survey."""
    options = asked.options
    versions = {"": "all, pooled"}
    versions |= {
        served.fingerprint: f"{number}: {served.fingerprint[:8]}…"
        for number, served in enumerate(asked.versions, 1)
    }
    hidden = {key: value for key, value in asked.query().items() if key in _HIDDEN}
    box = tag(
        "input",
        type="checkbox",
        name="simultaneous",
        value="1",
        checked=options.simultaneous is not None,
    )
    more = tag("input", type="checkbox", name="frequencies", value="1", checked=options.frequencies)
    level = tag(
        "input",
        type="number",
        name="level",
        min="0.01",
        max="0.9999",
        step="any",
        value=str(options.level),
    )
    version = []
    if len(asked.versions) > 1:
        chosen = "" if asked.pooled else asked.served.fingerprint
        version.append(_select("Version", "version", versions, chosen=chosen))
    estimands = {name: name for name in ESTIMANDS}
    intervals = {name: name for name in INTERVALS}
    decoders = [decoder_of(question.randomizer) for question in asked.served.survey]
    shapes = any(decoder.has_shape for decoder in decoders)
    numbers = any(decoder.gives == "distribution" for decoder in decoders)
    maps = any(question.domain.is_place for question in asked.served.survey)
    offered = [name for name in POST if shapes or name not in SHAPES]
    views = {"": "unbiased", **{name: f"{name} (biased)" for name in offered}}
    fields = [
        *(tag("input", type="hidden", name=key, value=value) for key, value in hidden.items()),
        *version,
        *(_questions(asked) if len(decoders) > 1 else ()),
        tag("label", tag("span", "Level"), level),
        _select("Errors for the", "estimand", estimands, chosen=options.estimand),
        _select("Intervals", "interval", intervals, chosen=options.interval),
        _select("View", "post", views, chosen=options.post or ""),
        tag("label", box, tag("span", "Simultaneous intervals"), class_="check"),
        tag("label", more, tag("span", "Frequencies of noisy numbers"), class_="check"),
        *(_texts(_of_numbers(options)) if numbers else ()),
        *(_texts(_of_maps(options)) if maps else ()),
        *_groups(asked),
        *_dates(asked),
        tag("button", "Show"),
    ]
    return tag("form", *fields, method="get", action="./", class_="choices", aria_label="Options")


def _questions(asked: Asked) -> Iterator[Safe]:
    """All questions, or one of them; or those that the query names."""
    names = [question.name for question in asked.served.survey]
    chosen = ",".join(asked.names)
    options = {"": "all", **dict.fromkeys(filter(None, [chosen])), **dict.fromkeys(names)}
    shown = {value: words or value for value, words in options.items()}
    yield _select("Question", "question", shown, chosen=chosen)


def _groups(asked: Asked) -> Iterator[Safe]:
    """The attributes to divide by, one or two, and what to look at alone."""
    survey, groups = asked.served.survey, asked.groups
    if not survey.attributes or survey.epoch is None:
        return
    names = [attribute.name for attribute in survey.attributes]
    chosen = {} if groups is None else groups.query
    options = {"": "everyone", **dict.fromkeys(filter(None, [chosen.get("by")]))}
    options |= dict.fromkeys(names) | dict.fromkeys(map(",".join, combinations(names, 2)))
    shown = {value: words or value for value, words in options.items()}
    yield _select("Groups by", "by", shown, chosen=chosen.get("by", ""))
    first = survey.attributes[0]
    example = f"{first.name}={first.values[0]}"
    yield from _texts([("Groups where", "where", chosen.get("where", ""), example)])


def _dates(asked: Asked) -> Iterator[Safe]:
    """The days to look at, where there are epochs."""
    if asked.served.survey.epoch is None:
        return
    for words, name, value in (
        ("From day", "since", asked.dates.since),
        ("To day", "until", asked.dates.until),
    ):
        field = tag("input", type="date", name=name, value=value)
        yield tag("label", tag("span", words), field)


_Texts = Iterable[tuple[str, str, str, str]]
"""Fields: words, the name and the value in the query, an example."""


def _of_numbers(options: Options) -> _Texts:
    """What to see of distributions."""
    return (
        ("Quantiles", "quantiles", written(options.quantiles), ".1,.5,.9"),
        ("Ranges", "ranges", ",".join(map(":".join, options.ranges)), "18:25,65:100"),
        ("Histogram edges", "edges", ",".join(options.edges), "18,25,40,65"),
    )


def _of_maps(options: Options) -> _Texts:
    """What to see of maps."""
    return (
        ("Rectangles", "rectangles", rectangles_written(options), "0:4,0:8;4:8,0:8"),
        ("Zoom", "zoom", zoom_written(options), "8x8"),
    )


def _texts(rows: _Texts) -> Iterator[Safe]:
    for words, name, value, example in rows:
        field = tag("input", name=name, value=value, placeholder=example, size="12")
        yield tag("label", tag("span", words), field)


def _select(words: str, name: str, options: Mapping[str, str], chosen: str) -> Safe:
    choices = joined(
        tag("option", text, value=value, selected=value == chosen)
        for value, text in options.items()
    )
    return tag("label", tag("span", words), tag("select", choices, name=name))
