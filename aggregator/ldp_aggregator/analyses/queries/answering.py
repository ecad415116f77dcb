"""Answers to queries: a term as an estimate with its error, and what it cost the
respondents.

Nothing more is spent for an answer, however many there are: all are made of the same
reports, which were private when they were sent. Each says what epsilon that took.

Errors of different questions have nothing to do with each other for the respondents,
each answer having been randomized by itself. For a population that the respondents were
drawn from, what they hold of one may go with what they hold of another, in a way that
no report tells: there standard errors of what drawing them adds are added up, and the
answer says that it is a bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import UnknownNameError
from ldp_aggregator.analyses.queries.language import QueryError
from ldp_aggregator.analyses.queries.reading import read
from ldp_aggregator.analyses.queries.subjects import Subject, subject_of
from ldp_aggregator.analyses.queries.terms import (
    Key,
    Linear,
    Located,
    Term,
    Weights,
    weights_of,
)
from ldp_aggregator.answers.contrasts.ends import FLAT, two_sided_p_value
from ldp_aggregator.answers.contrasts.functions import (
    Contrast,
    Erring,
    Estimable,
    Functions,
    added_up,
    quantile_of,
    quotient,
)
from ldp_aggregator.answers.estimates.estimation import with_repeats
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.remarks import on_repeats
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.sheet import finite
from ldp_aggregator.tallies.tally import Tally

DEFAULTS = Options()

_Part = tuple[Estimable, Floats]
"""What some values are estimated to be, and the weights that sums give them, (sums, K).
"""
_NONE = weights_of(np.zeros(0))

_SEVERAL = (
    "a bound: no report tells who holds which answers to several questions, so what "
    "sampling adds is added up"
)


class AnswerSource(NamedTuple):
    """A question that an answer is made of."""

    question: str
    mechanism: str
    epsilon: str
    """What its respondents were promised, as declared: all that this answer cost them.
    """
    reports: int
    note: str = ""
    """How many reports of each device were taken for granted, if several may be."""

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {key: value for key, value in self._asdict().items() if value != ""}


@dataclass(frozen=True)
class Answer:
    """Answer to a query.

    `query` has an example.
    """

    query: str
    contrast: Contrast
    is_ratio: bool
    sources: tuple[AnswerSource, ...]
    options: Options

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; what is not known is None."""
        number = self.contrast
        return {
            "query": self.query,
            "estimate": finite(number.estimate),
            "standard_error": finite(number.standard_error),
            "interval": [finite(number.low), finite(number.high)],
            "p_value": finite(number.p_value),
            "tested": "ratio = 1" if self.is_ratio else "estimate = 0",
            "bound": number.bound or None,
            "remarks": [remark._asdict() for remark in number.remarks],
            "level": self.options.level,
            "estimand": self.options.estimand,
            "questions": [source.to_dict() for source in self.sources],
        }


def query(
    tally: Tally,
    *texts: str,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Answer, ...]:
    """The answers to queries, in their order, as one family where `options` make it so.

    `candidates` are the texts to look for, by open question. Raises `QueryError` for
    what is no query, or has no answer, pointing at the place.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus"] * 500})
    >>> tally = ldp_aggregator.aggregate(survey, reports)
    >>> [answer] = ldp_aggregator.query(tally, "share(mode = bus)")
    >>> 0.2 < answer.contrast.estimate < 0.8
    True
    """
    return answers_of(tally, texts, options, candidates=candidates, family=len(texts))


def answers_of(
    tally: Tally,
    texts: Sequence[str],
    options: Options,
    *,
    candidates: Mapping[str, Sequence[str]] | None,
    family: int,
) -> tuple[Answer, ...]:
    """The same as a part of a family of so many answers."""
    known = candidates or {}

    @cache
    def subject(name: str) -> Subject:
        names = [question.name for question in tally.survey]
        if name not in names:
            raise UnknownNameError(name, names, "one of the survey's questions")
        texts_of = known.get(name, ())
        question = tally.survey[name]
        own = with_repeats(options, tally, question)
        return subject_of(question, tally.counts[name], own, candidates=texts_of)

    def source(name: str) -> AnswerSource:
        question = tally.survey[name]
        remarks = on_repeats(
            question, options.reports_per_person, tally.epochs.get(name, {})
        )
        return AnswerSource(
            name,
            question.mechanism,
            question.declared.text,
            reports=tally.reports(name),
            note=" ".join(map(str, remarks)),
        )

    terms = [read(text, subject) for text in texts]
    return tuple(
        _answer(text, term, subject, source=source, options=options, family=family)
        for text, term in zip(texts, terms, strict=True)
    )


def _answer(
    text: str,
    term: Term | Located,
    subject: Callable[[str], Subject],
    source: Callable[[str], AnswerSource],
    *,
    options: Options,
    family: int,
) -> Answer:
    if isinstance(term, Located):
        contrast = _locate(
            text, term, subject(term.question), options=options, family=family
        )
        own = (source(term.question),)
        return Answer(text, contrast, is_ratio=False, sources=own, options=options)
    sums = (term,) if isinstance(term, Linear) else term
    keys = list(dict.fromkeys(key for one in sums for key in one.weights))
    if not keys:
        raise QueryError(
            f"expected a query of what people hold, got numbers alone: {text.strip()}"
        )
    if len({key.question for key in keys}) < len(keys):
        raise QueryError(
            "expected the mean of a question, or shares of it, got both: "
            f"{text.strip()}\n"
            "  its mean is estimated by itself (score(...) gives values numbers of "
            "their own)"
        )
    parts = {
        key: _part(
            subject(key.question),
            [one.weights.get(key, _NONE) for one in sums],
            key=key,
        )
        for key in keys
    }
    sources = tuple(source(key.question) for key in parts)
    contrast = _contrast(
        text, sums, list(parts.values()), options=options, family=family
    )
    return Answer(text, contrast, len(sums) > 1, sources=sources, options=options)


def _locate(
    text: str, term: Located, subject: Subject, options: Options, *, family: int
) -> Contrast:
    """A quantile, which has ends and no standard error."""
    quantile = subject.quantile(term.share)
    low, high = quantile.test.ends(quantile_of(options, family))
    return Contrast(
        text, quantile.estimate, math.nan, low=low, high=high, p_value=math.nan
    )


def _part(subject: Subject, rows: Sequence[Weights], *, key: Key) -> _Part:
    """What sums with these weights take of a question."""
    if key.is_mean:
        return subject.mean, np.array(
            [row.at(np.zeros(1, dtype=np.intp)) for row in rows]
        )
    return subject.weigh(rows)


def _contrast(
    text: str,
    sums: Sequence[Linear],
    parts: Sequence[_Part],
    options: Options,
    *,
    family: int,
) -> Contrast:
    """One sum, or the quotient of two."""
    first, stacked = parts[0]
    if len(sums) == 1 and len(parts) == 1 and isinstance(first, Functions):
        return first.function(text, stacked[0], sums[0].constant, family=family)
    estimates = np.array([one.constant for one in sums])
    estimates = estimates + sum(weights @ part.frequency for part, weights in parts)
    erring = _together(parts, options.estimand)
    quantile = quantile_of(options, family)
    if len(sums) > 1:
        return quotient(text, estimates, erring, quantile=quantile)
    ends = [part.range_of(weights[0]) for part, weights in parts]
    least, most = (sums[0].constant + sum(some) for some in zip(*ends, strict=True))
    estimate = float(estimates[0])
    error = math.sqrt(max(float(erring.covariance[0, 0]), 0.0))
    return Contrast(
        text,
        estimate,
        error,
        low=min(max(estimate - quantile * error, least), most),
        high=min(max(estimate + quantile * error, least), most),
        p_value=two_sided_p_value(estimate, error**2, FLAT),
        bound=erring.bound,
    )


def _together(parts: Sequence[_Part], estimand: str) -> Erring:
    """How sums over several questions err together."""
    alone = [part.erring(weights, estimand) for part, weights in parts]
    bounds = " ".join(dict.fromkeys(erring.bound for erring in alone if erring.bound))
    total = np.sum([erring.covariance for erring in alone], axis=0)
    if len(parts) == 1 or (estimand == "respondents" and not bounds):
        return Erring(total, bounds)
    noise = [part.erring(weights, "respondents").covariance for part, weights in parts]
    drawn = sum(
        np.sqrt(np.diag(both.covariance - own).clip(0))
        for both, own in zip(alone, noise, strict=True)
    )
    errors = np.sqrt(np.diag(np.sum(noise, axis=0)).clip(0)) + drawn
    return Erring(added_up(np.asarray(errors)), bounds or _SEVERAL)
