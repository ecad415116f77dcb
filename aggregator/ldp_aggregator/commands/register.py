"""`ldp survey register`: the log of a survey's versions, which nobody can change
unseen.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from ldp.transparency.entries import RegisterError
from ldp.transparency.proofs import (
    check_consistency,
    check_inclusion,
    check_registration,
    head_of,
    parse_head,
    prove_consistency,
    prove_inclusion,
)
from ldp_aggregator.commands.check import REASON
from ldp_aggregator.commands.main import FILE_PATH, OUTPUT_FILE, CommandGroup
from ldp_aggregator.commands.output_options import OUTPUT, format_option, present
from ldp_aggregator.output.files import hand_out, read_bytes, read_survey
from ldp_aggregator.versions.pages import hash_beside
from ldp_aggregator.versions.published import check_grown
from ldp_aggregator.versions.register_file import (
    add_version,
    entry_of,
    mend,
    read_register,
    verify,
)

_LARGEST_PROOF = 1 << 26
REGISTER = click.argument("register_path", metavar="REGISTER", type=FILE_PATH)
_OUTPUT = click.option(
    "--output", "-o", type=OUTPUT_FILE, help="The file to write it to."
)


@click.group(cls=CommandGroup)
def register() -> None:
    """Keep the versions of surveys in a log that no one can change unseen.

    A register is one text file, one version a line. Its head, SIZE:ROOT, stands for all
    of it: whoever keeps a head can be shown that a survey is in the register, and that
    the register has only grown since.
    """


@register.command("add")
@REGISTER
@click.argument("survey_path", metavar="SURVEY", type=FILE_PATH)
@REASON
def add_survey(register_path: Path, survey_path: Path, reason: str | None) -> None:
    """Register a version of SURVEY behind those in REGISTER, and print the head.

    A version that is worse for those who are asked than the newest one of its name is
    refused without a reason. A file that is not there is made.
    """
    page = hash_beside(survey_path)
    added = add_version(register_path, read_survey(survey_path), reason, page=page)
    state = "added" if added.is_new else "there already"
    click.echo(f"entry {added.entry.number}: {added.entry.name}, {state}", err=True)
    click.echo(head_of(read_register(register_path)).text)


@register.command("verify")
@REGISTER
@click.argument("survey_paths", metavar="[SURVEY]...", nargs=-1, type=FILE_PATH)
@click.option(
    "--since",
    metavar="OLD",
    help=(
        "Check that it only grew: since a head SIZE:ROOT, or an older copy of the file."
    ),
)
@click.option(
    "--mend",
    "mends",
    is_flag=True,
    help=(
        "First take back what an editor or a torn write did to it; the old file is "
        "kept."
    ),
)
def verify_register(
    register_path: Path, survey_paths: tuple[Path, ...], since: str | None, mends: bool
) -> None:
    """Check all of REGISTER: its chain, its surveys, that what got worse has a reason.

    Each SURVEY that is named has to be in it.
    """
    if mends:
        click.echo(mend(register_path) or "there is nothing to mend", err=True)
    log = read_register(register_path)
    verify(log)
    if since is not None:
        path = Path(since)
        check_grown(
            log, head_of(read_register(path)) if path.exists() else parse_head(since)
        )
    for path in survey_paths:
        entry_of(log, read_survey(path), hash_beside(path), place=str(register_path))
    names = {entry.name for entry in log.entries}
    click.echo(
        f"{len(log.entries)} entries of {len(names)} surveys are sound", err=True
    )
    click.echo(head_of(log).text)


@register.command()
@REGISTER
@format_option("tables", "record", "rows")
@click.option(
    "--html", "as_page", is_flag=True, help="Write a page with all that changed."
)
@OUTPUT
def show(register_path: Path, form: str, as_page: bool, output: Path | None) -> None:
    """Show what is in REGISTER: which versions, when, what became worse, and why."""
    from ldp_aggregator.versions.register_page import register_page, register_sheet

    log = read_register(register_path)
    if as_page:
        if form not in ("table", "html"):
            raise click.UsageError(f"expected --html or the format {form}, got both")
        hand_out(output, register_page(log))
    else:
        present(register_sheet(log), form, output)


@register.command()
@REGISTER
def head(register_path: Path) -> None:
    """Print the head of REGISTER, for others to keep and for clients to pin."""
    click.echo(head_of(read_register(register_path)).text)


@register.group(cls=CommandGroup)
def prove() -> None:
    """Prove to those who keep a head what is in a register."""


@prove.command()
@REGISTER
@click.argument("survey_path", metavar="[SURVEY]", required=False, type=FILE_PATH)
@click.option(
    "--entry", "number", type=click.IntRange(0), help="An entry, in place of SURVEY."
)
@click.option(
    "--since",
    type=click.IntRange(1),
    metavar="SIZE",
    help="Serve those too who keep the head that REGISTER had with so many entries.",
)
@_OUTPUT
def inclusion(
    register_path: Path,
    survey_path: Path | None,
    number: int | None,
    since: int | None,
    output: Path | None,
) -> None:
    """Prove that SURVEY is in REGISTER."""
    if (survey_path is None) == (number is None):
        raise click.UsageError("expected SURVEY or --entry, one of both")
    log = read_register(register_path)
    if survey_path is not None:
        survey, page = read_survey(survey_path), hash_beside(survey_path)
        number = entry_of(log, survey, page, place=str(register_path)).number
    _hand_out(output, prove_inclusion(log, number or 0, since or 0))


@prove.command()
@REGISTER
@click.option(
    "--since",
    type=click.IntRange(1),
    metavar="SIZE",
    required=True,
    help="How many entries it had then.",
)
@_OUTPUT
def consistency(register_path: Path, since: int, output: Path | None) -> None:
    """Prove that REGISTER only grew since it had a number of entries."""
    _hand_out(output, prove_consistency(read_register(register_path), since))


def _hand_out(output: Path | None, proof: dict[str, object]) -> None:
    hand_out(output, json.dumps(proof, indent=2, ensure_ascii=False) + "\n")


@register.command("check-proof")
@click.argument("proof_path", metavar="PROOF", type=FILE_PATH)
@click.option(
    "--head", "head_text", metavar="SIZE:ROOT", required=True, help="The head you keep."
)
@click.option(
    "--survey",
    "survey_path",
    type=FILE_PATH,
    help="Of a proof of inclusion: the survey that it should be about.",
)
def check_proof(proof_path: Path, head_text: str, survey_path: Path | None) -> None:
    """Check a PROOF that someone else made, against a head that you keep. No register
    is read.
    """
    kept = parse_head(head_text)
    proof = _proof(proof_path)
    if proof.get("proof") == "consistency":
        if survey_path is not None:
            raise click.UsageError("--survey: expected a proof of inclusion")
        check_consistency(proof, first=kept)
        click.echo(f"{proof['size']}:{proof['root']} goes on from {kept.text}")
        click.echo(
            "a root does not show how many entries it is of: compare this head with "
            "that which the register shows before you keep it",
            err=True,
        )
        return
    if survey_path is not None:
        entry = check_registration(read_survey(survey_path), kept, proof)
    else:
        entry = check_inclusion(proof, kept)
        entry.survey()
    click.echo(f"entry {entry.number}, {entry.day}: {entry.name} ({entry.fingerprint})")
    if entry.page:
        click.echo(f"  its page file has the SHA-256 {entry.page}")
    for line in entry.worse:
        click.echo(f"  became worse: {line}")
    if entry.accepted is not None:
        click.echo(f"  accepted because: {entry.accepted}")


def _proof(path: Path) -> dict[str, Any]:
    try:
        proof = json.loads(read_bytes(path, _LARGEST_PROOF))
    except (ValueError, RecursionError):
        proof = None
    if not isinstance(proof, dict):
        raise RegisterError(
            f"{path}: expected a proof of `ldp survey register prove`, got something "
            "else"
        )
    return proof
