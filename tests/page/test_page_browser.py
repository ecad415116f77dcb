"""The page in headless Chromium: it follows what is counted, and fits every screen.

Skipped where chromium or chromedriver is missing.
"""

import time
from datetime import UTC, datetime, timedelta

import pytest
from browser import ENTER, TAB
from pages import (
    COMMUTE,
    HOSTILE,
    HOSTILE_VALUES,
    TOKEN,
    answers,
    service_of,
    serving,
    visitor,
    write_tokens,
)

pytestmark = pytest.mark.needs("chromium")

FREQUENCIES = """
const rows = document.querySelectorAll("#values-transport tbody tr");
return [...rows].map((row) => Number(row.querySelector("data").value));
"""
OPEN = (
    "document.querySelectorAll('main details').forEach((each) => { each.open = true; })"
)
SIGNED_IN = "return document.querySelector('#state')?.textContent === 'Live'"


@pytest.fixture
def chromium(chromium):
    """The browser as it is at first: a desk, light, no one signed in, an empty
    console.
    """
    # The page of the test before asks a service that is gone, and would complain in
    # this one.
    chromium.open("about:blank")
    chromium.size(1280, 900)
    chromium.prefer("light")
    chromium.devtools("Network.clearBrowserCookies")
    chromium.complaints()
    return chromium


@pytest.fixture
def service(tmp_path):
    """A service with some reports."""
    with service_of(COMMUTE, folder=tmp_path) as running:
        running.writer.write(answers(running.catalogue.all[0].survey, 100))
        yield running


@pytest.fixture
def url(service):
    """Where it is."""
    with serving(service) as place:
        yield place


def sign_in(chromium, url, query=""):
    """Through the form; afterwards the console is as good as new, and all drawers are
    open.
    """
    chromium.open(f"{url}/{query}")
    chromium.type("#token", TOKEN + ENTER)
    chromium.wait(SIGNED_IN)
    chromium.run(OPEN)
    assert [
        complaint for complaint in chromium.complaints() if "401" not in complaint
    ] == []


def frequencies(service):
    """What the API says that the page should show."""
    record = visitor(service, TOKEN).get("/v1/surveys/commute/estimates").json()
    return [value["frequency"] for value in record["questions"]["transport"]["values"]]


def test_it_follows_what_is_counted(chromium, service, url):
    """It shows the API's numbers, and new ones as reports arrive; details, focus and
    place stay.

    No complaints.
    """
    sign_in(chromium, url)
    assert chromium.run(FREQUENCIES) == frequencies(service)
    before = chromium.run("""
        document.querySelector("#health-transport").open = true;
        document.querySelector("input[name=level]").focus({ preventScroll: true });
        document.querySelector("input[name=level]").value = "0.8";
        scrollTo(0, 300);
        return [scrollY, document.querySelector("#question-transport .facts data").value];
    """)
    service.writer.write(answers(service.catalogue.all[0].survey, 50))
    chromium.wait(
        "return document.querySelector('#question-transport .facts data').value === "
        "'150'"
    )
    assert before == [300, "100"]
    assert chromium.run(FREQUENCIES) == frequencies(service)
    assert chromium.run("""
        const [at, health] = [document.activeElement, document.querySelector("#health-transport")];
        return [scrollY, health.open, at.name, at.value];
    """) == [300, True, "level", "0.8"]
    assert "150 reports" in chromium.text("#news")
    assert chromium.complaints() == []


def test_pausing_stops_it(chromium, service, url):
    """Paused, it asks for nothing; going on, it catches up."""
    sign_in(chromium, url)
    chromium.run("document.querySelector('#pause').click()")
    service.writer.write(answers(service.catalogue.all[0].survey, 50))
    time.sleep(2.5)
    assert chromium.text("#state") == "Paused"
    assert chromium.text("#question-transport .facts data") == "100"
    chromium.run("document.querySelector('#pause').click()")
    chromium.wait(
        "return document.querySelector('#question-transport .facts data').value === "
        "'150'"
    )


def test_what_was_asked_before_a_pause_is_not_shown_after_it(chromium, service, url):
    """An answer that is on its way when somebody pauses changes nothing; going on, it
    is asked for.

    Here it is asked for as late as that, so that it has something new.
    """
    sign_in(chromium, url)
    chromium.run("""
        window.real = fetch;
        window.fetch = async (...all) => {
            await new Promise((go) => { window.go = go; });
            const answer = await real(...all);
            const text = await answer.text();
            setTimeout(() => { window.came = true; }, 200);
            return new Response(text, answer);
        };
    """)
    chromium.wait("return window.go !== undefined")
    service.writer.write(answers(service.catalogue.all[0].survey, 50))
    chromium.run("document.querySelector('#pause').click(); go()")
    chromium.wait("return window.came === true")
    assert chromium.text("#state") == "Paused"
    assert chromium.text("#question-transport .facts data") == "100"
    chromium.run("window.fetch = real; document.querySelector('#pause').click()")
    chromium.wait(
        "return document.querySelector('#question-transport .facts data').value === "
        "'150'"
    )


def test_an_expired_token_is_said_to_be_expired(chromium, tmp_path, url):
    """While the page is looked at: a banner, what was shown stays, nothing more is
    asked for.

    Afterwards: the form.
    """
    sign_in(chromium, url)
    chromium.run(
        "window.asked = 0; const real = fetch; window.fetch = (...all) => { asked += "
        "1; return real(...all); }"
    )
    write_tokens(tmp_path, expires=datetime.now(UTC) - timedelta(days=1))
    chromium.wait("return !document.querySelector('#banner').hidden")
    assert "This token has expired." in chromium.text("#banner")
    assert "Sign in again" in chromium.text("#banner")
    assert chromium.text("#question-transport .facts data") == "100"
    asked = chromium.run("return asked")
    time.sleep(2.5)
    assert chromium.run("return asked") == asked >= 1
    chromium.open(f"{url}/")
    assert "This token has expired." in chromium.text("#problem")
    assert chromium.run("return document.querySelectorAll('#token').length") == 1
    assert all("401" in complaint for complaint in chromium.complaints())


def test_it_outlives_a_service_that_is_away(chromium, tmp_path, service):
    """It says that it cannot reach the service, and goes on when that is back."""
    with serving(service) as url:
        sign_in(chromium, url)
    chromium.wait(
        "return document.querySelector('#state').textContent.startsWith('Out of reach')"
    )
    with serving(service, int(url.rpartition(":")[2])):
        chromium.wait(SIGNED_IN)


@pytest.mark.parametrize("query", ["", "?over_time=transport"])
def test_it_fits_a_phone(chromium, url, query):
    """At 360 pixels nothing reaches beyond the screen; tables scroll in boxes of their
    own.
    """
    sign_in(chromium, url, query)
    chromium.size(360, 740, mobile=True)
    assert chromium.run("return document.documentElement.scrollWidth") == 360
    beyond = chromium.run("""
        const outside = (each) => each.getBoundingClientRect().right > innerWidth;
        const free = (each) => !each.closest(".scroll");
        const parts = [...document.querySelectorAll("main *")];
        return parts.filter(free).filter(outside).map((each) => each.outerHTML);
    """)
    assert beyond == []
    assert chromium.run("""
        const boxes = [...document.querySelectorAll(".scroll")];
        return boxes.some((each) => each.scrollWidth > each.clientWidth);
    """)


def test_a_keyboard_is_enough(chromium, url):
    """From the top: the skip link, then all in the page's order, each with visible
    focus.
    """
    sign_in(chromium, url)
    chromium.open(f"{url}/")
    # A key that is pressed before the page is there is lost, on a machine with much to
    # do.
    chromium.wait(SIGNED_IN)
    chromium.run(OPEN)
    reached = []
    for _ in range(23):
        chromium.press(TAB)
        reached.append(
            chromium.run("""
            const at = document.activeElement, style = getComputedStyle(at);
            const place = [...document.querySelectorAll("*")].indexOf(at);
            return [at.name || at.textContent || at.tagName, style.outlineStyle !== "none", place];
        """)
        )
    names = [name for name, _, _ in reached]
    assert names[:5] == [
        "To the content",
        "commute",
        "Side by side",
        "Sign out",
        "Pause",
    ]
    fields = [
        "level",
        "estimand",
        "interval",
        "post_process",
        "simultaneous",
        "frequencies",
    ]
    assert names[5:13] == ["Options", "question", *fields]
    # A day is three fields and a button.
    assert list(dict.fromkeys(names[13:]))[:3] == ["since", "until", "Show"]
    assert all(seen for _, seen, _ in reached)
    assert [place for _, _, place in reached] == sorted(
        place for _, _, place in reached
    )


def test_pictures_and_tables_have_names(chromium, url):
    """Every picture, table, box that scrolls and field has a name for those who do not
    see it.
    """
    sign_in(chromium, url)
    nodes = chromium.devtools("Accessibility.getFullAXTree")["nodes"]
    named = {
        role: []
        for role in (
            "image",
            "table",
            "region",
            "combobox",
            "spinbutton",
            "checkbox",
            "button",
            "link",
        )
    }
    for node in nodes:
        role = node.get("role", {}).get("value", "")
        if not node["ignored"] and role in named:
            named[role].append(node.get("name", {}).get("value", ""))
    assert all(names and all(names) for names in named.values()), named
    assert "transport" in named["image"]


@pytest.mark.parametrize(
    ("scheme", "ground"), [("light", "rgb(243, 245, 249)"), ("dark", "rgb(14, 19, 26)")]
)
def test_it_is_light_or_dark(chromium, url, scheme, ground):
    """As people prefer, charts included."""
    chromium.prefer(scheme)
    sign_in(chromium, url)
    result = chromium.run("""
        const colour = (name, key) => getComputedStyle(document.querySelector(name))[key];
        const ground = colour("html", "backgroundColor");
        return [ground, colour(".chart .number", "fill"), colour("html", "color")];
    """)
    assert result[0] == ground
    assert result[1] == result[2]


def test_nothing_hostile_runs(chromium, tmp_path):
    """Texts that would be scripts are shown.

    The browser sees nothing that its policy would have to stop.
    """
    with service_of(HOSTILE, folder=tmp_path) as service, serving(service) as url:
        service.writer.write(answers(service.catalogue.all[0].survey, 50))
        sign_in(chromium, url)
        rows = (
            "return [...document.querySelectorAll('#values-q tbody th')]"
            ".map((each) => each.textContent)"
        )
        assert chromium.run(rows) == list(HOSTILE_VALUES)
        assert chromium.complaints() == []
