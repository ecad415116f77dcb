"""The respondents' page without a mouse: from the link to the receipt by keys alone."""

from browser import ENTER, TAB
from respondent_pages import fingerprint_of, hosted, open_page

from ldp import parse_survey
from ldp_service.respondents.presentation import parse_presentation

TOWNS = ", ".join(f'"{name}town"' for name in "abcdefghijklm")
SURVEY = parse_survey(f"""
[survey]
name = "keys"
[[question]]
name = "smoker"
type = "boolean"
mechanism = "warner"
epsilon = "1"
[[question]]
name = "pets"
type = "multi"
values = ["cat", "dog", "fish"]
most = 2
mechanism = "auto"
epsilon = "1"
[[question]]
name = "age"
type = "integer"
low = 0
high = 120
mechanism = "auto"
epsilon = "1"
[[question]]
name = "town"
type = "category"
values = [{TOWNS}]
mechanism = "auto"
epsilon = "1"
""")
LEFT, RIGHT, DOWN = "\ue012", "\ue014", "\ue015"
_FOCUSED = "return document.activeElement.matches(arguments[0])"
_MARKED = "return getComputedStyle(document.activeElement).outlineStyle !== 'none'"
_MOST_KEYS = 20


def reach(chromium, selector):
    """Go on to what matches, as far as it is from here; whatever has the focus is
    marked.
    """
    for _ in range(_MOST_KEYS):
        chromium.press(TAB)
        assert chromium.run(_MARKED)
        if chromium.run(_FOCUSED, selector):
            return
    raise AssertionError(
        f"{selector} is out of reach on a page that says {chromium.text('main')}"
    )


def go_on(chromium):
    """The button that leads on; the next question has the focus then, so that it is
    read out.
    """
    reach(chromium, ".actions .main")
    chromium.press(ENTER)


def test_everything_can_be_done_by_keys(chromium):
    """Answers of every kind of control, one that is lacking, a step back, and the
    receipt.
    """
    with hosted(SURVEY, parse_presentation(SURVEY, {})) as host:
        open_page(chromium, host, 800)
        go_on(chromium)
        chromium.wait(_FOCUSED, "legend")
        # What is lacking is said, and the focus is where it can be given.
        go_on(chromium)
        assert chromium.text(".problem") == "Please answer this question."
        assert chromium.run(_FOCUSED, "[type=radio]")
        chromium.press(" ")
        chromium.press(DOWN)
        go_on(chromium)
        assert chromium.run(_FOCUSED, "legend")
        reach(chromium, "[type=checkbox]")
        chromium.press(" ")
        go_on(chromium)
        # Back and on again, with the answer as it was.
        reach(chromium, ".actions .plain")
        chromium.press(ENTER)
        assert chromium.run("return document.querySelector('[type=checkbox]').checked")
        go_on(chromium)
        reach(chromium, "[type=range]")
        chromium.press(RIGHT)
        chromium.press(LEFT)
        chromium.press(RIGHT)
        go_on(chromium)
        reach(chromium, "select")
        chromium.press("k")
        go_on(chromium)
        assert chromium.run(_FOCUSED, "h1")
        said = "return [...document.querySelectorAll('dd')].map((one) => one.innerText)"
        assert chromium.run(said) == ["No", "\u2068cat\u2069", "61", "ktown"]
        host.log.clear()
        go_on(chromium)
        chromium.wait("return document.querySelector('.receipt') !== null")
        assert chromium.run(_FOCUSED, "h1")
        reach(chromium, "summary")
        chromium.press(ENTER)
        assert chromium.text("code")
        assert (
            len({fingerprint_of(line, body) for line, _, body in host.log} - {b""}) == 4
        )
        assert chromium.complaints() == []
