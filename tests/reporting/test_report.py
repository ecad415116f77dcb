"""Reports for people who were not there: what they say, and what they must not say."""

from html.parser import HTMLParser

import numpy as np
import pytest
from calling import run
from places import ROOT

import ldp
from ldp_aggregator import estimate
from ldp_aggregator.analyses.queries.answering import query
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.commands.reporting.page import report_page
from ldp_aggregator.commands.reporting.sentences import (
    headline,
    how_it_was_asked,
    method,
)
from ldp_aggregator.tallies.tally import Tally

MODES = ["car", "bus", "<b>bike</b>"]
COLUMNS = ["question", "value", "count", "frequency", "standard_error", "low", "high"]
SURVEY = ldp.survey(
    "trips",
    ldp.question("mode", MODES, text="How & why?", epsilon=2, mechanism="grr"),
    ldp.question("kids", type="integer", low=0, high=3, epsilon=2, mechanism="grr"),
)


def tally(mode, kids=(400, 300, 200, 100)):
    """A tally with these counts of symbols."""
    return Tally(SURVEY, {"mode": np.array([mode]), "kids": np.array([kids])})


@pytest.mark.parametrize(
    ("mode", "value", "words"),
    [
        ([9000, 500, 500], "100 %", " is the estimated share of car."),
        ([4500, 3500, 2000], "50 %", " is the estimated share of car, 49 to 52 %."),
        (
            [400, 390, 210],
            "43 %",
            " is the estimated share of car, 39 to 48 %; bus may be as frequent.",
        ),
        ([1, 1, 1], "", "No answer stands out from chance yet."),
        ([0, 0, 0], "", "No answers to show yet."),
    ],
)
def test_headlines(mode, value, words):
    """A sentence: the most frequent answer in percent, others that may be, or why there
    is none.
    """
    assert headline(estimate(tally(mode))["mode"]) == (value, words)


def test_headlines_of_numbers():
    """The median, or else the mean, with its range."""
    assert headline(estimate(tally([9, 9, 9]))["kids"]) == (
        "0.7",
        " is the mean, 0.6 to 0.8.",
    )


def test_headlines_of_binned_numbers_and_of_words_from_right_to_left():
    """The median of cells; answers that turn nothing around them."""
    survey = ldp.survey(
        "s",
        ldp.question("sleep", low=0, high=12, bins=4, epsilon=2, mechanism="grr"),
        ldp.question("smokes", ["نعم", "لا"], epsilon=2, mechanism="grr"),
    )
    counts = {"sleep": np.array([[100, 200, 400, 100]]), "smokes": np.array([[30, 70]])}
    estimates = estimate(Tally(survey, counts))
    assert " is the median" in headline(estimates["sleep"])[1]
    assert " share of \u2068لا\u2069, " in headline(estimates["smokes"])[1]


def test_what_it_rests_on():
    """Epsilon, respondents, and what forged reports could do."""
    promise, forged = how_it_was_asked(estimate(tally([400, 300, 300]))["mode"])
    assert "1,000 people answered" in promise
    assert "(epsilon 2)" in promise
    assert "could be off by up to" in forged
    question = ldp.survey(
        "s",
        ldp.question("x", ["a", "b"], epsilon=1, mechanism="grr"),
        attributes=[ldp.attribute("sex", ["f", "m"])],
    )["x"]
    known = estimate_question(question, np.array([[600, 400]]), Options())
    assert "Beside the answer, each report says openly: sex." in list(
        how_it_was_asked(known)
    )


@pytest.mark.parametrize(
    ("estimand", "simultaneous", "text"),
    [
        (
            "respondents",
            None,
            "the ranges hold what is true of the people who answered.",
        ),
        ("population", None, "drawn from at random."),
        ("respondents", "bonferroni", "all of a question at once."),
    ],
)
def test_the_method_is_three_sentences(estimand, simultaneous, text):
    """Who was asked, how answers were protected, what ranges mean and for whom."""
    options = Options(estimand=estimand, simultaneous=simultaneous)
    people, protection, ranges = method(list(estimate(tally([9, 9, 9]))), options)
    assert people == "1,000 people answered."
    assert "nobody can be sure" in protection
    assert ranges.endswith(text)


class _Page(HTMLParser):
    """The tags of a page, and what it fetches."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.fetched = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """A tag, and where it leads."""
        self.tags.append(tag)
        self.fetched += [
            value for name, value in attrs if name in ("src", "href", "xlink:href")
        ]


def test_the_page_is_whole():
    """A picture for each question, no script, nothing fetched, and texts as they were
    written.
    """
    counted = tally([400, 300, 300])
    answers = query(counted, "share(mode = bus) - share(mode = car)")
    text = report_page(estimate(counted), answers, title="Who & how")
    page = _Page(text)
    assert page.tags.count("figure") == 2
    assert page.tags.count("details") == 1
    assert len(text) < 150_000
    assert {"script", "link", "img", "iframe", "b"}.isdisjoint(page.tags)
    assert all(place.startswith("#") for place in page.fetched)
    assert "<h1>Who &amp; how</h1>" in text
    assert "How &amp; why?" in text
    assert "share(mode = bus) - share(mode = car)" in text
    assert "@media print" in text
    assert "of the test that what is asked is 0, of a ratio that it is 1" in text
    assert text.index("<svg") < text.index("All numbers")


def test_a_page_without_reports():
    """Says that no one answered, and draws nothing."""
    text = report_page(estimate(Tally.empty(SURVEY), options=Options()))
    assert text.count("No answers to show yet.") == 2
    assert "<svg" not in text


def test_the_command(tmp_path):
    """From reports to a file, for some questions, with a query."""
    survey, answers = tmp_path / "s.toml", tmp_path / "a.csv"
    survey.write_text(SURVEY.to_toml(), encoding="utf-8")
    answers.write_text("mode,kids\n" + "car,1\nbus,2\n" * 50, encoding="utf-8")
    reports, page = tmp_path / "r.reports", tmp_path / "report.html"
    run("randomize", survey, "-i", answers, "-o", reports, "-q")
    asked = ["--question", "mode", "--query", "mean(kids)", "--title", "Trips"]
    run("analyze", "publish", survey, reports, "-o", page, *asked, "-q")
    text = page.read_text(encoding="utf-8")
    assert "<h1>Trips</h1>" in text
    assert "mean(kids)" in text
    assert text.count("<figure>") == 1
    for ending, heading in ((".md", "# Trips"), (".doc", "<h1>Trips</h1>")):
        page = page.with_suffix(ending)
        run("analyze", "publish", survey, reports, "-o", page, *asked, "-q")
        text = page.read_text(encoding="utf-8")
        assert heading in text
        assert "is the estimated share of" in text
        assert "100 people answered." in text
    failed = run(
        "analyze",
        "publish",
        survey,
        reports,
        "-o",
        page,
        "--query",
        "mean(mode)",
        "-q",
        code=1,
    )
    assert "expected a question whose values are numbers" in failed.stderr


def test_groups_of_a_design(tmp_path):
    """A sentence and a table for each group, without a survey file.

    The crosswise example of Jann, Jerke and Krumpal (2012): 22.3 %.
    """
    page, words = tmp_path / "page.md", ["--design", "crosswise p=1/4"]
    table = ROOT / "examples" / "plagiarism.csv"
    codes = ["--codes", "yes=same,no=different", "-q"]
    rows = [*words, "--rows", table, "--answer", "answer", *codes]
    run("analyze", "publish", *rows, "--by", "sex", "-o", page)
    text = page.read_text(encoding="utf-8")
    for heading in ("## answer: everyone", "## answer: female", "## answer: male"):
        assert heading in text
    assert "20 % is the estimated share of Yes" in text
    compared = run("analyze", "compare", *rows, "--direct", "yes=7/96")
    assert "0.2226   +0.1497" in compared.stdout
    both = ["--counts", "yes=198,no=112", "--counts", "yes=160,no=150"]
    assert "B (310 reports)" in run("analyze", "compare", *words, *both).stdout
    failed = run("analyze", "compare", *words, "reports", code=2)
    assert "expected a SURVEY file, or --design" in failed.output


@pytest.mark.parametrize(
    "kind",
    ["pandas", "polars", pytest.param("arrow", marks=pytest.mark.needs("pyarrow"))],
)
def test_frames(kind):
    """Tidy: a row for each number, under the same columns."""
    frame = estimate(tally([400, 300, 300])).to_frame(kind)
    names = frame.column_names if kind == "arrow" else list(frame.columns)
    assert list(names) == COLUMNS
    assert len(frame) == 3 + 4 + 1
    assert len(estimate(tally([400, 300, 300]))["mode"].to_frame(kind)) == 3


def test_frames_of_nothing_known():
    """Another library is refused by name."""
    with pytest.raises(ldp.EstimateError, match="pandas, polars, arrow, got 'r'"):
        estimate(tally([400, 300, 300])).to_frame("r")
