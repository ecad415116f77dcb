"""Many questions from the survey file to the page: commands, service, attacks,
versions, health.
"""

import json

import numpy as np
import pytest
from calling import run
from test_page_of_distributions import Unasked

import ldp
from ldp.survey.compiled import compile_survey
from ldp_aggregator import Options, aggregate, estimate
from ldp_aggregator.analyses.health_checks.report_checks import health
from ldp_aggregator.answers.estimates.pooling import Version, estimate_pooled, poolable
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_client import Client
from ldp_service.page.document import render
from ldp_service.page.views.question import QuestionView
from ldp_simulations import attack, from_table, randomize, simulate, synthetic
from ldp_simulations.population import PopulationError
from ldp_simulations.sampling.table import sample_counts

FIELDS = [
    ldp.field("smokes", type="boolean"),
    ldp.field("sport", ["never", "weekly", "daily"]),
    ldp.field("age", edges=[18, 30, 50, 100], outside="clip"),
    ldp.field("children", low=0, high=3),
]
NAMES = [
    *("smokes: false", "smokes: true", "sport: never", "sport: weekly", "sport: daily"),
    *("age: [18, 30)", "age: [30, 50)", "age: [50, 100]"),
    *(f"children: {number}" for number in range(4)),
]


def habits(**keys):
    """A survey of these fields."""
    keys = {"epsilon": 2, "collect": "subsets", **keys}
    return ldp.survey("habits", ldp.question("q", fields=FIELDS, **keys))


def people(respondents=5000):
    """A column for each field; smokers do no sport."""
    generator = np.random.default_rng(1)
    smokes = generator.random(respondents) < 0.3
    sport = generator.choice(["never", "weekly", "daily"], respondents)
    return {
        "smokes": smokes,
        "sport": np.where(smokes, "never", sport),
        "age": generator.integers(10, 90, respondents),
        "children": generator.integers(0, 4, respondents),
    }


@pytest.fixture
def files(tmp_path):
    """The survey, a table of answers and the reports on it, as files."""
    survey = habits()
    (tmp_path / "survey.toml").write_text(survey.to_toml())
    columns = {name: column.tolist() for name, column in people().items()}
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "answers.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "reports.ldp").write_bytes(randomize(survey, people(), seed=2))
    return tmp_path


def test_a_device_answers_by_field():
    """One report, charged once; the compiled form has the fields and no cells."""
    survey = habits()
    client = Client(survey)
    report = client.record(
        "q", {"smokes": True, "sport": "never", "age": 12, "children": 0}
    )
    assert len(report.row) == survey["q"].width
    assert client.ledger().epsilon() == pytest.approx(2, abs=1e-9)
    (question,) = compile_survey(survey)["questions"]
    assert question["values"] is None
    assert [field["name"] for field in question["fields"]] == [
        "smokes",
        "sport",
        "age",
        "children",
    ]
    assert question["integers"]["sizes"] == [["2", "3", "3", "4"]]


def test_estimates_are_of_the_values_of_each_field():
    """Those of a field add up to 1; a covariance says how they err together."""
    tally = aggregate(habits(), randomize(habits(), people(), seed=2))
    together = Options(estimand="respondents", covariance=True)
    question = estimate(tally, options=together)["q"]
    assert list(question.values) == NAMES
    assert question.frequency[2:5].sum() == pytest.approx(1)
    spread = np.sqrt(np.diag(question.covariance))
    np.testing.assert_allclose(spread, question.standard_error, rtol=0.05)
    assert question["smokes: true"].low < 0.3 < question["smokes: true"].high
    with pytest.raises(ldp.EstimateError, match="norm-sub"):
        estimate(tally, options=Options(post_process="norm-sub"))
    with pytest.raises(ldp.EstimateError, match="for these respondents alone"):
        estimate(tally, options=Options(covariance=True))
    lone = aggregate(
        habits(together=1), randomize(habits(together=1), people(), seed=2)
    )
    with pytest.raises(ldp.EstimateError, match="two fields or more"):
        estimate(lone, options=together)


def test_commands(files):
    """Check, explain, estimate, crosstab of fields and of all pairs, plan, simulate."""
    survey, reports = files / "survey.toml", files / "reports.ldp"
    assert "a device tells 2 of 4 fields" in run("explain", survey).output
    estimates = json.loads(
        run("estimate", survey, reports, "--format", "json", "--quiet").output
    )
    assert [value["value"] for value in estimates["questions"]["q"]["values"]] == NAMES
    asked = ("analyze", "crosstab", survey, reports, "--question", "q", "--quiet")
    of_two = json.loads(
        run(*asked, "--fields", "smokes,sport", "--format", "json").output
    )
    assert len(of_two["shares"]) == 6
    assert {part["measure"] for part in of_two["measures"]} >= {"Cramer's V"}
    pairs = json.loads(run(*asked, "--format", "json").output)["pairs"]
    assert len(pairs) == 6
    assert pairs[0]["fields"] == ["smokes", "sport"]
    assert pairs[0]["p_value"] < 1e-6
    assert "smokes & sport" in run(*asked).output
    assert run(*asked, "--format", "csv").output.count("\n") == 7
    refused = run(*asked, "--fields", "smokes,sport,age", code=1)
    assert "one to 2 fields" in refused.output
    assert "epsilon split" in run("plan", survey, "--respondents", 1000).output
    simulated = run(
        "simulate", survey, "--population", files / "answers.csv", "--runs", 3
    )
    assert "sport: never" in simulated.output


def test_populations(tmp_path):
    """Of a table, true shares of values and pairs; made up, as large as one likes."""
    survey = habits()
    holders = from_table(survey, people())["q"]
    assert holders.respondents == 5000
    shares = dict(zip(NAMES, holders.frequencies(NAMES), strict=True))
    assert shares["smokes: true"] == pytest.approx(np.mean(people()["smokes"]))
    np.testing.assert_allclose(holders.table(0, 1).sum(axis=1), holders.table(0))
    everyone = synthetic(survey, 10**9, "uniform")
    assert everyone["q"].respondents == 10**9
    simulated = simulate(survey, everyone, runs=1, seed=3)
    assert simulated.first["q"].reports == 10**9
    weights = tmp_path / "weights.csv"
    weights.write_text("question,value,weight\n")
    with pytest.raises(PopulationError, match="combinations"):
        synthetic(survey, 10, f"file:{weights}")


@pytest.mark.parametrize("way", ["clients", "reports", "law"])
def test_every_way_has_the_true_shares(way):
    """Of 2,000 respondents, each share within five standard errors; seed 4."""
    survey = habits(epsilon=4)
    population = from_table(survey, people(2000))
    simulated = simulate(survey, population, runs=1, seed=4, way=way)
    estimates = simulated.first["q"]
    away = estimates.frequency - population["q"].frequencies(NAMES)
    assert (np.abs(away) < 5 * estimates.standard_error).all()


def test_attacks_stay_within_their_bounds():
    """Forgers of the best report gain most, and none more than the bound."""
    survey = habits()
    population = from_table(survey, people())
    attacks = attack(survey, population, fraction=0.1, runs=3, seed=5)
    gains = {}
    for effect in attacks.to_dict()["attacks"]:
        for target in effect["targets"]:
            assert abs(target["furthest_gain"]) <= target["bound"] + 1e-9
            gains.setdefault(effect["attack"], []).append(target["gain"])
    assert np.mean(gains["maximal-gain"]) > np.mean(gains["input"]) > 0


def test_health():
    """Sound reports pass; one subset alone, or one symbol, does not."""
    question = habits()["q"]
    holders = from_table(habits(), people())["q"]
    counts = sample_counts(question, holders, np.random.default_rng(6))
    assert not any(check.suspicious for check in health(question, counts))
    lone = np.zeros_like(counts)
    lone[3] = counts[3] * 6
    assert "cohorts" in {
        check.name for check in health(question, lone) if check.suspicious
    }


def test_versions_are_pooled():
    """Two epsilons as one estimate; other fields are another question."""
    versions = [habits()["q"], habits(epsilon=4)["q"]]
    assert poolable(versions)
    holders = from_table(habits(), people())["q"]
    generator = np.random.default_rng(7)
    parts = [
        Version(question, sample_counts(question, holders, generator))
        for question in versions
    ]
    options = Options(estimand="population")
    together = estimate_pooled(parts, options)
    away = together.frequency - holders.frequencies(NAMES)
    assert (np.abs(away) < 5 * together.standard_error).all()
    other = ldp.question("q", fields=FIELDS[:3], collect="subsets", epsilon=2)
    assert not poolable([versions[0], ldp.survey("habits", other)["q"]])


def test_the_page_of_a_service_shows_them():
    """The values of each field in their order, with what to know about them."""
    question = habits()["q"]
    holders = from_table(habits(), people())["q"]
    counts = sample_counts(question, holders, np.random.default_rng(8))
    estimates = estimate_question(question, counts, Options())
    text = render(
        "question", "x", view=QuestionView.of(estimates), asked=Unasked, notes=()
    )
    assert all(f">{name}<" in text for name in NAMES)
    assert "ldp analyze crosstab" in text
