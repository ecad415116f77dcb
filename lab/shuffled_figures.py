"""Figures of batches: `python -m lab.shuffled_figures OUTPUT`.

For some numbers of reports, epsilons of a report and deltas, the epsilon of a batch of
each mechanism, certified, beside the figures that the formula gives in floating point;
how near they are to what explicit data sets reveal; what a relay buys; and several
batches of the same people.

`closed` is the closed form of Feldman, McMillan and Talwar 2021 (Theorem 3.1), for a
first look.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from time import process_time

import click
import numpy as np
from scipy.stats import binom

from lab.measured import name_commit
from ldp.answers.domain import Domain
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.blankets import Blanket, blanket_of, of_any, two_levels
from ldp.numbers.exact import decimal_text, exp_upper, fraction, odds
from ldp.privacy.batches import batch_epsilon
from ldp_aggregator.explanations.composition import composed_batches
from ldp_aggregator.explanations.trusted_curator import curator_error, rare_count_error
from ldp_aggregator.numerics.arrays import Floats
from ldp_simulations.planning.kinds.planning import design_parts
from ldp_simulations.planning.shuffled_plan import CONSIDERED, BatchWish, local_epsilon

NAMES = (
    "any",
    "warner",
    "grr 16",
    "grr 100",
    "grr 1000",
    "ss 100",
    "olh",
    "oue",
    "sue",
)

FIGURES: dict[tuple[int, str, str], tuple[float, ...]] = {
    (1_000, "1", "1e-6"): (
        *(0.18241, 0.14929, 0.06436, 0.02549, 0.00824),
        *(0.10385, 0.1018, 0.10323, 0.10682),
    ),
    (10_000, "1", "1e-6"): (
        *(0.05301, 0.04327, 0.0186, 0.00719, 0.00205),
        *(0.02999, 0.02941, 0.02981, 0.03079),
    ),
    (10_000, "2", "1e-6"): (
        *(0.15505, 0.11471, 0.06756, 0.02922, 0.00877),
        *(0.07965, 0.07998, 0.07911, 0.08806),
    ),
    (100_000, "2", "1e-8"): (
        *(0.05876, 0.04371, 0.0261, 0.01151, 0.00352),
        *(0.03061, 0.03072, 0.0304, 0.03368),
    ),
    (100_000, "4", "1e-6"): (
        *(0.16977, 0.11845, 0.1048, 0.06845, 0.0243),
        *(0.08418, 0.08135, 0.0815, 0.10458),
    ),
    (1_000_000, "1", "1e-8"): (0.00613, 0.00501, 0.00219, 0.00087, 0.00025),
    (1_000_000, "4", "1e-8"): (0.0642, 0.04511, 0.04008, 0.02645, 0.00961),
    (1_000_000, "6", "1e-8"): (0.18947, 0.13208, 0.12956, 0.11762, 0.06863),
    (10_000_000, "8", "1e-9"): (0.17755, 0.12392, 0.12347, 0.12165, 0.10639),
}
"""By reports, epsilon and delta: floating point, 24 blocks, 12 parts; five decimals."""


def blanket(name: str, epsilon: Fraction) -> Blanket:
    """Return the blanket of a mechanism of so many values."""
    from ldp.mechanisms.values.subset import SubsetSelection, least_error_size
    from ldp.mechanisms.values.unary import optimal_encoding, symmetric

    mechanism, _, size = name.partition(" ")
    truth, other = odds(epsilon)
    if mechanism == "any":
        return of_any(exp_upper(epsilon))
    if mechanism == "ss":
        chosen = least_error_size(int(size), Fraction(truth, other))
        return blanket_of(SubsetSelection(int(size), chosen, truth, other=other))
    if mechanism == "olh":
        # As many buckets as E + 1; two values of very many meet in one of so many
        # cases.
        buckets = round(truth / other + 1)
        return two_levels(
            Fraction(truth, other),
            Fraction(buckets - 1, buckets**2),
            Fraction(1, buckets**2),
        )
    if mechanism in ("oue", "sue"):
        return blanket_of(
            (optimal_encoding if mechanism == "oue" else symmetric)(100, epsilon)
        )
    return two_levels(Fraction(truth, other), Fraction(1, int(size or 2)), Fraction(0))


def lines() -> Iterator[str]:
    """A row for each setting: certified, the figure, and how far apart they are at
    most.
    """
    yield "| reports, epsilon, delta | closed | " + " | ".join(NAMES) + " |"
    yield "|---|---|" + "---|" * len(NAMES)
    apart, slowest = 0.0, 0.0
    for (reports, epsilon, delta), figures in FIGURES.items():
        cells = [f"{closed_form_epsilon(reports, float(epsilon), float(delta)):.4f}"]
        for name, figure in zip(NAMES, figures, strict=False):
            start = process_time()
            worth = batch_epsilon(
                blanket(name, fraction(epsilon)), reports, fraction(delta)
            )
            slowest = max(slowest, process_time() - start)
            cells.append(decimal_text(worth))
            # Half a unit of the figure's last place is rounding.
            apart = max(apart, (abs(float(worth) - figure) - 5e-6) / figure)
        cells += [""] * (1 + len(NAMES) - len(cells))
        yield f"| {reports:,}, {epsilon}, {delta} | " + " | ".join(cells) + " |"
    yield ""
    yield (
        f"At most {apart:.2%} from the same formula in floating point (24 blocks, 12 "
        f"parts). The slowest took {slowest:.1f} seconds of one core."
    )


def closed_form_epsilon(reports: int, epsilon: float, delta: float) -> float:
    """The epsilon of a batch of any randomizer by the closed form; `nan` where it has
    none.
    """
    if epsilon > math.log(reports / (16 * math.log(2 / delta))):
        return math.nan
    ratio = math.exp(epsilon)
    spread = 8 * math.sqrt(ratio * math.log(4 / delta) / reports) + 8 * ratio / reports
    return math.log1p(math.tanh(epsilon / 2) * spread)


def lower_bound_epsilon(size: int, epsilon: float, reports: int, delta: float) -> float:
    """The epsilon of one data set: k-ary response, all others hold one third value. In
    floats.

    No bound can be below it. What counts are the reports x0 and x1 among the others'.
    """
    whole = math.exp(epsilon) + size - 1
    others, chance = reports - 1, 1 / whole
    reach = int(9 * math.sqrt(others * chance * (1 - chance))) + 9
    middle = int(others * chance)
    counts = np.arange(max(middle - reach, 0), min(middle + reach, others) + 1)
    # shape: reports x0, reports x1
    first = binom.pmf(counts, others, chance)[:, None]
    law = first * binom.pmf(
        counts[None, :], others - counts[:, None], chance / (1 - chance)
    )
    own, other = np.zeros_like(law), np.zeros_like(law)
    own[1:], other[:, 1:] = law[:-1], law[:, :-1]
    rest = (whole - math.exp(epsilon) - 1) * law
    one = (math.exp(epsilon) * own + other + rest) / whole
    two = (own + math.exp(epsilon) * other + rest) / whole
    return least_epsilon(one, two, delta)


def revealed_by_two(epsilon: float, reports: int, delta: float) -> float:
    """The epsilon of the worst data set of two values, over how many others hold the
    first.
    """
    p = math.exp(epsilon) / (math.exp(epsilon) + 1)
    worst = 0.0
    for yes in np.linspace(0, reports - 1, 51).astype(int):
        law = np.convolve(
            binom.pmf(np.arange(yes + 1), yes, p),
            binom.pmf(np.arange(reports - yes), reports - 1 - yes, 1 - p),
        )
        there, gone = np.append(0.0, law), np.append(law, 0.0)
        one, two = p * there + (1 - p) * gone, (1 - p) * there + p * gone
        worst = max(
            worst, least_epsilon(one, two, delta), least_epsilon(two, one, delta)
        )
    return worst


def least_epsilon(one: Floats, two: Floats, delta: float) -> float:
    """The least epsilon at which two laws are no farther apart than delta, from
    below.
    """
    low, high = 0.0, 10.0
    while high - low > 1e-7:
        middle = (low + high) / 2
        missed = float(np.sum(np.maximum(one - math.exp(middle) * two, 0)))
        low, high = (middle, high) if missed > delta else (low, middle)
    return low


TIGHT = ((1_000, "1"), (10_000, "1"), (10_000, "2"), (10_000, "4"))
"""Reports and epsilon: k-ary response of 16 values, delta 1e-6."""
BOUGHT = (
    (10_000, 16, "1", "1e-6"),
    (100_000, 100, "1", "1e-6"),
    (1_000_000, 100, "1", "1e-8"),
    (1_000_000, 1_000, "1", "1e-8"),
    (1_000_000, 100, "0.25", "1e-8"),
)
"""Reports, values, and the (epsilon, delta) of a batch."""
BATCHES = (1, 7, 30)


def tight_lines() -> Iterator[str]:
    """Next to each bound what an explicit data set reveals."""
    yield "| reports, epsilon | bound | data set |"
    yield "|---|---|---|"
    for reports, epsilon in TIGHT:
        bound = batch_epsilon(
            blanket("grr 16", fraction(epsilon)), reports, fraction("1e-6")
        )
        least = lower_bound_epsilon(16, float(epsilon), reports, delta=1e-6)
        yield f"| {reports:,}, {epsilon} | {float(bound):.6f} | {least:.6f} |"
    bound = batch_epsilon(blanket("warner", Fraction(1)), 10_000, fraction("1e-6"))
    least = revealed_by_two(1.0, 10_000, delta=1e-6)
    yield f"| 10,000, 1, two values | {float(bound):.4f} | {least:.4f} |"


def bought_lines() -> Iterator[str]:
    """The error of a rare value's count: nobody trusted, mixed by a relay, a trusted
    curator.
    """
    yield (
        "| reports, values, (epsilon, delta) | by itself | grr in a batch | curator | "
        "gain |"
    )
    yield "|---|---|---|---|---|"
    for reports, size, epsilon, delta in BOUGHT:
        values = Domain("category", tuple(map(str, range(size))))
        wish = BatchWish(
            reports, fraction(delta), epsilon=fraction(epsilon), ceiling=Fraction(12)
        )
        alone = min(
            _error(name, values, fraction(epsilon), reports=reports)
            for name in CONSIDERED
        )
        local = local_epsilon("grr", values, wish) or fraction(epsilon)
        mixed = _error("grr", values, local, reports=reports)
        curator = curator_error(float(epsilon), float(delta), 10**9)
        yield (
            f"| {reports:,}, {size:,}, ({epsilon}, {delta}) | {alone:,.0f} | epsilon "
            f"{float(local):.2f}, {mixed:.1f} | {curator:.2f} | {alone / mixed:.0f} |"
        )


def _error(mechanism: str, values: Domain, epsilon: Fraction, reports: int) -> float:
    if MECHANISMS[mechanism].accepts(values) is not None:
        return math.inf
    design = design_parts(MECHANISMS[mechanism], values, decimal_text(epsilon))
    error = None if design is None else rare_count_error(design[0], reports)
    return math.inf if error is None else error


def batch_lines() -> Iterator[str]:
    """Several batches of the same people, fresh reports, next to sums at the same
    delta.
    """
    yield "| batches | composed | sum | local |"
    yield "|---|---|---|---|"
    own, delta = blanket("grr 16", Fraction(2)), fraction("1e-6")
    for batches in BATCHES:
        composed = composed_batches(own, 100_000, delta, batches=batches)
        share = batch_epsilon(own, 100_000, delta / batches)
        added = float(batches * share)
        yield f"| {batches} | {float(composed):.4f} | {added:.3f} | {2 * batches} |"


@click.command()
@click.argument("output", type=click.Path(path_type=Path))
def main(output: Path) -> None:
    """Write the page of figures."""
    from ldp_aggregator.output.files import write_whole

    head = [
        "# Figures of batches",
        "",
        "The tables show the certified epsilon of a batch for each respondent in it "
        "([the shuffle model](shuffle.md)).",
        "`python -m lab.shuffled_figures docs/shuffle-figures.md` writes them.",
        (
            "`any` is the bound of any randomizer; `oue` and `sue` have a bit for each "
            "value."
        ),
        "",
    ]
    tight = [
        "",
        "## How tight",
        "",
        "k-ary response of 16 values, delta 1e-6. No bound can be below the epsilon of "
        "an explicit data set:",
        "all others hold one third value; for two values, the worst number of others "
        "with the first.",
        "",
    ]
    bought = [
        "",
        "## What it buys",
        "",
        "The standard error of the count of a value without holders, at a central "
        "(epsilon, delta): the best mechanism",
        (
            "by itself, k-ary response in a batch (no ceiling), a trusted curator's "
            "normal noise."
        ),
        "",
    ]
    several = [
        "",
        "## Several batches",
        "",
        "The same people, fresh reports: grr of 16 values, epsilon 2, 100,000 reports, "
        "delta 1e-6 for all batches together.",
        "",
    ]
    page = [*head, *lines(), *tight, *tight_lines(), *bought, *bought_lines()]
    text = "\n".join([*page, *several, *batch_lines(), ""])
    write_whole(output, name_commit(text).encode())


if __name__ == "__main__":
    main()
