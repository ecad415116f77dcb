"""The table of mechanisms, most of them frequency oracles.

One module for each algorithm; each module opens with its rules, formula and source, and
ends with its row (or rows) of this table. What a mechanism must provide is written in
`contract`; `auto` chooses one, and `blankets` has what reports have in common. The
families are folders:

values   one value of a few or of many: k-ary response, subsets, hashing, unary encoding
matrices one value, by chances that are written out: coins, any matrix, the exponential
mechanism
chains   answers that a device keeps: permanent and instantaneous responses, RAPPOR
numbers  means, distributions and shapes of numbers
places   points of a map
sets     several answers at once: sets, keys with numbers, fields of a table
texts    texts of an open vocabulary, and values in a tree
vectors  means of vectors

Imports: `answers`, `numbers`.

A row's module is imported when the row is first asked for: a device needs those of its
survey, not all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from ldp.mechanisms.contract import Declared, Mechanism, Memoized, Pure, Randomizer

_PLACES = {
    "warner": ("matrices.warner", "MECHANISM"),
    "forced": ("matrices.forced", "MECHANISM"),
    "unrelated": ("matrices.unrelated", "MECHANISM"),
    "matrix": ("matrices.matrix", "MECHANISM"),
    "exponential": ("matrices.exponential", "MECHANISM"),
    "geometric": ("numbers.additive", "GEOMETRIC"),
    "laplace": ("numbers.additive", "LAPLACE"),
    "one-bit": ("numbers.one_bit", "MECHANISM"),
    "dithered": ("numbers.dithered", "MECHANISM"),
    "arcs": ("numbers.arcs", "MECHANISM"),
    "square-wave": ("numbers.square_wave", "MECHANISM"),
    "codebook": ("vectors.codebook", "MECHANISM"),
    "grr": ("values.grr", "MECHANISM"),
    "ss": ("values.subset", "MECHANISM"),
    "pgr": ("values.projective", "MECHANISM"),
    "sue": ("values.unary", "SYMMETRIC"),
    "oue": ("values.unary", "OPTIMIZED"),
    "the": ("values.unary", "THRESHOLDED"),
    "she": ("values.histogram", "MECHANISM"),
    "hr": ("values.hadamard", "MECHANISM"),
    "olh": ("values.local_hashing", "OPTIMIZED"),
    "blh": ("values.local_hashing", "BINARY"),
    "cms": ("values.sketches", "MECHANISM"),
    "hcms": ("values.sketches", "HADAMARD"),
    "rappor": ("chains.rappor", "MECHANISM"),
    "l-grr": ("chains.longitudinal", "SYMBOLS"),
    "l-sue": ("chains.longitudinal", "SYMMETRIC"),
    "l-osue": ("chains.longitudinal", "OPTIMIZED"),
    "loloha": ("chains.longitudinal", "HASHED"),
    "dbitflip": ("chains.bit_flip", "MECHANISM"),
    "taxonomy": ("texts.taxonomy", "MECHANISM"),
    "tree": ("numbers.tree", "MECHANISM"),
    "pyramid": ("places.pyramid", "MECHANISM"),
    "stripes": ("places.stripes", "MECHANISM"),
    "subsets": ("sets.subsets", "MECHANISM"),
    "metric": ("places.metric", "MECHANISM"),
    "heavy-hitters": ("texts.heavy_hitters", "MECHANISM"),
    "set-unary": ("sets.set_unary", "MECHANISM"),
    "pad-grr": ("sets.pad_and_sample", "SYMBOLS"),
    "pad-ss": ("sets.pad_and_sample", "SUBSETS"),
    "pad-pgr": ("sets.pad_and_sample", "POINTS"),
    "pad-hr": ("sets.pad_and_sample", "HALVES"),
}
"""Where the row of each mechanism is: its module, and its name there."""


def modules() -> list[str]:
    """Return the names of the modules that have rows; programs that freeze apps do not
    see them.
    """
    return sorted({f"{__name__}.{module}" for module, _ in _PLACES.values()})


class _Table(Mapping[str, Mechanism]):
    def __getitem__(self, name: str) -> Mechanism:
        module, row = _PLACES[name]
        mechanism: Mechanism = getattr(import_module(f"{__name__}.{module}"), row)
        return mechanism

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


MECHANISMS: Mapping[str, Mechanism] = _Table()
"""Every mechanism, by the name that a survey file uses."""

_ANALYSED = (
    "one of the mechanisms, which keep a finite epsilon; answers that this design has "
    "given already are analysed by `ldp estimate --design`"
)
OF_LITERATURE: Mapping[str, str] = {
    "crosswise": '"warner", with truth = the share of yes to the innocuous statement',
    **dict.fromkeys(
        ("random-response", "randomized-response"), '"grr", or "warner" with truth'
    ),
    "two-stage": '"matrix", with the chances of the design as its rows',
    **dict.fromkeys(
        ("triangular", "mangat", "one-coin", "kuk", "christofides"), _ANALYSED
    ),
    **dict.fromkeys(
        ("direct", "cheater", "lie-detector", "list", "item-count"), _ANALYSED
    ),
}
"""Designs of surveys by names that are none of mechanisms, and what to write for them.
"""

AUTOMATIC = (
    "grr",
    "ss",
    "pgr",
    "hr",
    "set-unary",
    "pad-grr",
    "pad-ss",
    "pad-pgr",
    "pad-hr",
)
"""What `mechanism = "auto"` chooses from: no other beats these in error, size and time.
"""

GOALS = {
    "frequencies": AUTOMATIC,
    "mean": ("dithered",),
    "distribution": ("arcs", "tree"),
    "shape": ("square-wave",),
    "map": AUTOMATIC,
    "rectangles": ("pyramid",),
}
"""What `auto` chooses from, by what the survey says it wants to know.

Frequencies are compared by their error; of what is for anything else the first that can
serve.
"""

OF_TREES = ("taxonomy",)
"""What `auto` chooses from where values have parents."""

OF_VECTORS = ("codebook",)
"""What `auto` chooses from where an answer is a vector."""
OF_SUBSETS = ("subsets",)
"""What `auto` chooses from where a report tells some of many fields."""

__all__ = [
    "AUTOMATIC",
    "GOALS",
    "MECHANISMS",
    "OF_LITERATURE",
    "OF_SUBSETS",
    "OF_TREES",
    "OF_VECTORS",
    "Declared",
    "Mechanism",
    "Memoized",
    "Pure",
    "Randomizer",
    "modules",
]
