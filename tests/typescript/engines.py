"""Browsers by engine: Chromium, Firefox by its own protocol, and WebKitGTK, Safari's
engine.

The last needs a screen, for which Xvfb does. Debian has them as firefox-esr,
webkit2gtk-driver and xvfb. Each entry of `ENGINES` opens a window; a profile that is
used again holds what was stored, but for WebKit, whose windows that are driven store
nothing beyond them.
"""

import json
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import browser as chromium
from browser import Session, Window, driver_of, end, free_port

_FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
_WEBKIT_DRIVER, _SCREEN = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
_MINI_BROWSERS = sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
_PATIENCE = 90.0

_PREFERENCES = """\
user_pref("marionette.port", {port});
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.sessionstore.resume_from_crash", false);
user_pref("toolkit.startup.max_resumed_crashes", -1);
user_pref("app.update.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"""


class Engine(NamedTuple):
    """How windows of it are opened, and whether it keeps what is stored."""

    window: object
    keeps: bool = True


class Firefox(Window):
    """A window that is driven by Marionette, the protocol within Firefox: JSON after
    its length.
    """

    def __init__(self, connection, process):
        self._stream = connection.makefile("rwb")
        self._number = 0
        self._receive()  # a greeting
        self.process = process.pid
        self._ask("WebDriver:NewSession", capabilities={"alwaysMatch": {}})

    def open(self, url):
        """Go there, and wait until it is loaded."""
        self._ask("WebDriver:Navigate", url=url)

    def run(self, script, *arguments):
        """What a script, the body of a function, returns in the page."""
        return self._ask("WebDriver:ExecuteScript", script=script, args=arguments)[
            "value"
        ]

    def _ask(self, command, **parameters):
        self._number += 1
        message = json.dumps([0, self._number, command, parameters]).encode()
        self._stream.write(b"%d:%s" % (len(message), message))
        self._stream.flush()
        _, number, error, result = self._receive()
        assert number == self._number
        assert error is None, error
        return result

    def _receive(self):
        digits = b""
        while (byte := self._stream.read(1)) != b":":
            assert byte, "the browser is gone"
            digits += byte
        return json.loads(self._stream.read(int(digits)))


@contextmanager
def firefox(profile):
    """A Firefox with a profile, new or used before."""
    port = free_port()
    (profile / "user.js").write_text(_PREFERENCES.format(port=port))
    # Of a process that was killed.
    for lock in ("lock", ".parentlock"):
        (profile / lock).unlink(missing_ok=True)
    command = [
        _FIREFOX,
        "--headless",
        "--marionette",
        "--no-remote",
        "--profile",
        str(profile),
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with _connected(port) as connection:
            yield Firefox(connection, process)
    finally:
        end(process)


def _connected(port):
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)
        except OSError:
            assert time.monotonic() < until, "Firefox does not answer"
            time.sleep(0.05)


@contextmanager
def webkit(_profile):
    """A MiniBrowser of WebKitGTK on a screen of its own, which forgets all when it is
    closed.
    """
    wanted = {
        "webkitgtk:browserOptions": {
            "binary": str(_MINI_BROWSERS[-1]),
            "args": ["--automation"],
        }
    }
    with _screen() as display, driver_of(_WEBKIT_DRIVER, DISPLAY=display) as driver:
        window = Session(driver, wanted)
        try:
            yield window
        finally:
            window.close()


@contextmanager
def _screen():
    """The name of a new screen, which Xvfb says on a pipe once it is there."""
    command = [
        _SCREEN,
        "-displayfd",
        "1",
        "-screen",
        "0",
        "1000x800x24",
        "-nolisten",
        "tcp",
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield f":{process.stdout.readline().decode().strip()}"
    finally:
        end(process)
        process.stdout.close()


ENGINES = {
    "chromium": Engine(chromium.browser),
    "firefox": Engine(firefox),
    "webkit": Engine(webkit, keeps=False),
}
