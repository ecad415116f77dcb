"""One service: its surveys, the store it writes to, its tokens, and the sources it
reads.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from ldp.survey.survey import Survey
from ldp_aggregator.answers.estimates.stop_lists import StopLists
from ldp_aggregator.answers.geography import Geography
from ldp_aggregator.tallies.mixing.opening import Opener
from ldp_aggregator.versions.published import PublishedRegister
from ldp_service.analysis.analysis import Analysis
from ldp_service.analysis.notes import NoteFile
from ldp_service.counting.admission import Rules
from ldp_service.counting.publication import Publication
from ldp_service.counting.served import Catalogue, Served
from ldp_service.counting.submissions import UploadSender
from ldp_service.counting.writer import Writer
from ldp_service.logs.audit_log import AuditLog
from ldp_service.people.admission import ScopedRequest, SignIn
from ldp_service.store.errors import StoreError
from ldp_service.store.opening import open_snapshot, open_store
from ldp_service.uploads.debugging import DebugBoard
from ldp_service.uploads.invitations import Invitation
from ldp_service.uploads.public import Public
from ldp_service.uploads.room import UploadLimits
from ldp_service.uploads.token_use import TokenUse
from ldp_service.uploads.tokens import GRANTED, MISSING, MOST_A_DAY, UPLOAD, TokenFile


class Source(Protocol):
    """Where reports come from besides uploads."""

    name: str
    failure: str | None
    """Why it stands still, in words, if it does."""
    skipped: int
    """Pieces that were passed over, since they made us fail."""

    def start(self) -> None:
        """Begin to read, in a thread of its own."""

    def stop(self) -> None:
        """Finish what was begun."""


class Companion(Protocol):
    """Companion of a service for as long as it lives."""

    def start(self) -> None:
        """Begin, in a thread of its own."""

    def close(self) -> None:
        """End, before the service lets go of its store."""


@dataclass(frozen=True)
class UploadSettings:
    """Which uploads are taken."""

    open_uploads: bool = False
    """Whether uploads need no token."""
    origins: tuple[str, ...] = ()
    """Origins whose pages may upload from browsers."""
    limits: UploadLimits = field(default_factory=UploadLimits)
    opener: Opener | None = None
    """What opens the batches of relays, if any are taken."""
    debug_tags: bool = False
    """Whether uploads of developers are shown, and not counted (`uploads.debugging`).
    """


@dataclass(frozen=True)
class PageSettings:
    """What the analysts' page shows besides estimates, and where."""

    notes: NoteFile | None = None
    """What the operator noted."""
    frame_ancestors: tuple[str, ...] = ()
    """Origins whose pages may frame a question."""
    shared_surveys: tuple[str, ...] = ()
    """Surveys whose questions everyone may see in such a frame, without a token."""


@dataclass(frozen=True)
class Settings:
    """Settings of a service.

    Without tokens anyone may do anything: then the application that mounts the service
    has to ask.
    """

    tokens: TokenFile | None = None
    audit: AuditLog | None = None
    """Where it is noted who looked at what."""
    token_use: TokenUse | None = None
    """When tokens were used, where that is noted."""
    sign_in: SignIn | None = None
    """How people are known besides tokens, if they are."""
    uploads: UploadSettings = field(default_factory=UploadSettings)
    page: PageSettings = field(default_factory=PageSettings)
    rules: Rules = field(default_factory=Rules)
    stop_lists: StopLists = field(default_factory=StopLists)
    publication: Publication = field(default_factory=Publication)
    """How many reports are shown together."""
    confirm_clock: bool = False
    """Whether the clock is right although it has jumped since the last commit."""
    metrics_estimates: bool = False
    """Whether metrics have estimates too, as they are shown to analysts."""
    geography: Geography | None = None
    """Districts whose shares and borders are shown of maps."""
    register: PublishedRegister | None = None
    """The register of surveys, which everyone may read."""
    public: Public | None = None
    """Pages on which anyone, or anyone who is invited, may answer."""


class Service:
    """Opens the store at `url` and starts to write. Raises `StoreError` or
    `ServedError`.

    `on_failure` is called, from another thread, when the store cannot be written to any
    more.
    """

    def __init__(
        self,
        served: Iterable[Served],
        url: str,
        settings: Settings,
        *,
        clock: Callable[[], float] = time.time,
        on_failure: Callable[[StoreError], None] = lambda _: None,
    ) -> None:
        self.url = url
        self.settings = settings
        self.clock = clock
        self.catalogue = Catalogue(served)
        self.writer = Writer(
            partial(open_store, url),
            self.catalogue,
            settings.rules,
            publication=settings.publication,
            clock=clock,
            confirm_clock=settings.confirm_clock,
            on_failure=on_failure,
        )
        self.analysis = Analysis(
            self.catalogue,
            lambda: settings.publication.view(open_snapshot(url)),
            settings.stop_lists,
            geography=settings.geography,
        )
        self.leaving = False
        """Whether it was told to stop, and takes uploads for some seconds only."""
        self.statuses: Counter[int] = Counter()
        """How many uploads to this process were answered how."""
        self.sources: list[Source] = []
        self._companions: list[Companion] = []
        self.board: DebugBoard | None = None
        if settings.uploads.debug_tags:
            surveys = [served.survey for served in self.catalogue.all]
            self.board = DebugBoard(surveys, clock)

    def permission(self, token: str | None, scope: str, survey: str | None = "") -> str:
        """Return the verdict on a token for a scope: one of the verdicts of `tokens`.

        `survey` is the one that is asked for; None stands for all at once, nothing for
        whichever.
        """
        tokens = self.settings.tokens
        invited = self._invitation(token)
        if invited is not None and scope == UPLOAD and survey in ("", invited.survey):
            return GRANTED
        if tokens is None:
            return GRANTED
        return tokens.check(token, scope, self.clock(), survey=survey)

    def verdict(
        self,
        request: ScopedRequest,
        token: str | None,
        scope: str,
        survey: str | None = "",
    ) -> str:
        """Return the verdict on a request: by a token, if one is shown, or else by a
        person.
        """
        verdict = self.permission(token, scope, survey)
        sign_in = self.settings.sign_in
        if verdict != MISSING or sign_in is None:
            return verdict
        return sign_in.verdict(request, scope, self.clock(), survey=survey)

    def permission_of_sender(
        self, token: str | None, scope: str
    ) -> tuple[str, UploadSender | None]:
        """Return the verdict on a token for a scope; and its sender with limits."""
        invited = self._invitation(token)
        if invited is not None and scope == UPLOAD:
            own = UploadSender(
                "", (invited.survey,), most_reports=1, spent_as=invited.spent_as
            )
            return GRANTED, own
        tokens = self.settings.tokens
        if tokens is None:
            return GRANTED, None
        verdict, known = tokens.judge(token, scope, self.clock())
        if known is None:
            return verdict, None
        return verdict, UploadSender(
            known.name,
            known.surveys,
            known.most_reports,
            reports_a_day=known.reports_a_day
            or (MOST_A_DAY if scope == UPLOAD else None),
        )

    def _invitation(self, token: str | None) -> Invitation | None:
        """The invitation of a token, if it is one."""
        public = self.settings.public
        invitations = None if public is None else public.invitations
        if invitations is None:
            return None
        return invitations.find(token)

    def close_survey(self, name: str) -> None:
        """Take no more reports to any version of a survey, and show all that came,
        once.

        Raises `StoreError` unless that lasts.
        """
        self.writer.end(
            part.fingerprint
            for served in self.catalogue.by_name[name]
            for part in served.survey.tally_parts
        )

    def is_closed(self, survey: Survey) -> bool:
        """Whether it takes no more reports."""
        return {
            part.fingerprint for part in survey.tally_parts
        } <= self.writer.closed_questions

    def follow(self, source: Source) -> None:
        """Read from a source as well."""
        self.sources.append(source)
        source.start()

    def accompany(self, companion: Companion) -> None:
        """Let something go on beside it."""
        self._companions.append(companion)
        companion.start()

    @property
    def trouble(self) -> str | None:
        """Why the service is not ready for uploads, in words; None if it is.

        A source that stands still is no reason. A list of tokens or people that cannot
        be read is one: nobody could be locked out.
        """
        if self.leaving:
            return "expected to go on, but was told to stop"
        if self.writer.trouble is not None:
            return self.writer.trouble
        tokens, sign_in = self.settings.tokens, self.settings.sign_in
        lists = [tokens, None if sign_in is None else sign_in.people]
        if all(known is None or known.is_current(self.clock()) for known in lists):
            return None
        # Anyone may see this: the log has the file, and what is wrong with it.
        return (
            "expected to read who may do what, but cannot: a token or person that is "
            "removed now would stay in force; the log says why"
        )

    def close(self) -> None:
        """Finish what was begun, and let go of the store."""
        for companion in self._companions:
            companion.close()
        for source in self.sources:
            source.stop()
        self.writer.close()
        if self.settings.public is not None:
            self.settings.public.reach.close()
