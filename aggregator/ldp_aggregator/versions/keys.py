"""Every key of a survey file, and what of a survey it is about.

A comparison of two versions looks at surveys, not at their files: an epsilon of 1.0 is
one of 1. These tables hold what it looks at to every key that a file may have, so that
no change goes unsaid: where a key is written otherwise and nothing of its aspect has
changed, that is said as well; and a key that stands in no table counts as worse, since
no one has thought about it.

A new key of the reader (`ldp.survey.survey_file`) has to be put into its table here: a
test fails until it is.
"""

from __future__ import annotations

from collections.abc import Mapping

from ldp_aggregator.versions.change import (
    ANSWERS,
    ATTRIBUTE,
    CANDIDATES,
    CROWD,
    DISTANCE,
    DRAWN,
    EPOCH,
    EPSILON,
    EVER,
    GRACE,
    KEPT,
    LIFETIME,
    MECHANISM,
    MOST,
    NAME,
    OUTSIDE,
    PARAMETERS,
    QUESTION,
    RECORDS,
    TOGETHER,
    TYPE,
    WORDS,
)

TOP = ("survey", "draw", "attribute", "question")
"""The tables of a file."""

OF_SURVEY = {
    "name": NAME,
    "joint": TOGETHER,
    "lifetime_epsilon": LIFETIME,
    "epoch": EPOCH,
    "grace": GRACE,
    "least_group": CROWD,
}
OF_DRAW = {"questions": DRAWN, "weights": DRAWN, "answers": DRAWN}
OF_ATTRIBUTE = {"name": ATTRIBUTE, "values": ATTRIBUTE, "questions": ATTRIBUTE}

_OF_ANSWERS = (
    *(
        "values",
        "keys",
        "parents",
        "file",
        "levels",
        "low",
        "high",
        "step",
        "bins",
        "edges",
    ),
    *(
        "dimensions",
        "radius",
        "circular",
        "field",
        "collect",
        "together",
        "x",
        "y",
        "cells",
        "by",
    ),
    "missing",
)
_OF_PRIVACY = {
    "epsilon": EPSILON,
    "epsilon_first": EPSILON,
    "epsilon_lifetime": EVER,
    "epsilon_per_unit": DISTANCE,
    "lengths": DISTANCE,
    # Probabilities that a survey states in place of an epsilon.
    **dict.fromkeys(
        ("truth", "forced_true", "forced_false", "prevalence", "matrix"), EPSILON
    ),
    **dict.fromkeys(("p", "q", "f"), EPSILON),
}
_PARAMETERS = (
    *(
        "quality",
        "sensitivity",
        "margin",
        "modulus",
        "width",
        "weights",
        "shares",
        "words",
    ),
    *("near", "hashes", "hash_seed", "bloom_bits", "cohorts", "buckets", "sampled"),
    *("longest", "alphabet", "held_out", "report_bytes"),
)
"""How a mechanism spends its epsilon, and what it is decoded by: none of them raises
it.
"""

OF_QUESTION = {
    "name": QUESTION,
    "text": WORDS,
    "unit": WORDS,
    "type": TYPE,
    **dict.fromkeys(_OF_ANSWERS, ANSWERS),
    "most": MOST,
    "outside": OUTSIDE,
    "per_device": RECORDS,
    "candidates": CANDIDATES,
    "memoized_values": KEPT,
    "mechanism": MECHANISM,
    "profile": MECHANISM,
    "goal": MECHANISM,
    **_OF_PRIVACY,
    **dict.fromkeys(_PARAMETERS, PARAMETERS),
}

_OF_NUMBERS = ("low", "high", "edges", "bins", "step", "missing")
OF_FIELD = {
    "name": ANSWERS,
    "type": TYPE,
    "values": ANSWERS,
    **dict.fromkeys(_OF_NUMBERS, ANSWERS),
    "outside": OUTSIDE,
    "text": WORDS,
    "unit": WORDS,
}
"""Of a part of an answer, or an axis of a map."""

TABLES: Mapping[str, Mapping[str, str]] = {
    "survey": OF_SURVEY,
    "draw": OF_DRAW,
    "attribute": OF_ATTRIBUTE,
    "question": OF_QUESTION,
    "field": OF_FIELD,
}
"""By the table that a key stands in."""
