"""Headless Chromium, driven through chromedriver's HTTP interface (W3C WebDriver).

Skips where Debian's chromium and chromium-driver, or others on the path, are missing.
"""

import base64
import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager

import httpx

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    # Nothing is between two colours while it is looked at.
    "--force-prefers-reduced-motion",
)
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_PATIENCE = 90.0
TAB, ENTER = "\ue004", "\ue007"
PLAIN = "plain.test"
"""A host that browsers do not trust over plain HTTP, as they do 127.0.0.1."""
MAPPED = f"--host-resolver-rules=MAP {PLAIN} 127.0.0.1"
"""An argument by which it is this machine."""
_kept = []


class Window:
    """What a browser of any engine shows; engines say how to `open` and to `run`."""

    def text(self, selector):
        """The text of an element as it is shown; nothing where there is no such
        element.
        """
        return self.run(
            "return document.querySelector(arguments[0])?.innerText ?? ''", selector
        )

    def wait(self, script, *arguments):
        """What the script returns, as soon as that is something."""
        until = time.monotonic() + _PATIENCE
        while not (answer := self.run(script, *arguments)):
            assert time.monotonic() < until, (
                f"nothing came of {script}, on a page that says:\n{self.text('body')}"
            )
            time.sleep(0.05)
        return answer


class Session(Window):
    """One session of a driver that speaks HTTP, with the capabilities that are
    wanted.
    """

    def __init__(self, driver, wanted):
        self._driver = driver
        session = self._post("", capabilities={"alwaysMatch": wanted})
        self._place = f"/{session['sessionId']}"
        self.capabilities = session["capabilities"]

    _place = ""

    def _post(self, path, **content):
        answer = self._driver.post(f"/session{self._place}{path}", json=content).json()[
            "value"
        ]
        assert not (isinstance(answer, dict) and "error" in answer), answer["message"]
        return answer

    def open(self, url):
        """Go there, and wait until it is loaded, if this browser waits."""
        self._post("/url", url=url)

    def run(self, script, *arguments):
        """What a script, the body of a function, returns in the page."""
        return self._post("/execute/sync", script=script, args=arguments)

    def close(self):
        """End the session."""
        self._driver.delete(f"/session{self._place}")


class Browser(Session):
    """Chromium, which can do more."""

    @property
    def process(self):
        """The number of the browser's process."""
        return self.capabilities["goog:processID"]

    def type(self, selector, keys):
        """Type into an element."""
        element = self._post("/element", using="css selector", value=selector)
        self._post(f"/element/{element[_ELEMENT]}/value", text=keys)

    def press(self, key):
        """Press a key wherever the focus is."""
        actions = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        self._post(
            "/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}]
        )

    @contextmanager
    def another_tab(self):
        """Be in a new tab for a while."""
        before = self._driver.get(f"/session{self._place}/window").json()["value"]
        self._post("/window", handle=self._post("/window/new", type="tab")["handle"])
        try:
            yield
        finally:
            self._driver.delete(f"/session{self._place}/window")
            self._post("/window", handle=before)

    def into_frame(self):
        """Run scripts in the first frame of the page from now on."""
        self._post("/frame", id=0)

    def out_of_frame(self):
        """Run them in the page itself again."""
        self._post("/frame", id=None)

    def size(self, width, height, *, scale=1, mobile=False):
        """Show pages on a screen of this size."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=mobile,
        )

    def prefer(self, scheme):
        """Prefer light or dark."""
        self.devtools(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def picture(self):
        """What is seen, as a PNG."""
        return base64.b64decode(self.devtools("Page.captureScreenshot")["data"])

    def devtools(self, command, **parameters):
        """A command of the DevTools protocol."""
        return self._post("/goog/cdp/execute", cmd=command, params=parameters)

    @contextmanager
    def before_pages(self, script):
        """Run a script in every page that is opened meanwhile, before its own."""
        added = self.devtools("Page.addScriptToEvaluateOnNewDocument", source=script)
        try:
            yield
        finally:
            self.devtools("Page.removeScriptToEvaluateOnNewDocument", **added)

    def complaints(self):
        """What the browser's console was told since it was last asked, from warnings
        upwards.
        """
        return [
            entry["message"]
            for entry in self._post("/se/log", type="browser")
            if entry["level"] in ("WARNING", "SEVERE")
        ]


@contextmanager
def browser(profile, *arguments, waits="normal"):
    """A browser with a new profile in an empty folder, and more arguments for its
    command line.

    `waits` is the driver's page load strategy: with "none" a page can be used while it
    loads.
    """
    options = {
        "binary": CHROMIUM,
        "args": [*_ARGUMENTS, f"--user-data-dir={profile}", *arguments],
    }
    wanted = {
        "goog:chromeOptions": options,
        "goog:loggingPrefs": {"browser": "ALL"},
        "pageLoadStrategy": waits,
    }
    with driver_of(DRIVER, "--log-level=OFF") as driver:
        window = Browser(driver, wanted)
        try:
            yield window
        finally:
            window.close()


@contextmanager
def driver_of(*command, **environment):
    """A driver of browsers that listens at a port of its own."""
    port = free_port()
    process = subprocess.Popen(
        [*command, f"--port={port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=2 * _PATIENCE, trust_env=False
        ) as driver:
            _wait_for(driver)
            yield driver
    finally:
        end(process)


def end(process):
    """Terminate it, or kill it if that takes too long: one whose browser died may wait
    for it.
    """
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port():
    """A port that no one is given while this process lives, and that a server may still
    listen at.

    It is bound and not listened at, which keeps it from whoever asks for any, and from
    no one who names it and sets SO_REUSEADDR, as servers do.
    """
    kept = socket.socket()
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind(("127.0.0.1", 0))
    _kept.append(kept)
    return kept.getsockname()[1]


def _wait_for(driver):
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            driver.get("/status")
            return
        except httpx.TransportError:
            assert time.monotonic() < until, "the driver does not answer"
            time.sleep(0.05)
