"""Tallies of the same devices at several times, whose permanent responses are drawn
once.

A tally of bits counts each bit by itself, and one of symbols each symbol, so that who
holds which response does not matter: of the devices that stay, permanent responses are
counted once, and each epoch passes these counts through its own instantaneous noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp.survey.survey import Question
from ldp_aggregator.numerics.arrays import Counts
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import form_of


def permanent_counts(
    question: Question, holders: Counts, generator: Generator
) -> Counts:
    """How many devices keep each symbol, or have each bit set, of shape (values,)."""
    randomizer: Any = question.randomizer
    if not question.layout.bits:
        kept = form_of(randomizer.lasting).sample(
            randomizer.lasting,
            Holders(question.domain.values or (), holders),
            generator,
        )
        return np.asarray(kept[0])
    (own, other), _ = randomizer.steps
    return _bits(
        holders, int(holders.sum()), float(own), other=float(other), generator=generator
    )


def reported(
    question: Question, groups: Sequence[tuple[Counts, int]], generator: Generator
) -> Counts:
    """The tally of one report from each device of several groups.

    Each has its permanent counts, and how many devices these are of.
    """
    randomizer: Any = question.randomizer
    devices = sum(many for _, many in groups)
    if not question.layout.bits:
        kept = sum(counts for counts, _ in groups)
        fresh = form_of(randomizer.fresh)
        holders = Holders(question.domain.values or (), np.asarray(kept))
        return fresh.sample(randomizer.fresh, holders, generator)
    _, (own, other) = randomizer.steps
    ones = np.asarray(sum(counts for counts, _ in groups))
    bits = _bits(ones, devices, float(own), other=float(other), generator=generator)
    return np.concatenate([[devices], bits])[None, :].astype(np.int64)


def _bits(
    ones: Counts, many: int, own: float, other: float, generator: Generator
) -> Counts:
    """Bits after a binary channel, by place."""
    return np.asarray(
        generator.binomial(ones, own) + generator.binomial(many - ones, other)
    )
