"""The table of decoders: one for each kind of mechanism.

A row's module is imported when the row is first asked for, as `ldp.mechanisms` does it.
"""

from __future__ import annotations

from importlib import import_module
from typing import get_args

from ldp.mechanisms.contract import Kind, Randomizer
from ldp_aggregator.decoders.decoder import Decoder


def decoder_for(kind: Kind) -> Decoder:
    """The row of a kind."""
    decoder: Decoder = import_module(f"ldp_aggregator.decoders.{kind}").DECODER
    return decoder


def decoder_of(randomizer: Randomizer) -> Decoder:
    """The row of a randomizer's kind."""
    return decoder_for(randomizer.kind)


KINDS: tuple[Kind, ...] = get_args(Kind)
"""Every kind; each has a module of its name here."""
