"""What the further views of the page show: search, spans, sides, notes, frames, and no
more.
"""

import re
import time
from datetime import UTC, datetime
from types import SimpleNamespace

import numpy as np
import pytest
from html_elements import problem, read
from pages import COMMUTE, TOKEN, answers, service_of, visitor
from places import ROOT

import ldp
import ldp_aggregator
from ldp_aggregator import Options, compare
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.decoders.intervals.cumulants import cumulants
from ldp_aggregator.decoders.intervals.rescaled_moments import held_by
from ldp_client import Client, report_bytes
from ldp_service.analysis.notes import Note, NoteError, NoteFile, parse_notes
from ldp_service.counting.publication import Publication
from ldp_service.page.markup.words import WORDS
from ldp_service.page.sections.sharpness import sharpness
from ldp_service.page.sections.values import _value
from ldp_service.page.views.sharpness import sharpness_of
from ldp_service.service import PageSettings
from ldp_service.store.records import Epoch, last_closed_epochs
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.table import sample_counts

DAY = 86_400
MANY = f"""
[survey]
name = "many"
[[question]]
name = "town"
type = "category"
values = [{", ".join(f'"town {number}"' for number in range(100))}]
mechanism = "grr"
epsilon = "4"
"""
TOUR = """
[survey]
name = "tour"
epoch = "1d"
[[attribute]]
name = "os"
values = ["ios", "android"]
[[question]]
name = "liked"
type = "category"
values = ["town", "river", "hill"]
mechanism = "grr"
epsilon = "3"
"""
NOTES = b"""
[[note]]
on = 1970-01-12
text = "A <strike>"
survey = "commute"
[[note]]
on = 1970-01-11T06:00:00
text = "Elsewhere"
survey = "many"
"""


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """Two surveys; three days of the first, with notes, and everyone may frame the
    other.
    """
    folder, days = tmp_path_factory.mktemp("views"), [10]
    (folder / "notes.toml").write_bytes(NOTES)
    settings = PageSettings(
        NoteFile(folder / "notes.toml"), ("https://portal.example",), ("many",)
    )

    def clock():
        return days[0] * DAY + 43_200

    with service_of(
        COMMUTE, MANY, folder=folder, clock=clock, page=settings
    ) as service:
        commute, many = (served.survey for served in service.catalogue.all)
        for people in (60, 80, 100):
            service.writer.write(answers(commute, people, clock=clock))
            days[0] += 1
        service.writer.write(answers(many, 40, clock=clock))
        yield service


@pytest.fixture
def analyst(counted):
    """Somebody who may look at it."""
    return visitor(counted, TOKEN)


def shown(page, question):
    """The values in the table of a question."""
    [table] = page.find("table", id=f"values-{question}")
    return [row.find("bdi")[0].text for row in table.find("tbody")[0].find("tr")]


def reports(page, question):
    """How many reports a question says that it has."""
    [section] = page.find("section", id=f"question-{question}")
    return int(section.find("dl")[0].find("data")[0].attributes["value"])


def test_all_surveys_are_on_the_first_page(analyst):
    """Each with its reports and a way to its page; with a survey named, that one is
    shown.
    """
    page = read(analyst.get("/"))
    names = [link.text for heading in page.find("h2") for link in heading.find("a")]
    assert names == ["commute", "many"]
    values = [
        int(card.find("data")[0].attributes["value"]) for card in page.find("dl")[:2]
    ]
    assert values == [240, 40]
    assert reports(read(analyst.get("/?survey=many")), "town") == 40


def test_many_values_have_pages_and_a_search(analyst):
    """Pages part the values, the most frequent first; a search finds those with its
    text.
    """
    pages = [
        shown(read(analyst.get(f"/?survey=many&values_of=town&page={page}")), "town")
        for page in (1, 2, 3)
    ]
    everything = [value for page in pages for value in page]
    assert [len(page) for page in pages] == [40, 40, 20]
    assert sorted(everything) == sorted(f"town {number}" for number in range(100))
    page = read(analyst.get("/?survey=many&values_of=town&find=TOWN%207"))
    assert shown(page, "town") == [
        "town 7",
        *(f"town {number}" for number in range(70, 80)),
    ]
    assert "100 values" in page.text
    none = read(analyst.get("/?survey=many&values_of=town&find=%3Cb%3E"))
    assert "No value with “<b>”." in none.text
    assert analyst.get("/?survey=many&values_of=town&page=0").status_code == 400


@pytest.mark.parametrize(
    ("query", "total"),
    [
        ({}, 240),
        ({"since": "1970-01-12"}, 180),
        ({"until": "1970-01-11"}, 60),
        ({"since": "1970-01-12", "until": "1970-01-12"}, 80),
    ],
)
def test_ranges_of_time_have_their_epochs(analyst, query, total):
    """All numbers are of the days that are asked for, both ends included."""
    page = read(
        analyst.get("/", params={"survey": "commute", "over_time": "transport"} | query)
    )
    assert reports(page, "transport") == total
    wrong = analyst.get("/", params={"survey": "commute", "since": "1970-02-31"})
    assert (wrong.status_code, "a day such as" in problem(read(wrong))) == (400, True)


@pytest.mark.parametrize("way", ["cumulated", "smoothed"])
def test_ways_over_time(analyst, way):
    """Cumulated, the last epoch has all reports; smoothed, each value has a level in
    its band.
    """
    query = {"survey": "commute", "over_time": "transport", "way": way, "axes": "fit"}
    page = read(analyst.get("/", params=query))
    [section] = page.find("section", id="question-transport")
    rows = section.find("table")[-1].find("tbody")[0].find("tr")
    counts = [int(row.find("data")[0].attributes["value"]) for row in rows]
    assert counts == ([240, 140, 60] if way == "cumulated" else [100, 80, 60])
    assert len(section.find("polygon")) == (0 if way == "cumulated" else 4)


def test_notes_are_beside_their_epochs(analyst):
    """In pictures over time, in a list beside these, and in a section; those of others
    are not.
    """
    page = read(analyst.get("/?survey=commute&over_time=transport"))
    assert len(page.find("line", class_="noted")) == 4
    assert page.find("ol")[0].text == "1970-01-12 A <strike>"
    assert "Elsewhere" not in page.text


def test_notes_that_are_none_are_refused(tmp_path):
    """By what is wrong; a file that becomes wrong leaves the notes that it had."""
    for content in (
        b"x = 1",
        b"[[note]]\non = 3\ntext = 'a'",
        b"[[note]]\non = 2026-01-01",
    ):
        with pytest.raises(NoteError, match="expected"):
            parse_notes(content, "notes.toml")
    path = tmp_path / "notes.toml"
    path.write_bytes(NOTES)
    notes = NoteFile(path)
    path.write_bytes(b"[[note]]")
    assert [note.day for note in notes.notes()] == ["1970-01-11 06:00", "1970-01-12"]
    assert "expected a text" in notes.trouble
    other = Note(datetime(2026, 1, 1, tzinfo=UTC), "a", survey="s", question="q")
    assert other.is_for("s", "other") is False


def test_two_epochs_side_by_side(counted, analyst):
    """What differs is what `compare` says of the two."""
    query = {
        "first": "survey=commute&epoch=10",
        "second": "survey=commute&epoch=12",
        "question": "transport",
    }
    page = read(analyst.get("/compare", params=query))
    served = counted.catalogue.all[0]
    both = [
        counted.analysis.estimates(served, Options(), Epoch(DAY, number))["transport"]
        for number in (10, 12)
    ]
    table = compare(*both, simultaneous="bh", names=("a", "b")).text_table()
    rows = page.find("table", id="compared")[0].find("tbody")[0].find("tr")
    assert [[cell.text for cell in row.find("td")] for row in rows] == [
        list(row[1:]) for row in table.rows
    ]


@pytest.mark.parametrize(
    ("first", "second", "places"),
    [
        ("survey=tour", "survey=trip", (2, 3)),
        ("survey=tour&version={}", "survey=tour&version={}", (1, 2)),
        ("survey=tour&where=os=ios", "survey=tour&where=os=android", (4, 5)),
    ],
    ids=["surveys", "versions", "groups"],
)
def test_other_sides_than_epochs(tmp_path, first, second, places):
    """Surveys, versions and groups: what differs is what `compare` says of their
    reports alone.
    """
    texts = (TOUR.replace('"3"', '"2"'), TOUR, TOUR.replace('"tour"', '"trip"'))
    days = [10]

    def clock():
        return days[0] * DAY + 43_200

    with service_of(*texts, folder=tmp_path, clock=clock) as service:
        older, newer, other = (served.survey for served in service.catalogue.all)
        of_groups = [
            people_of(newer, os, shift, clock=clock)
            for os, shift in (("ios", 0), ("android", 1))
        ]
        uploads = {
            1: (older, people_of(older, "ios", 1, clock=clock)),
            2: (newer, b"".join(of_groups)),
            3: (other, people_of(other, "ios", 2, clock=clock)),
            4: (newer, of_groups[0]),
            5: (newer, of_groups[1]),
        }
        for number in (1, 2, 3):
            service.writer.write(uploads[number][1])
        days[0] += 3
        service.writer.confirm_clock()
        wait_for_closed(service, 10)
        versions = [served.fingerprint for served in service.catalogue.all[:2]]
        query = {
            "first": first.replace("where=os=", "where=os%3D").format(versions[0]),
            "second": second.replace("where=os=", "where=os%3D").format(versions[1]),
            "question": "liked",
        }
        page = read(visitor(service, TOKEN).get("/compare", params=query))
    both = [ldp_aggregator.estimate(*uploads[number])["liked"] for number in places]
    table = compare(*both, simultaneous="bh", names=("a", "b")).text_table()
    rows = page.find("table", id="compared")[0].find("tbody")[0].find("tr")
    assert [[cell.text for cell in row.find("td")] for row in rows] == [
        list(row[1:]) for row in table.rows
    ]


def people_of(survey, os, shift, clock):
    """The reports of 120 people of one system, who like one thing more than the
    others.
    """
    reports = []
    for number in range(120):
        client = Client(survey, attributes={"os": os})
        liked = ("town", "river", "hill")[(shift + (number % 4 == 0)) % 3]
        reports.append(client.record("liked", liked))
    return report_bytes(reports, clock=clock)


def wait_for_closed(service, number):
    """Until an epoch is closed, as groups have to be."""
    end = time.monotonic() + 90
    while time.monotonic() < end:
        with service.analysis._snapshot() as snapshot:
            if last_closed_epochs(snapshot).get(DAY, -1) >= number:
                return
        time.sleep(0.02)
    raise AssertionError("expected a closed epoch")


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("survey=commute", "survey=commute&epoch=10", "two sides of different reports"),
        (
            "survey=commute&epoch=10",
            "survey=commute&epoch=10",
            "two sides of different reports",
        ),
        ("survey=commute", "survey=many", "expected a question of both sides"),
        ("survey=commute&color=red", "survey=many", "expected a side with"),
    ],
)
def test_sides_that_mean_nothing(analyst, first, second, words):
    """Reports that are on both sides, questions of one alone, and misspelled sides."""
    answer = analyst.get("/compare", params={"first": first, "second": second})
    assert words in problem(read(answer))


def test_frames_are_for_declared_origins(counted, analyst):
    """One page may be framed, by these, and runs no script; a public survey needs no
    token.
    """
    answer = analyst.get("/embed?survey=commute&question=transport")
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors https://portal.example" in policy
    assert "script-src" not in policy
    assert (
        answer.headers["cache-control"],
        answer.headers["x-content-type-options"],
    ) == (
        "no-store",
        "nosniff",
    )
    page = read(answer)
    assert not page.find("script")
    assert len(page.find("section")) == 1
    assert shown(page, "transport") == ["car", "bus", "bike", "walk"]
    assert (
        "frame-ancestors 'none'" in analyst.get("/").headers["content-security-policy"]
    )
    stranger = visitor(counted)
    assert stranger.get("/embed?survey=commute").status_code == 401
    public = stranger.get("/embed?survey=many&level=7")
    assert (public.status_code, "95 % intervals" in public.text) == (200, True)
    assert stranger.get("/?survey=many").status_code == 401
    assert "iframe" in analyst.get("/?survey=many").text


def test_signing_in_leads_back_to_two_sides(counted):
    """With what was asked for."""
    person = visitor(counted)
    page = read(person.get("/compare?question=transport"))
    action = page.find("form")[0].attributes["action"]
    answer = person.post(f"/{action}", data={"token": TOKEN})
    assert str(answer.url) == "http://service/compare?question=transport"


def test_nothing_is_finer_than_what_is_published(tmp_path):
    """Of 44 reports in one epoch, 25 are shown by every view, until 20 more have
    come.
    """

    def clock():
        return 10 * DAY + 5

    texts, options = (COMMUTE, MANY), {"clock": clock, "publication": Publication(20)}
    pages = [
        "/",
        "/?survey=commute&over_time=transport&way=cumulated",
        "/?survey=commute&since=1970-01-11&until=1970-01-11",
        "/embed?survey=commute",
        "/compare?first=survey%3Dcommute%26epoch%3D10&second=survey%3Dmany",
    ]
    counts = []
    # What is due is shown at a start at the latest.
    for people in (25, 19, 20):
        with service_of(*texts, folder=tmp_path, **options) as service:
            survey = service.catalogue.all[0].survey
            service.writer.write(answers(survey, people, clock=clock))
        with service_of(*texts, folder=tmp_path, **options) as service:
            person = visitor(service, TOKEN)
            shown = [read(person.get(page)).find("main")[0] for page in pages]
        counts.append(
            [
                [one.text for one in page.find("data") if one.text.isdigit()]
                for page in shown
            ]
        )
    assert counts[0] == counts[1]
    assert counts[0][0] == ["25", "0"]
    assert counts[2][0] == ["64", "0"]


def estimates_of(size, many, seed=17, **keys):
    """Of so many people, more of them the higher the number is."""
    asked = ldp.survey(
        "s", ldp.question("x", low=0, high=size - 1, mechanism="grr", **keys)
    )["x"]
    everyone = Holders((), apportion(many, np.arange(1.0, size + 1)))
    counts = sample_counts(asked, everyone, np.random.default_rng(seed))
    return estimate_question(asked, counts, Options())


def test_quantiles_of_listed_numbers():
    """Of 200 tallies of 2,000 people, fewer than 30 medians lie outside: more at a
    chance of 1e-7.

    Intervals of half the width would miss more than 50.
    """
    truth = int(np.searchsorted(np.cumsum(np.arange(1.0, 21)) / 210, 0.5))
    missed = 0
    for seed in range(200):
        [_, median, _] = estimates_of(20, 2_000, seed, epsilon="1").marked_quantiles()
        missed += not median.low <= truth <= median.high
    assert missed < 30


def test_numbers_are_drawn_in_their_order():
    """One by one, or in ranges where they are many, whose shares add up to those of
    all.
    """
    few, many = (estimates_of(size, 10_000, epsilon="3").cells() for size in (20, 100))
    assert [cell.name for cell in few] == [str(number) for number in range(20)]
    assert 5 < len(many) <= 16
    assert [cell.start for cell in many[1:]] == [cell.end for cell in many[:-1]]
    whole = estimates_of(100, 10_000, epsilon="3").frequency.sum()
    assert sum(cell.frequency for cell in many) == pytest.approx(whole)


def test_what_more_respondents_would_show():
    """Three times as many more halve the error; the least share that is detected is on
    the edge.
    """
    estimates = estimates_of(20, 5_000, epsilon="2")
    known = sharpness_of(estimates)
    assert known is not None
    assert known.more == 15_000
    place = estimates.values.index(known.what)
    one = estimates.law.of_values(np.array([place]))
    share = float(estimates.unbiased[place])
    errors = [
        np.sqrt(cumulants(held_by(one, share, many), share, "respondents").variance[0])
        for many in (5_000, 5_000 + known.more)
    ]
    assert errors[0] == pytest.approx(2 * errors[1])
    assert 0.01 < known.detects < known.differs < 0.2


def test_shares_that_no_test_tells_apart():
    """Two shares differ by 1 at most: no greater difference is promised to be found."""
    estimates = estimates_of(2, 5, epsilon="1")
    assert sharpness_of(estimates).differs is None
    said = str(sharpness(SimpleNamespace(estimates=estimates)))
    assert "no test tells shares apart" in said
    assert "or more" not in said


def test_an_estimate_beyond_what_is_possible():
    """The nearest possible value, the raw one beside it, and an interval that says it
    was cut.
    """
    estimates = estimates_of(20, 300, epsilon="1")
    beyond = next(one for one in estimates if one.frequency < 0)
    cells = str(_value(estimates, beyond, None, miss=0.05))
    assert ">0.0000</data>" in cells
    assert f"<small>raw {beyond.frequency:.4f}</small>" in cells
    assert "]<small>cut</small>" in cells
    within = next(one for one in estimates if 0 < one.frequency < 1)
    assert "raw" not in str(_value(estimates, within, None, miss=0.05))


def test_words_are_those_of_the_glossary():
    """The table of the page and the part of the glossary say the same, word by word."""
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    part = text.split("## On the page\n")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", part, re.MULTILINE)[1:])
    rows.pop("---", None)
    assert rows == dict(WORDS)
