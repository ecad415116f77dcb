"""Write files as google/rappor's Python client and tools left them.

`python examples/rappor.py browsers` writes them to the folder `browsers`.

100,000 respondents told one of eight browsers, some more often than others; four more
are asked for in vain.
"""

import csv
import sys
from pathlib import Path

import numpy as np

from ldp_aggregator.exchange.google_rappor.dialects import DIALECTS
from ldp_aggregator.exchange.google_rappor.files import read_parameters

HOLDERS = {"Aurora": 38_000, "Basalt": 24_000, "Comet": 15_000, "Drift": 9_000}
HOLDERS |= {"Ember": 6_000, "Fjord": 4_000, "Gale": 3_000, "Harbor": 1_000}
NO_ONE = ("Iris", "Juniper", "Kestrel", "Lagoon")
PARAMETERS = ("k,h,m,p,q,f", "32,2,16,0.25,0.75,0.5")


def main(folder: Path) -> None:
    """Draw the counts, and write the files."""
    folder.mkdir(exist_ok=True)
    (folder / "params.csv").write_text("\n".join(PARAMETERS) + "\n")
    parameters = read_parameters(folder / "params.csv")
    python = DIALECTS["python"]
    random = np.random.default_rng(1)
    one, zero = (float(rate) for rate in python.as_run(parameters).support)
    counts = np.zeros((parameters.cohorts, 1 + parameters.bits), dtype=int)
    for browser, holders in HOLDERS.items():
        for cohort, size in enumerate(
            random.multinomial(holders, [1 / parameters.cohorts] * parameters.cohorts)
        ):
            chances = np.full(parameters.bits, zero)
            chances[
                python.positions(
                    browser.encode(), cohort, parameters.hashes, bits=parameters.bits
                )
            ] = one
            counts[cohort] += [size, *random.binomial(size, chances)]
    _write(folder / "counts.csv", counts.tolist())
    names = (*HOLDERS, *NO_ONE)
    bits = [
        [
            cohort * parameters.bits + position + 1
            for cohort in range(parameters.cohorts)
            for position in python.positions(
                name.encode(), cohort, parameters.hashes, bits=parameters.bits
            )
        ]
        for name in names
    ]
    _write(
        folder / "map.csv",
        [[name, *row] for name, row in zip(names, bits, strict=True)],
    )


def _write(path: Path, rows: list[list[object]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/rappor.py FOLDER")
    main(Path(sys.argv[1]))
