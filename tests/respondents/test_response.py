"""Response by day: columns that say what they count, and add up to what the store
has.
"""

import csv
import io
import json
from contextlib import contextmanager

import pytest
from html_elements import read
from pages import visitor
from respondent_pages import DAILY, SHOWN, SURVEY

from ldp_client import Client, report_bytes
from ldp_service.counting.publication import LIVE
from ldp_service.counting.served import Served
from ldp_service.respondents.folder import Site, headers_of, page_files
from ldp_service.respondents.presentation import parse_presentation
from ldp_service.respondents.response import EARLIER, DailyLook, response
from ldp_service.service import Service, Settings, UploadSettings
from ldp_service.uploads.page_visits import PageVisits
from ldp_service.uploads.public import Public
from ldp_service.uploads.tokens import TokenFile, Tokens

DAY = 86_400.0
FIRST = 1_790_000_000.0
"""On 2026-09-21."""


@contextmanager
def open_to_all(folder, clock, survey=SURVEY, shown=SHOWN, *, address="", tokens=None):
    """A service with a page that takes reports of anyone."""
    site = Site(counted=True)
    public = Public(
        {survey.name: page_files(survey, shown, site)},
        {survey.name: headers_of(shown, site)},
        PageVisits(folder / "respondents.json", clock),
        address=address,
    )
    settings = Settings(
        tokens, public=public, publication=LIVE, uploads=UploadSettings(True)
    )
    served = [Served(survey, survey.to_toml(), {})]
    service = Service(served, f"sqlite:///{folder}/store.db", settings, clock=clock)
    try:
        yield service, public
    finally:
        service.close()


def answered(service, *questions):
    """One report for each of the questions, as pages send them."""
    client = Client(SURVEY)
    for name in questions:
        answer = {"smoker": True, "way": "zebracar"}[name]
        body = report_bytes([client.record(name, answer)])
        assert (
            visitor(service).post("/v1/reports", content=body).json()["accepted"] == 1
        )


def test_columns_are_named_after_what_they_count_and_add_up(tmp_path):
    """Two people on pages, one of whom left a question out, one app, and what was there
    before.
    """
    now = [FIRST]
    with open_to_all(tmp_path, lambda: now[0]) as (service, public):
        answered(service, "smoker")
        DailyLook(service, public).look()
        for step in ("shown", "shown", "started"):
            visitor(service).post(f"/v1/surveys/habits/{step}")
        answered(service, "smoker", "way")
        answered(service, "smoker")
        table = visitor(service).get("/respondents.csv?survey=habits").text
        assert [*csv.reader(io.StringIO(table))] == [
            ["day", "page_shown", "page_begun", "answered", "batches"],
            ["earlier", "0", "0", "1", "1"],
            ["2026-09-21", "2", "1", "2", "3"],
        ]
        now[0] += DAY
        answered(service, "way")
        rows = response(service, public, "habits")
        assert rows[-1] == ("2026-09-22", 0, 0, 1, 1)
        assert sum(row.batches for row in rows) == 5
        page = visitor(service).get("/respondents").text
        assert "Answered: the most batches of any one question" in page
    # The same after a restart, by a file that knows days and no more.
    with open_to_all(tmp_path, lambda: now[0]) as (service, public):
        assert response(service, public, "habits") == rows
    assert rows[0].day == EARLIER
    kept = json.loads((tmp_path / "respondents.json").read_text())["habits"]
    assert kept["2026-09-22"] == {"counted": {"smoker": 3, "way": 2}}


def test_of_a_survey_with_epochs_the_store_knows_the_day(tmp_path):
    """Also of those that came while nobody looked."""
    shown = parse_presentation(DAILY, {})
    clock = {"clock": lambda: FIRST}
    with open_to_all(tmp_path, **clock, survey=DAILY, shown=shown) as (service, public):
        for _ in range(3):
            report = Client(DAILY).record("smoker", True)
            body = report_bytes([report], **clock)
            assert (
                visitor(service).post("/v1/reports", content=body).json()["accepted"]
                == 1
            )
        assert response(service, public, "daily") == [("2026-09-21", 0, 0, 3, 3)]


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("", "http://service/s/habits/"),
        ("https://ask.example", "https://ask.example/s/habits/"),
    ],
)
def test_links_are_those_that_respondents_see(tmp_path, address, link):
    """Behind a proxy, of the address that the service was told."""
    with open_to_all(tmp_path, lambda: FIRST, address=address) as (service, _):
        page = visitor(service).get("/respondents").text
        assert f'href="s/habits/">{link}</a>' in page
        assert f"QR code of {link}" in page


def test_analysts_are_asked_who_they_are_first(tmp_path):
    """On the page where they can sign in; a table is refused."""
    (tmp_path / "tokens.toml").write_text(Tokens().to_toml())
    tokens = TokenFile(tmp_path / "tokens.toml")
    with open_to_all(tmp_path, lambda: FIRST, tokens=tokens) as (service, _):
        reply = visitor(service).get("/respondents", follow_redirects=False)
        assert (reply.status_code, reply.headers["location"]) == (303, "./")
        assert visitor(service).get("/respondents.csv?survey=habits").status_code == 401


def test_several_processes_count_into_one_file(tmp_path):
    """Each adds what it was told; none takes anything from another, and all see all of
    it.
    """
    path = tmp_path / "respondents.json"
    one, other = (PageVisits(path, lambda: FIRST) for _ in range(2))
    for _ in range(3):
        one.count("habits", "shown")
        other.count("habits", "shown")
    other.count("habits", "started")
    one.note("habits", {"smoker": 2})
    other.by_day("habits")
    assert one.by_day("habits")["2026-09-21"] == {
        "shown": 6,
        "started": 1,
        "counted": {"smoker": 2},
    }
    one.count("habits", "shown")
    one.close()
    other.close()
    assert PageVisits(path, lambda: FIRST).by_day("habits")["2026-09-21"]["shown"] == 7


@pytest.mark.parametrize(
    "content", ["", "[]", '{"habits": 3}', '{"habits": {"x": {"shown": "a"}}}']
)
def test_a_file_that_is_none_is_begun_anew(tmp_path, content):
    path = tmp_path / "respondents.json"
    path.write_text(content)
    reach = PageVisits(path, lambda: FIRST)
    reach.count("habits", "shown")
    assert reach.by_day("habits") == {"2026-09-21": {"shown": 1}}
    reach.close()


def test_what_cannot_be_written_is_counted_all_the_same(tmp_path, caplog):
    """And said once."""
    reach = PageVisits(tmp_path / "none" / "respondents.json", lambda: FIRST)
    for _ in range(2):
        reach.count("habits", "shown")
        reach.by_day("habits")
    assert reach.by_day("habits") == {"2026-09-21": {"shown": 2}}
    reach.close()
    assert len([line for line in caplog.messages if "is not kept" in line]) == 1


def test_a_screen_for_a_wall(tmp_path):
    """The question, how many answered, one bar, and the code of the page where people
    answer.
    """
    with open_to_all(tmp_path, lambda: FIRST, address="https://ask.example") as (
        service,
        _,
    ):
        answered(service, "smoker")
        page = read(visitor(service).get(f"/screen/{SURVEY.name}?question=smoker"))
    assert "1 answers shown" in page.find("p", id="summary")[0].text
    codes = {
        picture.attributes.get("aria-label") for picture in page.find("svg", role="img")
    }
    assert f"QR code of https://ask.example/s/{SURVEY.name}/" in codes
    assert "Too few answers to estimate the share of Yes." in page.find("main")[0].text
    assert len(page.find("rect")) == len(page.find("rect", class_="vague")) == 1
    (form,) = page.find("form")
    assert form.attributes["action"] == f"../v1/surveys/{SURVEY.name}/close?screen=1"
