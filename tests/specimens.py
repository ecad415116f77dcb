"""What the laws are tried on: every mechanism, designed by survey files and in small integers.

A mechanism that joins the table must be given its designs here; `test_laws.py` fails until it has some.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ldp import parse_survey
from ldp.mechanisms.contract import Declared, Randomizer
from ldp.mechanisms.grr import SymbolResponse
from ldp.mechanisms.hadamard import HadamardResponse
from ldp.mechanisms.local_hashing import LocalHashing
from ldp.mechanisms.matrix import StochasticMatrix
from ldp.mechanisms.projective import ProjectiveResponse
from ldp.mechanisms.rappor import Rappor
from ldp.mechanisms.sketches import CountMean, HadamardCountMean
from ldp.mechanisms.subset import SubsetSelection
from ldp.mechanisms.unary import BitVector
from ldp_aggregator.bloom_decoding import bloom_moments
from ldp_aggregator.moments import matrix_moments, pure_moments
from ldp_aggregator.sketch_moments import sketch_moments

TEXTS = (b"alpha", b"beta", b"gamma", b"delta")


class Specimen(NamedTuple):
    """A randomizer with the decoder that belongs to it, and how it may be explored."""

    name: str
    randomizer: Randomizer
    declared: Declared | None = None
    tape: tuple[int, ...] = ()
    """Random bits per byte in each call of `randomize`, where it can be run over every tape."""
    decode: Callable[..., Any] = pure_moments

    @property
    def values(self) -> tuple[int, ...] | tuple[bytes, ...]:
        """Every value of a closed domain, some of an open one."""
        return TEXTS if self.randomizer.kind == "bloom" else tuple(range(len(self.randomizer.channel().rows)))


DECODERS = {"pure": pure_moments, "sketch": sketch_moments, "matrix": matrix_moments, "bloom": bloom_moments}

_EPSILONS = ('epsilon = "0.1"', "epsilon = 1", 'epsilon = "7/3"', 'epsilon = "8.75"')
_CODES = 'type = "category"\nvalues = ["a", "b", "c", "d"]\n'

DESIGNS = {
    "warner": tuple(f'type = "boolean"\n{keys}' for keys in (*_EPSILONS, 'truth = "0.7"', 'truth = "1/4"')),
    "forced": tuple(
        f'type = "boolean"\nforced_true = "{yes}"\nforced_false = "{no}"'
        for yes, no in (("1/4", "1/4"), ("1/6", "1/6"), ("0.3", "0.05"), ("1/97", "0.6"))
    ),
    "unrelated": tuple(
        f'type = "boolean"\ntruth = "{truth}"\nprevalence = "{prevalence}"'
        for truth, prevalence in (("0.7", "0.25"), ("1/2", "1/2"), ("0.9", "0.98"))
    ),
    "matrix": (
        'type = "boolean"\nmatrix = [["3/4", "1/4"], ["1/8", "7/8"]]',
        'type = "category"\nvalues = ["a", "b", "c"]\n'
        'matrix = [["0.6", "0.3", "0.1"], ["0.25", "0.5", "0.25"], ["1/8", "1/8", "3/4"]]',
    ),
    "grr": tuple(f'type = "category"\nvalues = ["a", "b", "c", "d", "e"]\n{keys}' for keys in _EPSILONS),
    "ss": (*(_CODES + keys for keys in _EPSILONS), 'type = "boolean"\nepsilon = 2'),
    "hr": (*(_CODES + keys for keys in _EPSILONS), 'type = "boolean"\nepsilon = 2'),
    "pgr": (*(_CODES + f'epsilon = "{epsilon}"' for epsilon in ("0.1", "1", "7/3")), 'type = "boolean"\nepsilon = 2'),
    "sue": (*(_CODES + keys for keys in _EPSILONS), 'type = "boolean"\nepsilon = 2'),
    "oue": (*(_CODES + keys for keys in _EPSILONS), 'type = "boolean"\nepsilon = 2'),
    "olh": tuple(f'type = "category"\nvalues = ["a", "b", "c"]\n{keys}' for keys in _EPSILONS),
    "blh": (*(_CODES + keys for keys in _EPSILONS), 'type = "boolean"\nepsilon = 2'),
    "cms": tuple(f"{_CODES}{keys}\nwidth = 4\nhashes = 2" for keys in _EPSILONS),
    "hcms": tuple(f"{_CODES}{keys}\nwidth = 8\nhashes = 3\nhash_seed = 7" for keys in _EPSILONS),
    "rappor": (
        *(
            f'{_CODES}p = "{p}"\nq = "{q}"\nf = "{f}"'
            for p, q, f in ((".5", ".75", ".5"), ("0.8", "0.1", "0.3"), ("0", "1", "1/3"), (".25", ".75", "0"))
        ),
        *(
            f'type = "text"\nbloom_bits = {bits}\nhashes = {hashes}\ncohorts = 3\np = "{p}"\nq = "{q}"\nf = "{f}"'
            for bits, hashes, p, q, f in ((4, 2, ".25", ".75", ".3"), (5, 1, ".5", ".75", ".5"), (4, 2, ".9", ".2", 0))
        ),
    ),
}
"""For each mechanism, the questions (as survey text, without name and mechanism) that it is tried on."""


def question(mechanism, keys):
    """The question that survey text describes."""
    return parse_survey(f'[survey]\nname = "s"\n[[question]]\nname = "x"\nmechanism = "{mechanism}"\n{keys}\n')["x"]


def automatic(size, epsilon):
    """The name of the mechanism that `auto` chooses."""
    return question(
        "auto", f'type = "category"\nvalues = {[str(value) for value in range(size)]}\nepsilon = "{epsilon}"'
    ).mechanism


def designed(mechanism, number):
    """One design of a mechanism, as a specimen."""
    made = question(mechanism, DESIGNS[mechanism][number])
    return Specimen(f"{mechanism}-{number}", made.randomizer, made.declared, decode=DECODERS[made.randomizer.kind])


def with_few_hashes(specimen):
    """The specimen with a hash family so small that its channel can be written out, all else being as it was."""
    randomizer = specimen.randomizer
    if not randomizer.layout.modulus:
        return specimen
    modulus = next(prime for prime in (3, 5, 7, 11, 13) if prime >= randomizer.size)
    buckets = min(randomizer.buckets, modulus)
    return specimen._replace(randomizer=randomizer._replace(modulus=modulus, buckets=buckets))


DESIGNED = tuple(designed(name, number) for name, designs in DESIGNS.items() for number in range(len(designs)))

_SKEWED = ((5, 3, 2), (1, 7, 2), (2, 2, 6))

SMALL = (
    Specimen("symbols-3", SymbolResponse(3, 5, 2), tape=(8,)),
    Specimen("symbols-2", SymbolResponse(2, 3, 1), tape=(8,)),
    Specimen("symbols-7", SymbolResponse(7, 20, 3), tape=(8,)),
    Specimen("symbols-255-weights", SymbolResponse(6, 250, 1), tape=(8,)),
    Specimen("symbols-16-bit-draw", SymbolResponse(4, 331, 7), tape=(8,)),
    Specimen("hash-2", LocalHashing(2, 2, 3, 1, 3), tape=(1, 8, 2)),
    Specimen("hash-4", LocalHashing(4, 3, 4, 2, 5), tape=(2, 8, 3)),
    Specimen("hash-5", LocalHashing(5, 2, 5, 3, 5), tape=(2, 8, 3)),
    Specimen("subset-4", SubsetSelection(4, 2, 3, 1), tape=(3, 2)),
    Specimen("subset-2", SubsetSelection(2, 1, 3, 1), tape=(2, 1)),
    Specimen("hadamard-3", HadamardResponse(3, 4, 5, 2), tape=(8, 2)),
    Specimen("hadamard-5", HadamardResponse(5, 8, 3, 1), tape=(8, 3)),
    Specimen("plane-of-order-2", ProjectiveResponse(5, 2, 3, 5, 2), tape=(8,)),
    Specimen("plane-of-order-3", ProjectiveResponse(13, 3, 3, 2, 1), tape=(8,)),
    Specimen("plane-of-order-4", ProjectiveResponse(8, 4, 3, 3, 2), tape=(8,)),
    Specimen("space-of-order-2", ProjectiveResponse(12, 2, 4, 3, 1), tape=(8,)),
    Specimen("sketch-2", CountMean(3, 2, 2, 5, 2, 4, 3), tape=(1, 2), decode=sketch_moments),
    Specimen("sketch-3", CountMean(4, 1, 3, 6, 1, 0, 3), tape=(3,), decode=sketch_moments),
    Specimen("hadamard-sketch-2", HadamardCountMean(3, 2, 2, 3, 1, 4), tape=(1, 1, 2), decode=sketch_moments),
    Specimen("hadamard-sketch-4", HadamardCountMean(5, 4, 4, 5, 3), tape=(2, 2, 3), decode=sketch_moments),
    Specimen("matrix-3", StochasticMatrix(_SKEWED), tape=(8,), decode=matrix_moments),
    Specimen("matrix-2", StochasticMatrix(((11, 5), (2, 14))), tape=(8,), decode=matrix_moments),
    Specimen("bits-2-word-2", BitVector(2, 2, 1, 2), tape=(2,)),
    Specimen("bits-3-word-3", BitVector(3, 5, 1, 3), tape=(3,)),
    Specimen("bits-3-word-4", BitVector(3, 8, 3, 4), tape=(3,)),
    Specimen("bits-2-word-5", BitVector(2, 30, 9, 5), tape=(2,)),
    Specimen("bits-2-reserve", BitVector(2, 37, 11, 6), tape=(2,)),
    Specimen("bits-3-reserve", BitVector(3, 32, 13, 6), tape=(3,)),
    Specimen("rappor-2-word-2", Rappor(2, 0, 1, 1, 3, 1, 2), tape=(2, 2)),
    Specimen("rappor-2-word-3", Rappor(2, 0, 1, 1, 7, 2, 3), tape=(2, 2)),
    Specimen("rappor-3-word-2", Rappor(3, 0, 1, 1, 1, 3, 2), tape=(3, 3)),
    Specimen("rappor-2-no-permanent", Rappor(2, 0, 1, 0, 25, 40, 6), tape=(2,)),
    Specimen("bloom-2", Rappor(2, 1, 2, 1, 6, 1, 3), tape=(1, 2, 2), decode=bloom_moments),
    Specimen("bloom-3", Rappor(3, 1, 4, 1, 3, 2, 2), tape=(2, 3, 3), decode=bloom_moments),
    Specimen("bloom-4-two-hashes", Rappor(4, 2, 2, 0, 3, 1, 2), tape=(1, 4), decode=bloom_moments),
)
"""Small integers, so that every tape can be run."""
