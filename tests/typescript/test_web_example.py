"""The example page in browsers, above all headless Chromium: what is not randomized is
not sent.

Its server writes down every request. Skipped where chromium, chromedriver or, for some,
the built client is missing.
"""

from contextlib import nullcontext

import pytest
from browser import ENTER, MAPPED, PLAIN, TAB, browser
from engines import ENGINES
from watched_files import watched_files

PAGE = "examples/web/"

READY = "return document.body?.dataset.ready === ''"
SHOWN = (
    "return document.body && document.readyState !== 'loading' ? "
    "document.body.innerText : ''"
)
TOLD = (
    "return document.getElementById('waiting')"
    "?.innerText.startsWith('The question cannot be asked here')"
)
OFFERED = (
    "return [...document.querySelectorAll('button, input, a[href]')]"
    ".filter((each) => each.offsetParent).length"
)
CLICK_ALL = (
    "for (const each of document.querySelectorAll('button, input')) each.click()"
)
NO_STORAGE = (
    "Object.defineProperty(window, 'localStorage', { get() { throw new "
    "DOMException('no', 'SecurityError'); } })"
)
STRICT = "default-src 'self'"
"""A policy that many servers send: nothing inline, and no WebAssembly."""


@pytest.fixture(scope="module")
def screen(tmp_path_factory):
    """One browser for all tests, in which a page can be used before it has loaded."""
    with browser(tmp_path_factory.mktemp("profile"), MAPPED, waits="none") as opened:
        yield opened


@pytest.fixture
def chromium(screen):
    """The same with scripts allowed, on no page."""
    screen.devtools("Emulation.setScriptExecutionDisabled", value=False)
    screen.open("about:blank")
    return screen


@pytest.fixture
def server():
    """A server of the page."""
    with watched_files() as serving:
        yield serving


def answer_in_every_way(chromium):
    """Clicks on whatever can be clicked, shown or not, and keys on whatever takes the
    focus.
    """
    chromium.run(CLICK_ALL)
    for key in (TAB, ENTER, TAB, " ", TAB, ENTER, TAB, " "):
        chromium.press(key)
    chromium.run(CLICK_ALL)


def settled(chromium, server):
    """The request lines, once a request made now has come through behind all that went
    before.
    """
    chromium.open(server.url("examples/"))
    chromium.wait("return document.title.startsWith('Directory listing')")
    return [line for line, _ in server.log]


def assert_nothing_told(log):
    """Only files were asked for, by their names."""
    assert log
    assert [line for line in log if not line.startswith("GET ") or "?" in line] == []


@pytest.mark.parametrize(
    "policy", ["script-src 'none'", "sandbox", "sandbox allow-scripts", None]
)
def test_without_scripts_the_page_offers_nothing_and_says_why(chromium, server, policy):
    """Under policies without scripts, and in a browser that runs none: what is shown
    then.
    """
    server.policy = policy
    if policy is None:
        chromium.devtools("Emulation.setScriptExecutionDisabled", value=True)
    chromium.open(server.url(PAGE))
    shown, offered = chromium.wait(SHOWN), chromium.run(OFFERED)
    answer_in_every_way(chromium)
    assert_nothing_told(settled(chromium, server))
    assert "If it does not appear" in shown
    assert "runs no scripts" in shown or policy in {
        "script-src 'none'",
        "sandbox allow-scripts",
    }
    assert offered == 0


@pytest.mark.parametrize(
    "slow", ["answer.js", "dist/index.js", "wire.js", "survey.json"]
)
def test_before_all_is_loaded_there_is_nothing_to_click(chromium, server, slow):
    """Whichever file is late: the page's program, the client, what the client needs,
    the survey.
    """
    server.slow = (slow,)
    chromium.open(server.url(PAGE))
    shown, offered = chromium.wait(SHOWN), chromium.run(OFFERED)
    answer_in_every_way(chromium)
    assert_nothing_told(settled(chromium, server))
    assert "The question appears as soon as" in shown
    assert offered == 0


@pytest.mark.needs("built client")
@pytest.mark.parametrize("obstacle", ["plain HTTP", "no module", "no storage"])
def test_what_cannot_randomize_says_so_and_offers_nothing(chromium, server, obstacle):
    """Without Web Crypto, with a file that is missing, without storage."""
    if obstacle == "no module":
        server.missing = "dist/index.js"
    with (
        chromium.before_pages(NO_STORAGE) if obstacle == "no storage" else nullcontext()
    ):
        chromium.open(
            server.url(PAGE, PLAIN if obstacle == "plain HTTP" else "127.0.0.1")
        )
        chromium.wait(TOLD)
    assert chromium.run(OFFERED) == 0
    answer_in_every_way(chromium)
    assert_nothing_told(settled(chromium, server))


@pytest.mark.needs("built client")
@pytest.mark.parametrize("policy", [None, STRICT])
def test_a_server_is_told_the_same_whatever_the_answer(chromium, server, policy):
    """Under the page's own policy and a stricter one: equal requests of equal length.

    Only the report differs, which is of one length too; it is the one that the page
    shows.
    """
    server.policy = policy
    assert_told_the_same(chromium, server)


@pytest.mark.needs("built client")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.needs(name))
        for name in ("firefox", "webkit")
    ],
)
def test_other_engines_tell_a_server_the_same_too(name, server, tmp_path):
    """Under the page's own policy."""
    engine = ENGINES[name]
    with engine.window(tmp_path) as window:
        assert_told_the_same(window, server)


def assert_told_the_same(window, server):
    """Answer both ways, each with the same requests; what was posted is what the page
    shows.
    """
    requests = {}
    for value in ("true", "false"):
        # Some say that a page is open while the last one is still there.
        window.run("document.documentElement.dataset.old = ''")
        server.log.clear()
        window.open(server.url(f"{PAGE}?collector={server.url('collect')}"))
        window.wait("return document.documentElement.dataset.old === undefined")
        window.wait(READY)
        # Where there is an answer already, its report is shown until there is another.
        window.run(
            "localStorage.clear(); document.getElementById('sent').textContent = ''"
        )
        window.run(f"document.querySelector('button[value={value}]').click()")
        sent = bytes.fromhex(
            window.wait("return document.getElementById('sent').textContent")
        )
        window.run("document.getElementById('post').click()")
        window.wait("return document.getElementById('outcome').textContent === 'Sent.'")
        requests[value] = sorted(
            (line, len(body)) for line, body in server.log if "favicon" not in line
        )
        assert ("POST /collect HTTP/1.1", sent) in server.log
    assert requests["true"] == requests["false"]


@pytest.mark.needs("built client")
def test_a_key_answers_once_the_page_is_ready(chromium, server):
    """The first button takes the focus and Enter, as it did not before.

    Then there is no more to be answered.
    """
    chromium.open(server.url(PAGE))
    chromium.run("localStorage.clear()")
    chromium.wait(READY)
    chromium.press(TAB)
    chromium.press(ENTER)
    assert chromium.wait(
        "return document.getElementById('sent').textContent"
    ).startswith("4c 44 50 52 ")
    assert chromium.run("return document.getElementById('ask').hidden")
