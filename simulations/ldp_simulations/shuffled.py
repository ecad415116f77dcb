"""Figures of batches: `python -m ldp_simulations.shuffled docs/shuffle-figures.md`.

For some numbers of reports, epsilons of a report and deltas, the epsilon of a batch of each
mechanism, certified, beside the figures that the formula gives in floating point.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from time import process_time

import click

from ldp.exact import decimal_text, exp_upper, fraction, odds
from ldp.privacy.batches import batch_epsilon
from ldp.privacy.blankets import Blanket, of_any, two_levels
from ldp.privacy.table import blanket_of

NAMES = ("any", "warner", "grr 16", "grr 100", "grr 1000", "ss 100", "oue", "sue")

FIGURES: dict[tuple[int, str, str], tuple[float, ...]] = {
    (1_000, "1", "1e-6"): (0.18241, 0.14929, 0.06436, 0.02549, 0.00824, 0.10385, 0.10323, 0.10682),
    (10_000, "1", "1e-6"): (0.05301, 0.04327, 0.0186, 0.00719, 0.00205, 0.02999, 0.02981, 0.03079),
    (10_000, "2", "1e-6"): (0.15505, 0.11471, 0.06756, 0.02922, 0.00877, 0.07965, 0.07911, 0.08806),
    (100_000, "2", "1e-8"): (0.05876, 0.04371, 0.0261, 0.01151, 0.00352, 0.03061, 0.0304, 0.03368),
    (100_000, "4", "1e-6"): (0.16977, 0.11845, 0.1048, 0.06845, 0.0243, 0.08418, 0.0815, 0.10458),
    (1_000_000, "1", "1e-8"): (0.00613, 0.00501, 0.00219, 0.00087, 0.00025),
    (1_000_000, "4", "1e-8"): (0.0642, 0.04511, 0.04008, 0.02645, 0.00961),
    (1_000_000, "6", "1e-8"): (0.18947, 0.13208, 0.12956, 0.11762, 0.06863),
    (10_000_000, "8", "1e-9"): (0.17755, 0.12392, 0.12347, 0.12165, 0.10639),
}
"""By reports, epsilon and delta: floating point, 24 blocks, 12 parts; five decimals."""


def blanket(name: str, epsilon: Fraction) -> Blanket:
    """That of a mechanism of so many values."""
    from ldp.mechanisms.subset import SubsetSelection, least_error_size
    from ldp.mechanisms.unary import optimized, symmetric

    mechanism, _, size = name.partition(" ")
    truth, other = odds(epsilon)
    if mechanism == "any":
        return of_any(exp_upper(epsilon))
    if mechanism == "ss":
        chosen = least_error_size(int(size), Fraction(truth, other))
        return blanket_of(SubsetSelection(int(size), chosen, truth, other=other))
    if mechanism in ("oue", "sue"):
        return blanket_of((optimized if mechanism == "oue" else symmetric)(100, epsilon))
    return two_levels(Fraction(truth, other), Fraction(1, int(size or 2)), Fraction(0))


def lines() -> Iterator[str]:
    """A row for each setting: certified, the figure, and how far apart they are at most."""
    yield "| reports, epsilon, delta | " + " | ".join(NAMES) + " |"
    yield "|---|" + "---|" * len(NAMES)
    apart, slowest = 0.0, 0.0
    for (reports, epsilon, delta), figures in FIGURES.items():
        cells = []
        for name, figure in zip(NAMES, figures, strict=False):
            start = process_time()
            worth = batch_epsilon(blanket(name, fraction(epsilon)), reports, fraction(delta))
            slowest = max(slowest, process_time() - start)
            cells.append(decimal_text(worth))
            # Half a unit of the figure's last place is rounding.
            apart = max(apart, (abs(float(worth) - figure) - 5e-6) / figure)
        cells += [""] * (len(NAMES) - len(cells))
        yield f"| {reports:,}, {epsilon}, {delta} | " + " | ".join(cells) + " |"
    yield ""
    yield (
        f"At most {apart:.2%} from the same formula in floating point (24 blocks, 12 parts). "
        f"The slowest took {slowest:.1f} seconds of one core."
    )


@click.command()
@click.argument("output", type=click.Path(path_type=Path))
def main(output: Path) -> None:
    """Write the page of figures."""
    from ldp_aggregator.files import write_whole

    head = [
        "# Figures of batches",
        "",
        "What a batch is worth to each of those in it, certified "
        "(`python -m ldp_simulations.shuffled docs/shuffle-figures.md`); see",
        "[the shuffle model](shuffle.md). `any` is the bound of any randomizer; `oue` and `sue` "
        "have a bit for each value.",
        "",
    ]
    write_whole(output, "\n".join([*head, *lines(), ""]).encode())


if __name__ == "__main__":
    main()
