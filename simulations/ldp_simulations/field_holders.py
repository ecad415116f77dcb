"""Holders of values of many fields: the true state of a question that tells some of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.random import Generator

from ldp.answers.domain import Domain, Field, Fields, Value
from ldp.answers.fields import AND, values_in
from ldp.mechanisms.sets.subsets import SubsetsResponse
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers
from ldp_simulations.holders import MOST_SETS, Holders, apportion

_AT_ONCE = 1 << 22
"""Pairs of holders and subsets that are looked at together."""


@dataclass(frozen=True)
class FieldHolders(Holders):
    """`counts[i]` respondents hold the values `held[i]` of the fields, written as
    `values[i]`.
    """

    held: Integers
    """Of shape (holders, fields)."""
    fields: Fields

    @classmethod
    def of(cls, domain: Domain, holders: Mapping[Value, int]) -> Self:
        """The number of holders of each cell of the table of all fields."""
        sizes = [field.size for field in domain.fields]
        held = np.array(
            [values_in(sizes, int(value)) for value in holders], dtype=np.int64
        )
        return cls.holding(
            domain, held.reshape(-1, len(sizes)), np.array([*holders.values()])
        )

    @classmethod
    def holding(cls, domain: Domain, held: Integers, counts: Counts) -> Self:
        """Make holders from values, (holders, fields)."""
        texts = [field.domain.values or () for field in domain.fields]
        values = tuple(
            AND.join(of[value] for of, value in zip(texts, row, strict=True))
            for row in held.tolist()
        )
        return cls(values, counts.astype(np.int64), held, domain.fields)

    def table(self, *places: int) -> Floats:
        """The true shares of the table of some fields, an axis for each."""
        shares = np.zeros([self.fields[place].size for place in places])
        np.add.at(shares, tuple(self.held[:, place] for place in places), self.counts)
        return shares / max(1, self.respondents)

    def frequencies(self, values: Sequence[str]) -> list[float]:
        """The shares of the respondents who hold each value of a field, by `field:
        value`.
        """
        known = {
            f"{field.name}: {value}": share
            for place, field in enumerate(self.fields)
            for value, share in zip(
                field.domain.values or (), self.table(place).tolist(), strict=True
            )
        }
        return [known.get(value, 0.0) for value in values]

    def pretending(self, targets: Sequence[int], forged: int) -> FieldHolders:
        """Forgers who hold a value each, in equal numbers, and else what the first
        holder does.

        Targets are places among the values of all fields.
        """
        of = [
            (place, value)
            for place, field in enumerate(self.fields)
            for value in range(field.size)
        ]
        held = np.repeat(self.held[:1], len(targets), axis=0)
        for row, target in enumerate(targets):
            place, value = of[target]
            held[row, place] = value
        counts = apportion(forged, np.ones(len(targets)))
        return FieldHolders(("",) * len(targets), counts, held, self.fields)


def synthetic_fields(
    domain: Domain, respondents: int, weights_of: Callable[[Field], Floats]
) -> FieldHolders:
    """The respondents are shared out evenly among up to `MOST_SETS` answers; the same
    each time.

    Each field of an answer is drawn by itself.
    """
    generator = np.random.default_rng(0)
    different = min(respondents, MOST_SETS)
    weights = [weights_of(field) for field in domain.fields]
    held = np.stack(
        [generator.choice(len(own), different, p=own / own.sum()) for own in weights],
        axis=1,
    )
    return FieldHolders.holding(
        domain, held, apportion(respondents, np.ones(different))
    )


def held_by(randomizer: SubsetsResponse, holders: Holders) -> Integers:
    """The values of the fields that each of the holders has, (holders, fields).

    Holders who are not told by fields hold the cells of the table of all, in their
    order.
    """
    if isinstance(holders, FieldHolders):
        return holders.held
    cells = np.arange(len(holders.counts))
    return np.stack(np.unravel_index(cells, randomizer.sizes), axis=1)


def cells_told(
    randomizer: SubsetsResponse, held: Integers, numbers: Integers
) -> tuple[Integers, Integers]:
    """The cells of values, (..., fields), in the subsets with these numbers, (...,).

    And how many cells each subset has.
    """
    fields = fields_by_number(randomizer)[numbers]
    sizes = np.array(randomizer.sizes)[fields]
    values = np.take_along_axis(held, fields, axis=-1)
    cells = np.zeros(numbers.shape, dtype=np.int64)
    for place in range(randomizer.together):
        cells = cells * sizes[..., place] + values[..., place]
    return cells, sizes.prod(axis=-1)


def fields_by_number(randomizer: SubsetsResponse) -> Integers:
    """The fields of every subset, (subsets, together)."""
    return np.array(
        [randomizer.fields_of(number) for number in range(randomizer.subsets)]
    )


def dealt_out(
    randomizer: SubsetsResponse, holders: Holders, generator: Generator
) -> Counts:
    """How many hold each cell of a subset, of those who drew it: (subsets, most
    cells).
    """
    held = held_by(randomizer, holders)
    counts = holders.counts
    subsets = randomizer.subsets
    most = randomizer.spaces[-1][0]
    total = np.zeros(subsets * most)
    step = max(1, _AT_ONCE // subsets)
    if counts.sum() <= counts.size * subsets:
        # So few that each draws its own subset.
        rows = np.repeat(np.arange(len(counts)), counts)
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            numbers = generator.integers(subsets, size=len(some))
            cells, _ = cells_told(randomizer, held[some], numbers)
            total += np.bincount(numbers * most + cells, minlength=len(total))
        return total.reshape(subsets, most).astype(np.int64)
    numbers = np.arange(subsets)
    for start in range(0, len(counts), step):
        # (holders, subsets)
        drawn = generator.multinomial(
            counts[start : start + step], np.full(subsets, 1 / subsets)
        )
        some = np.repeat(held[start : start + step, None], subsets, axis=1)
        cells, _ = cells_told(randomizer, some, np.broadcast_to(numbers, drawn.shape))
        places = (numbers * most + cells).ravel()
        total += np.bincount(places, drawn.ravel(), len(total))
    return total.reshape(subsets, most).astype(np.int64)
