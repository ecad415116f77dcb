"""The table of decoders: a module for each kind of mechanism, named after it, in a
family.

A row's module is imported when the row is first asked for, as `ldp.mechanisms` does it.
"""

from __future__ import annotations

from importlib import import_module

from ldp.mechanisms.contract import Randomizer
from ldp_aggregator.decoders.decoder import Decoder

_FAMILIES = {
    "pure": "values",
    "blocks": "values",
    "matrix": "values",
    "sketch": "values",
    "sum": "values",
    "sampled": "values",
    "mean": "numbers",
    "dithered": "numbers",
    "noise": "numbers",
    "window": "numbers",
    "arcs": "arcs",
    "tree": "trees",
    "pyramid": "trees",
    "stripes": "stripes",
    "bloom": "bloom",
    "marginals": "marginals",
    "search": "search",
    "signed": "key_values",
    "codebook": "vectors",
    "views": "taxonomies",
}


def decoder_of(randomizer: Randomizer) -> Decoder:
    """The row of a randomizer's kind."""
    family = _FAMILIES[randomizer.kind]
    module = import_module(f"ldp_aggregator.decoders.{family}.{randomizer.kind}")
    decoder: Decoder = module.DECODER
    return decoder
