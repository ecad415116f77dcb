"""The table of decoders: a module for each kind of mechanism, named after it.

A row's module is imported when the row is first asked for, as `ldp.mechanisms` does it.
"""

from __future__ import annotations

from importlib import import_module

from ldp.mechanisms.contract import Randomizer
from ldp_aggregator.decoders.decoder import Decoder


def decoder_of(randomizer: Randomizer) -> Decoder:
    """The row of a randomizer's kind."""
    module = import_module(f"ldp_aggregator.decoders.{randomizer.kind}")
    decoder: Decoder = module.DECODER
    return decoder
