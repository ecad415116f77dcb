"""`ldp rappor import` of many candidates, and how long the command takes to begin.

`python -m lab.benchmarks.rappor_import` prints processor seconds and the peak of
resident memory in MiB of the command on 100,000 candidates, with a map and with
candidates to be hashed; `python -m lab.benchmarks.rappor_import 1000000` those on a
million (the map has 640 MB). Programs are run on one core, with bytecode that an
earlier run left.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from lab.benchmarks.figures import Figure
from ldp_aggregator.exchange.google_rappor.dialects import DIALECTS
from ldp_aggregator.exchange.google_rappor.files import Parameters
from ldp_aggregator.numerics.arrays import Floats, Indices

_BITS, _HASHES, _COHORTS = 128, 2, 64
_PARAMETERS = Parameters(
    _BITS, _HASHES, _COHORTS, p=Fraction(1, 4), q=Fraction(3, 4), f=Fraction(1, 2)
)
_REAL = 1_000
_RESPONDENTS = 10_000_000
_AT_ONCE = 10_000
_MANY, _FEW = 100_000, 300
_LDP = (sys.executable, "-c", "from ldp_aggregator.commands.main import main; main()")
_TARGETS = {_FEW: (1.0, 600), _MANY: (5.0, 600), 1_000_000: (30.0, 2048)}
"""Seconds and MiB."""


def figures(many: int = _MANY) -> Iterator[Figure]:
    """Time and memory of the command, and of its help."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = _environment(folder)
        _run(("--help",), environment)
        yield Figure(
            "ldp --help", 1000 * _run(("--help",), environment)[0], "ms", target=150
        )
        for size in (_FEW, many):
            _write(folder, size)
            for how, words in _ways(folder):
                if size == _FEW:
                    _run(words, environment)  # which leaves bytecode
                seconds, peak = _run(words, environment)
                title = (
                    f"ldp rappor import: {size:,} candidates, {_COHORTS} cohorts, {how}"
                )
                least, most = _TARGETS.get(size, (None, None))
                yield Figure(title, seconds, "s", target=least)
                yield Figure(f"{title}, peak", peak, "MiB", target=most)


def _ways(folder: Path) -> Iterator[tuple[str, Sequence[str]]]:
    """What is called, by where the candidates' bits come from."""
    params, counts = str(folder / "params.csv"), str(folder / "counts.csv")
    words = (
        "rappor",
        "import",
        "--params",
        params,
        "--counts",
        counts,
        "--top",
        "5",
        "-q",
    )
    yield "a map", (*words, "--map", str(folder / "map.csv"))
    yield (
        "hashed",
        (*words, "--candidates", str(folder / "words.txt"), "--client", "python"),
    )


def _environment(folder: Path) -> dict[str, str]:
    """Bytecode is kept, and no thread of linear algebra waits for another."""
    known = {
        name: text
        for name, text in os.environ.items()
        if name != "PYTHONDONTWRITEBYTECODE"
    }
    return known | {
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        "OPENBLAS_NUM_THREADS": "1",
    }


def _run(words: Sequence[str], environment: dict[str, str]) -> tuple[float, float]:
    """Processor seconds, and the peak in MiB, of a command."""
    # In between a small process: the peak of one begins with that of its parent.
    program = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)\n"
    )
    run = subprocess.run(
        (sys.executable, "-c", program, *_LDP, *words),
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    seconds, peak = map(float, run.stdout.split())
    return seconds, peak


def _write(folder: Path, many: int) -> None:
    """The files of a collection in which few of the candidates are held."""
    names = tuple(f"candidate {number}" for number in range(many))
    (folder / "words.txt").write_text("\n".join(names) + "\n")
    numbers = ",".join(str(float(number)) for number in _PARAMETERS)
    (folder / "params.csv").write_text(f"k,h,m,p,q,f\n{numbers}\n")
    design = DIALECTS["python"].candidates(names, _PARAMETERS).design
    held = min(_REAL, many)
    bits = design[:, np.arange(held)].toarray().reshape(_COHORTS, _BITS, held)
    _write_counts(folder / "counts.csv", bits)
    with (folder / "map.csv").open("w") as file:
        for start in range(0, many, _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            columns = design[:, np.arange(start, start + len(some))].tocsc()
            columns.sort_indices()
            for place, name in enumerate(some):
                own = (
                    columns.indices[columns.indptr[place] : columns.indptr[place + 1]]
                    + 1
                )
                file.write(f'"{name}",{",".join(map(str, _all_slots(own).tolist()))}\n')


def _all_slots(
    own: Indices,
) -> Indices:
    """The bits with one for each hash function, as google/rappor writes them."""
    cohorts = (own - 1) // _BITS
    return np.repeat(
        own, 1 + (np.bincount(cohorts, minlength=_COHORTS)[cohorts] < _HASHES)
    )


def _write_counts(path: Path, bits: Floats) -> None:
    generator = np.random.default_rng(1)
    one, zero = map(float, DIALECTS["python"].as_run(_PARAMETERS).support)
    shares = 1 / np.arange(1, 1 + bits.shape[2])
    rows = []
    sizes = generator.multinomial(_RESPONDENTS, [1 / _COHORTS] * _COHORTS)
    for design, size in zip(bits, sizes.tolist(), strict=True):
        # (bits,): how many hold a text that sets it, and how many report it.
        true = (design @ generator.multinomial(size, shares / shares.sum())).astype(int)
        shown = generator.binomial(true, one) + generator.binomial(size - true, zero)
        rows.append(",".join(map(str, [size, *shown.tolist()])))
    path.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    for figure in figures(*map(int, sys.argv[1:])):
        print(*figure.cells(), sep="  ")
