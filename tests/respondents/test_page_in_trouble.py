"""The respondents' page where something is in the way: nothing counts twice, and it
says why.

A collector that is away or turns reports away, a browser without storage, network,
script or HTTPS, a clock that is wrong.
"""

from contextlib import contextmanager

import pytest
from axe import broken
from browser import MAPPED, PLAIN, browser
from respondent_pages import (
    ANSWERS,
    DAILY,
    FILL,
    NEXT,
    begin,
    hosted,
    open_page,
    reports_in,
    taken,
)

from ldp_service.respondents.presentation import parse_presentation

SAID = "return document.body?.innerText.includes(arguments[0])"
OFFERED = "return document.querySelector('.actions .main') !== null"
NO_STORAGE = (
    "indexedDB.open = () => { throw new DOMException('no', 'SecurityError'); };"
)
FULL_STORAGE = """
IDBObjectStore.prototype.put = () => { throw new DOMException('no', 'QuotaExceededError'); };
"""
LATER = "const now = Date.now; Date.now = () => now() + 3 * 86_400_000;"


@pytest.fixture(scope="module")
def host():
    with hosted() as serving:
        yield serving


@contextmanager
def offline(chromium):
    """The browser without a network."""
    chromium.devtools("Network.enable")
    settings = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    chromium.devtools("Network.emulateNetworkConditions", offline=True, **settings)
    try:
        yield
    finally:
        chromium.devtools("Network.emulateNetworkConditions", offline=False, **settings)


def answer_all(chromium):
    """From the first view to what is said about the reports."""
    begin(chromium)
    chromium.run(FILL, *ANSWERS[0])
    chromium.run(NEXT)
    chromium.run(NEXT)


def answer_in_vain(chromium, host, number, *, language="en"):
    """From the link to the button by which one tries again."""
    open_page(chromium, host, number, language=language)
    answer_all(chromium)
    chromium.wait(OFFERED)


def try_again(chromium):
    """Ask once more, and wait for what comes of it."""
    chromium.run(NEXT)
    chromium.wait("return !document.body.innerText.includes('Sending')")


def test_whoever_tries_again_waits_for_no_pause(chromium, host, monkeypatch):
    """Each click is one attempt, with the same bytes, until the collector has them."""
    open_page(chromium, host, 700)
    begin(chromium)
    chromium.run(FILL, *ANSWERS[0])
    chromium.run(NEXT)
    host.log.clear()
    with offline(chromium):
        chromium.run(NEXT)
        chromium.wait(SAID, "They wait in this browser")
        try_again(chromium)
    assert chromium.run(SAID, "They wait in this browser")
    assert reports_in(host.log) == []
    monkeypatch.setattr(host, "status", 503)
    for _ in range(5):
        try_again(chromium)
        assert chromium.run(SAID, "They wait in this browser")
    assert len(reports_in(host.log)) == 5
    monkeypatch.setattr(host, "status", 202)
    try_again(chromium)
    assert chromium.run(SAID, "has taken 6 of 6")
    sent = reports_in(host.log)
    assert len(sent) == 5 + 5
    assert len({*sent}) == 5
    # What the browser says of a collector that is away.
    chromium.complaints()


def test_reports_that_come_too_late_are_not_called_taken(chromium, host, monkeypatch):
    """Of a page that is opened again, and counted as shown once, however often one
    tries.
    """
    monkeypatch.setattr(host, "status", 503)
    answer_in_vain(chromium, host, 710)
    open_page(chromium, host, 710)
    host.log.clear()
    try_again(chromium)
    try_again(chromium)
    monkeypatch.setattr(host, "status", 202)
    monkeypatch.setattr(host, "body", taken(0, **{"token-spent": 1}))
    try_again(chromium)
    assert chromium.run(SAID, "the link was used before, or the survey is over")
    # One, if it was still on its way.
    assert sum("/shown" in line for line, _, _ in host.log) <= 1
    chromium.complaints()


def test_reports_that_another_tab_has_sent_are_not_called_refused(
    chromium, host, monkeypatch
):
    """The first tab cannot know what became of them; that they were sent it can."""
    monkeypatch.setattr(host, "status", 503)
    answer_in_vain(chromium, host, 760)
    monkeypatch.setattr(host, "status", 202)
    with chromium.another_tab():
        open_page(chromium, host, 760)
        assert chromium.run(SAID, "has sent its answers already")
    host.log.clear()
    try_again(chromium)
    assert chromium.run(SAID, "has sent its answers already")
    assert reports_in(host.log) == []
    chromium.complaints()


def test_a_link_that_the_collector_does_not_know_is_called_so(
    chromium, host, monkeypatch
):
    """As one that was cut short; what to do is open the right one."""
    monkeypatch.setattr(host, "status", 401)
    open_page(chromium, host, 720)
    answer_all(chromium)
    chromium.wait(SAID, "does not know the link")
    chromium.complaints()


@pytest.mark.needs("axe-core")
def test_everyone_can_read_what_is_in_the_way(chromium, host, monkeypatch):
    """In Arabic and in the dark, on a phone: words, a button, and the focus where they
    begin.
    """
    chromium.size(320, 700, mobile=True)
    chromium.prefer("dark")
    monkeypatch.setattr(host, "status", 503)
    answer_in_vain(chromium, host, 750, language="ar")
    assert chromium.run("return document.activeElement.matches('h1')")
    assert chromium.run("return document.documentElement.scrollWidth <= innerWidth")
    assert broken(chromium) == []
    chromium.complaints()


@pytest.mark.parametrize("script", [NO_STORAGE, FULL_STORAGE], ids=["refused", "full"])
def test_without_storage_nothing_is_asked_or_sent(chromium, host, script):
    """As it could not be noted that it was sent; and the page says that this is the
    reason.
    """
    host.log.clear()
    with chromium.before_pages(script):
        open_page(chromium, host, 730)
        if not chromium.run(SAID, "keeps no data"):
            chromium.run(NEXT)
            chromium.wait(SAID, "keeps no data")
    assert chromium.run("return document.querySelector('input')") is None
    assert reports_in(host.log) == []
    chromium.complaints()


def test_a_clock_that_is_wrong_is_said_before_anyone_answers(chromium):
    """Of a survey with epochs; and after, where the collector's own has another
    opinion.
    """
    with hosted(DAILY, parse_presentation(DAILY, {})) as daily:
        with chromium.before_pages(LATER):
            open_page(chromium, daily, 740)
            assert chromium.run(SAID, "Please set the clock first")
            assert chromium.run("return document.querySelector('input')") is None
        open_page(chromium, daily, 741)
        begin(chromium)
        chromium.run("document.querySelector('input').click()")
        chromium.run(NEXT)
        daily.body = taken(0, late=1)
        chromium.run(NEXT)
        chromium.wait(SAID, "a time that is over")
        assert len(reports_in(daily.log)) == 1


@pytest.mark.needs("chromium")
def test_without_script_or_https_the_page_says_so(tmp_path):
    """And asks nothing."""
    with browser(tmp_path, MAPPED) as chromium, hosted() as host:
        chromium.open(host.url.replace("127.0.0.1", PLAIN))
        chromium.wait(SAID, "begins with https")
        chromium.devtools("Emulation.setScriptExecutionDisabled", value=True)
        chromium.open(f"{host.url}/?unscripted")
        chromium.wait(SAID, "needs JavaScript")
        assert chromium.run("return document.querySelector('input, button')") is None
        assert not [line for line, _, _ in host.log if line.startswith("POST")]
