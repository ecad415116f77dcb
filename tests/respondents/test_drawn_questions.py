"""Questions of a draw: the browser asks those that it draws, and how many people
answered.
"""

from contextlib import suppress

import pytest
from browser import browser
from pages import visitor
from respondent_pages import NEXT, fingerprint_of, hosted, open_page
from test_response import FIRST, open_to_all

from ldp import parse_survey
from ldp.errors import NotDrawnError
from ldp_client import Client, report_bytes
from ldp_service.respondents.presentation import parse_presentation
from ldp_service.respondents.response import response

NAMES = ("one", "two", "three")
QUESTION = (
    '[[question]]\nname = "{}"\ntype = "boolean"\nmechanism = "warner"\nepsilon = "1"\n'
)
SURVEY = parse_survey(
    (
        '[survey]\nname = "drawn"\n[[draw]]\nquestions = ["one", "two", '
        '"three"]\nanswers '
        "= 2\n"
    )
    + "".join(QUESTION.format(name) for name in (*NAMES, "all"))
)
SHOWN = parse_presentation(SURVEY, {"page": {"one_by_one": False}})
_ASKED = "return [...document.querySelectorAll('legend')].map((one) => one.innerText)"
_FILL = (
    "document.querySelectorAll('.choices').forEach((one) => "
    "one.querySelector('input').click())"
)


def begin(chromium, host, number):
    """The questions that a browser asks whose respondent has this number."""
    open_page(chromium, host, number)
    assert "draws at random which" in chromium.text("main")
    chromium.run(NEXT)
    chromium.wait("return document.querySelectorAll('legend').length === 3")
    return chromium.run(_ASKED)


@pytest.mark.needs("chromium")
def test_a_browser_asks_what_it_draws(tmp_path):
    """Two of three, the same when the page is opened again; and it sends reports to
    them.

    That fourteen browsers draw the same two has a chance of 3 to the power of -13,
    6e-7.
    """
    with browser(tmp_path) as chromium, hosted(SURVEY, SHOWN) as host:
        drawn = {tuple(begin(chromium, host, number)) for number in range(14)}
        every = {
            ("one", "two", "all"),
            ("one", "three", "all"),
            ("two", "three", "all"),
        }
        assert len(drawn) > 1
        assert drawn <= every
        names = begin(chromium, host, 20)
        assert begin(chromium, host, 20) == names
        host.log.clear()
        chromium.run(_FILL)
        chromium.run(NEXT)
        chromium.run(NEXT)
        chromium.wait("return document.querySelector('.receipt') !== null")
        assert "has taken 3 of 3" in chromium.text("main")
        sent = {fingerprint_of(line, body) for line, _, body in host.log} - {b""}
        assert sent == {SURVEY[name].fingerprint for name in names}


def reports_of(client):
    """Those of a device to the draw."""
    for name in NAMES:
        with suppress(NotDrawnError):
            yield client.record(name, True)


def test_people_who_answer_a_part_are_counted_once(tmp_path):
    """Each sends two reports to the draw: three people six, of which no question has
    all.
    """
    with open_to_all(tmp_path, lambda: FIRST, survey=SURVEY, shown=SHOWN) as (
        service,
        public,
    ):
        for _ in range(3):
            body = b"".join(
                report_bytes([report]) for report in reports_of(Client(SURVEY))
            )
            assert (
                visitor(service).post("/v1/reports", content=body).json()["accepted"]
                == 2
            )
        [row] = response(service, public, "drawn")
        assert (row.answered, row.batches) == (3, 6)
