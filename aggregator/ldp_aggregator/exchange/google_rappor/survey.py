"""A survey file with the parameters of google/rappor, for collections that go on with
our client.

    k bloom_bits, h hashes, m cohorts; p, q and f keep their names

The hash functions differ, so old and new reports are decoded apart. What the new client
delivers is at most what the parameters declare: probabilities are rounded to multiples
of 2^-64, towards more noise.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp.survey.survey_file import parse_survey
from ldp_aggregator.decoders.other_results import Candidates
from ldp_aggregator.exchange.google_rappor.files import Parameters

NAME = "rappor"


def survey_text(parameters: Parameters, name: str, place: str) -> str:
    """The survey file; its only question has the same name.

    Raises `SurveyError`, naming the `place` of the parameters, if its reports would be
    all noise or have none, and `EstimateError` for booleans.
    """
    if parameters.boolean:
        raise EstimateError(
            f"{place}: expected k from 2, got 1: the answer is a boolean, so write a "
            "survey file with a question of type boolean"
        )
    keys = (
        'type = "text"\n'
        f"bloom_bits = {parameters.bits}\n"
        f"hashes = {parameters.hashes}\n"
        f"cohorts = {parameters.cohorts}\n"
    )
    return _checked_text(parameters, keys, name, place=place)


def basic_survey_text(
    parameters: Parameters, values: Sequence[str], name: str, place: str
) -> str:
    """The survey file of basic RAPPOR: a category, each of whose values has its own
    bit.
    """
    if len(values) > parameters.bits:
        raise EstimateError(
            f"{place}: expected at most {parameters.bits} values, one for each bit "
            f"(k), got {len(values)}"
        )
    keys = f'type = "category"\nvalues = {json.dumps([*values], ensure_ascii=False)}\n'
    return _checked_text(parameters, keys, name, place=place)


def values_of(candidates: Candidates, place: str) -> tuple[str, ...]:
    """The names of a map that gives each a bit of its own, in the order of the bits."""
    design = candidates.design.toarray()
    if (design.sum(axis=1) > 1).any():
        raise EstimateError(
            f"{place}: expected a bit of its own for each value (h = m = 1), got one "
            "bit for two"
        )
    bits = design.argmax(axis=0)
    return tuple(candidates.names[at] for at in bits.argsort().tolist())


def _checked_text(parameters: Parameters, keys: str, name: str, place: str) -> str:
    probabilities = "".join(f'{key} = "{getattr(parameters, key)}"\n' for key in "pqf")
    text = (
        f'[survey]\nname = "{name}"\n\n'
        f'[[question]]\nname = "{name}"\nmechanism = "rappor"\n{keys}{probabilities}'
    )
    parse_survey(text, place)
    return text


def equivalent_question(parameters: Parameters, place: str) -> Question:
    """That question. Raises `SurveyError` as `survey_text` does."""
    return parse_survey(survey_text(parameters, NAME, place))[NAME]
