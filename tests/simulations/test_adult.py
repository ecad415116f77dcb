"""The whole pipeline on 32,561 people of the UCI Adult data, at epsilon 1 and 4.

The data lie beside the checkout, in shared/data/adult.data; without them these tests
are skipped.
"""

import csv
import json
import random
from functools import reduce
from math import exp, sqrt
from pathlib import Path

import numpy as np
import pytest
from calling import ldp, run
from places import DATA as FOREIGN

from ldp.survey.survey_file import parse_survey
from ldp_aggregator import Ingest, Tally, estimate
from ldp_simulations.answers import read_answers
from ldp_simulations.population import from_table
from ldp_simulations.simulation.simulation import LAW, report_files, simulate

DATA = FOREIGN / "adult.data"
COLUMNS = {
    "workclass": 1,
    "education": 3,
    "occupation": 6,
    "race": 8,
    "sex": 9,
    "native-country": 13,
    "income": 14,
}
MECHANISMS = {
    "sex": "warner",
    "income": "forced",
    "race": "matrix",
    "education": "grr",
    "workclass": "sue",
    "occupation": "oue",
    "native-country": "rappor",
}

pytestmark = pytest.mark.needs("adult.data")


def keys_of(mechanism, epsilon, size):
    """The keys that give a mechanism an epsilon: exactly, or to 12 digits of a
    probability.
    """
    odds = exp(epsilon)
    forced = f'"{1 / (odds + 1):.12f}"'
    if mechanism == "forced":
        return f"forced_true = {forced}\nforced_false = {forced}"
    if mechanism == "matrix":
        other = round(1 / (odds + size - 1), 12)
        rows = [
            [f"{1 - (size - 1) * other if x == y else other:.12f}" for y in range(size)]
            for x in range(size)
        ]
        return f"matrix = {rows}"
    if mechanism == "rappor":
        # One-hot: q* = s / (s + 1) with s = e^(epsilon / 2); a permanent response of f
        # = 1/20 takes a little of it.
        one = exp(epsilon / 2) / (exp(epsilon / 2) + 1)
        q = 0.5 + (one - 0.5) / 0.95
        return f'f = "0.05"\nq = "{q:.12f}"\np = "{1 - q:.12f}"'
    return f'epsilon = "{epsilon}"'


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """The seven columns as a table of answers; a question mark is no answer."""
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    with DATA.open() as source, path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row in csv.reader(source, skipinitialspace=True):
            if row:
                writer.writerow(
                    "" if row[place] == "?" else row[place]
                    for place in COLUMNS.values()
                )
    return path


@pytest.fixture(scope="module", params=[1, 4])
def survey_text(request, table):
    with table.open() as file:
        rows = list(csv.DictReader(file))
    text = '[survey]\nname = "adult"\n'
    for name, mechanism in MECHANISMS.items():
        values = sorted({row[name] for row in rows} - {""})
        head = (
            f'[[question]]\nname = "{name}"\ntype = "category"\nmechanism = '
            f'"{mechanism}"\n'
        )
        text += (
            f"{head}values = {json.dumps(values)}\n"
            f"{keys_of(mechanism, request.param, len(values))}\n"
        )
    return request.param, text


def test_epsilons(survey_text):
    """Every question delivers its epsilon, to 9 digits, and no more than it
    declares.
    """
    epsilon, text = survey_text
    for question in parse_survey(text):
        assert float(question.randomizer.ratio) == pytest.approx(exp(epsilon), rel=1e-8)
        assert question.randomizer.ratio <= question.declared.bound


def test_intervals_hold_the_truth(survey_text, table):
    """Three parts, randomized apart and merged: of 88 intervals no more miss than
    chance allows.

    Fixed seed. Each interval misses with probability .05; with any dependence among
    those of one question, more than 20 misses of 88 (mean 4.4) have probability below
    1e-6 if they are as independent as the 7 questions make them.
    """
    _, text = survey_text
    survey = parse_survey(text)
    people = list(read_answers(table, survey))
    assert len(people) == 32_561
    source = random.Random(2026).randbytes
    parts = []
    for start in range(3):
        ingest = Ingest(survey)
        for chunk in report_files(survey, people[start::3], source):
            ingest.feed(chunk)
        ingest.end_of_stream()
        parts.append(ingest.tally)
    tally = reduce(Tally.merge, parts, Tally.empty(survey))
    estimates, truth = estimate(tally), from_table(survey, table)
    misses, scores = 0, []
    for question in estimates:
        true = np.array(truth[question.name].frequencies(question.values))
        assert question.reports == truth[question.name].respondents
        misses += int(((true < question.low) | (true > question.high)).sum())
        scores += (
            ((question.frequency - true) / question.standard_error) ** 2
        ).tolist()
    assert len(scores) == 88
    assert misses <= 20
    # The mean squared z-score of 88 values is 1 with a standard error of at most sqrt(2
    # / 44), if they come in pairs.
    assert np.mean(scores) == pytest.approx(1, abs=5 * sqrt(2 / 44))


def test_intervals_hold_the_truth_as_often_as_they_say(survey_text, table):
    """Over 400 surveys of these people, 95 % of the intervals of each question and
    value hold.
    """
    _, text = survey_text
    survey = parse_survey(text)
    result = simulate(survey, from_table(survey, table), runs=400, seed=9, way=LAW)
    for name, runs in result.runs.items():
        # Each value's coverage has a standard error of .011; a question's mean has
        # less.
        assert 0.94 - 0.01 <= runs.coverage.mean() <= 0.97, name
        assert runs.coverage.min() >= 0.95 - 6 * 0.011, name


def test_command_line(survey_text, table, tmp_path, monkeypatch):
    """The same by the commands of a survey's staff, with the system's randomness."""
    _, text = survey_text
    monkeypatch.chdir(tmp_path)
    Path("adult.toml").write_text(text)
    lines = table.read_text().splitlines()
    for part in range(3):
        Path(f"part{part}.csv").write_text(
            "\n".join([lines[0], *lines[1 + part :: 3]]) + "\n"
        )
        run(
            "randomize",
            "adult.toml",
            "-i",
            f"part{part}.csv",
            "-o",
            f"part{part}.reports",
            "-q",
        )
        run(
            "aggregate",
            "adult.toml",
            f"part{part}.reports",
            "-o",
            f"part{part}.tally",
            "-q",
        )
    run(
        "aggregate",
        "adult.toml",
        *(f"part{part}.tally" for part in range(3)),
        "-o",
        "all.tally",
        "-q",
    )
    record = json.loads(ldp("estimate adult.toml all.tally --format json -q").stdout)
    run(
        "estimate",
        "adult.toml",
        *(f"part{part}.reports" for part in range(3)),
        "-q",
        "--plot",
        "adult.svg",
    )
    answered = dict.fromkeys(COLUMNS, 32561) | {
        "workclass": 30_725,
        "occupation": 30_718,
        "native-country": 31_978,
    }
    assert {
        name: question["reports"] for name, question in record["questions"].items()
    } == answered
    male = record["questions"]["sex"]["values"][1]
    # 66.9 % of them are men; six standard errors.
    assert abs(male["frequency"] - 0.6692) <= 6 * male["standard_error"] < 0.06
