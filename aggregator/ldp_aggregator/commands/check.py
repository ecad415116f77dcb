"""`ldp check`: whether a survey is sound, and what changed in it for those who are
asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ldp.survey.survey import Survey
from ldp_aggregator.commands.main import FILE_PATH, OUTPUT_FILE, SURVEY
from ldp_aggregator.commands.output_options import advise, say, warn
from ldp_aggregator.output.files import hand_out, read_candidates, read_survey
from ldp_aggregator.output.formats.formats import formats_of

if TYPE_CHECKING:
    from ldp_aggregator.versions.comparison import VersionChanges

_MOST_COMPARED = 1 << 16
"""Candidates of a question: comparing the bits of so many takes a second or two."""

REASON = click.option(
    "--accept",
    "reason",
    metavar="REASON",
    help="Accept what gets worse, for a reason that the register keeps.",
)


@click.command("check")
@SURVEY
@click.option(
    "--compiled",
    "json_path",
    type=OUTPUT_FILE,
    help="Write what clients in other languages read to this file.",
)
@click.option(
    "--against",
    metavar="OLD",
    help="Say what changed since an older version: a file, a folder of versions, a "
    "register or a git revision (HEAD~1, origin/main:survey.toml).",
)
@click.option(
    "--register",
    "register_path",
    metavar="FILE",
    type=FILE_PATH,
    help="The register of versions that keeps why something was accepted.",
)
@REASON
@click.option(
    "--format",
    "form",
    type=click.Choice([row.name for row in formats_of("tables", "record", "rows")]),
    help="How to write it, if not in lines for people.",
)
@click.pass_context
def check_survey(
    ctx: click.Context,
    survey_path: Path,
    json_path: Path | None,
    against: str | None,
    register_path: Path | None,
    reason: str | None,
    form: str | None,
) -> None:
    """Validate SURVEY, and print its fingerprints; or what changed for those who are
    asked.

    With --against, exits with 1 if anything gets worse for them that neither --accept
    nor the register has a reason for. SURVEY may then be a folder: all surveys in it
    are compared, each with its older version, and the register has to go on from that
    of the revision.
    """
    if against is None and (register_path or reason is not None or form):
        raise click.UsageError(
            "--register, --accept and --format: expected --against as well"
        )
    if reason is not None and register_path is None:
        raise click.UsageError(
            "--accept: expected --register as well, which keeps the reason"
        )
    if against is not None and survey_path.is_dir():
        if reason is not None or json_path or form:
            raise click.UsageError(
                f"{survey_path} is a folder: expected no other option than --against "
                "and --register; name one of its surveys to use --accept, --compiled "
                "or --format"
            )
        ctx.exit(0 if _check_folder(survey_path, against, register_path) else 1)
    survey = read_survey(survey_path)
    candidates = read_candidates(survey, survey_path)
    if json_path is not None:
        from ldp.survey.compiled import compile_survey

        hand_out(
            json_path,
            json.dumps(compile_survey(survey), indent=2, ensure_ascii=False) + "\n",
        )
    if against is None:
        say("\n".join(_fingerprints(survey)), json_path)
    else:
        comparisons = _comparisons(
            survey_path, survey, against, register_path=register_path
        )
        for comparison in comparisons:
            shown = comparison.rendered(form) if form else comparison.plain()
            hand_out(None, shown)
        if not _check_acceptance(
            survey, comparisons, register_path, reason=reason, survey_path=survey_path
        ):
            ctx.exit(1)
    warn(survey)
    advise(survey)
    for warning in _colliding(survey, candidates):
        click.echo(f"warning: {warning}", err=True)


def _colliding(
    survey: Survey, candidates: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """What to say of candidates that set the same bits in all cohorts."""
    import numpy as np

    from ldp_aggregator.decoders.table import decoder_of

    for name, texts in candidates.items():
        question = survey[name]
        alike = decoder_of(question.randomizer).shares.alike
        if alike is None or not 1 < len(texts) <= _MOST_COMPARED:
            continue
        shape = question.layout.cohorts, 1 + question.layout.bits
        for group in alike(
            question.randomizer, np.ones(shape, dtype=np.int64), texts
        ).groups:
            yield (
                f"question {name!r}: {len(group)} candidates set the same bits in all "
                "cohorts, so no number of reports tells them apart: "
                f"{', '.join(group)}; take more `bloom_bits` or `cohorts`"
            )


def _check_folder(folder: Path, against: str, register_path: Path | None) -> bool:
    """Whether no survey of a folder gets worse unaccepted, and the register has only
    grown.
    """
    from ldp_aggregator.versions.comparison import compare_versions
    from ldp_aggregator.versions.folders import (
        asks_again,
        check_register,
        succeeds,
        surveys_before,
        surveys_below,
    )

    if register_path is not None:
        check_register(folder, against, register_path)
    files = surveys_below(folder)
    gone, others = surveys_before(folder, against, files)
    is_accepted = True
    for path in files:
        survey = read_survey(path)
        comparisons = _comparisons(path, survey, against, register_path=register_path)
        if not comparisons:
            # One that takes the place of another under a new name is asked anew.
            former = [place for place, old in gone.items() if succeeds(survey, old)]
            for place in former[:1]:
                click.echo(
                    f"{survey.name}: compared with {place}, which is gone", err=True
                )
                comparisons.append(compare_versions(survey, gone[place]))
        if not comparisons:
            # One that comes beside others asks those who answered these once more.
            beside = [place for place, old in others.items() if asks_again(survey, old)]
            for place in beside[:1]:
                said = (
                    f"{survey.name}: compared with {place}, a question of which it "
                    "asks as well"
                )
                click.echo(said, err=True)
                comparisons.append(compare_versions(survey, others[place]))
        for comparison in comparisons:
            hand_out(None, comparison.plain())
        is_accepted &= _check_acceptance(
            survey, comparisons, register_path, reason=None, survey_path=path
        )
    for place, old in gone.items():
        click.echo(
            f"{old.name}: gone, as it stood in {place}: it is not asked any more",
            err=True,
        )
    click.echo(f"{len(files)} surveys in {folder}", err=True)
    return is_accepted


def _fingerprints(survey: Survey) -> list[str]:
    lines = [f"{survey.fingerprint.hex()}  {survey.name}"]
    lines += [
        f"{question.fingerprint.hex()}  {question.name} ({question.mechanism})"
        for question in survey
    ]
    lines += [
        f"{group.fingerprint.hex()}  {group.name} (answered together)"
        for group in survey.groups
    ]
    return lines


def _comparisons(
    path: Path, survey: Survey, against: str, register_path: Path | None
) -> list[VersionChanges]:
    """With the older version; and with the newest registered one, if that is yet
    another.
    """
    from ldp_aggregator.versions.comparison import compare_versions
    from ldp_aggregator.versions.git import NoVersionError
    from ldp_aggregator.versions.pages import hash_beside, page_beside, page_of_hash
    from ldp_aggregator.versions.register_file import read_register, steps
    from ldp_aggregator.versions.sources import older_versions

    try:
        older = older_versions(path, survey, against)
    except NoVersionError as error:
        raise click.UsageError(str(error)) from None
    comparisons = []
    if older.versions:
        *earlier, old = older.versions
        page = page_of_hash(hash_beside(path)) if older.is_hash else page_beside(path)
        comparison = compare_versions(survey, old, earlier)
        comparisons.append(comparison.with_pages(page, older.page or {}))
    else:
        click.echo(
            f"{survey.name}: a first version, as there is none in {older.place}",
            err=True,
        )
    if register_path is not None and register_path.exists():
        known = {comparison.old.to_toml() for comparison in comparisons}
        for step in steps(read_register(register_path), survey, hash_beside(path)):
            if step.old.to_toml() not in known:
                click.echo("since the version that was registered last:", err=True)
                comparisons.append(step)
    return comparisons


def _check_acceptance(
    survey: Survey,
    comparisons: list[VersionChanges],
    register_path: Path | None,
    reason: str | None,
    survey_path: Path,
) -> bool:
    """Whether nothing gets worse that no one has accepted: by now, or by a reason given
    here.
    """
    from ldp.transparency.entries import Register
    from ldp_aggregator.versions.pages import hash_beside
    from ldp_aggregator.versions.register_file import (
        add_version,
        missing_reasons,
        read_register,
    )

    page = hash_beside(survey_path)
    register = Register((), ())
    if register_path is not None and register_path.exists():
        register = read_register(register_path)
    open_lines = dict.fromkeys(
        line
        for comparison in comparisons
        for line in missing_reasons(register, comparison, page)
    )
    worse = {change.line for comparison in comparisons for change in comparison.worse}
    if reason is not None and register_path is not None:
        added = add_version(
            register_path, survey, reason, comparisons=comparisons, page=page
        )
        click.echo(
            f"entry {added.entry.number} of {register_path}: "
            f"{'added' if added.is_new else 'there already'}",
            err=True,
        )
        return True
    if open_lines:
        click.echo(
            f"{survey.name}: {len(open_lines)} changes are worse for those who are "
            "asked, and no one has accepted them: take them back, or accept them with "
            "--accept REASON --register FILE",
            err=True,
        )
        return False
    if worse:
        accepted = register.find(survey, page)
        why = ""
        if accepted is not None:
            why = f" (entry {accepted.number}: {accepted.accepted})"
        click.echo(f"{survey.name}: what gets worse was accepted{why}", err=True)
    return True
