"""Headless Chromium, driven through chromedriver's HTTP interface (W3C WebDriver).

Skips where Debian's chromium and chromium-driver, or others on the path, are missing.
"""

import base64
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager

import httpx

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
MISSING = CHROMIUM is None or DRIVER is None

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
)
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_PATIENCE = 15.0
TAB, ENTER = "\ue004", "\ue007"


class Browser:
    """One session."""

    def __init__(self, driver, profile, *arguments, waits="normal"):
        self._driver = driver
        options = {
            "binary": CHROMIUM,
            "args": [*_ARGUMENTS, f"--user-data-dir={profile}", *arguments],
        }
        wanted = {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
            "pageLoadStrategy": waits,
        }
        session = self._post("", capabilities={"alwaysMatch": wanted})
        self._place = f"/{session['sessionId']}"
        self.process = session["capabilities"]["goog:processID"]

    _place = ""

    def _post(self, path, **content):
        answer = self._driver.post(f"/session{self._place}{path}", json=content).json()["value"]
        assert not (isinstance(answer, dict) and "error" in answer), answer["message"]
        return answer

    def open(self, url):
        """Go there, and wait until it is loaded, if this browser waits."""
        self._post("/url", url=url)

    def run(self, script, *arguments):
        """What a script, the body of a function, returns in the page."""
        return self._post("/execute/sync", script=script, args=arguments)

    def text(self, selector):
        """The text of an element as it is shown; nothing where there is no such element."""
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def wait(self, script, *arguments):
        """What the script returns, as soon as that is something."""
        until = time.monotonic() + _PATIENCE
        while not (answer := self.run(script, *arguments)):
            assert time.monotonic() < until, (
                f"nothing came of {script}, on a page that says:\n{self.text('body')}"
            )
            time.sleep(0.05)
        return answer

    def type(self, selector, keys):
        """Type into an element."""
        element = self._post("/element", using="css selector", value=selector)
        self._post(f"/element/{element[_ELEMENT]}/value", text=keys)

    def press(self, key):
        """Press a key wherever the focus is."""
        actions = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        self._post("/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

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

    def complaints(self):
        """What the browser's console was told since it was last asked, from warnings upwards."""
        return [
            entry["message"]
            for entry in self._post("/se/log", type="browser")
            if entry["level"] in ("WARNING", "SEVERE")
        ]

    def close(self):
        """End the session."""
        self._driver.delete(f"/session{self._place}")


@contextmanager
def browser(profile, *arguments, waits="normal"):
    """A browser with a new profile in an empty folder, and more arguments for its command line.

    `waits` is the driver's page load strategy: with "none" a page can be used while it loads.
    """
    port = free_port()
    command = [DRIVER, f"--port={port}", "--log-level=OFF"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False
        ) as driver:
            _wait_for(driver)
            window = Browser(driver, profile, *arguments, waits=waits)
            try:
                yield window
            finally:
                window.close()
    finally:
        process.terminate()
        try:
            process.wait(10)
        # One whose browser was killed may wait for it.
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port():
    """A port that no one listens at, at the moment."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def _wait_for(driver):
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            driver.get("/status")
            return
        except httpx.TransportError:
            assert time.monotonic() < until, "chromedriver does not answer"
            time.sleep(0.05)
