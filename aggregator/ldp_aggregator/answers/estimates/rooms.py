"""The table of kinds of answers: which room a question's estimates come from.

A kind has a folder of `answers`, whose module `room` ends with its row, and is imported
when a question of that kind is first estimated.
"""

from __future__ import annotations

from importlib import import_module

from ldp.survey.survey import Question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.room import AnswerKind
from ldp_aggregator.decoders.table import decoder_of


def kind_of(question: Question, options: Options) -> str:
    """Return the kind of answer that a question has."""
    decoder, domain = decoder_of(question.randomizer), question.domain
    kinds = {
        "vectors": decoder.gives == "vector",
        "distributions": decoder.gives == "distribution",
        "means": decoder.gives == "mean"
        or (decoder.shares.if_asked and not options.frequencies),
        "maps": domain.is_place,
        "trees": domain.taxonomy is not None,
        "regions": options.maps.geography is not None,
        "pairs": domain.key_scale is not None,
        "texts": domain.is_open,
    }
    return next((kind for kind, fits in kinds.items() if fits), "shares")


def room_of(question: Question, options: Options) -> AnswerKind:
    """The room of a question's kind."""
    kind = kind_of(question, options)
    home = "maps.region_estimates"
    if kind != "regions":
        home = f"{kind}.room"
    module = import_module(f"ldp_aggregator.answers.{home}")
    room: AnswerKind = module.ROOM
    return room
