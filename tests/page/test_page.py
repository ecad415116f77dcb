"""What the page says, read without a browser: the numbers of the API, and what they
are.
"""

import re
import threading
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest
from html_elements import problem, read
from pages import COMMUTE, TOKEN, answers, service_of, visitor

from ldp.wire.wire import REASONS
from ldp_aggregator import Options
from ldp_aggregator.answers.shares.detection import adjusted_p_values
from ldp_service.page.routes import FILES
from ldp_service.page.sections.downloads import DOWNLOADS

NEWER = COMMUTE.replace('"walk"', '"walk", "train"')

WAITS = """
[survey]
name = "waits"
epoch = "1d"

[[question]]
name = "wait"
type = "number"
low = 0
high = 60
step = 1
goal = "shape"
mechanism = "auto"
epsilon = 1

[[question]]
name = "late"
type = "boolean"
mechanism = "auto"
epsilon = 1
"""


def numbers(row):
    """The exact numbers of a table's row."""
    return [float(element.attributes["value"]) for element in row.find("data")]


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """A service with two versions of a survey: three days, late reports, damaged
    bytes.
    """
    folder, days = tmp_path_factory.mktemp("page"), [20_000]

    def clock():
        return days[0] * 86_400 + 43_200

    with service_of(COMMUTE, NEWER, folder=folder, clock=clock) as service:
        survey = service.catalogue.all[0].survey
        for _ in range(3):
            service.writer.write(answers(survey, 150, clock=clock))
            days[0] += 1
        service.writer.write(answers(survey, 1, clock=lambda: 0))
        service.writer.write(b"no frame")
        yield service


@pytest.fixture
def analyst(counted):
    """Somebody who may look at it."""
    return visitor(counted, TOKEN)


def of_older(service):
    """The query that asks for the older version, and for all there is to estimate."""
    return {"version": service.catalogue.all[0].fingerprint, "frequencies": "1"}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"level": "0.9", "simultaneous": "1", "estimand": "population"},
        {"post_process": "norm-sub"},
    ],
    ids=["plain", "population", "biased"],
)
def test_the_numbers_are_those_of_the_api(counted, analyst, options):
    """Every frequency, error, interval, count and n is on the page to the last
    digit.
    """
    labels = {"true": "Yes", "false": "No"}
    query = of_older(counted) | options
    page = read(analyst.get("/", params=query))
    questions = analyst.get("/v1/surveys/commute/estimates", params=query).json()[
        "questions"
    ]
    assert questions.keys() == {"smoker", "transport", "hours"}
    for name, question in questions.items():
        (reports,) = (
            page.find("section", id=f"question-{name}")[0].find("dl")[0].find("data")
        )
        assert int(reports.attributes["value"]) == question["reports"] == 450
        rows = page.find("table", id=f"values-{name}")[0].find("tbody")[0].find("tr")
        for row, value in zip(rows, question["values"], strict=True):
            exact = value.get("unbiased", value)
            assert row.find("th")[0].text == labels.get(value["value"], value["value"])
            assert numbers(row)[:5] == [
                value["frequency"],
                exact["standard_error"],
                *exact["interval"],
                value["count"],
            ]


def test_shapes_are_a_view_of_some_questions(analyst, tmp_path):
    """Offered where there are any; other questions stay unbiased, and nowhere is a
    nan.
    """
    assert "ems (biased)" not in analyst.get("/").text

    def clock():
        return 86_400

    with service_of(WAITS, folder=tmp_path, clock=clock) as service:
        service.writer.write(answers(service.catalogue.all[0].survey, 60, clock=clock))
        query = {"post_process": "ems", "over_time": "late"}
        answer = visitor(service, TOKEN).get("/", params=query)
        history = visitor(service, TOKEN).get(
            "/", params={**query, "over_time": "wait"}
        )
    page = read(answer)
    wait, late = (
        page.find("section", id=f"question-{name}")[0].text for name in ("wait", "late")
    )
    assert "ems (biased)" in answer.text
    assert "A biased shape" in wait
    assert "0 to 1" in wait
    assert "95 % ranges" in late
    assert "not by ems" in late
    for shown in (answer, history):
        assert shown.status_code == 200
        assert "nan" not in shown.text


def test_a_question_says_what_its_numbers_are(counted, analyst):
    """Declared and delivered epsilon, mechanism, level, interval, estimand, forgers'
    reach.
    """
    page = read(
        analyst.get(
            "/",
            params=of_older(counted) | {"simultaneous": "1", "estimand": "population"},
        )
    )
    question = page.find("section", id="question-transport")[0]
    facts = {
        pair.find("dt")[0].text: pair.find("dd")[0].text
        for pair in question.find("dl")[0].find("div")
    }
    assert facts["Epsilon"] == "2 declared, 2.000000 delivered"
    assert facts["Mechanism"] == "oue"
    assert facts["Intervals"] == "0.95 score, simultaneous (bonferroni)"
    assert facts["Errors for"] == "the population (sampling and randomization)"
    assert "1 % forged reports can move a frequency by at most" in question.text


def test_detected_values_are_marked(counted, analyst):
    """Those whose Bonferroni-adjusted p-value is at most 1 - level, and no others.

    Their number is told.
    """
    page = read(analyst.get("/", params=of_older(counted)))
    for estimates in counted.analysis.estimates(
        counted.catalogue.all[0], Options(frequencies=True)
    ):
        chances = adjusted_p_values(estimates, "bonferroni")
        question = page.find("section", id=f"question-{estimates.name}")[0]
        rows = question.find("tbody")[0].find("tr")
        assert [numbers(row)[5] for row in rows] == chances.tolist()
        assert [bool(row.find("span", class_="detected")) for row in rows] == (
            chances <= 0.05
        ).tolist()
        drawn = [bar.attributes["class"] for bar in question.find("rect")]
        assert drawn.count("bar unsure") == (estimates.low <= 0).sum()
        assert (
            f"{(chances <= 0.05).sum()} of {len(chances)} values (Bonferroni, 0.95)"
            in question.text
        )


def test_epochs_are_shown_for_the_question_that_they_were_asked_for(counted, analyst):
    """A row for each epoch, the last one first, with the frequencies of the API's
    history.

    A panel for each value.
    """
    page = read(analyst.get("/", params=of_older(counted) | {"over_time": "transport"}))
    history = analyst.get(
        "/v1/surveys/commute/history",
        params=of_older(counted) | {"question": "transport"},
    ).json()
    question = page.find("section", id="question-transport")[0]
    table = question.find("table")[-1]
    names = [head.text for head in table.find("thead")[0].find("th")][2:]
    for row, epoch in zip(
        table.find("tbody")[0].find("tr"), reversed(history["epochs"]), strict=True
    ):
        frequencies = {value["value"]: value["frequency"] for value in epoch["values"]}
        assert row.find("th")[0].text == datetime.fromtimestamp(
            epoch["start"], UTC
        ).strftime("%Y-%m-%d")
        assert numbers(row) == [
            epoch["reports"],
            *(frequencies[name] for name in names),
        ]
    assert [
        len(picture.find("circle")) for picture in question.find("svg", role="img")
    ] == [
        4,
        3,
        3,
        3,
        3,
    ]
    both = question.find("table")[-2]
    first, last = (epoch["values"][0]["frequency"] for epoch in history["epochs"][-2:])
    [difference, *_] = [
        cell.text for cell in both.find("tbody")[0].find("tr")[0].find("td")
    ][2:]
    assert float(difference.split()[0]) == pytest.approx(last - first, abs=0.01)
    others = read(analyst.get("/", params=of_older(counted)))
    assert "series-transport" not in str(others.find("svg", role="img"))
    assert (
        len([link for link in others.find("a") if link.text == "Show over time"]) == 3
    )


@pytest.mark.parametrize(
    "frequencies", ["", "1"], ids=["mean-alone", "with-frequencies"]
)
def test_means_are_shown_over_time(counted, analyst, frequencies):
    """A question with a mean has a column, with the means of the API's history, and a
    panel.
    """
    query = of_older(counted) | {"frequencies": frequencies}
    page = read(analyst.get("/", params=query | {"over_time": "hours"}))
    epochs = analyst.get(
        "/v1/surveys/commute/history", params=query | {"question": "hours"}
    ).json()["epochs"]
    question = page.find("section", id="question-hours")[0]
    table = question.find("table")[-1]
    heads = [head.text for head in table.find("thead")[0].find("th")]
    assert heads[:3] == ["epoch", "reports", "mean"]
    assert set(heads[3:]) == (set("012345") if frequencies else set())
    for row, epoch in zip(
        table.find("tbody")[0].find("tr"), reversed(epochs), strict=True
    ):
        assert numbers(row)[:2] == [epoch["reports"], epoch["mean"]["estimate"]]
    panel = next(
        picture
        for picture in question.find("svg", role="img")
        if "series-hours-mean" in str(picture.attributes)
    )
    assert len(panel.find("circle")) == 3
    assert "mean by epoch" in panel.text


def test_batches_are_accounted_for(counted, analyst):
    """Received = accepted + duplicate + rejected + quarantined, as the store has it.

    Rejects by reason, in words.
    """
    page = read(analyst.get("/", params=of_older(counted)))
    assert page.find("p", id="accounts")[0].text == (
        "13 batches received = 9 accepted + 0 duplicate + 4 rejected + 0 quarantined"
    )
    rows = page.find("table", id="batches")[0].find("tbody")[0].find("tr")
    assert [
        [cell.text for cell in row.all if cell.name in ("th", "td")][:3] for row in rows
    ] == [
        ["accepted", "9", "9"],
        ["duplicate", "0", "0"],
        ["quarantined", "0", "0"],
        ["frame-damaged", "0", "1"],
        ["late", "3", "3"],
    ]
    assert rows[-1].find("td")[-1].text == f"rejected: {REASONS['late']}"


def test_health_is_shown_with_p_values(counted, analyst):
    """All checks of the API, with their p-values and meanings."""
    page = read(analyst.get("/", params=of_older(counted)))
    version = {"version": of_older(counted)["version"]}
    questions = analyst.get("/v1/surveys/commute/health", params=version).json()[
        "questions"
    ]
    for name, checks in questions.items():
        rows = [
            row
            for details in page.find("details", id=f"health-{name}")
            for row in details.find("tbody")[0].find("tr")
        ]
        assert [(*numbers(row), row.find("td")[-1].text) for row in rows] == [
            (check["p_value"], check["meaning"]) for check in checks
        ]


def test_versions_can_be_chosen(counted, analyst):
    """All of them, with the values of the newest, unless one is asked for.

    One that is not there is a clear error.
    """
    pooled, older = (
        read(analyst.get("/", params=query)) for query in ({}, of_older(counted))
    )
    for page, values, shown in ((pooled, 5, 0), (older, 4, 1)):
        assert len(page.find("option", selected=None)) == 5
        chosen = page.find("select", name="version")[0].find("option")[shown]
        assert "selected" in chosen.attributes
        assert (
            f"of {values} values"
            in page.find("section", id="question-transport")[0].text
        )
    answer = analyst.get("/", params={"version": "nonsense"})
    assert answer.status_code == 404
    assert "expected version to be one of" in problem(read(answer))


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ({"survey": "other"}, 404, "expected the name of a survey"),
        ({"level": "much"}, 400, "expected level and reports_per_person to be numbers"),
        ({"level": "2"}, 400, "expected a level between 0 and 1"),
        ({"post_process": "magic"}, 400, "expected post_process to be one of"),
    ],
)
def test_what_cannot_be_shown_is_said(analyst, query, status, words):
    """A page with the reason, and its status; not a trace."""
    answer = analyst.get("/", params=query)
    assert answer.status_code == status
    assert words in problem(read(answer))


def test_every_link_leads_somewhere(counted, analyst):
    """All links, exports and files of a page answer, each export to be saved under a
    name.
    """
    page = read(analyst.get("/", params=of_older(counted) | {"over_time": "smoker"}))
    for anchor in page.find("a"):
        place = anchor.attributes["href"]
        answer = analyst.get("/" + place.removeprefix("./"))
        assert answer.status_code == 200 or place.startswith("#"), place
        if "download" in anchor.attributes:
            assert answer.headers["content-disposition"].startswith(
                "attachment; filename="
            )
    links = [urlsplit(link.attributes["href"]).query for link in page.find("a")]
    offered = {form for link in links for form in parse_qs(link).get("format", [])}
    assert offered == {name for name, form in DOWNLOADS.items() if form.available}
    files = [
        element.attributes[key]
        for key in ("href", "src")
        for name in ("link", "script")
        for element in page.find(name)
        if key in element.attributes
    ]
    assert sorted(files) == sorted(f"page/{name}" for name in FILES)
    assert all(analyst.get(f"/{name}").status_code == 200 for name in files)


def test_the_picture_to_download_stands_alone(counted, analyst):
    """It is well-formed XML, has its style in it, and refers to nothing."""
    content = analyst.get(
        "/v1/surveys/commute/estimates", params=of_older(counted) | {"format": "svg"}
    ).text
    root = ElementTree.fromstring(content)  # noqa: S314  # our own
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert (
        len(
            [
                bar
                for bar in root.iter()
                if bar.attrib.get("class", "").startswith("bar")
            ]
        )
        == 2 + 4 + 6
    )
    assert ".whisker" in "".join(
        root.find("{http://www.w3.org/2000/svg}style").itertext()
    )
    assert not re.search(r"href|url\(|@import", content)


def test_nothing_is_sent_while_nothing_has_changed(counted, tmp_path):
    """304 under the tag of the last answer, until something is counted.

    To those who may look, only.
    """
    with service_of(COMMUTE, folder=tmp_path) as service:
        person = visitor(service, TOKEN)
        tag_ = person.get("/").headers["etag"]
        unchanged = person.get("/", headers={"if-none-match": tag_})
        assert (
            unchanged.status_code,
            unchanged.content,
            unchanged.headers["etag"],
        ) == (
            304,
            b"",
            tag_,
        )
        assert (
            person.get("/", headers={"if-none-match": f"W/{tag_}"}).status_code == 304
        )
        assert (
            visitor(service).get("/", headers={"if-none-match": tag_}).status_code
            == 401
        )
        service.writer.write(answers(service.catalogue.all[0].survey, 1))
        changed = person.get("/", headers={"if-none-match": tag_})
        assert changed.status_code == 200
        assert changed.headers["etag"] != tag_


def test_a_service_that_takes_no_reports_says_so(tmp_path):
    """What is wrong is on the page, and what was known before is not taken for
    unchanged.
    """
    with service_of(COMMUTE, folder=tmp_path) as service:
        person = visitor(service, TOKEN)
        tag_ = person.get("/").headers["etag"]
        service.writer.close()
        answer = person.get("/", headers={"if-none-match": tag_})
        assert "No reports are taken: expected to write to the store" in answer.text


def test_before_the_first_report(tmp_path):
    """Every question says that it has none; nothing is drawn."""
    with service_of(COMMUTE, folder=tmp_path) as service:
        page = read(visitor(service, TOKEN).get("/"))
    assert "3 questions, up to 0 reports each." in page.find("p", id="summary")[0].text
    assert not page.find("figure")
    assert [paragraph.text for paragraph in page.find("p", class_="note")].count(
        "no reports yet"
    ) == 3


def test_looking_does_not_stop_the_writer(tmp_path):
    """While pages are made, reports go on being counted."""
    with service_of(COMMUTE, folder=tmp_path) as service:
        person = visitor(service, TOKEN)
        looking = threading.Thread(target=lambda: [person.get("/") for _ in range(3)])
        looking.start()
        receipts = [
            service.writer.write(answers(service.catalogue.all[0].survey, 1))
            for _ in range(3)
        ]
        looking.join()
    assert [receipt.outcomes["accepted"] for receipt in receipts] == [3, 3, 3]
