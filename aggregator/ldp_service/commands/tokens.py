"""`ldp store tokens`: make, list, rotate and remove the tokens of a service."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from ldp_aggregator.commands.address_types import PAGE_ADDRESS
from ldp_aggregator.commands.main import FILE_PATH, OUTPUT_FILE, SURVEY, CommandGroup
from ldp_aggregator.output.files import FileError, read_survey, written_whole
from ldp_service.uploads.tokens import (
    ANALYST,
    SCOPES,
    UPLOAD,
    Token,
    Tokens,
    is_name,
    new_token,
    token_record,
)

TOKEN_FILE = Path("tokens.toml")
_FILE = click.option(
    "--token-file",
    "path",
    default=TOKEN_FILE,
    show_default=True,
    type=FILE_PATH,
    help="The file that has their hashes.",
)
_AUDIT = click.option(
    "--audit-log",
    "audit",
    envvar="LDP_SERVE_AUDIT_LOG",
    show_envvar=True,
    type=FILE_PATH,
    help="The service's audit log, to note who changed what.",
)
_MOST_DAYS = 3650
_OLD = "{}-old"


@click.group(cls=CommandGroup)
def tokens() -> None:
    """Make, list and remove the tokens that `ldp serve --token-file` asks for."""


@tokens.command()
@click.option(
    "--name", required=True, help="What to call it, so that it can be told from others."
)
@click.option(
    "--scope", required=True, type=click.Choice(SCOPES), help="What it is good for."
)
@click.option(
    "--days",
    type=click.IntRange(1, _MOST_DAYS),
    help="Days from now for which it is good.  [default: ever]",
)
@click.option(
    "--survey",
    "surveys",
    multiple=True,
    help="A survey that it is for.  [default: all]",
)
@click.option(
    "--most-reports",
    type=click.IntRange(1),
    help="Reports that one batch may have, as from a relay.  [default: 10000]",
)
@click.option(
    "--reports-a-day",
    type=click.IntRange(1),
    help="Reports that it may send in a day, in UTC.  [default: 1,000,000]",
)
@_FILE
@_AUDIT
def new(
    name: str,
    scope: str,
    days: int | None,
    path: Path,
    audit: Path | None,
    **limits: Any,
) -> None:
    """Make a token, print it this once, and keep its hash."""
    if scope != UPLOAD and (limits["most_reports"] or limits["reports_a_day"]):
        raise click.UsageError(
            "--most-reports and --reports-a-day: for tokens of scope upload"
        )
    tokens = Tokens.read(path).all if path.exists() else ()
    if not is_name(name):
        raise FileError(
            "expected up to 32 letters, digits, dots, dashes or underscores as a name, "
            "got something else"
        )
    if name in [token.name for token in tokens]:
        raise FileError(
            f"expected a name that is not taken, got {name!r}; ldp store tokens remove "
            f"{name} frees it"
        )
    expires = None
    if days is not None:
        expires = datetime.now(UTC).replace(microsecond=0) + timedelta(days)
    secret = new_token()
    write_tokens(
        path, [*tokens, token_record(secret, name, scope, expires=expires, **limits)]
    )
    _note(audit, [], [name])
    click.echo(f"{path}: kept the hash of this token; it is not shown again", err=True)
    click.echo(secret)


@tokens.command()
@SURVEY
@click.option(
    "--number",
    required=True,
    type=click.IntRange(1, 1_000_000),
    help="How many people to invite.",
)
@click.option(
    "--link",
    required=True,
    type=PAGE_ADDRESS,
    help="The address of the page, as ldp serve prints it.",
)
@click.option(
    "--invitations",
    "path",
    default=Path("invitations.txt"),
    show_default=True,
    type=FILE_PATH,
    help="The file for ldp serve --invitations; more tokens are added to those in it.",
)
@click.option(
    "--cards",
    type=OUTPUT_FILE,
    help="Write a page of QR codes to print and cut, in place of a list of links.",
)
def respondents(
    survey_path: Path, number: int, link: str, path: Path, cards: Path | None
) -> None:
    """Make one-time tokens for those who may answer SURVEY, and print a link for each.

    A token is good for one report to each question. Only hashes are kept, in no order
    that says who was given which.
    """
    from ldp_service.page.markup.qr_codes import sheet
    from ldp_service.respondents.presentation import page_file, read_presentation
    from ldp_service.uploads.invitations import known_in, new_invitations, tokens_file

    survey = read_survey(survey_path)
    tokens = new_invitations(number)
    content = tokens_file(survey.name, tokens, known_in(path, survey.name))
    links = [f"{link}#token={token}" for token in tokens]
    beside = page_file(survey_path)
    shown = read_presentation(survey, beside if beside.exists() else None)
    page = ""
    if cards is not None:
        page = sheet(shown.languages[shown.language].texts["title"], links)
    with written_whole(path, mode=0o600, for_folder=True) as file:
        file.write(content.encode())
    click.echo(
        f"{path}: kept the hashes of {number:,} tokens; they are not shown again",
        err=True,
    )
    if cards is None:
        click.echo("\n".join(links))
        return
    with written_whole(cards, mode=0o600) as file:
        file.write(page.encode())
    click.echo(f"{cards}: {number:,} cards to print and cut", err=True)


@tokens.command("list")
@_FILE
def list_(path: Path) -> None:
    """List all tokens by name: scope, until when each is good, on which day it was used
    last.
    """
    # It knows the store, whose records need numpy: not for `ldp --help`.
    from ldp_service.uploads.token_use import read_days

    days = read_days(path)
    for token in Tokens.read(path).all:
        until = _until(token, time.time())
        used = "never used"
        if token.name in days:
            used = f"last used {days[token.name]}"
        surveys = ""
        if token.surveys:
            surveys = f", for {', '.join(token.surveys)}"
        click.echo(f"{token.name:32}  {token.scope:7}  {until}{surveys}, {used}")


def _until(token: Token, now: float) -> str:
    """How long a token is good, or since when it is good no more."""
    if token.expires is None:
        return "for ever"
    word = "expired" if token.is_out_of_date(now) else "until"
    return f"{word} {token.expires.isoformat(' ')}"


@tokens.command()
@click.argument("name")
@click.option(
    "--overlap",
    "days",
    default=7,
    show_default=True,
    type=click.IntRange(1, _MOST_DAYS),
    help="Days for which the old token stays good.",
)
@_FILE
@_AUDIT
def rotate(name: str, days: int, path: Path, audit: Path | None) -> None:
    """Make a new token NAME in place of the old one, and print it this once.

    The old one is called NAME-old, and stays good for some days.
    """
    tokens = {token.name: token for token in Tokens.read(path).all}
    old = _OLD.format(name)
    if name not in tokens:
        raise _no_token(path, tokens, name)
    if not is_name(old):
        raise FileError(f"expected room for -old in a name of 32 letters, got {name!r}")
    if old in tokens and not tokens[old].is_out_of_date(time.time()):
        raise FileError(
            f"expected the last rotation to be over, got {old}, which is still good; "
            f"ldp store tokens remove {old} ends that"
        )
    before, secret = tokens[name], new_token()
    end = datetime.now(UTC).replace(microsecond=0) + timedelta(days)
    ends = end
    if before.expires is not None:
        ends = min(end, before.expires)
    tokens[old] = replace(before, name=old, expires=ends)
    tokens[name] = replace(
        before, digest=token_record(secret, name, before.scope).digest
    )
    write_tokens(path, tokens.values())
    _note(audit, [], [name, old])
    click.echo(
        f"{path}: kept the hash of this token; {old} is good until {ends}", err=True
    )
    click.echo(secret)


@tokens.command()
@click.argument("name")
@_FILE
@_AUDIT
def remove(name: str, path: Path, audit: Path | None) -> None:
    """Remove the token NAME: within a second or two it is good for nothing."""
    tokens = Tokens.read(path).all
    names = [token.name for token in tokens]
    if name not in names:
        raise _no_token(path, names, name)
    write_tokens(path, [token for token in tokens if token.name != name])
    _note(audit, [name], [])


def _no_token(path: Path, names: Iterable[str], name: str) -> FileError:
    known = ", ".join(names) or "none"
    return FileError(f"expected the name of a token in {path} ({known}), got {name!r}")


def _note(audit: Path | None, removed: list[str], added: list[str]) -> None:
    """Say in the audit log which tokens were changed, and by whom."""
    from getpass import getuser

    from ldp_service.logs.audit_log import AuditLog

    if audit is not None:
        try:
            user = getuser()
        except (OSError, KeyError):  # a container's user may have no name
            user = str(os.getuid())
        AuditLog(audit).tokens(removed, added, by=user)


def write_first_tokens(path: Path) -> None:
    """Write a token file with a token to upload and one to look, and show both.

    A journal would keep what is shown for ever: there they are written to a file beside
    it.
    """
    tokens = {scope: new_token() for scope in (UPLOAD, ANALYST)}
    shown = "".join(f"  {scope:7}  {token}\n" for scope, token in tokens.items())
    errors = os.fstat(2)
    # systemd says which file its journal is: a terminal may have the variable from its
    # parent.
    if os.environ.get("JOURNAL_STREAM") == f"{errors.st_dev}:{errors.st_ino}":
        beside = path.with_name(f"{path.name}-first")
        with written_whole(beside, mode=0o600, for_folder=True) as file:
            file.write(shown.encode())
        shown = f"  hand them out from {beside}, and delete it\n"
    write_tokens(
        path,
        [
            token_record(token, f"first-{scope}", scope)
            for scope, token in tokens.items()
        ],
    )
    click.echo(f"{path}: made, with two tokens, which are not shown again", err=True)
    click.echo(shown, nl=False, err=True)


def write_tokens(path: Path, tokens: Iterable[Token]) -> None:
    """Write a token file that no one else may read; a new one is for the owner of its
    folder.
    """
    with written_whole(path, mode=0o600, for_folder=True) as file:
        file.write(Tokens(tokens).to_toml().encode())
