"""Remarks: what an analyst has to know is said in every output."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from html_elements import read
from pages import COMMUTE, TOKEN, answers, service_of, visitor

from ldp import parse_survey
from ldp_aggregator import Tally, encode_tally, estimate, estimation
from ldp_aggregator.cli import main
from ldp_aggregator.remarks import Remark
from ldp_aggregator.tables import as_json, table

SAID = Remark("proverb", "An <estimate> is not the truth.")
SURVEY = parse_survey(COMMUTE)


@pytest.fixture
def _remarked(monkeypatch):
    """An estimator of stochastic matrices that has something to say."""
    made = estimation._MOMENTS["matrix"]
    changed = {"matrix": lambda *given: replace(made(*given), remarks=(SAID,))}
    monkeypatch.setattr(estimation, "_MOMENTS", estimation._MOMENTS | changed)


@pytest.fixture
def tally():
    """Reports to one question, whose mechanism is a stochastic matrix."""
    found = Tally.empty(SURVEY)
    found.counts["smoker"] += np.array([[40, 60]])
    return found


@pytest.mark.usefixtures("_remarked")
def test_every_text_says_the_remarks(tally):
    """Tables, what is printed, notebooks and JSON have the remark once."""
    estimates = estimate(tally)
    assert table(estimates).count(SAID.text) == 1
    assert repr(estimates).count(SAID.text) == 1
    assert estimates._repr_html_().count("An &lt;estimate&gt; is not the truth.") == 1
    said = json.loads(as_json(estimates))["questions"]["smoker"]["remarks"]
    assert said[0] == {"name": SAID.name, "text": SAID.text}


@pytest.mark.usefixtures("_remarked")
def test_the_page_says_the_remarks(tmp_path):
    """A question's section on the page of a service has what its JSON has, letter by letter."""
    with service_of(COMMUTE, folder=tmp_path) as service:
        service.writer.write(answers(SURVEY, 5))
        analyst = visitor(service, TOKEN)
        page = read(analyst.get("/"))
        told = analyst.get("/v1/surveys/commute/estimates").json()["questions"]
    assert SAID._asdict() in told["smoker"]["remarks"]
    for name, question in told.items():
        shown = [each.text for each in page.find("section", id=f"question-{name}")[0].find("p", class_="note")]
        for remark in question.get("remarks", ()):
            assert shown.count(remark["text"]) == 1


@pytest.mark.usefixtures("_remarked")
def test_csv_is_left_alone(tally, tmp_path):
    """The command says the remarks of CSV on standard error, and its rows stay rows."""
    survey, counted = tmp_path / "survey.toml", tmp_path / "counted.tally"
    survey.write_text(COMMUTE)
    counted.write_bytes(encode_tally(tally))
    found = CliRunner().invoke(main, ["estimate", str(survey), str(counted), "--format", "csv", "--quiet"])
    assert found.exit_code == 0
    assert f"warning: question 'smoker': {SAID}\n" in found.stderr
    assert found.stdout == estimate(tally).to_csv()
