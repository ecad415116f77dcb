"""How often intervals hold the truth, measured over a grid: `python -m ldp_simulations.coverage FILE.md`.

Each cell simulates many surveys of one population through the exact law of its tallies and the same decoder that
analysts use, and counts the intervals that hold the true frequency. Values held by 50 % to 0 % of the respondents stand
side by side, because errors depend on the frequency. The families of simultaneous intervals count as one each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from ldp.survey import Question
from ldp.survey_file import parse_survey
from ldp_aggregator.estimation import estimate_question
from ldp_aggregator.options import Options
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling import sample_counts

SHARES = (0.5, 0.3, 0.1, 0.05, 0.04, 0.01, 0.0, 0.0)
RESPONDENTS = (100, 1_000, 10_000, 100_000)
SURVEYS = 10_000

_RAPPOR = 'mechanism = "rappor"\np = "{p}"\nq = "{q}"\nf = "1/4"'
_BLOOM = _RAPPOR + "\nbloom_bits = 32\nhashes = 2\ncohorts = 4"
_MATRIX = 'mechanism = "matrix"\nmatrix = {rows}'
_EPSILON = 'mechanism = "{name}"\nepsilon = "{epsilon}"'


_INTRODUCTION = """# Coverage of the intervals

Nominal 95 % score intervals; {surveys} simulated surveys in each row, so that a measured 95 % has a standard error
of {error}. `python -m ldp_simulations.coverage docs/coverage.md` measures it all anew.

The first number is for the respondents, the second for the population they were drawn from; columns are the share of
respondents who hold the value. A value that nobody holds can only be missed on one side, hence 97.5 %. Where few
reports are expected (small n, large epsilon), counts are coarse and coverage strays from its nominal level; ask for
`--interval clopper-pearson` where a guarantee matters more than width.

"""


class Cell(NamedTuple):
    """One row of the page: what was simulated."""

    label: str
    keys: str
    shares: tuple[float, ...]
    respondents: int


class Coverage(NamedTuple):
    """What came of a cell: coverage by value, for both estimands, and of simultaneous families."""

    cell: Cell
    respondents: tuple[float, ...]
    population: tuple[float, ...]
    simultaneous: float


def cells() -> Iterator[Cell]:
    """The grid."""
    for respondents in RESPONDENTS:
        for epsilon in ("1/2", "1", "4"):
            yield Cell(f"warner, {epsilon}", _EPSILON.format(name="warner", epsilon=epsilon), (0.9, 0.1), respondents)
            for name in ("grr", "sue", "oue"):
                yield Cell(f"{name}, {epsilon}", _EPSILON.format(name=name, epsilon=epsilon), SHARES, respondents)
        yield Cell("matrix, ln 5", _MATRIX.format(rows=_tapering(3)), (0.7, 0.25, 0.05), respondents)
        for p, q, label in (("1/2", "3/4", "noisy"), ("1/10", "9/10", "sharp")):
            yield Cell(f"one-hot rappor, {label}", _RAPPOR.format(p=p, q=q), SHARES, respondents)
            yield Cell(f"bloom rappor, {label}", _BLOOM.format(p=p, q=q), SHARES, respondents)


def question_of(cell: Cell) -> Question:
    """The question that a cell simulates."""
    values = ", ".join(f'"v{index}"' for index in range(len(cell.shares)))
    head = '[survey]\nname = "coverage"\n[[question]]\nname = "x"\ntype = "category"'
    return parse_survey(f"{head}\nvalues = [{values}]\n{cell.keys}")["x"]


def measure(cell: Cell, surveys: int = SURVEYS, seed: int = 1) -> Coverage:
    """Simulate a cell: a fixed set of respondents, and respondents drawn anew from the same shares."""
    question = question_of(cell)
    values = question.domain.values or ()
    generator = np.random.default_rng([seed, cell.respondents, len(cell.label)])
    shares = np.array(cell.shares)
    fixed = apportion(cell.respondents, shares)
    truth = fixed / cell.respondents
    held, drawn, families = np.zeros(len(values)), np.zeros(len(values)), 0
    for _ in range(surveys):
        counts = sample_counts(question, Holders(values, fixed), generator)
        single = estimate_question(question, counts, Options())
        held += (single.low <= truth) & (truth <= single.high)
        family = estimate_question(question, counts, Options(simultaneous="bonferroni"))
        families += bool(((family.low <= truth) & (truth <= family.high)).all())
        counts = sample_counts(question, Holders(values, generator.multinomial(cell.respondents, shares)), generator)
        anew = estimate_question(question, counts, Options(estimand="population"))
        drawn += (anew.low <= shares) & (shares <= anew.high)
    return Coverage(cell, tuple((held / surveys).tolist()), tuple((drawn / surveys).tolist()), families / surveys)


def page(found: Sequence[Coverage], surveys: int) -> str:
    """The measurements as Markdown."""
    error = f"{np.sqrt(0.95 * 0.05 / surveys):.2%}"
    lines = _INTRODUCTION.format(surveys=f"{surveys:,}", error=error).splitlines()
    for respondents in RESPONDENTS:
        lines += [f"## {respondents:,} respondents", ""]
        here = [each for each in found if each.cell.respondents == respondents]
        for shares in dict.fromkeys(each.cell.shares for each in here):
            rows = [each for each in here if each.cell.shares == shares]
            lines += [
                "| mechanism, epsilon | " + " | ".join(f"{share:.0%}" for share in shares) + " | all at once |",
                "|---" * (len(shares) + 2) + "|",
            ]
            lines += [
                f"| {each.cell.label} | "
                + " | ".join(f"{a:.3f} {b:.3f}" for a, b in zip(each.respondents, each.population, strict=True))
                + f" | {each.simultaneous:.3f} |"
                for each in rows
            ]
            lines.append("")
    return "\n".join(lines)


def _tapering(size: int) -> str:
    """A matrix that favours the truth, then its neighbours."""
    weights = [[5 if x == y else 2 if abs(x - y) == 1 else 1 for y in range(size)] for x in range(size)]
    rows = (", ".join(f'"{weight}/{sum(row)}"' for weight in row) for row in weights)
    return "[" + ", ".join(f"[{row}]" for row in rows) + "]"


@click.command()
@click.argument("output", type=click.Path(path_type=Path))
@click.option("--surveys", type=click.IntRange(1), default=SURVEYS, show_default=True)
def main(output: Path, surveys: int) -> None:
    """Measure the whole grid and write it as a Markdown page."""
    from ldp_aggregator.files import write_whole
    from ldp_aggregator.progress import progress

    grid = list(cells())
    with ProcessPoolExecutor() as pool:
        found = list(progress(pool.map(measure, grid, [surveys] * len(grid)), "measuring", False, len(grid)))
    write_whole(output, page(found, surveys))


if __name__ == "__main__":
    main()
