"""What the laws are tried on: every mechanism, designed by survey files and in small
integers.

A mechanism of other questions than categories, or of other keys than an epsilon, has a
row in `DESIGNS`: until then, no law can be tried on it. Vectors and other tests take
theirs from here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from written_out import values_of

from ldp import parse_survey
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.chains.bit_flip import BitFlip
from ldp.mechanisms.chains.longitudinal import Chain
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.contract import Declared, Randomizer
from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp.mechanisms.numbers.additive import AdditiveNoise
from ldp.mechanisms.numbers.arcs import Arcs
from ldp.mechanisms.numbers.dithered import DitheredResponse
from ldp.mechanisms.numbers.one_bit import OneBitMean
from ldp.mechanisms.numbers.square_wave import SquareWave
from ldp.mechanisms.numbers.tree import TreeResponse
from ldp.mechanisms.places.pyramid import PyramidResponse
from ldp.mechanisms.places.stripes import Stripes
from ldp.mechanisms.sets.pad_and_sample import PadAndSample, SignedItems
from ldp.mechanisms.sets.set_unary import SetEncoding
from ldp.mechanisms.sets.subsets import SubsetsResponse
from ldp.mechanisms.texts.heavy_hitters import HeavyHitters
from ldp.mechanisms.texts.taxonomy import TaxonomyResponse
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp.mechanisms.values.histogram import NoisyHistogram
from ldp.mechanisms.values.local_hashing import LocalHashing
from ldp.mechanisms.values.projective import ProjectiveResponse
from ldp.mechanisms.values.sketches import CountMean, HadamardCountMean
from ldp.mechanisms.values.subset import SubsetSelection
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp.mechanisms.vectors.codebook import CodebookResponse
from ldp_aggregator.answers.results.means import parts_of
from ldp_aggregator.decoders.arcs.arcs import arc_moments
from ldp_aggregator.decoders.bloom.decoding import bloom_moments
from ldp_aggregator.decoders.key_values.signed import signed_moments
from ldp_aggregator.decoders.marginals.marginals import marginal_moments
from ldp_aggregator.decoders.numbers.noise import noise_moments
from ldp_aggregator.decoders.search.found import found_moments
from ldp_aggregator.decoders.stripes.stripes import stripe_moments
from ldp_aggregator.decoders.taxonomies.views import view_moments
from ldp_aggregator.decoders.trees.pyramid import pyramid_moments
from ldp_aggregator.decoders.trees.tree import tree_moments
from ldp_aggregator.decoders.values.blocks import block_moments
from ldp_aggregator.decoders.values.matrix import matrix_moments
from ldp_aggregator.decoders.values.pure import pure_moments
from ldp_aggregator.decoders.values.sampled import window_moments
from ldp_aggregator.decoders.values.sketch import sketch_moments
from ldp_aggregator.decoders.values.sum import sum_moments

TEXTS = (b"alpha", b"beta", b"gamma", b"delta")


class Specimen(NamedTuple):
    """A randomizer with the decoder that belongs to it, and how it may be explored."""

    name: str
    randomizer: Randomizer
    declared: Declared | None = None
    tape: tuple[int, ...] = ()
    """Random bits per byte in each call of `randomize`, where it can be run over every
    tape.
    """
    decode: Callable[..., Any] = pure_moments
    average: Callable[..., Any] = parts_of
    spends_all: bool = True
    """Whether hardly any of the declared epsilon is left undelivered."""

    @property
    def values(self) -> tuple[int, ...] | tuple[bytes, ...]:
        """Every value (or set of them) of a closed domain, some of an open one."""
        if self.randomizer.kind in ("bloom", "search"):
            return TEXTS
        return values_of(self.randomizer)


DECODERS = {
    "pure": pure_moments,
    "blocks": block_moments,
    "matrix": matrix_moments,
    "sketch": sketch_moments,
    "sum": sum_moments,
    "noise": noise_moments,
    "sampled": window_moments,
    "bloom": bloom_moments,
    "search": found_moments,
    "mean": None,
    "dithered": None,
    "arcs": arc_moments,
    "window": None,
    "signed": signed_moments,
    "views": view_moments,
    "tree": tree_moments,
    "codebook": None,
    "pyramid": pyramid_moments,
    "stripes": stripe_moments,
    "marginals": marginal_moments,
}

MEANS = tuple(kind for kind, decode in DECODERS.items() if decode is None)
"""Kinds of which a mean is estimated, and no frequencies."""

_TWO_EPSILONS = tuple(
    f'epsilon_first = "{first}"\nepsilon_lifetime = "{lifetime}"'
    for first, lifetime in (("0.1", "0.3"), ("1", "2"), ("7/3", "2.5"), ("3", "8.75"))
)
_EPSILONS = ('epsilon = "0.1"', 'epsilon = "1"', 'epsilon = "7/3"', 'epsilon = "8.75"')
_SETS = 'type = "multi"\nvalues = ["a", "b", "c", "d"]\nmost = 2\n'
_WHOLE_SETS = 'type = "multi"\nvalues = ["a", "b", "c"]\nmost = 3\n'
_PAIRS = 'type = "key-value"\nkeys = ["a", "b"]\nlow = 0\nhigh = 5\nmost = {}\n'
_STEPS = 'type = "integer"\nlow = -1\nhigh = 1\n'
_CODES = 'type = "category"\nvalues = ["a", "b", "c", "d"]\n'
_VECTORS = 'type = "vector"\ndimensions = 2\nradius = 1\noutside = "clip"\n'
_PLACES = 'type = "place"\nx = { low = 0, high = 1 }\ny = { low = -1, high = 1 }\n'
_FIELDS = (
    'type = "table"\ncollect = "subsets"\nfield = [{ name = "a", type = "boolean" }, '
    '{ name = "b", values = ["x", "y", "z"], type = "category" }, '
    '{ name = "c", type = "integer", low = 0, high = 1 }]\n'
)
_TREE = 'type = "category"\nparents = { a = "A", b = "A", c = "C", d = "C", e = "C" }\n'

_OF_VALUES = (*(_CODES + keys for keys in _EPSILONS), 'type = "boolean"\nepsilon = 2')

DESIGNS = dict.fromkeys(MECHANISMS, _OF_VALUES) | {
    "warner": tuple(
        f'type = "boolean"\n{keys}'
        for keys in (*_EPSILONS, 'truth = "0.7"', 'truth = "1/4"')
    ),
    "forced": tuple(
        f'type = "boolean"\nforced_true = "{yes}"\nforced_false = "{no}"'
        for yes, no in (
            ("1/4", "1/4"),
            ("1/6", "1/6"),
            ("0.3", "0.05"),
            ("1/97", "0.6"),
        )
    ),
    "unrelated": tuple(
        f'type = "boolean"\ntruth = "{truth}"\nprevalence = "{prevalence}"'
        for truth, prevalence in (("0.7", "0.25"), ("1/2", "1/2"), ("0.9", "0.98"))
    ),
    "matrix": (
        'type = "boolean"\nmatrix = [["3/4", "1/4"], ["1/8", "7/8"]]',
        'type = "category"\nvalues = ["a", "b", "c"]\n'
        'matrix = [["0.6", "0.3", "0.1"], ["0.25", "0.5", "0.25"], ["1/8", "1/8", '
        '"3/4"]]',
    ),
    "exponential": (
        'type = "category"\nvalues = ["a", "b", "c"]\nepsilon = 2\n'
        'quality = [[1, 0, 0], [0, 1, 0.2], [0, "1/3", 1]]',
        (
            'type = "boolean"\nepsilon = "0.1"\nquality = [[3, 2, 0], [0, 2, '
            "3]]\nsensitivity = 4"
        ),
        (
            f"{_STEPS}epsilon = 6\nquality = [[0, -1, -4, -9], [-1, 0, -1, -4], [-4, "
            "-1, 0, -1]]"
        ),
    ),
    "geometric": tuple(_STEPS + keys for keys in _EPSILONS),
    "laplace": (
        *(f"{_STEPS}margin = 2\n{keys}" for keys in _EPSILONS),
        f"{_STEPS}epsilon = 4",
    ),
    "one-bit": tuple(_STEPS + keys for keys in _EPSILONS),
    "dithered": (
        *(_STEPS + keys for keys in _EPSILONS),
        f"{_STEPS}epsilon = 1\nlevels = 3",
        (
            'type = "number"\nlow = "-0.5"\nhigh = 2\nstep = "1/2"\noutside = '
            '"clip"\nepsilon = 2'
        ),
    ),
    "arcs": (
        *(_STEPS + keys for keys in _EPSILONS),
        f"{_STEPS}epsilon = 1\nmodulus = 7\nwidth = 3\nweights = [5, 0, 2]",
        'type = "number"\nedges = [0, 1, "2.5", 9]\nepsilon = 2',
        f"{_STEPS}epsilon = 2\ncircular = true",
        'type = "number"\nedges = [0, 6, 12, 24]\nepsilon = 1\ncircular = true',
    ),
    "square-wave": (
        *(_STEPS + keys for keys in _EPSILONS),
        f"{_STEPS}epsilon = 1\nwidth = 1",
        'type = "number"\nlow = 0\nhigh = 1\nbins = 4\nepsilon = 2',
    ),
    "codebook": (
        *(_VECTORS + keys for keys in _EPSILONS),
        f"{_VECTORS}epsilon = 1\nwords = 2",
        (
            'type = "vector"\ndimensions = 3\nradius = "2.5"\nwords = 10\nnear = '
            "5\nepsilon = 2"
        ),
    ),
    "grr": tuple(
        f'type = "category"\nvalues = ["a", "b", "c", "d", "e"]\n{keys}'
        for keys in _EPSILONS
    ),
    "pgr": (
        *(_CODES + f'epsilon = "{epsilon}"' for epsilon in ("0.1", "1", "7/3")),
        'type = "boolean"\nepsilon = 2',
    ),
    "olh": tuple(
        f'type = "category"\nvalues = ["a", "b", "c"]\n{keys}' for keys in _EPSILONS
    ),
    "cms": tuple(f"{_CODES}{keys}\nwidth = 4\nhashes = 2" for keys in _EPSILONS),
    "hcms": tuple(
        f"{_CODES}{keys}\nwidth = 8\nhashes = 3\nhash_seed = 7" for keys in _EPSILONS
    ),
    "set-unary": (
        *(_SETS + keys for keys in _EPSILONS),
        *(_WHOLE_SETS + keys for keys in _EPSILONS),
    ),
    "pad-grr": (
        *(_SETS + keys for keys in _EPSILONS),
        *(_WHOLE_SETS + keys for keys in _EPSILONS),
        *(_PAIRS.format(2) + keys for keys in _EPSILONS),
    ),
    "pad-ss": (
        *(_SETS + keys for keys in _EPSILONS),
        *(_PAIRS.format(2) + keys for keys in _EPSILONS),
    ),
    "pad-pgr": tuple(
        _SETS + f'epsilon = "{epsilon}"' for epsilon in ("0.1", "1", "7/3")
    ),
    "pad-hr": tuple(_SETS + keys for keys in _EPSILONS),
    "heavy-hitters": (
        *(f'type = "text"\ncells = 4\nlongest = 3\n{keys}' for keys in _EPSILONS[:3]),
        (
            'type = "text"\ncells = 2\nepsilon = 2\nalphabet = "ab"\nheld_out = '
            "2\nhash_seed = 7"
        ),
    ),
    "l-grr": tuple(_CODES + keys for keys in _TWO_EPSILONS),
    "l-sue": tuple(_CODES + keys for keys in _TWO_EPSILONS),
    "l-osue": (
        *(_CODES + keys for keys in _TWO_EPSILONS),
        f'type = "boolean"\n{_TWO_EPSILONS[1]}',
    ),
    "loloha": (
        *(_CODES + keys for keys in _TWO_EPSILONS),
        f"{_CODES}{_TWO_EPSILONS[1]}\nbuckets = 3",
    ),
    "dbitflip": (
        *(f"{_CODES}{keys}\nsampled = 2" for keys in _EPSILONS),
        *(f"{_CODES}epsilon = 2\nsampled = {sampled}" for sampled in (1, 3, 4)),
        'type = "integer"\nlow = 3\nhigh = 5\nepsilon = 1\nsampled = 2',
    ),
    "taxonomy": (
        *(_TREE + keys for keys in _EPSILONS),
        f'{_TREE}epsilon = 1\nshares = ["1/3"]',
        f"{_TREE}epsilon = 2\nshares = [0]",
        'type = "category"\nvalues = ["a", "b", "c", "d"]\n'
        'parents = { a = "A", b = "B", A = "C", B = "C", c = "D" }\nepsilon = 1\n'
        'shares = ["0.1", "0.3"]',
    ),
    "tree": (
        *(_STEPS + keys for keys in _EPSILONS),
        f"{_STEPS}epsilon = 1\nweights = [5, 2]",
        'type = "number"\nedges = [0, 1, "2.5", 9, 10, 11]\nepsilon = 2',
    ),
    "pyramid": (
        *(f"{_PLACES}cells = 2\n{keys}" for keys in _EPSILONS),
        f"{_PLACES}cells = 2\nepsilon = 1\nweights = [5, 0, 2]",
        f"{_PLACES}cells = 4\nepsilon = 2\nweights = [0, 1, 0, 0, 2, 0, 0, 3]",
    ),
    "stripes": (
        *(f"{_PLACES}cells = 2\n{keys}" for keys in _EPSILONS),
        f"{_PLACES}cells = 4\nepsilon = 2\nwidth = 3",
    ),
    "metric": (
        *(
            f'{_PLACES}cells = 2\nepsilon_per_unit = "{rate}"'
            for rate in ("0.1", "1", "7/3")
        ),
        f'{_PLACES}cells = 2\nepsilon_per_unit = 4\nlengths = ["1.5", "0.5"]',
    ),
    "subsets": (
        *(_FIELDS + keys for keys in _EPSILONS),
        f"{_FIELDS}epsilon = 1\ntogether = 2",
        f"{_FIELDS}epsilon = 2\ntogether = 3",
    ),
    "rappor": (
        *(
            f'{_CODES}p = "{p}"\nq = "{q}"\nf = "{f}"'
            for p, q, f in (
                (".5", ".75", ".5"),
                ("0.8", "0.1", "0.3"),
                ("0", "1", "1/3"),
                (".25", ".75", "0"),
            )
        ),
        *(
            f'type = "text"\nbloom_bits = {bits}\nhashes = {hashes}\n'
            f'cohorts = 3\np = "{p}"\nq = "{q}"\nf = "{f}"'
            for bits, hashes, p, q, f in (
                (4, 2, ".25", ".75", ".3"),
                (5, 1, ".5", ".75", ".5"),
                (4, 2, ".9", ".2", 0),
            )
        ),
    ),
}
"""For each mechanism, the questions (as survey text, without name and mechanism) that
it is tried on. A row is needed for other types of question, and for other keys than an
epsilon.
"""


def question(mechanism, keys):
    """The question that survey text describes."""
    return parse_survey(
        '[survey]\nname = "s"\n[[question]]\nname = "x"\nmechanism = '
        f'"{mechanism}"\n{keys}\n'
    )["x"]


def automatic(size, epsilon):
    """The name of the mechanism that `auto` chooses."""
    return question(
        "auto",
        f'type = "category"\nvalues = {[str(value) for value in range(size)]}\n'
        f'epsilon = "{epsilon}"',
    ).mechanism


def designed(mechanism, number):
    """One design of a mechanism, as a specimen."""
    asked = question(mechanism, DESIGNS[mechanism][number])
    decode = DECODERS[asked.randomizer.kind]
    spends_all = mechanism not in (*("the", "exponential", "metric"),)
    return Specimen(
        f"{mechanism}-{number}",
        asked.randomizer,
        asked.declared,
        decode=decode,
        spends_all=spends_all,
    )


def abridged(specimen):
    """The specimen with so few hash functions, levels or cells that one can write its
    channel.
    """
    randomizer = specimen.randomizer
    if randomizer.layout.places > 1:
        return specimen._replace(randomizer=randomizer._replace(levels=4))
    if randomizer.layout.codewords:
        return specimen._replace(randomizer=randomizer._replace(word=2))
    if randomizer.kind == "search":
        return specimen._replace(
            randomizer=randomizer._replace(oracle=randomizer.oracle._replace(size=4))
        )
    if not randomizer.layout.modulus:
        return specimen
    modulus = next(prime for prime in (3, 5, 7, 11, 13) if prime >= randomizer.size)
    buckets = min(randomizer.layout.symbols, modulus)
    if isinstance(randomizer, Chain):
        lasting = randomizer.lasting._replace(modulus=modulus, buckets=buckets)
        return specimen._replace(
            randomizer=Chain(lasting, randomizer.fresh._replace(size=buckets))
        )
    return specimen._replace(
        randomizer=randomizer._replace(modulus=modulus, buckets=buckets)
    )


DESIGNED = tuple(
    designed(name, number)
    for name, designs in DESIGNS.items()
    for number in range(len(designs))
)

_SKEWED = ((5, 3, 2), (1, 7, 2), (2, 2, 6))

_CHOSEN = (
    Specimen("symbols-3", RandomizedResponse(3, 5, 2), tape=(8,)),
    Specimen("symbols-2", RandomizedResponse(2, 3, 1), tape=(8,)),
    Specimen("symbols-7", RandomizedResponse(7, 20, 3), tape=(8,)),
    Specimen("symbols-255-weights", RandomizedResponse(6, 250, 1), tape=(8,)),
    Specimen("symbols-16-bit-draw", RandomizedResponse(4, 331, 7), tape=(8,)),
    Specimen("hash-2", LocalHashing(2, 2, 3, other=1, modulus=3), tape=(1, 8, 2)),
    Specimen("hash-4", LocalHashing(4, 3, 4, other=2, modulus=5), tape=(2, 8, 3)),
    Specimen("hash-5", LocalHashing(5, 2, 5, other=3, modulus=5), tape=(2, 8, 3)),
    Specimen("subset-4", SubsetSelection(4, 2, 3, other=1), tape=(3, 2)),
    Specimen("hadamard-3", HadamardResponse(3, 1, 4, truth=5, other=2), tape=(8, 2)),
    Specimen("hadamard-5", HadamardResponse(5, 1, 8, truth=3, other=1), tape=(8, 3)),
    Specimen(
        "hadamard-2-blocks",
        HadamardResponse(5, 2, 8, truth=5, other=2),
        tape=(8, 2),
    ),
    Specimen(
        "hadamard-4-blocks",
        HadamardResponse(10, 4, 16, truth=12, other=1),
        tape=(8, 2),
    ),
    Specimen(
        "hadamard-blocks-of-1",
        HadamardResponse(4, 4, 8, truth=9, other=2),
        tape=(8, 1),
    ),
    Specimen(
        "plane-of-order-2", ProjectiveResponse(5, 2, 3, truth=5, other=2), tape=(8,)
    ),
    Specimen(
        "plane-of-order-3", ProjectiveResponse(13, 3, 3, truth=2, other=1), tape=(8,)
    ),
    Specimen(
        "plane-of-order-4", ProjectiveResponse(8, 4, 3, truth=3, other=2), tape=(8,)
    ),
    Specimen(
        "space-of-order-2", ProjectiveResponse(12, 2, 4, truth=3, other=1), tape=(8,)
    ),
    Specimen(
        "folded-space-of-order-2",
        ProjectiveResponse(12, 2, 4, truth=2, other=1, folded=True),
        tape=(8,),
    ),
    Specimen(
        "folded-plane-of-order-3",
        ProjectiveResponse(10, 3, 3, truth=5, other=2, folded=True),
        tape=(8,),
    ),
    Specimen(
        "folded-plane-of-order-4",
        ProjectiveResponse(8, 4, 3, truth=3, other=2, folded=True),
        tape=(8,),
    ),
    Specimen(
        "folded-space-of-order-3",
        ProjectiveResponse(18, 3, 4, truth=2, other=1, folded=True),
        tape=(8,),
    ),
    Specimen("set-2", SetEncoding(2, 1, 5, if_other=1, word=3), tape=(2,)),
    Specimen("set-3", SetEncoding(3, 2, 6, if_other=1, word=3), tape=(3,)),
    Specimen("set-3-whole", SetEncoding(3, 3, 7, if_other=3, word=4), tape=(3,)),
    Specimen(
        "padded-symbols", PadAndSample(3, 2, RandomizedResponse(5, 7, 2)), tape=(1, 8)
    ),
    Specimen(
        "padded-symbols-4", PadAndSample(4, 4, RandomizedResponse(8, 5, 1)), tape=(2, 8)
    ),
    Specimen(
        "padded-plane",
        PadAndSample(6, 2, ProjectiveResponse(7, 2, 3, truth=5, other=2)),
        tape=(1, 8),
    ),
    Specimen(
        "signed-symbols",
        SignedItems(4, 2, RandomizedResponse(6, 7, 2)),
        tape=(1, 8),
    ),
    Specimen(
        "padded-hadamard",
        PadAndSample(4, 2, HadamardResponse(5, 1, 8, truth=3, other=1)),
        tape=(1, 8, 3),
    ),
    Specimen(
        "padded-blocks",
        PadAndSample(4, 2, HadamardResponse(5, 2, 8, truth=5, other=1)),
        tape=(1, 8, 2),
    ),
    Specimen(
        "sketch-2",
        CountMean(3, 2, 2, if_true=5, if_other=2, hash_seed=4, word=3),
        tape=(1, 2),
    ),
    Specimen(
        "sketch-3",
        CountMean(4, 1, 3, if_true=6, if_other=1, hash_seed=0, word=3),
        tape=(3,),
    ),
    Specimen(
        "hadamard-sketch-2",
        HadamardCountMean(3, 2, 2, truth=3, other=1, hash_seed=4),
        tape=(1, 1, 2),
    ),
    Specimen(
        "hadamard-sketch-4",
        HadamardCountMean(5, 4, 4, truth=5, other=3),
        tape=(2, 2, 3),
    ),
    Specimen("steps-2", AdditiveNoise(2, 0, 5, far=2, least=2), tape=(8,)),
    Specimen("steps-3", AdditiveNoise(3, 0, 2, far=1, least=4), tape=(8,)),
    Specimen("steps-2-margin-1", AdditiveNoise(2, 1, 3, far=2, least=8), tape=(8,)),
    Specimen("steps-4-margin-2", AdditiveNoise(4, 2, 2, far=1, least=1), tape=(8,)),
    Specimen("steps-3-margin-1", AdditiveNoise(3, 1, 3, far=1, least=27), tape=(8,)),
    *(
        Specimen(f"dithered-{name}", DitheredResponse(*numbers), tape=tape)
        for name, numbers, tape in (
            ("2-levels", (5, 4, 2, 5, 1), (2, 8)),
            ("5-levels", (3, 2, 5, 3, 1), (1, 8)),
            ("boolean", (2, 1, 2, 3, 1), (8,)),
            ("coarsely", (9, 4, 3, 14, 1), (3, 2, 4)),
        )
    ),
    *(
        Specimen(f"arcs-{name}", Arcs(*numbers), tape=tape)
        for name, numbers, tape in (
            ("3", (3, 5, 2, 3, 1, (3, 1)), (2, 8)),
            ("5", (5, 7, 2, 3, 1, (2, 1, 1)), (2, 8)),
            ("4", (4, 5, 1, 7, 1, (1, 1)), (1, 8)),
        )
    ),
    *(
        Specimen(f"square-wave-{name}", SquareWave(*numbers), tape=(8,))
        for name, numbers in (
            ("of-2", (2, 1, 5, 2)),
            ("narrow", (5, 1, 7, 3)),
            ("usual", (5, 3, 5, 2)),
            ("whole-range", (4, 4, 3, 1)),
        )
    ),
    Specimen(
        "two-levels",
        TaxonomyResponse(
            10,
            (0, 0, *[1] * 5, *[2] * 5),
            (1, 3),
            spaces=((0, 0), (0, 0)),
            truth=7,
            other=1,
        ),
        tape=(2, 4),
    ),
    Specimen(
        "three-levels",
        TaxonomyResponse(
            4,
            (0, 0, 1, 2, 3, 3, 4, 1),
            (2, 0, 6),
            spaces=((0, 0),) * 3,
            truth=2,
            other=1,
        ),
        tape=(3, 8),
    ),
    Specimen(
        "halves-of-halves",
        TreeResponse(5, (0, 0, 4), ((0, 1, 1), (0, 1, 1), (0, 2, 1)), truth=5, other=2),
        tape=(2, 8),
    ),
    Specimen(
        "halves-and-points",
        TreeResponse(7, (0, 1, 3), ((0, 1, 1), (2, 3, 4), (2, 3, 2)), truth=5, other=2),
        tape=(2, 8),
    ),
    *(
        Specimen(f"codebook-{name}", CodebookResponse(*numbers), tape=tape)
        for name, numbers, tape in (
            ("of-2", (2, 2, 1, 3, 1, 3), (3, 3, 2)),
            ("of-6", (2, 6, 2, 5, 2, 2), (2, 2, 8)),
            ("of-8", (5, 8, 4, 7, 1, 2), (2, 2, 8)),
        )
    ),
    Specimen(
        "grids",
        PyramidResponse(
            4, (1, 0, 3), ((0, 1, 1), (0, 1, 1), (0, 2, 1)), truth=5, other=2
        ),
        tape=(2, 8),
    ),
    Specimen(
        "grids-of-points",
        PyramidResponse(
            4, (0, 1, 3), ((0, 1, 1), (2, 3, 4), (2, 3, 2)), truth=5, other=2
        ),
        tape=(2, 8),
    ),
    *(
        Specimen(f"stripes-{name}", Stripes(*numbers), tape=tape)
        for name, numbers, tape in (
            ("slanting", (4, 3, 1, 6, 1, (1, 3)), (3, 3)),
            ("narrow", (4, 5, 1, 4, 1, (3, 1, 1, 1, 1)), (4, 3)),
        )
    ),
    Specimen(
        "three-of-four-fields",
        SubsetsResponse(
            (2, 3, 2, 2), 3, ((8, 0, 1, 1), (12, 0, 1, 1)), truth=7, other=1
        ),
        tape=(2, 8),
    ),
    Specimen(
        "three-of-four-bits",
        SubsetsResponse((2, 2, 2, 2), 3, ((8, 0, 2, 1),), truth=5, other=2),
        tape=(2, 8),
    ),
    Specimen("one-bit-2", OneBitMean(2, 5, 3), tape=(8,)),
    Specimen("matrix-3", StochasticMatrix(_SKEWED), tape=(8,)),
    Specimen("matrix-2", StochasticMatrix(((11, 5), (2, 14))), tape=(8,)),
    Specimen("bits-2-word-2", UnaryEncoding(2, 2, 1, word=2), tape=(2,)),
    Specimen("bits-3-word-3", UnaryEncoding(3, 5, 1, word=3), tape=(3,)),
    Specimen("bits-3-word-4", UnaryEncoding(3, 8, 3, word=4), tape=(3,)),
    Specimen("bits-2-word-5", UnaryEncoding(2, 30, 9, word=5), tape=(2,)),
    Specimen("bits-2-reserve", UnaryEncoding(2, 37, 11, word=6), tape=(2,)),
    Specimen("bits-3-reserve", UnaryEncoding(3, 32, 13, word=6), tape=(3,)),
    Specimen("histogram-2", NoisyHistogram(2, 4, 1, word=2), tape=(2, 2)),
    Specimen("histogram-3", NoisyHistogram(3, 4, 1, word=2), tape=(3, 2)),
    Specimen("histogram-2-word-3", NoisyHistogram(2, 6, 3, word=3), tape=(2, 3)),
    Specimen(
        "rappor-2-word-2",
        Rappor(2, 0, 1, flip=1, if_one=3, if_zero=1, word=2),
        tape=(2, 2),
    ),
    Specimen(
        "rappor-2-word-3",
        Rappor(2, 0, 1, flip=1, if_one=7, if_zero=2, word=3),
        tape=(2, 2),
    ),
    Specimen(
        "rappor-3-word-2",
        Rappor(3, 0, 1, flip=1, if_one=1, if_zero=3, word=2),
        tape=(3, 3),
    ),
    Specimen(
        "rappor-2-no-permanent",
        Rappor(2, 0, 1, flip=0, if_one=25, if_zero=40, word=6),
        tape=(2,),
    ),
    Specimen(
        "chain-of-2-symbols",
        Chain(RandomizedResponse(2, 3, 1), RandomizedResponse(2, 5, 3)),
        tape=(2, 3),
    ),
    Specimen(
        "chain-of-3-symbols",
        Chain(RandomizedResponse(3, 5, 2), RandomizedResponse(3, 4, 1)),
        tape=(8, 8),
    ),
    Specimen(
        "chain-of-5-symbols",
        Chain(RandomizedResponse(5, 12, 1), RandomizedResponse(5, 4, 1)),
        tape=(4, 3),
    ),
    Specimen(
        "chain-of-2-bits",
        Chain(UnaryEncoding(2, 2, 1, word=2), RandomizedResponse(2, 3, 1)),
        tape=(2, 2),
    ),
    Specimen(
        "chain-of-2-even-bits",
        Chain(UnaryEncoding(2, 7, 1, word=3), RandomizedResponse(2, 6, 2)),
        tape=(2, 2),
    ),
    Specimen(
        "chain-of-buckets",
        Chain(LocalHashing(2, 2, 3, other=1, modulus=3), RandomizedResponse(2, 5, 3)),
        tape=(1, 8, 2, 3),
    ),
    Specimen(
        "chain-of-3-buckets",
        Chain(LocalHashing(4, 3, 4, other=2, modulus=5), RandomizedResponse(3, 2, 1)),
        tape=(2, 8, 3, 2),
    ),
    Specimen("window-of-2", BitFlip(4, 2, 1, word=2), tape=(2, 2, 1)),
    Specimen("window-of-1", BitFlip(4, 1, 1, word=2), tape=(2, 1, 1)),
    Specimen("window-of-all", BitFlip(2, 2, 3, word=3), tape=(1, 2, 1)),
    Specimen(
        "bloom-2",
        Rappor(2, 1, 2, flip=1, if_one=6, if_zero=1, word=3),
        tape=(1, 2, 2),
    ),
    Specimen(
        "bloom-3",
        Rappor(3, 1, 4, flip=1, if_one=3, if_zero=2, word=2),
        tape=(2, 3, 3),
    ),
    Specimen(
        "prefixes-in-a-plane",
        HeavyHitters(ProjectiveResponse(7, 2, 3, truth=5, other=2), (1, 4, 6), 1),
        tape=(2, 8),
    ),
    Specimen(
        "prefixes-in-a-space",
        HeavyHitters(
            ProjectiveResponse(15, 2, 4, truth=3, other=1), (3,), 1, hash_seed=7
        ),
        tape=(1, 8),
    ),
    Specimen(
        "bloom-4-two-hashes",
        Rappor(4, 2, 2, flip=0, if_one=3, if_zero=1, word=2),
        tape=(1, 4),
    ),
)
"""Small integers with something of their own, beside those that every randomizer
states.
"""


def _stated(specimen):
    """The small integers that a randomizer states itself, as a specimen."""
    randomizer, tape = specimen.randomizer.small()
    return Specimen(f"small-{specimen.name}", randomizer, tape=tape)


_BY_INTEGERS = {
    repr(specimen.randomizer): specimen._replace(
        decode=DECODERS[specimen.randomizer.kind]
    )
    for specimen in (
        *(
            _stated(specimen)
            for specimen in reversed(DESIGNED)
            if specimen.randomizer.small()
        ),
        *_CHOSEN,
    )
}

SMALL = tuple(_BY_INTEGERS.values())
"""Small integers, so that every tape can be run."""
