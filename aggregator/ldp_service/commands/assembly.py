"""Assembly of a service from the options of `ldp serve`: surveys, tokens, maps and
sources.
"""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ldp.errors import LDPError
from ldp_aggregator.output.files import read_candidates, read_source
from ldp_service.commands.serve_options import ServeError, ServeOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ldp_aggregator.answers.estimates.stop_lists import StopLists
    from ldp_aggregator.answers.geography import Geography
    from ldp_aggregator.tallies.mixing.opening import Opener
    from ldp_aggregator.versions.published import PublishedRegister
    from ldp_service.alerts.webhook import Webhook
    from ldp_service.analysis.notes import NoteFile
    from ldp_service.counting.served import Served
    from ldp_service.people.admission import SignIn
    from ldp_service.service import Service, Source
    from ldp_service.uploads.public import Public


def service_of(
    options: ServeOptions, on_failure: Callable[[LDPError], None]
) -> Service:
    """The service, which follows its sources. Raises `LDPError`."""
    from ldp_service.alerts.watch import Watch
    from ldp_service.counting.admission import Rules
    from ldp_service.counting.publication import Publication
    from ldp_service.logs.audit_log import AuditLog
    from ldp_service.respondents.response import DailyLook
    from ldp_service.service import PageSettings, Service, Settings, UploadSettings
    from ldp_service.uploads.given_tokens import given_tokens
    from ldp_service.uploads.token_use import TokenUse
    from ldp_service.uploads.tokens import TokenFile

    _check_folders(options)
    served = _load_surveys(options)
    use = TokenUse(options.uploads.token_file)
    audit = None if options.logs.audit_log is None else AuditLog(options.logs.audit_log)
    public = _pages(options, served)
    invitations = None if public is None else public.invitations
    invited = frozenset() if invitations is None else invitations.surveys
    settings = Settings(
        tokens=TokenFile(
            options.uploads.token_file,
            given_tokens(os.environ),
            use.note,
            **({} if audit is None else {"changed": audit.tokens}),
        ),
        audit=audit,
        token_use=use,
        sign_in=_sign_in(options),
        uploads=UploadSettings(
            options.uploads.open_uploads
            or (options.respondents.public and not options.respondents.invitations),
            options.uploads.origins,
            opener=_opener(options),
            debug_tags=options.uploads.debug_tags,
        ),
        page=PageSettings(
            _notes(options),
            options.page.frame_ancestors,
            _public_surveys(options, served),
        ),
        rules=Rules(
            kept_days=options.counting.kept_days,
            kept_epochs=options.counting.kept_epochs,
            invited=invited,
        ),
        stop_lists=_stop_lists(options, served),
        publication=Publication(
            options.page.least_reports, options.page.publish_minutes
        ),
        metrics_estimates=options.page.metrics_estimates,
        confirm_clock=options.counting.confirm_clock,
        geography=_geography(options, served),
        register=_register(options, served),
        public=public,
    )
    webhook = _webhook(options)
    service = Service(served, options.counting.store, settings, on_failure=on_failure)
    try:
        if webhook is not None:
            service.accompany(
                Watch(service, webhook, options.alerts.alert_name, lock=_alert_lock())
            )
        if settings.public is not None:
            service.accompany(DailyLook(service, settings.public))
        for source in _sources(options, service):
            service.follow(source)
    except BaseException:
        service.close()
        raise
    return service


def check_files(options: ServeOptions) -> None:
    """Whether a service that is begun anew would find what it needs. Raises
    `LDPError`.
    """
    served = _load_surveys(options)
    _stop_lists(options, served)
    _geography(options, served)
    _notes(options)
    _public_surveys(options, served)
    _pages(options, served)
    _register(options, served)
    _webhook(options)
    _sign_in(options)
    _opener(options)
    _check_folders(options)


def _opener(options: ServeOptions) -> Opener | None:
    """Return the opener of relays' batches. Raises `KeyFileError` and `FileError`."""
    if not options.uploads.relay_keys:
        return None
    from ldp_aggregator.tallies.mixing.keys import read_key
    from ldp_aggregator.tallies.mixing.opening import Opener

    return Opener([read_key(path) for path in options.uploads.relay_keys])


def _load_surveys(options: ServeOptions) -> list[Served]:
    """The surveys, with what is looked for. Raises `LDPError`."""
    from ldp_service.counting.served import Served

    served = []
    for path in options.paths:
        survey, content = read_source(path)
        served.append(Served(survey, content.decode(), read_candidates(survey, path)))
    return served


def _pages(options: ServeOptions, served: Iterable[Served]) -> Public | None:
    """The pages for respondents, of the newest version of each survey. Raises
    `LDPError`.
    """
    if not options.respondents.has_pages:
        return None
    from ldp_service.respondents.folder import Site, headers_of, page_files
    from ldp_service.respondents.presentation import page_file, read_presentation
    from ldp_service.respondents.words import check_spoken
    from ldp_service.uploads.invitations import Invitations
    from ldp_service.uploads.page_visits import PageVisits
    from ldp_service.uploads.public import Public

    files, headers, titles = {}, {}, {}
    languages: set[str] = set()
    for path, version in zip(options.paths, served, strict=True):
        beside = page_file(path)
        survey = version.survey
        shown = read_presentation(survey, beside if beside.exists() else None)
        site = Site(
            counted=True,
            invited=bool(options.respondents.invitations),
            words=options.respondents.words,
            candidates=version.candidates,
        )
        languages |= shown.languages.keys()
        files[survey.name] = page_files(survey, shown, site)
        headers[survey.name] = headers_of(shown, site)
        titles[survey.name] = shown.languages[shown.language].texts["title"]
    check_spoken(sorted(languages), options.respondents.words)
    invitations = None
    if options.respondents.invitations:
        invitations = Invitations.read(options.respondents.invitations)
        _check_names("--invitations", sorted(invitations.surveys), served)
    reach = PageVisits(
        options.uploads.token_file.with_name("respondents.json"), time.time
    )
    return Public(
        files,
        headers,
        reach,
        invitations=invitations,
        titles=titles,
        address=options.respondents.public_address.rstrip("/"),
    )


def _webhook(options: ServeOptions) -> Webhook | None:
    """Return the webhook of alarms. Raises `AlertError` and `FileError`."""
    from ldp_service.alerts.flags import webhook_of

    return webhook_of(options.alerts.alert_webhook, os.environ)


def _alert_lock() -> Path | None:
    """The lock of that one of several workers which tells; None where there is one
    process.
    """
    from ldp_service.http.metrics import SHARED

    folder = os.environ.get(SHARED)
    if folder is None:
        return None
    return Path(folder, "alerts-lock")


def _sign_in(options: ServeOptions) -> SignIn | None:
    """How people are known. Raises `PeopleError` and `FileError`."""
    from ldp_service.people.flags import sign_in

    return sign_in(options.people)


def _stop_lists(options: ServeOptions, served: Iterable[Served]) -> StopLists:
    """The lists that are handed out. Raises `FileError` and `ServeError`."""
    from ldp_aggregator.answers.estimates.stop_lists import StopLists, stops_in

    for path in options.uploads.stop_lists:
        _check_names(f"--stop-list {path}", [stops_in(path).survey], served)
    return StopLists(options.uploads.stop_lists)


def _register(
    options: ServeOptions, served: Iterable[Served]
) -> PublishedRegister | None:
    """The register, which has all surveys that are served. Raises `RegisterError`,
    `FileError`.
    """
    if options.uploads.register_path is None:
        return None
    from ldp_aggregator.versions.pages import hash_beside
    from ldp_aggregator.versions.published import PublishedRegister
    from ldp_aggregator.versions.register_file import entry_of

    surveys = [version.survey for version in served]
    register = PublishedRegister(options.uploads.register_path, surveys)
    for path, survey in zip(options.paths, surveys, strict=True):
        entry_of(
            register.read(),
            survey,
            hash_beside(path),
            place=str(options.uploads.register_path),
        )
    return register


def _notes(options: ServeOptions) -> NoteFile | None:
    """The notes that the page shows. Raises `FileError` and `NoteError`."""
    if options.page.notes_path is None:
        return None
    from ldp_service.analysis.notes import NoteFile

    return NoteFile(options.page.notes_path)


def _public_surveys(options: ServeOptions, served: Iterable[Served]) -> tuple[str, ...]:
    """The surveys that everyone may see in frames. Raises `ServeError` for others."""
    _check_names("--shared-survey", options.page.shared_surveys, served)
    return options.page.shared_surveys


def _check_names(flag: str, names: Iterable[str], served: Iterable[Served]) -> None:
    """Raises `ServeError` for the first name of a survey that is not served."""
    known = {version.survey.name for version in served}
    for name in names:
        if name not in known:
            surveys = ", ".join(sorted(known))
            raise ServeError(
                f"{flag}: expected surveys that are served ({surveys}), got {name}"
            )


def _geography(options: ServeOptions, served: Iterable[Served]) -> Geography | None:
    """The districts whose shares are shown. Raises `EstimateError` and `FileError`."""
    if options.page.geography_path is None:
        return None
    from ldp_aggregator.answers.estimates.applicable import check_asked
    from ldp_aggregator.answers.maps.geojson import read_geography
    from ldp_aggregator.answers.options import MapOptions, Options

    geography = read_geography(
        options.page.geography_path,
        options.page.district_name,
        options.page.districts_by,
    )
    questions = [question for version in served for question in version.survey]
    check_asked(questions, Options(maps=MapOptions(geography=geography)))
    return geography


def _check_folders(options: ServeOptions) -> None:
    """Raise `ServeError` for a folder that is not there; one that goes later is waited
    for.
    """
    for folder in options.sources.folders:
        if not folder.is_dir():
            raise ServeError(
                f"--folder {folder}: expected a folder of report files, found none"
            )
    log = options.logs.audit_log
    if log is None:
        return
    if not log.parent.is_dir():
        raise ServeError(
            f"--audit-log {log}: expected a folder {log.parent} to write to, found none"
        )
    if log.is_dir():
        raise ServeError(
            f"--audit-log {log}: expected a file to write to, got a folder"
        )


def _sources(options: ServeOptions, service: Service) -> Iterator[Source]:
    """Yield the sources that are followed besides uploads."""
    from ldp_service.sources.folder import FolderSource
    from ldp_service.sources.kafka import KafkaSource, read_settings
    from ldp_service.store.opening import open_snapshot

    read_store = partial(open_snapshot, options.counting.store)
    for folder in options.sources.folders:
        yield FolderSource(folder, service.writer, read_store)
    settings = {}
    if options.sources.kafka_settings is not None:
        settings = read_settings(options.sources.kafka_settings)
    for topic in options.sources.topics:
        yield KafkaSource(topic, service.writer, read_store, settings=settings)
