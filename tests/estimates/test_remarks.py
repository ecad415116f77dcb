"""Remarks: what an analyst has to know is said in every output."""

import json
from dataclasses import replace

import numpy as np
import pytest
from associations import rows_of, survey_of, tally_of
from click.testing import CliRunner
from html_elements import read
from pages import COMMUTE, TOKEN, answers, service_of, visitor
from specimens import question

from ldp import parse_survey
from ldp_aggregator import Options, Tally, associate, encode_tally, estimate
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.results.manipulation import Manipulation
from ldp_aggregator.answers.results.means import Mean
from ldp_aggregator.answers.results.remarks import (
    on_counts,
    on_intervals,
    on_mean,
    on_report_numbers,
)
from ldp_aggregator.answers.shares import frequencies
from ldp_aggregator.commands.main import main
from ldp_aggregator.decoders.intervals.intervals import (
    least_respondents,
    score_interval,
)
from ldp_aggregator.decoders.moments.moments import (
    Findings,
    Moments,
    OneCount,
    ScoreJumps,
)
from ldp_aggregator.decoders.values import matrix
from ldp_aggregator.output.checks import Remark

SAID = Remark("proverb", "An <estimate> is not the truth.")
SURVEY = parse_survey(COMMUTE)


@pytest.fixture
def _remarked(monkeypatch):
    """An estimator of stochastic matrices that has something to say."""
    sound = matrix.DECODER

    def moments(*arguments):
        return replace(
            sound.shares.moments(*arguments), findings=Findings(remarks=(SAID,))
        )

    shares = sound.shares._replace(moments=moments)
    monkeypatch.setattr(matrix, "DECODER", sound._replace(shares=shares))


@pytest.fixture
def tally():
    """Reports to one question, whose mechanism is a stochastic matrix."""
    empty = Tally.empty(SURVEY)
    empty.counts["smoker"] += np.array([[40, 60]])
    return empty


@pytest.mark.usefixtures("_remarked")
def test_every_text_says_the_remarks(tally):
    """Tables, what is printed, notebooks and JSON have the remark once."""
    estimates = estimate(tally)
    assert estimates.rendered().count(SAID.text) == 1
    assert repr(estimates).count(SAID.text) == 1
    assert estimates._repr_html_().count("An &lt;estimate&gt; is not the truth.") == 1
    remarks = json.loads(estimates.rendered("json"))["questions"]["smoker"]["remarks"]
    assert remarks[0] == {"name": SAID.name, "text": SAID.text}


@pytest.mark.usefixtures("_remarked")
def test_the_page_says_the_remarks(tmp_path):
    """A question's section on the page of a service has what its JSON has, letter by
    letter.
    """
    with service_of(COMMUTE, folder=tmp_path) as service:
        service.writer.write(answers(SURVEY, 5))
        analyst = visitor(service, TOKEN)
        page = read(analyst.get("/"))
        questions = analyst.get("/v1/surveys/commute/estimates").json()["questions"]
    assert SAID._asdict() in questions["smoker"]["remarks"]
    for name, record in questions.items():
        shown = [
            paragraph.text
            for paragraph in page.find("section", id=f"question-{name}")[0].find(
                "p", class_="note"
            )
        ]
        for remark in record.get("remarks", ()):
            assert shown.count(remark["text"]) == 1


@pytest.mark.usefixtures("_remarked")
def test_csv_is_left_alone(tally, tmp_path):
    """The command says the remarks of CSV on standard error, and its rows stay rows."""
    survey, counted = tmp_path / "survey.toml", tmp_path / "counted.tally"
    survey.write_text(COMMUTE)
    counted.write_bytes(encode_tally(tally))
    result = CliRunner().invoke(
        main, ["estimate", str(survey), str(counted), "--format", "csv", "--quiet"]
    )
    assert result.exit_code == 0
    assert f"warning: question 'smoker': {SAID}\n" in result.stderr
    assert result.stdout == estimate(tally).to_csv()


def estimated(keys, counts, mechanism="grr", **options):
    """The estimates of a question with these keys, from its counts."""
    asked = question(mechanism, keys)
    return estimate_question(asked, np.array(counts), Options(**options))


def names(estimates):
    """The names of its remarks."""
    return [remark.name for remark in estimates.remarks]


SYMBOLS = 'type = "category"\nvalues = ["a", "b", "c", "d"]\nepsilon = "{}"'


def test_intervals_that_say_nothing_are_told():
    """Two reports at epsilon .3 leave everything open; 100,000 do not."""
    estimates = estimated(SYMBOLS.format("0.3"), [[1, 1, 0, 0]])
    assert "4 of 4 intervals reach from 0 to 1" in " ".join(estimates.sentences)
    assert names(estimates)[:2] == ["few-respondents", "whole-range"]
    assert (
        names(estimated(SYMBOLS.format("0.3"), [[26_000, 25_000, 25_000, 24_000]]))
        == []
    )


def test_points_are_no_certainty():
    """[0, 0] and [1, 1] are said to be no certainty, wherever an estimate lies
    beyond.
    """
    estimates = estimated(SYMBOLS.format("1"), [[3_000, 2_950, 2_950, 1_100]])
    assert estimates.low[3] == estimates.high[3] == 0
    assert "1 of 4 intervals reaches from 0 to 0 or from 1 to 1" in " ".join(
        estimates.sentences
    )


@pytest.mark.parametrize("epsilon", ["0.3", "1", "3"])
def test_the_least_number_of_respondents(epsilon):
    """From it on some estimate in [0, 1] has an interval narrower than 1 before it is
    cut.

    With one fewer none has.
    """
    asked = question("grr", SYMBOLS.format(epsilon))
    known = frequencies.moments_of(
        asked.randomizer, np.array([[1, 0, 0, 0]]), asked.domain.values
    )
    least = least_respondents(known, 0.05)
    for reports, narrower in ((least, True), (least - 1, False)):
        every = replace(
            known,
            reports=reports,
            frequency=np.linspace(0, 1, 5),
            variance_if_held=known.variance_if_held[0],
            variance_if_not=known.variance_if_not[0],
        )
        low, high = score_interval(every, 0.05, "respondents")
        assert (high - low <= 1).any() == narrower
    assert "few-respondents" not in names(
        estimated(SYMBOLS.format(epsilon), [[least, 0, 0, 0]])
    )
    assert "few-respondents" in names(
        estimated(SYMBOLS.format(epsilon), [[least - 1, 0, 0, 0]])
    )


TEXTS = (
    'type = "text"\nbloom_bits = 4\nhashes = 1\ncohorts = 2\np = "0.2"\nq = '
    '"0.8"\nf = "0"'
)
NUMBERS = 'type = "integer"\nlow = 0\nhigh = 99\nepsilon = "8"'


def test_frequencies_of_noisy_numbers_are_for_those_who_ask():
    """The mean stands alone, and says where the frequencies are.

    Those of two respondents say that they say nothing.
    """
    counts = np.zeros((1, 100), dtype=int)
    counts[0, [33, 34]] = 1
    alone = estimated(NUMBERS, counts, mechanism="geometric")
    assert alone.values == ()
    assert alone.mean is not None
    assert "--frequencies" in alone.note
    assert alone.to_dict()["values"] == []
    asked = estimated(NUMBERS, counts, mechanism="geometric", frequencies=True)
    assert len(asked) == 100
    assert asked.mean == alone.mean
    assert (asked.low == 0).all()
    assert (asked.high == 1).all()
    assert {"few-respondents", "whole-range", "few-reports"} <= {*names(asked)}


def test_a_mean_that_may_be_anything_is_told():
    """The interval of a mean that is all of its range is said to be it."""
    counts = np.zeros((1, 100), dtype=int)
    counts[0, 50] = 1
    keys = NUMBERS.replace('"8"', '"0.1"')
    assert "whole range from 0 to 99" in " ".join(
        estimated(keys, counts, mechanism="geometric").sentences
    )


@pytest.mark.parametrize("respondents", [1, 2, 4, 5])
def test_a_mean_of_very_few_is_told(respondents):
    """Below five respondents a mean says that normal theory does not hold."""
    counts = np.zeros((1, 100), dtype=int)
    counts[0, 50] = respondents
    assert (
        "few-counts" in names(estimated(NUMBERS, counts, mechanism="geometric"))
    ) == (respondents < 5)


def test_which_intervals_are_told():
    """Only those from 0 to 1, or with no width.

    How many there are, in the singular or the plural.
    """
    low, high = np.array([0.0, 0.0, 0.1, 0.2]), np.array([1.0, 0.9, 1.0, 0.3])
    [remark] = on_intervals(low, high)
    assert remark == (
        "whole-range",
        (
            "1 of 4 intervals reaches from 0 to 1: the reports say nothing about these "
            "frequencies."
        ),
    )
    [remark] = on_intervals(np.array([0.0, 1.0, 0.5]), np.array([0.0, 1.0, 0.6]))
    assert remark.name == "beyond-range"
    assert remark.text.startswith("2 of 3 intervals reach from 0 to 0 or from 1 to 1: ")
    assert [
        interval.name for interval in on_intervals(np.zeros(2), np.array([0.0, 1.0]))
    ] == [
        "whole-range",
        "beyond-range",
    ]
    assert on_intervals(low[1:], high[1:]) == ()


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([4.9, 5.0, 7.0], "1 of 3 estimates rest on fewer than about 5 reports"),
        ([4.9, 5.1], "1 of 2 estimates rest on"),
        ([4.9], "The estimate rests on fewer than about 5 reports"),
        ([5.0, 5.0], ""),
    ],
)
def test_estimates_of_few_reports(counts, said):
    """How many rest on fewer than five."""
    remarks = on_report_numbers(np.array(counts))
    assert [remark.name for remark in remarks] == ["few-counts"] * bool(said)
    assert "".join(remark.text for remark in remarks).startswith(said)


@pytest.mark.parametrize(
    "known",
    [
        {},
        {"jumps": ScoreJumps((np.ones(1), np.ones(1)))},
        {"count": OneCount(np.ones(1), (np.ones(1), np.zeros(1)))},
    ],
)
def test_estimates_with_nothing_better_than_the_normal_law(known):
    """Where neither rates nor a third cumulant are known: n V / w^2 reports carry an
    estimate.
    """
    for reports, few in ((10, True), (11, True), (20, False)):
        moments = Moments(
            reports,
            np.zeros(1),
            np.ones(1),
            variance_if_not=np.full(1, 4.0),
            covariance=lambda: np.eye(1),
            **known,
        )
        assert bool(on_counts(moments, Manipulation(3.0))) == (few and not known)
        assert on_counts(moments, Manipulation(None)) == ()


def test_ranges_of_means():
    """Both ends have to be those of the range; few respondents are told besides."""
    asked = question("geometric", NUMBERS)
    for low, high, said in (
        (0, 99, ["whole-range"]),
        (1, 99, []),
        (0, 98, []),
        (0.5, 98.5, []),
        (0, 1.5, []),
    ):
        mean = Mean(50.0, 1.0, float(low), high=float(high))
        assert [remark.name for remark in on_mean(asked, mean, 5)] == said
        assert [remark.name for remark in on_mean(asked, mean, 4)] == [
            "few-counts",
            *said,
        ]
    assert on_mean(asked, None, 1) == ()
    assert on_mean(question("rappor", TEXTS), Mean(0.0, 1.0, 0.0, high=1.0), 1) == ()


def test_joint_cells_with_few_reports_are_told():
    """A table of three respondents says on what its cells rest, in print and in
    JSON.
    """
    survey = survey_of("grr", "grr")
    rows = rows_of(survey, np.zeros((3, 2), dtype=int), np.random.default_rng(1))
    association = associate(tally_of(survey, rows), ["a", "b"])
    remarks = [remark["name"] for remark in association.to_dict()["remarks"]]
    assert remarks[:2] == ["few-respondents", "whole-range"]
    assert "few-reports" in remarks
    for remark in association.remarks:
        assert remark.text in repr(association)
