"""The respondents' page in headless Chromium: what leaves it, whom it can be read by, what it says.

Twelve answers here; `python tests/respondents/thousand_answers.py 1000` lets a thousand answer.
"""

import pytest
from browser import MISSING, browser
from js_client import PACKAGE
from respondent_pages import ANSWERS, NEXT, alike, answer, hosted, open_page

AXE = PACKAGE / "node_modules" / "axe-core" / "axe.min.js"
_RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
_LOOK = """
window.broken = null;
axe.run(document, { runOnly: arguments[0] }).then(
  ({ violations }) =>
    (window.broken = violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)),
  (error) => (window.broken = [String(error)]),
);
"""
_STORED = """
const done = arguments[0];
window.stored = null;
indexedDB.databases().then(async (all) => {
  const texts = [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)];
  for (const { name } of all) {
    const open = await new Promise((resolve) => {
      const request = indexedDB.open(name);
      request.onsuccess = () => resolve(request.result);
    });
    for (const store of open.objectStoreNames) {
      const rows = open.transaction(store).objectStore(store).getAll();
      await new Promise((resolve) => (rows.onsuccess = resolve));
      texts.push(JSON.stringify(rows.result));
    }
    open.close();
  }
  window.stored = texts.join(' ');
});
"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    if MISSING:
        pytest.skip("needs chromium and chromedriver")
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def host():
    with hosted() as serving:
        yield serving


def broken(chromium):
    """The rules of WCAG 2.2 AA and good practice that the page breaks, by axe-core."""
    chromium.run(AXE.read_text(encoding="utf-8"))
    chromium.run(_LOOK, _RULES)
    chromium.wait("return window.broken !== null")
    return chromium.run("return window.broken")


def test_requests_are_the_same_whatever_is_answered(chromium, host):
    """Their number, names and sizes; and no answer stands in any of them, or in what is stored."""
    shapes, plain = alike(chromium, host, 12)
    assert len(shapes) == 1
    assert plain == set()
    chromium.run(_STORED)
    stored = chromium.wait("return window.stored")
    assert "habits" in stored
    for words in ("zebra", "quagga", "okapi", "31.5", "47.5"):
        assert words not in stored
    assert chromium.complaints() == []


def test_a_receipt_says_what_was_said_and_what_was_sent(chromium, host):
    """Next to each other; and the same browser is not asked twice under one token."""
    answer(chromium, host, 500, given=ANSWERS[0])
    shown = chromium.text("main")
    assert "has taken 6 of 6" in shown
    assert "Nobody can tell" in shown
    assert "Do you <b>smoke</b>?" in shown
    open_page(chromium, host, 500)
    assert "already" in chromium.text("main")


def test_what_does_not_fit_is_said_and_nothing_is_sent(chromium, host):
    """A question without an answer, and a number out of its range, keep the page where it is."""
    host.log.clear()
    open_page(chromium, host, 501)
    chromium.run(NEXT)
    chromium.run("document.querySelector('[type=text]').value = '99'")
    chromium.run(NEXT)
    assert "Please answer" in chromium.text("main")
    assert "does not fit" in chromium.text("main")
    assert not [line for line, _, _ in host.log if "reports" in line]


@pytest.mark.skipif(not AXE.exists(), reason="needs axe-core in client/js")
@pytest.mark.parametrize(
    ("language", "scheme", "width"),
    [("en", "light", 1280), ("en", "dark", 1280), ("en", "light", 390), ("ar", "dark", 390)],
)
def test_everyone_can_use_it(chromium, host, language, scheme, width):
    """In light and dark, on a desk and on a phone, from either side: intro, questions, review."""
    chromium.size(width, 850, mobile=width < 500)
    chromium.prefer(scheme)
    open_page(chromium, host, 600 + width, language=language)
    assert chromium.run("return document.documentElement.dir") == {"ar": "rtl"}.get(language, "ltr")
    assert broken(chromium) == []
    chromium.run(NEXT)
    assert broken(chromium) == []
    assert chromium.run("return document.documentElement.scrollWidth <= innerWidth")
