"""The service as a whole."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from ldp_service.analysis.analysis import Accounts
from ldp_service.analysis.notes import Note
from ldp_service.uploads.debugging import DebugUpload


@dataclass(frozen=True)
class ServiceView:
    """View of the service: its surveys by name, its batches, and its alarms."""

    surveys: Sequence[str]
    accounts: Accounts
    trouble: str | None
    signed_in: bool
    """Whether there is anything to sign out of."""
    together: int = 1
    """How many reports are shown together."""
    debug: Sequence[DebugUpload] | None = None
    """Uploads of developers; None where the service was not started for them."""
    warnings: Sequence[str] = ()
    """What is wrong besides: clocks, sources, notes that cannot be read."""
    notes: Sequence[Note] = ()
    """Those of the operator, in the order of time."""
    has_pages: bool = False
    """Whether respondents have a page."""
    frames: bool = False
    """Whether pages of other origins may frame a question."""
    operates: bool = False
    """Whether who looks may close surveys."""
    closed: Set[str] = frozenset()
    """Surveys that take no more reports."""
    url: str = ""
    """Where the page is, as the browser sees it."""

    @property
    def balances(self) -> bool:
        """Whether every batch that was received has become something."""
        return self.accounts.received == sum(self.accounts.outcomes.values())
