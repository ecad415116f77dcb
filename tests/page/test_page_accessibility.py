"""The page for everyone: axe-core's rules for WCAG 2.2 AA, names on phones, words by
key and touch.

Skipped where chromium or chromedriver is missing; the rules where axe-core is, which
`npm ci` in `client/js` brings.
"""

import pytest
from axe import broken
from browser import ENTER, browser
from pages import COMMUTE, TOKEN, answers, service_of, serving

pytestmark = pytest.mark.needs("chromium")

LONG = "a-survey-of-commuters-with-a-very-long-name-2026"
SURVEYS = (COMMUTE, COMMUTE.replace('"commute"', f'"{LONG}"'))
SIDES = "first=survey%3Dcommute&second=survey%3D" + LONG
PAGES = (
    "?survey=commute&over_time=transport&frequencies=1",
    "?overview=1",
    f"compare?{SIDES}&question=transport",
    "embed?survey=commute&question=transport",
    "screen/commute?question=transport",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A service and a browser that is signed in, for all tests."""
    folder = tmp_path_factory.mktemp("everyone")
    days = [20_500]

    def clock():
        return days[0] * 86_400

    with service_of(*SURVEYS, folder=folder, clock=clock) as service:
        for _ in range(2):
            for served in service.catalogue.all:
                service.writer.write(answers(served.survey, 60, clock=clock))
            days[0] += 1
        with serving(service) as url, browser(folder / "profile") as chromium:
            chromium.open(f"{url}/")
            chromium.type("#token", TOKEN + ENTER)
            chromium.wait(
                "return document.querySelector('#state')?.textContent === 'Live'"
            )
            yield url, chromium


@pytest.mark.needs("axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_rule_is_violated(place, scheme):
    """Of WCAG 2.2 AA and of good practice, with everything opened, on a desk and on a
    phone.
    """
    url, chromium = place
    for page in PAGES:
        phone = scheme == "dark"
        chromium.size(*((390, 780) if phone else (1280, 900)), mobile=phone)
        chromium.prefer(scheme)
        chromium.open(f"{url}/{page}")
        assert broken(chromium) == [], page


@pytest.mark.parametrize("width", [320, 360])
def test_names_stand_in_lines_on_a_phone(place, width):
    """The name of a survey in the header is not broken letter by letter, however long
    it is.
    """
    url, chromium = place
    chromium.size(width, 740, mobile=True)
    chromium.open(f"{url}/?survey={LONG}")
    lines = chromium.run("""
        const link = document.querySelector("header a[aria-current]");
        return Math.round(link.getBoundingClientRect().height / 24);
    """)
    assert lines <= 3
    assert chromium.run("return document.documentElement.scrollWidth") <= width


def test_numbers_of_an_axis_are_behind_no_column(place):
    """On a phone as well, the shares of a histogram stand beside what is drawn."""
    url, chromium = place
    chromium.size(360, 740, mobile=True)
    chromium.open(f"{url}/?survey=commute&frequencies=1")
    counted, covered = chromium.run("""
        const chart = document.querySelector("#chart-hours-title").closest("svg");
        const box = (each) => each.getBoundingClientRect();
        const boxes = (what) => [...chart.querySelectorAll(what)].map(box);
        const across = (a, b) => a.right <= b.left || b.right <= a.left;
        const apart = (a, b) => across(a, b) || a.bottom <= b.top || b.bottom <= a.top;
        const columns = boxes(".bar").filter((each) => each.height > 0);
        const numbers = boxes(".tick");
        const under = numbers.filter((number) => columns.some((column) => !apart(number, column)));
        return [columns.length * numbers.length, under.length];
    """)
    assert counted > 20
    assert covered == 0


def test_tables_fit_a_desk_and_keep_their_names_on_a_phone(place):
    """Beside its picture a table has the room that it needs.

    Where it has to scroll, the caption and the first column stay.
    """
    url, chromium = place
    chromium.size(1280, 900)
    chromium.open(f"{url}/?survey=commute")
    needed, room = chromium.run("""
        const table = document.querySelector("#values-transport");
        table.querySelector("tbody bdi").textContent = "a bus of the city, or a tram";
        return [table.parentElement.scrollWidth, table.parentElement.clientWidth];
    """)
    assert needed <= room
    chromium.size(360, 740, mobile=True)
    chromium.open(f"{url}/?survey=commute")
    lefts, caption, room = chromium.run("""
        const table = document.querySelector("#values-transport"), box = table.parentElement;
        box.scrollLeft = 150;
        const start = (what) => what.getBoundingClientRect().left;
        const within = (name) => Math.round(start(table.querySelector(name)) - start(box));
        const lefts = ["caption", "thead th", "tbody th"].map(within);
        return [[box.scrollLeft, ...lefts], table.caption.offsetWidth, box.clientWidth];
    """)
    assert lefts == [150, 0, 0, 0]
    assert caption <= room


def test_words_open_by_key_and_touch_without_a_script(place):
    """A meaning opens where its word stands and closes by Escape, also where no script
    runs.
    """
    url, chromium = place
    chromium.size(1280, 900)
    chromium.devtools("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.open(f"{url}/?survey=commute")
        opened = "#word-epsilon:popover-open"
        chromium.type("#statistics-smoker > summary", ENTER)
        chromium.type("button[popovertarget=word-epsilon]", ENTER)
        assert "the smaller, the more private" in chromium.text(opened)
        chromium.press("\ue00c")
        assert chromium.text(opened) == ""
    finally:
        chromium.devtools("Emulation.setScriptExecutionDisabled", value=False)


def test_paper_has_no_buttons(place):
    """Printed at night, the page is dark on light, and what only a screen can use is
    away.
    """
    url, chromium = place
    chromium.prefer("dark")
    chromium.open(f"{url}/?survey=commute")
    chromium.devtools("Emulation.setEmulatedMedia", media="print")
    try:
        assert chromium.run("""
            const shown = (name) => document.querySelector(name).checkVisibility();
            const ink = getComputedStyle(document.querySelector("h1")).color;
            return [ink, shown(".chart"), shown("header"), shown(".choices"), shown(".share")];
        """) == ["rgb(0, 0, 0)", True, False, False, False]
    finally:
        chromium.devtools("Emulation.setEmulatedMedia", media="")
