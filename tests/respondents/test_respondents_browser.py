"""The respondents' page in headless Chromium: what leaves it, whom it can be read by,
what it says.

Twelve answers here; `python -m lab.endurance.page_answers 1000` lets a thousand answer.
"""

import pytest
from axe import broken
from respondent_pages import (
    ANSWERS,
    FILL,
    NEXT,
    PAGE,
    READY,
    SURVEY,
    alike,
    answer,
    begin,
    hosted,
    open_page,
)

from ldp_service.respondents.presentation import parse_presentation

_STORED = """
const done = arguments[0];
window.stored = null;
indexedDB.databases().then(async (all) => {
  const texts = [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)];
  const shapes = new Set();
  for (const { name } of all) {
    const open = await new Promise((resolve) => {
      const request = indexedDB.open(name);
      request.onsuccess = () => resolve(request.result);
    });
    for (const store of open.objectStoreNames) {
      const rows = open.transaction(store).objectStore(store).getAll();
      await new Promise((resolve) => (rows.onsuccess = resolve));
      texts.push(JSON.stringify(rows.result));
      const shape = ({ key, text }) => [key.replace(/[0-9a-f]{8,}/g, '#'), text.length];
      shapes.add(JSON.stringify(rows.result.map(shape).sort()));
    }
    open.close();
  }
  window.stored = texts.join(' ');
  window.storedShapes = [...shapes];
});
"""


_FRAMING = """
const frame = document.createElement('iframe');
frame.src = arguments[0];
document.body.replaceChildren(frame);
"""


@pytest.fixture(scope="module")
def host():
    with hosted() as serving:
        yield serving


def test_requests_are_the_same_whatever_is_answered(chromium, host):
    """Their number, names and sizes, as of what is stored; no answer stands in any of
    these.
    """
    shapes, plain = alike(chromium, host, 12)
    assert len(shapes) == 1
    assert plain == set()
    chromium.run(_STORED)
    stored = chromium.wait("return window.stored")
    assert "habits" in stored
    for words in ("zebra", "quagga", "okapi", "31.5", "47.5"):
        assert words not in stored
    assert len(chromium.run("return window.storedShapes")) == 1
    assert chromium.complaints() == []


def test_nothing_that_is_kept_can_be_tried_against_the_reports(chromium, host):
    """No secret, and no permanent response: the browser may be one that others use as
    well.
    """
    answer(chromium, host, 503, given=ANSWERS[0])
    chromium.run(_STORED)
    stored = chromium.wait("return window.stored")
    assert '"s/charge/' in stored
    for kind in ("secret", "cohort", "permanent", "last"):
        assert f'"s/{kind}/' not in stored


def test_a_receipt_says_what_was_said_and_what_was_sent(chromium, host):
    """Next to each other; and the same browser is not asked twice under one token."""
    answer(chromium, host, 500, given=ANSWERS[0])
    shown = chromium.text("main")
    assert "has taken 6 of 6" in shown
    assert "Nobody can be certain" in shown
    assert "Do you <b>smoke</b>?" in shown
    open_page(chromium, host, 500)
    assert "already" in chromium.text("main")


def test_a_receipt_is_in_one_language(chromium, host):
    """Whichever is chosen, its words for what was said as well."""
    answer(chromium, host, 502, given=(True, 0, "31.5", (), True))
    assert "Yes" in chromium.text(".receipt")
    assert "None of these" in chromium.text(".receipt")
    chromium.run("document.querySelector('nav [lang=de]').click()")
    shown = chromium.text(".receipt")
    assert "Ja" in shown
    assert "Auto" in shown
    assert "Nichts davon" in shown
    for english in ("Yes", "You said", "None of these", "zebracar\n"):
        assert english not in shown


def test_a_report_of_no_value_is_told_in_words(chromium, host):
    """A symbol that fills up a set, which most reports of nobody's pets are."""
    shown = ""
    for number in range(510, 530):
        answer(chromium, host, number, given=(True, 0, "31.5", (), True))
        shown = chromium.text(".cards:nth-of-type(4)")
        if "none of the 3 answers" in shown:
            return
        assert "bytes" not in shown
    pytest.fail(f"of twenty reports none was of no value: {shown}")


def test_a_slider_shows_no_number_until_there_is_one(chromium, host):
    """Neither end is suggested; what is typed, cleared or clicked shows in both."""
    open_page(chromium, host, 530)
    begin(chromium)
    state = (
        "const slider = document.querySelector('[type=range]'); return [slider.value,"
    )
    state += (
        "slider.classList.contains('empty'), slider.getAttribute('aria-valuetext')]"
    )
    assert chromium.run(state) == ["30", True, "none chosen yet"]
    type_in = """
        const field = document.querySelector('.number [type=text]');
        field.value = arguments[0];
        field.dispatchEvent(new Event('input'));
    """
    for typed, shown in (
        ("47.5", ["47.5", False, None]),
        ("99", ["30", True, "none chosen yet"]),
        ("١٢", ["12", False, None]),
        ("", ["30", True, "none chosen yet"]),
    ):
        chromium.run(type_in, typed)
        assert chromium.run(state) == shown
    chromium.run("document.querySelector('[type=range]').click()")
    assert (
        chromium.run("return document.querySelector('.number [type=text]').value")
        == "30"
    )
    assert chromium.run(state)[1] is False


def test_what_does_not_fit_is_said_and_nothing_is_sent(chromium, host):
    """A question without an answer, and a number out of its range, keep the page where
    it is.
    """
    host.log.clear()
    open_page(chromium, host, 501)
    begin(chromium)
    chromium.run("document.querySelector('[type=text]').value = '99'")
    chromium.run(NEXT)
    assert "Please answer" in chromium.text("main")
    assert "does not fit" in chromium.text("main")
    assert not [line for line, _, _ in host.log if "reports" in line]


def test_another_language_keeps_what_was_filled_in(chromium, host):
    """In the middle of the questions, in all kinds of fields."""
    open_page(chromium, host, 540)
    begin(chromium)
    chromium.run(FILL, *ANSWERS[-1])
    filled = "return [...document.querySelectorAll('input')].map((field) => "
    filled += (
        "field.type === 'radio' || field.type === 'checkbox' ? field.checked : "
        "field.value)"
    )
    before = chromium.run(filled)
    assert "47.5" in before
    assert True in before
    chromium.run("document.querySelector('nav [lang=ar]').click()")
    assert chromium.run("return document.documentElement.dir") == "rtl"
    assert "هل تدخن؟" in chromium.text("legend")
    assert chromium.run(filled) == before


def test_a_page_that_is_loaded_anew_still_has_its_token(chromium, host):
    """And its address has none."""
    token = f"ldpr_{550:022d}"
    open_page(chromium, host, 550)
    chromium.run("location.reload()")
    chromium.wait(f"{READY} && performance.navigation.type === 1")
    assert token not in chromium.run("return location.href")
    host.log.clear()
    begin(chromium)
    chromium.run(FILL, *ANSWERS[0])
    chromium.run(NEXT)
    chromium.run(NEXT)
    chromium.wait("return document.querySelector('.receipt') !== null")
    reports = [headers for line, headers, _ in host.log if "reports" in line]
    assert len(reports) == 5
    assert all(token in str(headers) for headers in reports)


def test_reports_that_wait_are_not_called_sent(chromium, host, monkeypatch):
    """Where the collector does not take them, now and when the page is opened again."""
    monkeypatch.setattr(host, "status", 503)
    open_page(chromium, host, 560)
    begin(chromium)
    chromium.run(FILL, *ANSWERS[0])
    chromium.run(NEXT)
    chromium.run(NEXT)
    waits = (
        "return document.querySelector('main').innerText.includes('They wait in this "
        "browser')"
    )
    chromium.wait(waits)
    open_page(chromium, host, 560)
    assert chromium.run(waits)


def test_a_page_for_those_who_are_invited_says_so_before_it_asks(chromium):
    """Without a token there is nothing to answer, and with one there is."""
    with hosted(invited=True) as serving:
        chromium.open(f"{serving.url}/")
        chromium.wait(READY)
        assert "a link of their own" in chromium.text("main")
        assert chromium.run("return document.querySelector('.actions')") is None
        open_page(chromium, serving, 570)
        assert "Start" in chromium.text(".actions")


def test_answers_are_not_for_those_who_translate_pages(chromium, host):
    """A browser that translates a page sends its text away, but what says it is not for
    that.
    """
    answer(chromium, host, 580, given=ANSWERS[0])
    cells = (
        "return [...document.querySelectorAll('.you_said dd')].map((one) => "
        "one.translate)"
    )
    assert chromium.run(cells) == [False] * 6


def test_two_tabs_are_one_respondent(chromium, host):
    """The slower one is told that the answers were sent, and sends none."""
    open_page(chromium, host, 595)
    begin(chromium)
    chromium.run(FILL, *ANSWERS[0])
    with chromium.another_tab():
        answer(chromium, host, 595, given=ANSWERS[1])
    host.log.clear()
    chromium.run(NEXT)
    chromium.run(NEXT)
    chromium.wait("return document.querySelector('main').innerText.includes('already')")
    assert not [line for line, _, _ in host.log if "reports" in line]


def test_nothing_comes_back_with_the_page(chromium, host):
    """Left in the middle and returned to, it begins anew: what was filled in is
    gone.
    """
    open_page(chromium, host, 590)
    begin(chromium)
    chromium.run(FILL, *ANSWERS[0])
    chromium.open(f"{host.url}/survey.json")
    chromium.run("history.back()")
    chromium.wait(f"{READY} && document.querySelector('h1') !== null")
    assert "What leaves this device" in chromium.text("main")
    assert chromium.run("return document.querySelector('input')") is None


@pytest.mark.parametrize("name", ["page.js", "survey.json", "texts.json"])
def test_a_file_that_was_changed_is_not_used(chromium, host, monkeypatch, name):
    """The document has its hash, whoever hosts the two."""
    monkeypatch.setitem(host.files, name, host.files[name] + b"\n")
    host.log.clear()
    chromium.open(f"{host.url}/?changed-{name}")
    if name == "page.js":
        chromium.wait("return performance.getEntriesByType('resource').length > 0")
        assert chromium.run(READY) is False
        # Said after some seconds.
        said = "document.getAnimations().forEach((one) => one.finish());"
        said += (
            "return document.body.innerText.includes('this page was changed on its "
            "way')"
        )
        chromium.wait(said)
    else:
        chromium.wait("return document.body?.dataset.failed === ''")
    assert chromium.run("return document.querySelector('button')") is None
    assert not [line for line, _, _ in host.log if line.startswith("POST")]
    chromium.complaints()


def test_a_page_in_a_frame_of_its_parent_asks_and_sends(chromium, host, monkeypatch):
    """Of another origin, which the page file names; in what browsers keep apart for the
    two.
    """
    parents = parse_presentation(
        SURVEY, {"page": {**PAGE["page"], "parents": [host.url]}}
    )
    # The parent has a policy of its own, that of a page would keep it from framing
    # anything.
    monkeypatch.setattr(host, "headers", {})
    with hosted(SURVEY, parents) as framed:
        chromium.open(f"{host.url}/survey.json")
        chromium.run(_FRAMING, f"{framed.url}/")
        chromium.into_frame()
        chromium.wait(READY)
        begin(chromium)
        for step in (FILL, NEXT, NEXT):
            chromium.run(step, *ANSWERS[0])
        chromium.wait("return document.querySelector('.receipt') !== null")
        assert "has taken 6 of 6" in chromium.text("main")
    chromium.out_of_frame()


def test_a_page_in_a_strange_frame_asks_nothing(chromium, host, monkeypatch):
    """By its host's policy; and by itself, where a host sends none."""
    monkeypatch.setattr(host, "headers", {})
    chromium.open(f"{host.url}/survey.json")
    chromium.run(_FRAMING, "/?framed")
    said = "return document.querySelector('iframe').contentDocument?.body"
    chromium.wait(f"{said}?.dataset.failed === ''")
    assert chromium.run(f"{said}.querySelector('button')") is None


@pytest.mark.needs("axe-core")
@pytest.mark.parametrize(
    ("number", "language", "scheme", "width"),
    [
        (600, "en", "light", 1280),
        (601, "en", "dark", 1280),
        (602, "en", "light", 390),
        (603, "ar", "dark", 390),
    ],
)
def test_everyone_can_use_it(chromium, host, number, language, scheme, width):
    """Every view, in light and dark, on a desk and on a phone, from either side."""
    chromium.size(width, 850, mobile=width < 500)
    chromium.prefer(scheme)
    open_page(chromium, host, number, language=language)
    assert chromium.run("return document.documentElement.dir") == {"ar": "rtl"}.get(
        language, "ltr"
    )
    assert broken(chromium) == []
    begin(chromium)
    assert broken(chromium) == []
    assert chromium.run("return document.documentElement.scrollWidth <= innerWidth")
    # A question stands out from its answers.
    sizes = "return ['.question > legend', '.choice'].map((selector) => "
    sizes += "parseFloat(getComputedStyle(document.querySelector(selector)).fontSize))"
    question, choice = chromium.run(sizes)
    assert question > 1.2 * choice
    # What is lacking, what is checked before it is sent, and what was sent.
    chromium.run(NEXT)
    assert broken(chromium) == []
    chromium.run(FILL, *ANSWERS[0])
    chromium.run(NEXT)
    assert broken(chromium) == []
    chromium.run(NEXT)
    chromium.wait("return document.querySelector('.receipt') !== null")
    assert broken(chromium) == []
    assert chromium.run("return document.documentElement.scrollWidth <= innerWidth")
