"""Heavy hitters: frequent texts of an open vocabulary, found without a list of
candidates.

A respondent is in one of s + h cohorts, drawn afresh without regard to the text, and
answers with the whole epsilon for one hashed prefix of the text:

    cell_j(text) = XXH64(first l_j bytes of the text, seed 2^16 hash_seed + j) mod m

l_1 < ... < l_s are the `lengths` of the stages; the last, longest + 1, takes in the
whole of every text that can be found, and so do the h cohorts that are held out. A
prefix has a length of its own: "ab" and the first two bytes of "abc" are hashed alike
where l_j = 2, and differ where l_j = 3. The cell goes through projective-geometry
response, with all of its m points for cells.

The aggregator finds prefixes stage by stage (`ldp_aggregator.decoders.search`), and
estimates what it found from the cohorts held out, which took no part in the search.
Longer texts are reported like any other, and never found.

The fewer the stages, the more respondents each has; but a false prefix that meets a
frequent one in its cell goes on to the next stage. So a prefix grows by as many bytes
as have a seventh as many continuations as there are cells at most; in the first stage,
whose continuations are those of one prefix, by as many as have 16 times the cells.

Source: Wang, Li and Jha 2018 (prefix extension, each respondent in one stage).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from xxhash import xxh64_intdigest

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Numbers, integers
from ldp.mechanisms.values.projective import (
    ProjectiveResponse,
    candidates,
    geometry,
    least_error,
)
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import Layout
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

LONGEST = 32
MOST_LONGEST = 64
CELLS = 1 << 18
MOST_CELLS = 1 << 20
UNICODE = 146
"""Bytes that a text may go on with: 95 printable of ASCII, and 51 that begin longer
characters.
"""

_FIRST_CONTINUATIONS_A_CELL = 16
_CELLS_A_CONTINUATION = 7
_STAGES_A_HELD_OUT = 4


class HeavyHitters(NamedTuple):
    """A response to hashed prefixes of texts.

    That to a cell, what is hashed into cells in each stage, and how many cohorts are
    held out.
    """

    oracle: ProjectiveResponse
    lengths: tuple[int, ...]
    held_out: int
    hash_seed: int = 0
    alphabet: str = ""
    """The characters of the texts to be found, any if empty.

    It is nothing that a report depends on.
    """

    @property
    def kind(self) -> Kind:
        """Decoded by a search, then by counting in the cohorts held out."""
        return "search"

    @property
    def stages(self) -> int:
        """The cohorts that texts are found by; the others are held out."""
        return len(self.lengths)

    @property
    def cohorts(self) -> int:
        """All of them."""
        return self.stages + self.held_out

    @property
    def layout(self) -> Layout:
        """A cohort and a symbol: the index of a point."""
        return self.oracle.layout._replace(cohorts=self.cohorts)

    @property
    def ratio(self) -> Fraction:
        """Ratio of two cells: the cohort tells nothing."""
        return self.oracle.ratio

    @property
    def branching(self) -> int:
        """How many bytes a text may go on with."""
        return len(self.alphabet) or UNICODE

    def integers(self) -> Numbers:
        """Integers of the response, with cells for values, and what cells are made
        from.
        """
        of_cells = {
            "cells" if name == "size" else name: number
            for name, number in integers(self.oracle).items()
        }
        return {
            **of_cells,
            "lengths": (self.lengths,),
            "held_out": self.held_out,
            "hash_seed": self.hash_seed,
        }

    def cell(self, text: bytes, cohort: int) -> int:
        """Where a cohort's hash function takes a text, or a prefix of the stage's
        length.
        """
        length = self.lengths[min(cohort, self.stages - 1)]
        return (
            xxh64_intdigest(text[:length], self.hash_seed << 16 | cohort)
            % self.oracle.size
        )

    def blanket(self) -> Blanket:
        """Return the blanket as if no two texts shared a cell."""
        from ldp.mechanisms.blankets import blanket_of

        return blanket_of(self.oracle)

    def randomize(self, value: Value, random: Random) -> int:
        """A fresh cohort, and the response to its cell."""
        assert isinstance(value, bytes)  # noqa: S101 (an open domain's values are)
        cohort = randbelow(self.cohorts, random)
        return self.layout.report(
            self.oracle.randomize(self.cell(value, cohort), random), cohort
        )

    def channel(self) -> Channel:
        """One row for each cell, of a text that all cohorts take to it.

        One column for each cohort and point.
        """
        rows = self.oracle.channel().rows
        return Channel(
            tuple(
                tuple(mass / self.cohorts for mass in row) * self.cohorts
                for row in rows
            )
        )

    def small(self) -> None:
        """None: no tape of it is run."""


def stage_lengths(longest: int, branching: int, cells: int) -> tuple[int, ...]:
    """The prefix lengths of a survey that does not say."""
    lengths = [
        min(longest, _most_bytes(branching, _FIRST_CONTINUATIONS_A_CELL * cells))
    ]
    step = _most_bytes(branching, cells // _CELLS_A_CONTINUATION)
    while lengths[-1] < longest:
        lengths.append(min(longest, lengths[-1] + step))
    return (*lengths, longest + 1)


def _most_bytes(branching: int, most: int) -> int:
    """How many bytes have at most n continuations; one at least."""
    size = 1
    while branching ** (size + 1) <= most:
        size += 1
    return size


@lru_cache(maxsize=64)
def response_to_cells(truth: int, other: int, cells: int) -> ProjectiveResponse:
    """The response with the least error to n cells or more, if it is not too large.

    Its cells are all points of a space.

    Where the order that a large epsilon asks for leads to a large space, there are
    fewer cells.
    """
    while True:
        spaces = candidates(cells, truth, other)
        # Errors take longer to compare than points, and are of no use where all spaces
        # are too large.
        if any(
            geometry(space.order, space.dimension).points <= MOST_CELLS
            for space in spaces
        ):
            space = least_error(spaces)
            points = space.layout.symbols
            if points <= MOST_CELLS:
                return space._replace(size=points)
        cells //= 2


def design(keys: Keys, domain: Domain) -> tuple[HeavyHitters, Declared]:  # noqa: ARG001
    """`epsilon`.

    `longest`, `alphabet`, `cells`, `held_out` and `hash_seed` if they are not to be the
    usual ones.
    """
    epsilon = keys.epsilon()
    longest = keys.integer("longest", 1, MOST_LONGEST, default=LONGEST)
    oracle = response_to_cells(
        *odds(epsilon), keys.integer("cells", 2, CELLS, default=CELLS)
    )
    alphabet = _alphabet(keys)
    lengths = stage_lengths(longest, len(alphabet) or UNICODE, oracle.size)
    held_out = keys.integer(
        "held_out", 1, 256, default=max(1, len(lengths) // _STAGES_A_HELD_OUT)
    )
    hash_seed = keys.integer("hash_seed", 0, (1 << 32) - 1, default=0)
    return HeavyHitters(
        oracle, lengths, held_out, hash_seed=hash_seed, alphabet=alphabet
    ), Declared.epsilon(epsilon)


def _alphabet(keys: Keys) -> str:
    alphabet = keys.text("alphabet", "")
    if (
        alphabet.isascii()
        and alphabet.isprintable()
        and len(set(alphabet)) == len(alphabet) != 1
    ):
        return alphabet
    keys.problem(
        "alphabet",
        (
            "2 or more characters of ASCII that all differ, none of them a control "
            "character"
        ),
        alphabet,
    )
    return ""


def _accepts(domain: Domain) -> str | None:
    if domain.is_open:
        return None
    return "a question of type text"


_KEYS = ("epsilon", "longest", "alphabet", "cells", "held_out", "hash_seed")
MECHANISM = Mechanism(
    "heavy-hitters",
    "frequent texts by prefix extension",
    _KEYS,
    accepts=_accepts,
    design=design,
)
