"""Tabs that are closed, and browsers that are killed, while an embedded client records
and sends.

In Chromium, in Firefox and, where no browser can be killed without its store, in
WebKit.

What a device was charged for arrives once: IndexedDB holds charge and report in one
transaction. Where a kill tears a write of Chromium's, it throws the whole store away at
a later start, and says so; then the ledger has to say so as well.
`LDPKIT_KILLED_TABS=50` does it at length. Skipped where a browser, or the built client,
is missing.
"""

import json
import os
import signal
import struct
import time
from collections import Counter
from contextlib import contextmanager, nullcontext
from random import Random

import pytest
from browser import browser
from engines import ENGINES
from watched_files import watched_files

from ldp.wire.wire import FrameReader, decode_batch

pytestmark = pytest.mark.needs("built client")

PAGE = "client/js/test/kept_tab.html"
READY = "return document.body?.dataset.ready === ''"
DEATHS = int(os.environ.get("LDPKIT_KILLED_TABS", "2"))
MOST_SECONDS = 0.4
MOST_TO_FINISH = 300.0


def receipt(log):
    """A collector that counts every batch, and sometimes says that it could not."""
    busy = len(log) % 5 == 4
    body = {"accepted": 1, "duplicate": 0, "quarantined": 0, "rejected": {}}
    return (503, {"error": "busy"}) if busy else (202, body)


def live(window, server, life, *, seconds):
    """Record and send for a while. What the page says that it recorded, as far as that
    is known.
    """
    window.open(server.url(PAGE))
    window.wait(READY)
    window.run("window.live(arguments[0])", life)
    window.wait("return window.said.length > 0")
    time.sleep(seconds)
    return window.run("return window.said")


@contextmanager
def lives(engine, profile):
    """Opens a window for each life: of an engine that keeps nothing, the same one."""
    if engine.keeps:
        yield lambda: engine.window(profile)
    else:
        with engine.window(profile) as window:
            yield lambda: nullcontext(window)


def died(opened, server, life, *, seconds, killed):
    """A life that ends with the tab, or with the whole browser."""
    with opened() as window:
        said = live(window, server, life, seconds=seconds)
        if killed:
            os.kill(window.process, signal.SIGKILL)
        else:
            window.open("about:blank")
    return said


def finished_in(window):
    """What the page says in the end, which takes its time."""
    until = time.monotonic() + MOST_TO_FINISH
    while not (finished := window.run("return window.finished")):
        assert time.monotonic() < until, "the page sends and sends"
        time.sleep(0.2)
    return finished


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.needs(name)) for name in ENGINES]
)
def test_what_a_tab_was_charged_for_arrives_once(name, tmp_path):
    """After tabs were closed and browsers killed, charges are reports, each of which
    came once.
    """
    engine = ENGINES[name]
    draw, said = Random(15), []
    with watched_files(answer=receipt) as server, lives(engine, tmp_path) as opened:
        for life in range(DEATHS):
            seconds = draw.uniform(0, MOST_SECONDS)
            killed = engine.keeps and life % 2 == 0
            said += died(opened, server, life, seconds=seconds, killed=killed)
        with opened() as window:
            window.open(server.url(PAGE))
            window.wait(READY)
            window.run("window.finish(arguments[0])", DEATHS + 1)
            finished = finished_in(window)
        payloads = [body for line, body in server.log if line.startswith("POST")]
    frames = {frame for body in payloads for frame in FrameReader().feed(body)}
    batches = [decode_batch(frame) for frame in frames]
    assert len({batch.id for batch in batches}) == len(batches), (
        "an id with two contents"
    )
    came = Counter()
    for batch in batches:
        came[finished["names"][batch.fingerprint.hex()]] += batch.size
    charged = Counter(finished["charged"])
    assert finished["status"]["state"] == "sound", json.dumps(finished["status"])
    assert finished["status"]["waiting"] == 0
    assert came["kept"] > 0
    was_lost = finished["events"] != []
    # One charge for each of its three values that was ever drawn: on a busy machine,
    # not all.
    assert 1 <= charged.pop("kept", 0) <= 3 or was_lost
    came.pop("kept")
    assert charged - came == Counter(), "charges without their reports"
    assert was_lost or came - charged == Counter(), "reports beyond what was charged"
    assert set(charged.values()) <= {1}
    assert was_lost or set(said) <= charged.keys()


@pytest.mark.needs("chromium")
def test_a_store_that_the_browser_threw_away_is_said_to_be_lost(tmp_path):
    """A kill between two writes leaves the head of a record without its body: all is
    lost later.
    """
    with watched_files(answer=receipt) as server:
        for life in range(2):
            with browser(tmp_path) as window:
                live(window, server, life, seconds=0.5)
                os.kill(window.process, signal.SIGKILL)
            if not life:
                (log,) = tmp_path.glob("Default/IndexedDB/*.leveldb/*.log")
                with log.open("ab") as torn:
                    torn.write(struct.pack("<IHB", 0, 300, 1))
        with browser(tmp_path) as window:
            window.open(server.url(PAGE))
            window.wait(READY)
            window.run("window.finish(3)")
            finished = finished_in(window)
    assert finished["charged"] == []
    assert len(finished["events"]) == 1
