"""What is asked of some of a survey's questions, at a service and elsewhere: ranges,
edges, views.

Ranges are for the questions that have any; a question that cannot have one is named,
with a way to ask the others alone. All on 200 respondents to three questions.
"""

import re

import pytest
from pages import TOKEN, UPLOADING, answers, service_of, visitor

import ldp
import ldp_aggregator
from ldp_aggregator.answers.options import NumberOptions, Options
from ldp_service.analysis.analysis import Analysis

TEXT = """
[survey]
name = "week"
epoch = "1d"
[[question]]
name = "hours"
type = "number"
low = 0
high = 99
step = 1
goal = "distribution"
mechanism = "auto"
epsilon = 2
[[question]]
name = "rent"
type = "number"
low = 0
high = 4000
bins = 64
unit = "EUR"
goal = "distribution"
mechanism = "auto"
epsilon = 2
[[question]]
name = "car"
type = "boolean"
mechanism = "warner"
epsilon = 1
[[question]]
name = "home"
type = "place"
x = { low = 0, high = 8 }
y = { low = 0, high = 8 }
cells = 8
goal = "rectangles"
mechanism = "auto"
epsilon = 2
"""
SURVEY = ldp.parse_survey(TEXT)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service with the answers of 200 respondents."""
    with service_of(TEXT, folder=tmp_path_factory.mktemp("week")) as service:
        headers = {"authorization": f"Bearer {UPLOADING}"}
        body = answers(SURVEY, 200)
        assert (
            visitor(service)
            .post("/v1/reports", content=body, headers=headers)
            .status_code
            < 300
        )
        yield service


@pytest.fixture
def analyst(service):
    """Somebody who may ask it."""
    return visitor(service, TOKEN)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("question=hours&ranges=18:25,40:60", {"hours"}),
        ("question=hours,car&ranges=18:25", {"hours", "car"}),
        ("ranges=0:1000", {"hours", "rent", "car", "home"}),
        ("post_process=monotone", {"hours", "rent", "car", "home"}),
        ("question=home,car&rectangles=0:4,0:8;4:8,0:2&zoom=2x4", {"home", "car"}),
        ("question=rent&edges=500,1000,2000&quantiles=.9", {"rent"}),
    ],
)
def test_some_questions_are_asked(analyst, asked, names):
    """Those that are named and no more; what only numbers have is asked of numbers."""
    answer = analyst.get(f"/v1/surveys/week/estimates?{asked}")
    assert answer.status_code == 200
    questions = answer.json()["questions"]
    assert set(questions) == names
    for name, question in questions.items():
        of_numbers = name in ("hours", "rent")
        assert ("ranges" in question) == ("ranges" in asked and of_numbers)
        assert ("rectangles" in question) == ("rectangles" in asked and name == "home")
        if name == "home" and "zoom" in asked:
            assert len(question["values"]) == 8
            assert len(question["rectangles"]) == 2
    if "post_process" in asked:
        assert "not by monotone, which is for" in questions["car"]["note"]
        assert questions["car"]["post_process"] is None
        assert questions["hours"]["post_process"] == "monotone"


@pytest.mark.parametrize("asked", ["ranges=18:25", "edges=500,501"])
def test_a_question_that_has_no_such_range_is_named(analyst, asked):
    """With the way to ask for the others."""
    answer = analyst.get(f"/v1/surveys/week/estimates?{asked}")
    assert answer.status_code == 400
    message = answer.json()["error"]
    assert re.match("question '(hours|rent)': expected ", message)
    assert "--question" in message
    assert "question= in a query" in message


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            "estimates?qestion=hours",
            "expected parameters of version, .*question.*, got 'qestion'",
        ),
        (
            "estimates?question=rents",
            "expected question to be of hours, rent, car, home, got 'rents'",
        ),
        (
            "estimates?question=car&ranges=1:2",
            'expected a question of `goal = "distribution"`',
        ),
        (
            "estimates?question=car&post_process=monotone",
            "expected another view than monotone",
        ),
        (
            "estimates?question=car&rectangles=0:1,0:1",
            "expected a question of type place",
        ),
        (
            "estimates?question=car&zoom=2x2",
            'expected a question of `goal = "rectangles"`',
        ),
        ("estimates?rectangles=0:1", "expected a rectangle such as 10:20,30:40"),
        (
            "history?question=hours&epoch=1",
            "expected parameters of version, question, .*'epoch'",
        ),
        (
            "history?question=car&ranges=1:2",
            'expected a question of `goal = "distribution"`',
        ),
        ("tally?level=.9", "expected parameters of version, epoch, got 'level'"),
        ("health?format=csv", "expected parameters of version, got 'format'"),
    ],
)
def test_what_means_nothing_is_refused(analyst, path, expected):
    """Rather than ignored: a misspelled option would change what numbers mean."""
    answer = analyst.get(f"/v1/surveys/week/{path}")
    assert answer.status_code == 400
    assert re.search(expected, answer.json()["error"])


def test_the_page_has_fields_for_numbers(analyst):
    """They hold what was asked for; and the links keep it."""
    text = analyst.get("/?question=hours&ranges=18:25&quantiles=.1,.9&edges=20,50").text
    for name, value in (
        ("ranges", "18:25"),
        ("quantiles", "0.1,0.9"),
        ("edges", "20,50"),
    ):
        assert re.search(rf'<input[^>]*name="{name}"[^>]*value="{value}"', text)
    assert re.search(r'<option[^>]*value="hours"[^>]*selected', text)
    maps = analyst.get("/?question=home&rectangles=0:4,0:8;4:8,0:2&zoom=2x4").text
    for name, value in (("rectangles", "0:4,0:8;4:8,0:2"), ("zoom", "2x4")):
        assert re.search(rf'<input[^>]*name="{name}"[^>]*value="{value}"', maps)
    assert 'id="question-hours"' in text
    assert 'id="question-rent"' not in text
    assert "question=hours" in text.split("Download")[-1]
    over_time = analyst.get("/?ranges=0:1000&over_time=car")
    assert over_time.status_code == 200
    assert 'id="question-rent"' in over_time.text


def test_only_numbers_have_such_fields(tmp_path):
    """A survey of other questions is asked for no ranges."""
    car = TEXT.index('[[question]]\nname = "car"')
    alone = TEXT[: TEXT.index("[[question]]")] + TEXT[car : TEXT.rindex("[[question]]")]
    with service_of(alone, folder=tmp_path) as service:
        text = visitor(service, TOKEN).get("/").text
    assert 'name="ranges"' not in text
    assert 'name="zoom"' not in text
    assert 'name="question"' not in text


def test_pooled_estimates_are_of_the_questions_asked(tmp_path):
    """Of two versions, too."""
    newer = TEXT.replace("epsilon = 2", "epsilon = 3")
    with service_of(TEXT, newer, folder=tmp_path) as service:
        analysis: Analysis = service.analysis
        estimates = analysis.pool(
            "week", Options(numbers=NumberOptions(ranges=(("18", "25"),))), ("hours",)
        )
    assert list(estimates.questions) == ["hours"]


def test_ranges_in_a_survey_of_several_kinds():
    """In Python as well: those that have ranges get them, and the unit stands beside
    numbers.
    """
    options = Options(numbers=NumberOptions(ranges=(("500", "1000"),)))
    estimates = ldp_aggregator.estimate(SURVEY, answers(SURVEY, 200), options=options)
    assert estimates["rent"].ranges[0].range == "[500, 1000)"
    records = estimates.to_dict()["questions"]
    assert "ranges" not in records["car"]
    assert records["rent"]["unit"] == "EUR"
    assert "unit" not in records["hours"]
