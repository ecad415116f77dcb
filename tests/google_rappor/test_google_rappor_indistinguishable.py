"""Candidates that no report tells apart are one group under all their names, and end no
import.
"""

import csv
import io
import json
from fractions import Fraction

import numpy as np
import pytest
from calling import ldp
from google_rappor_files import (
    CELLS,
    PARAMETERS,
    SHARES,
    counts_text,
    map_text,
    params_text,
    write_collection,
)

from ldp import parse_survey
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.bloom import indistinguishable
from ldp_aggregator.decoders.bloom.decoding import design_matrix
from ldp_aggregator.decoders.bloom.indistinguishable import alike_together, group_name
from ldp_aggregator.decoders.moments import bit_designs
from ldp_aggregator.decoders.moments.bit_designs import BitDesign, design_of
from ldp_aggregator.decoders.other_results import Candidates
from ldp_aggregator.exchange.google_rappor.decoding import decode, legacy_question
from ldp_aggregator.exchange.google_rappor.files import read_map

FILES = "--params params.csv --counts counts.csv --map map.csv"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def values_of(line=FILES):
    """What an import reports, by candidate."""
    record = json.loads(ldp(f"rappor import {line} --format json -q").stdout)
    return {value["value"]: value for value in record["questions"]["rappor"]["values"]}


def test_candidates_with_the_same_bits(folder):
    """Three names for the bits of one, wherever in the map, are the one under three
    names.
    """
    alone = values_of()
    rows = map_text(CELLS).splitlines()
    # In any order of bits, which is no difference.
    again = ",".join(["scarlet", *rows[0].split(",")[:0:-1]])
    rows = [*rows[:2], again, *rows[2:], rows[0].replace("red", "rouge")]
    (folder / "map.csv").write_text("\n".join(rows))
    values = values_of()
    assert list(values) == ["red or scarlet or rouge", "green", "blue", "mauve"]
    for name, value in values.items():
        expected = alone[name.split(" ")[0]]
        assert value | {"value": ""} == expected | {"value": ""}
    message = ldp(f"rappor import {FILES} --export results.csv").stderr
    assert (
        "tell 3 candidates apart, which are estimated together, as one: red, scarlet"
        in message
    )
    first = next(
        iter(csv.DictReader(io.StringIO((folder / "results.csv").read_text())))
    )
    assert first["string"] == "red or scarlet or rouge"


def test_candidates_that_differ_where_no_one_reported(folder):
    """Two that differ in one cohort are one, if that cohort has no reports."""
    other = [*CELLS["red"][:-2], 49, 50]
    assert set(other) != set(CELLS["red"])
    cells = {**CELLS, "rouge": other}
    (folder / "map.csv").write_text(map_text(cells))
    assert "rouge" in values_of()
    counts = (folder / "counts.csv").read_text().splitlines()
    (folder / "counts.csv").write_text("\n".join([*counts[:-1], ",".join(["0"] * 17)]))
    assert "red or rouge" in values_of()


FOUR = {"ab": (1, 2), "cd": (3, 4), "ac": (1, 3), "bd": (2, 4)}
"""Bits of which two are as the other two together, in each cohort."""


def four(order):
    """A collection of those four, and two that are told apart."""
    parameters = PARAMETERS._replace(cohorts=3)
    bits = {name: FOUR[name] for name in order} | {"ef": (5, 6), "gh": (7, 8)}
    cells = {
        name: [16 * cohort + bit for cohort in range(3) for bit in own]
        for name, own in bits.items()
    }
    shares = dict.fromkeys(FOUR, Fraction(1, 8)) | {
        "ef": Fraction(3, 8),
        "gh": Fraction(1, 8),
    }
    return parameters, cells, shares


def write_four(folder, order=tuple(FOUR)):
    parameters, cells, shares = four(order)
    (folder / "params.csv").write_text(params_text(parameters))
    (folder / "counts.csv").write_text(counts_text(parameters, cells, shares=shares))
    (folder / "map.csv").write_text(map_text(cells))


def test_candidates_that_depend_on_each_other(folder):
    """The sum of all four is right, and that of the others; whichever are kept for
    it.
    """
    write_four(folder)
    values = values_of()
    assert {
        name: value["frequency"] for name, value in values.items()
    } == pytest.approx(
        {"ab or cd or ac or bd": 0.5, "ef": 0.375, "gh": 0.125}, abs=1e-9
    )
    message = ldp(f"rappor import {FILES}").stderr
    assert (
        "tell 4 candidates apart, which are estimated together, as one: ab, cd, ac, bd"
        in message
    )
    write_four(folder, ("bd", "ac", "cd", "ab"))
    turned = values_of()
    assert next(iter(turned)) == "bd or ac or cd or ab"
    for one, other in zip(values.values(), turned.values(), strict=True):
        assert one["standard_error"] == pytest.approx(other["standard_error"])
        assert one["interval"] == pytest.approx(other["interval"])
    low, high = values["ab or cd or ac or bd"]["interval"]
    assert low < 0.5 < high < low + 0.2


def test_the_error_of_a_sum_is_that_of_draws(folder):
    """Estimates of 400 simulated collections spread as stated.

    The chi-square of their standardized deviations has 400 degrees of freedom, of which
    less than 276 or more than 555 come about with a chance below 1e-6; errors stated a
    third too large, or a quarter too small, do not pass.
    """
    write_four(folder)
    parameters, cells, shares = four(tuple(FOUR))
    one, zero = 0.625, 0.375
    generator, squares = np.random.default_rng(1), 0.0
    question = legacy_question(parameters, None, "params.csv")
    candidates = read_map(folder / "map.csv", parameters)
    options = Options(estimand="population")
    bits = np.array(
        [
            [[16 * c + b + 1 in own for b in range(16)] for c in range(3)]
            for own in cells.values()
        ]
    )
    for _ in range(400):
        rows = []
        for cohort in range(3):
            texts = generator.multinomial(2000, [float(shares[name]) for name in cells])
            true = texts @ bits[:, cohort]
            ones = generator.binomial(true, one) + generator.binomial(2000 - true, zero)
            rows.append([2000, *ones])
        estimates, _ = decode(question, np.array(rows), candidates, options=options)
        values = estimates[question.name]
        squares += float(((values.frequency[0] - 0.5) / values.standard_error[0]) ** 2)
    assert 276 < squares < 555
    assert squares * (3 / 4) ** 2 < 276
    assert squares * (4 / 3) ** 2 > 555


def test_sums_that_cannot_be_told_end_the_import(folder):
    """Candidates whose bits together are set by everyone: texts that are none look
    alike.
    """
    cells = {
        name: [bit, 4 + bit, 8 + bit, 12 + bit] for bit, name in enumerate(SHARES, 1)
    }
    parameters = PARAMETERS._replace(bits=4, hashes=1)
    (folder / "params.csv").write_text(params_text(parameters))
    (folder / "counts.csv").write_text(counts_text(parameters, cells))
    (folder / "map.csv").write_text(map_text(cells))
    assert "cannot be told apart" in ldp(f"rappor import {FILES}", 1).stderr


def test_groups_among_very_many(monkeypatch):
    """A table of positions loses the columns that are one with others."""
    monkeypatch.setattr(bit_designs, "FEW", 20)
    generator = np.random.default_rng(1)
    places = generator.integers(0, 16, (4, 2, 60)).astype(np.uint16)
    # Candidate 50 has the bits of candidate 3, in another order.
    places[:, :, 50] = places[:, ::-1, 3]
    names = tuple(f"v{number}" for number in range(60))
    candidates = Candidates(names, design_of(places, 16))
    assert isinstance(candidates.design, BitDesign)
    dense = candidates.design[:, :].toarray()
    (shown, design), groups = alike_together(
        candidates, np.ones((4, 17), dtype=np.int64)
    )
    assert groups == (("v3", "v50"),)
    assert isinstance(design, BitDesign)
    assert shown == (*names[:3], "v3 or v50", *names[4:50], *names[51:])
    assert np.array_equal(design[:, :].toarray(), np.delete(dense, 50, axis=1))
    # Whatever the random numbers add up to, bits decide.
    monkeypatch.setattr(indistinguishable, "_suspects", lambda *_: np.arange(60))
    assert alike_together(candidates, np.ones((4, 17), dtype=np.int64)).groups == groups


def test_large_groups_have_short_names():
    """Five of its names, and how many there are more."""
    assert group_name(["a"]) == "a"
    assert group_name(list("abcde")) == "a or b or c or d or e"
    assert group_name(list("abcdefg")) == "a or b or c or d or e or 2 more"


def test_candidates_of_a_survey_are_grouped_too(tmp_path, monkeypatch):
    """Those with the same bits in all cohorts: told by `check`, and estimated as
    one.
    """
    monkeypatch.chdir(tmp_path)
    names = [f"text {number}" for number in range(12)]
    (tmp_path / "texts.txt").write_text("\n".join(names))
    (tmp_path / "s.toml").write_text(
        '[survey]\nname = "s"\n[[question]]\nname = "q"\ntype = "text"\nmechanism = '
        '"rappor"\n'
        'candidates = "texts.txt"\nbloom_bits = 16\nhashes = 1\ncohorts = 1\n'
        'f = "1/8"\np = "1/8"\nq = "7/8"'
    )
    survey = parse_survey((tmp_path / "s.toml").read_text())
    bits = np.argmax(design_matrix(survey["q"].randomizer, names).toarray(), axis=0)
    alike = {" or ".join(np.array(names)[bits == bit]) for bit in set(bits.tolist())}
    assert 2 < len(alike) < 12
    said = ldp("check s.toml").stderr
    for group in alike - set(names):
        assert (
            f"no number of reports tells them apart: {group.replace(' or ', ', ')};"
            in said
        )
    (tmp_path / "answers.csv").write_text("q\n" + "\n".join(names * 100))
    ldp("randomize s.toml -i answers.csv -o reports.ldp")
    outcome = ldp("estimate s.toml reports.ldp --format json")
    by_value = json.loads(outcome.stdout)["questions"]["q"]["values"]
    assert {value["value"] for value in by_value} == alike
    for value in by_value:
        expected = len(value["value"].split(" or ")) / 12
        assert abs(value["frequency"] - expected) < 6 * value["standard_error"]
