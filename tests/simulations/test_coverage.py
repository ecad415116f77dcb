"""Intervals hold the truth as often as they say, from the exact law of tallies to
estimates.

The coverage of the cells that are named here is exact, so nothing is left to chance.
Wald intervals with the variance at frequency zero, which cover .5 to .8 here, must
fail. Of the grid, a part is measured: a hard cell of every mechanism, with a
false-alarm rate of 1e-6 over all (`lab.coverage.claims`); what was broken before must
show there.
"""

import hashlib
import json
import math
from itertools import islice

import numpy as np
import pytest
from click.testing import CliRunner
from coverage_mutants import MUTANTS

from lab.archive import Archive
from lab.coverage import estimands, measuring, observing, running
from lab.coverage.__main__ import main
from lab.coverage.adding import PageError, added, lacking, sums_of
from lab.coverage.cells import Cell, cells, fitting, labels_of_means, part
from lab.coverage.claims import FALSE_ALARM, Claim, broken, evidence, least_noticed
from lab.coverage.measuring import Finding, measure
from lab.coverage.page import ALL_TOGETHER, SECTIONS, TITLE_OF_VERDICT, Sums, sums
from lab.coverage.populations import POPULATIONS
from lab.coverage.questions import ROWS, question_of, rows_by_label, whole_numbers
from lab.coverage.running import run
from ldp.mechanisms import MECHANISMS
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.table import sample_counts

SURVEYS = 10_000
SUMS = Sums(surveys=1_000, cells=10, comparisons=100, most=150, least=25)
NEW_MEANS = {"pgr", "olh", "blh", "loloha"}
"""Whose means came with their covariances, later than their frequencies."""
NEW = {
    *(
        "taxonomy",
        "one-bit",
        "dithered",
        "square-wave",
        "arcs",
        "tree",
        "codebook",
        "pyramid",
    ),
    "subsets",
    "metric",
    "stripes",
}
"""Rows that came after the page was first written; one that joins `ROWS` is named here
as well.
"""
SHARES = (0.5, 0.3, 0.1, 0.05, 0.04, 0.01, 0.0, 0.0)
GATED = {
    "warner, 1": ("warner", "1", (0.9, 0.1), 1_000),
    "oue, 4": ("oue", "4", SHARES, 10_000),
}
"""Mechanism, epsilon, shares and respondents."""


def laws_of_counts(p, q, shares, respondents, estimand):
    """The exact law of the count of each value, of shape (values, respondents + 1)."""
    from scipy.signal import fftconvolve
    from scipy.stats import binom

    counts = np.arange(respondents + 1)
    if estimand == estimands.POPULATION:
        return binom.pmf(counts, respondents, (q + shares * (p - q))[:, None])
    held = apportion(respondents, shares)[:, None]
    laws = binom.pmf(counts, held, p), binom.pmf(counts, respondents - held, q)
    return fftconvolve(*laws, axes=1)[:, : respondents + 1]


@pytest.mark.parametrize("name", GATED)
def test_coverage(name):
    """94 to 96 % where counts are not coarse, at least 93 % elsewhere.

    Up to 98.2 % for values that no one holds. Summed over every count within six
    standard deviations; all intervals together by the union bound.
    """
    label, epsilon, shares, respondents = GATED[name]
    shares = np.array(shares)
    question = question_of(rows_by_label()[label], len(shares), epsilon)
    randomizer = question.randomizer
    is_matrix = randomizer.kind == "matrix"
    row = randomizer.channel().rows[0] if is_matrix else randomizer.support
    p, q = map(float, row)
    rates = q + shares * (p - q)
    reach = int(6 * np.sqrt(respondents) / 2)
    # Counts, of shape (values, surveys); what is below 0 is a count that no one sees.
    counts = (respondents * rates).astype(int)[:, None] + np.arange(-reach, reach + 1)
    counts %= respondents + 1
    if is_matrix:
        counts[1] = respondents - counts[0]
    surveys = counts if is_matrix else np.insert(counts, 0, respondents, axis=0)

    def coverage(estimand, **options):
        laws = laws_of_counts(p, q, shares, respondents=respondents, estimand=estimand)
        chances = np.take_along_axis(laws, counts, axis=1)
        asked = Options(estimand=estimand, frequencies=True, **options)
        missed = [
            observing._missed(estimate_question(question, survey[None], asked), shares)
            for survey in surveys.T
        ]
        return (chances * ~np.transpose(missed)).sum(axis=1)

    fine = respondents * rates * (1 - rates) >= 20
    for estimand in (estimands.RESPONDENTS, estimands.POPULATION):
        of_values = coverage(estimand)
        assert (of_values >= np.where(fine, 0.94, 0.93)).all()
        assert (of_values <= np.where(shares > 0, 0.96, 0.982))[fine].all()
    together = coverage(estimands.RESPONDENTS, simultaneous="bonferroni")
    assert (1 - together).sum() <= 0.06


def test_bloom_coverage(monkeypatch):
    """The same for regression on a Bloom filter: 600 surveys, gates at six errors
    (.0089).
    """
    monkeypatch.setitem(POPULATIONS, "given", lambda _: np.array(SHARES))
    look, repeats = observing._values.__defaults__
    first_alone = (lambda *seen: islice(look(*seen), 1)), repeats
    monkeypatch.setattr(observing._values, "__defaults__", first_alone)
    sums = measuring.summed(
        Cell(
            "values",
            ("rappor, Bloom",),
            "8",
            size=len(SHARES),
            population="given",
            respondents=2_000,
            surveys=600,
        )
    )
    for estimand in (estimands.RESPONDENTS, estimands.POPULATION):
        for share, missed in zip(
            SHARES, sums[f"each, {estimand}"].by_value, strict=True
        ):
            assert 1 - missed / 600 >= 0.896, share
            assert share == 0 or 1 - missed / 600 <= 0.994, share


def test_variance_at_zero_is_not_enough():
    """An interval from the variance at frequency zero misses half the time, which shows
    here.
    """
    _, epsilon, _, respondents = GATED["oue, 4"]
    p, q = (
        float(rate)
        for rate in question_of(rows_by_label()["oue"], 8, epsilon).randomizer.support
    )
    generator = np.random.default_rng(3)
    holders = respondents // 2
    supports = generator.binomial(holders, p, SURVEYS) + generator.binomial(
        respondents - holders, q, SURVEYS
    )
    estimates = (supports / respondents - q) / (p - q)
    reach = 1.96 * np.sqrt(q * (1 - q) / respondents) / (p - q)
    assert (np.abs(estimates - 0.5) <= reach).mean() < 0.6


@pytest.mark.parametrize(
    ("kinds", "left_out"),
    [
        (("values", "means"), set()),
        # Texts that are found and vectors have no sums.
        (("few", "few numbers"), {"codebook", "heavy-hitters"}),
    ],
)
def test_every_mechanism_is_measured(kinds, left_out):
    """Each has cells, of many respondents and of few."""
    measured = {
        rows_by_label()[cell.labels[0]].mechanism
        for cell in cells()
        if cell.kind in kinds
    }
    assert measured == set(MECHANISMS) - left_out


def test_the_grid_reaches_far():
    """Epsilon to 8 and 1,000 values wherever a mechanism takes them, every population.

    No cell comes twice, and the sums of two parts are those of the whole.
    """
    every = cells()
    first, rest, whole = (
        sums([(cell, {}) for cell in some], 0) for some in (every[:9], every[9:], every)
    )
    assert whole.most > whole.least == min(cell.surveys for cell in every)
    assert first.and_of(rest) == whole
    assert len({cell.name for cell in every}) == len(every)
    for label, row in rows_by_label().items():
        if row.family == "means":
            continue
        here = [
            cell for cell in every if cell.kind == "values" and cell.labels == (label,)
        ]
        assert {cell.epsilon for cell in here} == set(row.epsilons)
        assert {cell.size for cell in here} == set(row.sizes)
        assert {cell.population for cell in here} == set(POPULATIONS)
    far = [
        cell.labels[0]
        for cell in every
        if cell.kind == "values" and (cell.epsilon, cell.size) == ("8", 1_000)
    ]
    assert len(set(far)) >= 23


def test_what_is_new_moves_nothing():
    """Cells that were measured for the page have the populations and surveys that they
    had.

    A row that came in before others would change these, and the figures of all of them.
    """
    before = [
        cell
        for cell in cells()
        if not cell.kind.startswith("few")
        and set(cell.labels) <= {row.name for row in ROWS}
        and not (NEW | (NEW_MEANS if cell.kind == "means" else set()))
        & set(cell.labels)
    ]
    assert len(before) == 1_744
    names = "\n".join(f"{cell.name} {cell.surveys}" for cell in before)
    assert hashlib.sha256(names.encode()).hexdigest()[:16] == "c7c77b1a814792a0"


def test_means_are_measured_wherever_there_are_any():
    """Mechanisms without a mean have none in the grid, but for questions with two
    values.
    """
    means = labels_of_means(rows_by_label())
    for label, row in rows_by_label().items():
        if row.family not in ("values", "numbers") or row.sizes == (2,):
            continue
        question = question_of(row, 10, "2", domain=whole_numbers(10))
        holders = Holders(question.domain.values, np.full(10, 100))
        counts = sample_counts(question, holders, np.random.default_rng(1))
        estimates = observing.estimate_question(question, counts, Options())
        assert (estimates.mean is not None) == (label in means), label


@pytest.mark.parametrize(("surveys", "bound"), [(25, 0.06), (100, 0.05), (400, 0.08)])
def test_evidence(surveys, bound):
    """By chance a mean as large as any comes with at most the stated probability.

    The binomial law has it exactly.

    What is noticed with a given false-alarm rate is the least of those.
    """
    from scipy.stats import binom

    for misses in range(surveys + 1):
        chance = binom.sf(misses - 1, surveys, bound)
        assert chance <= math.exp(-evidence(misses / surveys, bound, surveys)) * (
            1 + 1e-9
        )
    noticed = least_noticed(bound, surveys, comparisons=1_000)
    assert not Claim("c", "w", noticed, bound=bound, surveys=surveys).holds(1_000)
    assert Claim("c", "w", noticed - 0.001, bound=bound, surveys=surveys).holds(1_000)
    assert (
        binom.sf(math.ceil(noticed * surveys) - 1, surveys, bound)
        <= FALSE_ALARM / 1_000
    )


def test_one_value_can_break_a_claim():
    """One value of a thousand, missed in 40 % of 200 surveys while others hold, is
    noticed.
    """
    cell = Cell(
        "values",
        ("grr",),
        "8",
        size=1_000,
        population="zipf",
        respondents=10_000,
        surveys=200,
    )
    finding = Finding(surveys=200, mean=0.05, error=0.001, values=1_000, worst=0.4)
    (claim,) = broken([(cell, {"each, respondents": finding})])
    assert claim.what == "each, respondents, worst value"
    assert not broken([(cell, {"each, respondents": finding._replace(worst=0.15)})])


def test_the_part_of_every_day_holds():
    """No claim is broken in the hardest cell of any mechanism.

    With a cause, mutants below show that one would be.
    """
    outcomes = run(part(cells()), Archive())
    assert {
        row.mechanism
        for row in map(rows_by_label().get, (c.labels[0] for c, _ in outcomes))
    } == set(MECHANISMS)
    assert [str(claim) for claim in broken(outcomes)] == []


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant(mutant, monkeypatch):
    """What is broken on purpose breaks its claim, in the everyday part or a harder
    cell.
    """
    mutant.break_it(monkeypatch)
    chosen = fitting(cells() if mutant.surveys else part(cells()), mutant.cells)
    chosen = [cell._replace(surveys=mutant.surveys or cell.surveys) for cell in chosen]
    outcomes = run(chosen, Archive())
    assert any(claim.what.startswith(mutant.claim) for claim in broken(outcomes))


SOME = "values: warner, epsilon 8,*"


def test_an_interrupted_run_goes_on(tmp_path, monkeypatch):
    """Nothing is measured twice, and a cell shows the same in any order and process."""
    results = tmp_path / "results.jsonl"
    chosen = [cell._replace(surveys=3) for cell in fitting(cells(), SOME)]
    assert len(chosen) == 3
    first = run(chosen[:2], Archive(results))
    measured = []
    monkeypatch.setattr(
        running, "measure", lambda cell: measured.append(cell) or measure(cell)
    )
    whole = run(chosen, Archive(results))
    assert measured == chosen[2:]
    assert whole[:2] == first
    assert run(chosen[::-1], Archive()) == whole[::-1]
    assert dict(whole[2][1]) == measure(chosen[2])
    monkeypatch.undo()
    assert run(chosen, Archive(), workers=2) == whole
    assert [json.loads(line)[0] for line in results.read_text().splitlines()] == list(
        dict.fromkeys(Archive(results))
    )


def test_the_command(tmp_path, monkeypatch):
    """It writes the page, exits with 1 at a broken claim, and refuses patterns nothing
    fits.
    """
    page, results = tmp_path / "page.md", tmp_path / "results.jsonl"
    words = [
        str(page),
        "--part",
        "--results",
        str(results),
        "--cells",
        "values: grr,*",
        "-q",
    ]
    sound = CliRunner().invoke(main, words)
    assert sound.exit_code == 0, sound.output
    assert "0 claims broken" in sound.output
    assert "python -m lab.coverage docs/coverage.md" in page.read_text()
    assert "breaks a claim" in page.read_text()
    MUTANTS[0].break_it(monkeypatch)
    broken_one = CliRunner().invoke(main, [words[0], "--part", *words[4:]])
    assert broken_one.exit_code == 1
    assert "does not hold: values: grr" in broken_one.output
    assert "- values: grr" in page.read_text()
    strange = CliRunner().invoke(main, ["--cells", "values: nothing*"])
    assert strange.exit_code == 1
    assert "expected a pattern that cells fit" in strange.output


def test_rows_are_added(tmp_path):
    """What the page lacks is measured, and what it has stays as it is; sums are of
    both.
    """
    path = tmp_path / "page.md"
    words = [str(path), "--part", "-q"]
    whole = CliRunner().invoke(main, [*words, "--cells", "values: grr,*"])
    assert whole.exit_code == 0, whole.output
    first = path.read_text()
    pattern = "*s: [wad]*"
    later = CliRunner().invoke(main, [*words, "--add", "--cells", pattern])
    assert later.exit_code == 0, later.output
    both = path.read_text()
    titles = [line[3:] for line in both.splitlines() if line.startswith("## ")]
    order = [section.title for section in SECTIONS if section.title in titles]
    assert titles[:-2] == order
    assert titles[-2:] == [ALL_TOGETHER, TITLE_OF_VERDICT]
    rows = [line for line in first.splitlines() if line.startswith("| grr |")]
    assert len(rows) == 1
    assert rows[0] in both
    assert both.index("| grr |") < both.index("| warner |")
    assert "Without what was measured later: warner" in both
    old, new = sums_of(first), sums_of(both)
    assert new.cells == old.cells + int(later.output.split(" cells")[0])
    assert new.surveys > old.surveys
    assert f"None of the {new.comparisons:,} comparisons" in both
    assert not [
        cell for cell in lacking(both, part(cells())) if cell.labels == ("warner",)
    ]
    again = CliRunner().invoke(main, [*words, "--add", "--cells", "values: grr,*"])
    assert again.exit_code == 1
    assert path.read_text() == both


def test_what_cannot_be_added_to(tmp_path):
    """No page, one of something else, and a table of other columns: nothing is
    written.
    """
    none = CliRunner().invoke(main, [str(tmp_path / "none.md"), "--add", "-q"])
    assert none.exit_code == 1
    assert "expected the page to add rows to" in none.output
    other = tmp_path / "other.md"
    other.write_text("# Other\n")
    strange = CliRunner().invoke(
        main, [str(other), "--part", "--add", "--cells", "*warner*", "-q"]
    )
    assert strange.exit_code == 1
    assert "that this command has written" in strange.output
    assert other.read_text() == "# Other\n"
    with pytest.raises(PageError, match="same columns"):
        added("x\n\n\n## Means\n\n| a |\n", "x\n\n\n## Means\n\n| b |\n", SUMS)
