"""Synthetic people: joint tables from tables of pairs, rows from these, and what they
keep.
"""

import csv
import io
import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from calling import run

import ldp
import ldp_aggregator
from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator import Tally
from ldp_aggregator.analyses.synthesis.entropy import (
    multiplicative,
    proportional,
    table_of,
)
from ldp_aggregator.analyses.synthesis.fit import PairFit, pair_shares
from ldp_aggregator.analyses.synthesis.pairs import Pairs, consistent, margins_of
from ldp_aggregator.analyses.synthesis.rows import along, from_joint
from ldp_aggregator.analyses.synthesis.synthesis import METHODS, synthesize
from ldp_aggregator.analyses.synthesis.tree import branches
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.table import sample_counts

SIZES = (2, 3, 2, 4)
SURVEY = ldp.survey(
    "s",
    ldp.question(
        "q",
        fields=[
            ldp.field("smokes", type="boolean"),
            ldp.field("sport", ["never", "weekly", "daily"]),
            ldp.field("age", edges=[18, 40, 100], outside="clip"),
        ],
        epsilon=4,
    ),
)


def bound_by_pairs(seed):
    """A joint table whose logs are sums over pairs: that of greatest entropy for its
    pairs.
    """
    generator = np.random.default_rng(seed)
    logs = np.zeros(SIZES)
    for first, second in combinations(range(4), 2):
        shape = [1] * 4
        shape[first], shape[second] = SIZES[first], SIZES[second]
        logs = logs + generator.normal(0, 0.7, shape)
    joint = np.exp(logs)
    return joint / joint.sum()


def pairs_in(joint):
    """The tables of all pairs."""
    return {pair: table_of(joint, pair) for pair in combinations(range(joint.ndim), 2)}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("find", "near"), [(proportional, 1e-4), (multiplicative, 0.01)]
)
def test_pairs_give_the_joint_table_of_greatest_entropy(seed, find, near):
    """Exactly, if nothing binds three fields; the slower way stops a little before."""
    joint = bound_by_pairs(seed)
    assert np.abs(find(SIZES, pairs_in(joint)) - joint).max() < near


def test_what_binds_three_fields_is_lost():
    """Of an exclusive or no pair says anything: the joint table has no dependence at
    all.
    """
    joint = np.zeros((2, 2, 2))
    for first, second in np.ndindex(2, 2):
        joint[first, second, first ^ second] = 0.25
    for find in (proportional, multiplicative):
        assert np.allclose(find((2, 2, 2), pairs_in(joint)), 1 / 8)


def test_noisy_tables_are_made_consistent():
    """No share below 0, one share for a value in all tables, and nearer to the truth
    than before.

    Noise of .05 on 72 cells whose shares are .11 on average; seed 8.
    """
    generator = np.random.default_rng(8)
    true = pairs_in(bound_by_pairs(4))
    noisy = {
        pair: table + generator.normal(0, 0.05, table.shape)
        for pair, table in true.items()
    }
    pairs = Pairs(SIZES, noisy, {})
    tables = consistent(pairs)
    margins = margins_of(SIZES, tables)
    for (first, second), table in tables.items():
        assert table.min() >= 0
        assert np.allclose(table.sum(axis=1), margins[first], atol=2e-3)
        assert np.allclose(table.sum(axis=0), margins[second], atol=2e-3)

    def off(tables):
        return sum(float(np.square(tables[pair] - true[pair]).sum()) for pair in true)

    assert off(tables) < 0.8 * off(noisy)
    exact = consistent(Pairs(SIZES, true, {}))
    assert all(np.allclose(exact[pair], true[pair]) for pair in true)


def test_rows_are_as_many_as_shares_say():
    """Of each cell its share of 1,000 rows, rounded up or down; in no order."""
    joint = bound_by_pairs(5)
    people = from_joint(joint, 1000, np.random.default_rng(1))
    assert people.shape == (1000, 4)
    cells = np.ravel_multi_index(tuple(people.T), SIZES)
    counts = np.bincount(cells, minlength=joint.size)
    assert (np.abs(counts - 1000 * joint.ravel()) < 1 + 1e-9).all()
    assert (np.diff(cells) < 0).mean() > 0.4


def test_a_tree_has_the_strongest_pairs():
    """Of a chain its links, which give all other tables; rows follow them within 2 of
    1,000.
    """
    generator = np.random.default_rng(6)
    shares = generator.dirichlet(np.ones(3), size=(3, 3))
    joint = np.ones((3, 3, 3, 3)) / 3
    for link in range(3):
        shape = [1] * 4
        shape[link], shape[link + 1] = 3, 3
        joint = joint * shares[link].reshape(shape)
    tables = pairs_in(joint)
    tree = branches(4, tables)
    assert {tuple(sorted(link)) for link in tree} == {(0, 1), (1, 2), (2, 3)}
    people = along(tree, tables, 50_000, generator=np.random.default_rng(2))
    for pair, table in tables.items():
        # Beyond the links, holders are apportioned by chance: three of its standard
        # errors.
        assert np.abs(pair_shares(people, pair, table.shape) - table).max() < 0.006


def tally_of_people(respondents=20_000, seed=9):
    """Smokers never exercise more often than others do; 20,000 answers at epsilon 4."""
    shares = np.array([[[4, 6], [6, 8], [6, 6]], [[6, 8], [3, 3], [1, 1]]], dtype=float)
    held = apportion(respondents, shares.ravel())
    tally = Tally.empty(SURVEY)
    tally.counts["q"] = sample_counts(
        SURVEY["q"], Holders((), held), np.random.default_rng(seed)
    )
    return tally, held.reshape(shares.shape) / respondents


@pytest.mark.parametrize("method", METHODS)
def test_people_from_a_tally(method):
    """Their tables are near the true ones: within five standard errors of the unbiased
    tables.
    """
    tally, true = tally_of_people()
    people = synthesize(tally, "q", rows=5000, method=method, seed=1)
    assert len(people) == 5000
    assert people.names == ("smokes", "sport", "age")
    assert people.method == method
    for fit in people.fits:
        assert fit.difference < 5 * fit.noise + 1 / 5000
        assert abs(fit.kept - fit.strength) < 0.1
    smokers = [row for row in people if row["smokes"] == "true"]
    idle = np.mean([row["sport"] == "never" for row in smokers])
    assert abs(idle - true[1, 0].sum() / true[1].sum()) < 0.1
    again = synthesize(tally, "q", rows=5000, method=method, seed=1)
    assert (again.people == people.people).all()


def test_rows_are_said_to_differ_by_a_root_mean_square():
    """Over the pairs, beside that of their standard errors."""
    people = synthesize(tally_of_people()[0], "q", rows=10)
    fits = tuple(
        PairFit("a", name, noise, difference=difference, strength=0.5, kept=0.4)
        for name, noise, difference in (("b", 0.03, 0.01), ("c", 0.04, 0.07))
    )
    (summary, _) = replace(people, fits=fits).sheet().warnings
    assert "differ by 0.05 (root mean square over cells)" in summary
    assert summary.endswith("whose standard error is 0.035")


def test_some_fields_alone():
    """In the order that was asked for."""
    tally, _ = tally_of_people()
    people = synthesize(tally, "q", rows=10, fields=["age", "smokes"])
    assert people.names == ("age", "smokes")
    assert set(next(iter(people))) == {"age", "smokes"}


def test_what_cannot_be_made_up_is_told():
    """Too few fields, none such, no reports, no fields, no such method, too many
    rows.
    """
    tally, _ = tally_of_people()
    for options, expected in (
        ({"fields": ["age"]}, "two fields or more"),
        ({"rows": 0}, "1 to 10,000,000 rows, got 0"),
        ({"rows": 10**9}, "got 1,000,000,000"),
        ({"method": "magic"}, "one of pairs, weights, tree"),
    ):
        with pytest.raises(EstimateError, match=expected):
            synthesize(tally, "q", **options)
    with pytest.raises(UnknownNameError):
        synthesize(tally, "q", fields=["age", "height"])
    with pytest.raises(EstimateError, match="none yet"):
        synthesize(Tally.empty(SURVEY), "q")
    other = ldp.survey("s", ldp.question("y", ["a", "b"], epsilon=1))
    with pytest.raises(EstimateError, match="type table"):
        synthesize(Tally.empty(other), "y")


def test_from_the_command_line(tmp_path):
    """Rows go to a file that can be asked the survey; a table says how good they
    are.
    """
    path, reports = tmp_path / "s.toml", tmp_path / "reports"
    path.write_text(SURVEY.to_toml())
    answers = "smokes,sport,age\n" + "true,never,30\nfalse,daily,70\n" * 500
    (tmp_path / "answers.csv").write_text(answers)
    run("randomize", path, "-i", tmp_path / "answers.csv", "-o", reports, "-q")
    command = (
        "analyze",
        "synthesize",
        path,
        reports,
        "--question",
        "q",
        "--seed",
        "1",
        "-q",
    )
    rows = tmp_path / "people.csv"
    written = run(*command, "-n", "200", "-o", rows)
    assert "differ by" in written.stderr
    assert "biased" in written.stderr
    people = list(csv.DictReader(io.StringIO(rows.read_text())))
    assert len(people) == 200
    assert {row["sport"] for row in people} <= {"never", "weekly", "daily"}
    assert sum(row["smokes"] == "true" for row in people) > 60
    simulated = run("simulate", path, "--population", rows, "--seed", "1", "-q")
    assert "200" in simulated.stdout
    shown = run(*command)
    assert "smokes & sport" in shown.stdout
    record = json.loads(run(*command, "--format", "json").stdout)
    assert record["biased"] is True
    assert len(record["pairs"]) == 3
    assert "two fields or more" in run(*command, "--fields", "age", code=1).stderr
    assert "height" in run(*command, "--fields", "age,height", code=1).stderr


def test_the_module_of_the_package():
    """It is found where the page of the API says."""
    assert ldp_aggregator.synthesize is synthesize
