"""Clocks that move when they are told to: that on the wall, and the one since the
start.
"""

import time
from contextlib import contextmanager
from unittest.mock import patch

from ldp_client.keeping import clocks as genuine
from ldp_client.keeping.clocks import Now

DAY = 86_400
YEAR = 365 * DAY
SYNCED = 20_000.0 * DAY


class Clocks:
    """Both, and what moves them."""

    def __init__(self, wall=SYNCED, boot=1000.0):
        self.wall, self.boot = wall, boot

    def __call__(self):
        """A moment."""
        return Now(self.wall, self.boot)

    def pass_by(self, seconds):
        """Let time pass."""
        self.wall += seconds
        self.boot += seconds

    def restart(self, wall):
        """Start the machine anew, with what its clock says then."""
        self.wall, self.boot = wall, 10.0


@contextmanager
def moved_by(clocks):
    """The client goes by these clocks."""
    with (
        patch.object(time, "time", lambda: clocks.wall),
        patch.object(genuine, "since_start", lambda: clocks.boot),
    ):
        yield clocks
