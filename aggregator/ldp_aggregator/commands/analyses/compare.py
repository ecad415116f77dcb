"""`ldp analyze compare`: what differs between two tallies of one question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ldp_aggregator.answers.options import Options
from ldp_aggregator.commands.group_options import GroupOptions, with_group_options
from ldp_aggregator.commands.headings import HEADINGS
from ldp_aggregator.commands.main import FILE_PATH, FiniteRange, LongHelp, take
from ldp_aggregator.commands.output_options import (
    ESTIMAND,
    LEVEL,
    OUTPUT,
    REPORTS_PER_PERSON,
    format_option,
    present,
)
from ldp_aggregator.commands.sources import (
    TallySource,
    asked_question,
    group_arguments,
    with_tallies_or_design,
)
from ldp_aggregator.output.files import read_candidates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_aggregator.analyses.comparisons.direct import Direct, DirectComparison
    from ldp_aggregator.tallies.tally import Tally


def _read_direct(
    _: click.Context, __: click.Parameter, text: str | None
) -> Direct | None:
    """A value with = after it and two whole numbers."""
    from ldp_aggregator.analyses.comparisons.direct import Direct

    if text is None:
        return None
    value, _equals, counts = text.rpartition("=")
    held, _over, asked = counts.partition("/")
    if not (
        value
        and all(n.isascii() and n.isdigit() and len(n) < 16 for n in (held, asked))
    ):
        raise click.BadParameter(
            f"expected VALUE=HELD/ASKED, such as true=83/541, got {text!r}"
        )
    return Direct(value, int(held), int(asked))


@click.command(cls=LongHelp, headings=HEADINGS)
@with_tallies_or_design("[A [B]]")
@click.option(
    "--question",
    metavar="NAME",
    help="Which question; may be left out if there is but one.",
)
@click.option(
    "--other-survey",
    "other_path",
    metavar="FILE",
    type=FILE_PATH,
    help="The survey of B, if it is another version.",
)
@LEVEL
@ESTIMAND
@click.option(
    "--simultaneous",
    type=click.Choice(["bh", "bonferroni", "holm"]),
    help="Allow for looking at all values: by the share of false findings (bh), or by "
    "the chance of any.",
)
@click.option(
    "--margin",
    type=FiniteRange(0, min_open=True),
    metavar="DIFFERENCE",
    help="Test as well whether the difference is smaller than this.",
)
@click.option(
    "--overlap",
    type=FiniteRange(0, 1),
    metavar="SHARE",
    help="The share of the devices that reported to both, with the same answer.  "
    "[default: none known; of memoized questions intervals then hold for any]",
)
@REPORTS_PER_PERSON
@click.option(
    "--names",
    metavar="A,B",
    help="What the two are called.  [default: the names of their files]",
)
@click.option(
    "--direct",
    metavar="VALUE=HELD/ASKED",
    callback=_read_direct,
    help=(
        "Compare A with a direct question that others were asked, such as true=83/541."
    ),
)
@click.option(
    "--baseline",
    metavar="GROUP",
    help=(
        "Of one tally: compare each group with this one, such as ios.  [default: with "
        "the rest]"
    ),
)
@with_group_options
@format_option("tables", "record", "rows", "bars")
@OUTPUT
def compare(
    question: str | None,
    other_path: Path | None,
    level: float,
    estimand: str,
    simultaneous: str | None,
    margin: float | None,
    overlap: float | None,
    reports_per_person: int | None,
    names: str | None,
    direct: Direct | None,
    baseline: str | None,
    form: str,
    output: Path | None,
    **asked: Any,
) -> None:
    """Compare B with A: tallies or report files of one question, or URLs of such.

    Shown are the difference (B less A), the ratio and the odds ratio of each value with
    intervals and p-values, and a test of all values together. They may be of two
    groups, two times, or two versions of a survey. With --by each group of B is
    compared with that of A; without B, the groups of A with the rest of it, or with
    --baseline. With --direct, A is compared with the counts of a direct question, for
    the population that both were drawn from.
    """
    from ldp_aggregator.analyses.comparisons.comparing import compare as compared
    from ldp_aggregator.analyses.comparisons.group_comparisons import compare_groups
    from ldp_aggregator.answers.estimates.estimation import estimate

    wanted, source = take(GroupOptions, asked), take(TallySource, asked)
    if len(source.files) > 2:
        raise click.UsageError(f"expected A and B, got {len(source.files)} of them")
    is_alone, path = len(source.files) == 1, source.path
    if direct is not None:
        alone = (
            None if is_alone else "B",
            other_path,
            names,
            baseline,
            simultaneous,
            margin,
        )
        _check_direct(wanted, (*alone, overlap))
        [one] = source.tallies(_questions(question))
        options = Options(level, "population", reports_per_person=reports_per_person)
        beside = _against_direct(one, question, path, direct=direct, options=options)
        present(beside.sheet(), form, output)
        return
    _check(wanted, is_alone, other_path=other_path, baseline=baseline, names=names)
    options = Options(level, estimand, reports_per_person=reports_per_person)
    tallies = source.tallies(
        _questions(question), by=wanted.groups.names, other_path=other_path
    )
    one, *others = tallies
    name = asked_question(one.survey, question).name
    candidates = read_candidates(one.survey, path)
    how: dict[str, Any] = {
        "simultaneous": simultaneous,
        "margin": margin,
        "overlap": overlap,
        # Counts that are alike are no sign of one table that was given twice.
        "allow_equal": source.allow_equal or not source.paths,
    }
    called = _names(names, source)
    if wanted:
        groups = compare_groups(
            one,
            *others,
            question=name,
            baseline=baseline,
            options=options,
            candidates=candidates,
            names=called,
            **group_arguments(path, wanted),
            **how,
        )
        present(groups.sheet(), form, output)
        return
    [other] = others
    same = asked_question(other.survey, question).name
    known = read_candidates(other.survey, other_path or path)
    comparison = compared(
        estimate(one, options=options, candidates=candidates, names=[name])[name],
        estimate(other, options=options, candidates=known, names=[same])[same],
        names=called,
        **how,
    )
    present(comparison.sheet(), form, output)


def _against_direct(
    one: Tally, question: str | None, path: Path, *, direct: Direct, options: Options
) -> DirectComparison:
    from ldp_aggregator.analyses.comparisons.direct import compare_direct
    from ldp_aggregator.answers.estimates.estimation import estimate

    name = asked_question(one.survey, question).name
    candidates = read_candidates(one.survey, path)
    estimates = estimate(one, options=options, candidates=candidates, names=[name])
    return compare_direct(estimates[name], direct)


def _check_direct(wanted: GroupOptions, others: Sequence[object]) -> None:
    """Raise `click.UsageError` for options that a comparison with counts has no use
    for.
    """
    if wanted or any(other is not None for other in others):
        raise click.UsageError(
            "--direct: expected A alone, and --question, --level and "
            "--reports-per-person at most, got B or other options"
        )
    source = click.get_current_context().get_parameter_source("estimand")
    if source is not None and source.name == "COMMANDLINE":
        raise click.UsageError(
            "--direct: expected no --estimand, as the arms are other people, so that "
            "errors are for the population that both were drawn from"
        )


def _check(
    wanted: GroupOptions,
    is_alone: bool,
    *,
    other_path: Path | None,
    baseline: str | None,
    names: str | None,
) -> None:
    """Raise `click.UsageError` for options that do not go together."""
    if is_alone:
        if not wanted.by:
            raise click.UsageError(
                "expected A and B, or A alone and --by to compare its groups"
            )
        if other_path is not None or names is not None:
            raise click.UsageError(
                "--other-survey and --names are for A and B, got A alone"
            )
    elif baseline is not None or wanted.earlier:
        raise click.UsageError(
            "--baseline and --released are for groups of A alone, got B as well"
        )


def _questions(question: str | None) -> tuple[str, ...]:
    if question is None:
        return ()
    return (question,)


def _names(names: str | None, source: TallySource) -> tuple[str, str]:
    """What the two are called: as was asked, or by their files if these differ."""
    if names is not None:
        parts = [name.strip() for name in names.split(",")]
        if len(parts) != 2 or not all(parts) or parts[0] == parts[1]:
            raise click.BadParameter(
                f"expected two different names with a comma between, got {names!r}"
            )
        return parts[0], parts[1]
    stems = [Path(file).stem for file in source.files]
    if source.counts or len(set(filter(None, stems))) < 2:
        return "A", "B"
    return stems[0], stems[1]
