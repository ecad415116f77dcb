"""A collector whose sources are under test: a store, and a writer that can be made to
fail.
"""

import os
import random
import signal
import time
from contextlib import contextmanager
from functools import partial

from children import forked
from wire_samples import SURVEY, TEXT, batch_of, file_of

from ldp_service.counting.served import Catalogue, Served
from ldp_service.counting.submissions import InternalError
from ldp_service.counting.writer import Writer
from ldp_service.store.opening import open_snapshot, open_store
from ldp_service.store.reading import marks, outcomes_in_all

_PATIENCE = 180
CATALOGUE = Catalogue([Served(SURVEY, TEXT)])


class Collector:
    """A store by its URL, and a writer for sources.

    `troubles` are raised, one a call; `poison` cannot be counted.
    """

    def __init__(self, store, troubles=(), poison=None):
        self.read = partial(open_snapshot, store)
        self.troubles = list(troubles)
        self.poison = poison
        self.deliveries = 0
        self._writer = Writer(partial(open_store, store), CATALOGUE)
        self.close = self._writer.close

    def write(self, body, marks):
        """As the writer does."""
        if self.troubles:
            raise self.troubles.pop(0)
        if self.poison is not None and self.poison in body:
            raise InternalError(ZeroDivisionError())
        receipt = self._writer.write(body, marks)
        self.deliveries += 1
        return receipt

    @property
    def outcomes(self):
        """How many batches had which outcome."""
        with self.read() as snapshot:
            return dict(outcomes_in_all(snapshot))

    @property
    def marks(self):
        """How far each source has been read."""
        with self.read() as snapshot:
            return marks(snapshot)


@contextmanager
def collecting(store, **faults):
    """A collector that is closed at the end."""
    collector = Collector(store, **faults)
    try:
        yield collector
    finally:
        collector.close()


@contextmanager
def running(*sources):
    """Sources that are stopped at the end."""
    for source in sources:
        source.start()
    try:
        yield
    finally:
        for source in sources:
            source.stop()


def frame(number):
    """A frame with a batch of its own."""
    return file_of(batch_of("symbol", 2, f"source {number}"))


def frames(first, stop):
    """As many of them as the difference."""
    return [frame(number) for number in range(first, stop)]


def wait_for(condition):
    """Return when it holds."""
    end = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < end, "expected to wait some seconds only"
        time.sleep(0.01)


def kill_often(store, make_source, accepted, altered=lambda body, marks: (body, marks)):
    """How many collectors were killed until one lived to see a number accepted.

    `make_source` makes the source of a life, by its number, for a collector. `altered`
    is what becomes of deliveries.
    """
    draw = random.Random(1)
    kills = 0
    while _is_killed(
        forked(
            partial(
                _live,
                store,
                partial(make_source, kills),
                accepted,
                draw.random(),
                altered,
            )
        )
    ):
        kills += 1
    return kills


class Lagging:
    """Deliveries with the marks of the ones before them."""

    def __init__(self):
        self._marks = {}

    def __call__(self, body, marks):
        """The body, and the marks that came last time."""
        before, self._marks = self._marks, marks
        return body, before


def _is_killed(child):
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def _live(store, make_source, accepted, fate, altered):
    """Follow a source until killed, before a delivery or once it is counted and
    untold.
    """
    fatal, late = divmod(int(fate * 8), 2)
    with collecting(store) as collector:
        genuine = collector.write

        def write(body, marks):
            if collector.deliveries == fatal and not late:
                os.kill(os.getpid(), signal.SIGKILL)
            genuine(*altered(body, marks))
            if collector.deliveries > fatal:
                os.kill(os.getpid(), signal.SIGKILL)

        collector.write = write
        with running(make_source(collector)):
            wait_for(lambda: collector.outcomes.get("accepted") == accepted)
