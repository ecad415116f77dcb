"""Kind `search`: texts that a search finds in some cohorts, and frequencies from the
others.

The formulas are in `ldp_aggregator.decoders.search`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.texts.heavy_hitters import HeavyHitters
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import (
    Decoder,
    DecoderRequest,
    Finds,
    Range,
    ReportLaw,
    SearchDecoder,
    ShareDecoder,
    known_as,
    of_support,
)
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.search.found import found_moments, found_texts
from ldp_aggregator.decoders.search.prefix_extension import rates
from ldp_aggregator.decoders.search.reach import expected_reach, in_words, never_found
from ldp_aggregator.decoders.values.pure import payload_chances as chances_of_cells
from ldp_aggregator.numerics.arrays import Counts, Floats

_EXAMPLE = 1_000_000
"""Respondents, for what a search would find."""


def moments(randomizer: Randomizer, counts: Counts, asked: DecoderRequest) -> Moments:
    """Moments of the texts asked for, among the respondents held out."""
    return found_moments(known_as(randomizer, HeavyHitters), counts, asked.values)


def values(
    question: Question,
    counts: Counts,
    candidates: Sequence[str],  # noqa: ARG001
) -> tuple[tuple[str, ...], str]:
    """Return the texts that the search finds, most frequent first."""
    return found_texts(known_as(question.randomizer, HeavyHitters), counts)


def reports(randomizer: Randomizer, counts: Counts) -> int:
    """Count the reports that the search did not look at."""
    return int(counts[known_as(randomizer, HeavyHitters).stages :].sum())


def score_range(randomizer: Randomizer) -> Range:
    """Score range as of `pure`, among the reports held out."""
    p, q = map(Fraction, rates(known_as(randomizer, HeavyHitters)))
    return of_support(p, q)


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats] | None:
    """Payload chances of the cells."""
    return chances_of_cells(known_as(randomizer, HeavyHitters).oracle)


def finds(randomizer: Randomizer) -> Finds:
    """By length, as long as all texts are."""
    search = known_as(randomizer, HeavyHitters)
    return Finds(partial(expected_reach, search), never_found(search))


def explain(question: Question) -> list[str]:
    """How a search goes, and what it finds."""
    search = known_as(question.randomizer, HeavyHitters)
    frequencies = in_words(expected_reach(search, _EXAMPLE))
    return [
        f"  search              {search.stages} cohorts find texts, {search.held_out} "
        "estimate them; a respondent is in one of these, whatever the text",
        f"  what is found       with {_EXAMPLE:,} respondents, whatever is held by "
        f"{frequencies}; {never_found(search)} never found",
    ]


DECODER = Decoder(
    score_range=score_range,
    values=values,
    shares=ShareDecoder(moments=moments),
    search=SearchDecoder(reports=reports, finds=finds),
    report_law=ReportLaw(payload_chances=payload_chances),
    explain=explain,
)
