"""How the writer is: what keeps it from writing, for now or for good, and how often
that happened.

failure    for good: no one knows what the store holds, and a new process has to find
           out
obstacle   for now: a disk that is full, a connection that broke; it is tried again
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ldp.errors import LDPError
from ldp_service.counting.persistent_errors import PersistentErrors
from ldp_service.counting.submissions import OverloadError
from ldp_service.store.errors import StoreError, StoreFullError, StoreLostError

_PLACE = re.compile(r" at postgres(ql)?://[^\s,]*")


class WriterHealth:
    """Condition of one writer; `on_failure` is called when nothing can be taken any
    more.
    """

    def __init__(
        self,
        lasting: PersistentErrors,
        on_failure: Callable[[StoreError], None],
        clock: Callable[[], float],
    ) -> None:
        self._clock = clock
        self.lasting = lasting
        self.failure: StoreError | None = None
        self.obstacle: StoreError | None = None
        self.tried = self._clock()
        """When something was written last, or could not be."""
        self._on_failure = on_failure

    @property
    def trouble(self) -> str | None:
        """Reason that keeps the writer from writing, in words; None if there is
        none.
        """
        trouble = self.failure or self.obstacle
        if isinstance(trouble, StoreLostError):
            # Anyone may see this, and alerts have it: a server's own words have its
            # address.
            return (
                "expected to use the store, but its server does not answer; the log "
                "has its words"
            )
        if trouble is None:
            return None
        return _PLACE.sub(" on PostgreSQL", str(trouble))

    def note(self, error: StoreError) -> LDPError:
        """Take an error of the store in; what to tell those who wait."""
        self.tried = self._clock()
        if isinstance(error, StoreFullError):
            self.obstacle = error
            self.lasting.note("full", error)
            return OverloadError(wait=30)
        if isinstance(error, StoreLostError):
            self.obstacle = error
            self.lasting.note("lost", error)
            return OverloadError(wait=5)
        self.lasting.note("failed", error)
        self.failure = error
        self._on_failure(error)
        return error

    def went_well(self) -> None:
        """Something was written."""
        self.tried = self._clock()
        if self.obstacle is not None:
            self.obstacle = None
            self.lasting.over("the store can be written to again")
