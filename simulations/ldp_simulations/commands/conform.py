"""`ldp conform`: whether any client does what a device has to do."""

from __future__ import annotations

from pathlib import Path

import click

from ldp_aggregator.output.files import read_survey

_COMMAND = "ldp_simulations.conform.command"
_DASHES = "--"


class _BeforeDashes(click.Command):
    """A command whose words end at `--`: what comes behind is the command of another program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what comes behind."""
        end = args.index(_DASHES) if _DASHES in args else len(args)
        ctx.meta[_COMMAND] = args[end + 1 :]
        return super().parse_args(ctx, args[:end])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Show that it comes."""
        return [*super().collect_usage_pieces(ctx), "-- COMMAND..."]


@click.command(cls=_BeforeDashes)
@click.argument("survey_path", metavar="[SURVEY]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--vectors",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of vector files, such as tests/vectors; without, vectors are made.",
)
@click.option(
    "--samples",
    default=4000,
    show_default=True,
    type=click.IntRange(100, 10**6),
    help="Reports to draw for each answer whose law is tried.",
)
@click.option(
    "--kills",
    default=20,
    show_default=True,
    type=click.IntRange(1, 10**5),
    help="How often to kill the client.",
)
@click.option("--only", multiple=True, metavar="POINT", help="Try this point, and others so named.")
@click.pass_context
def conform(
    ctx: click.Context,
    survey_path: Path | None,
    vectors: Path | None,
    samples: int,
    kills: int,
    only: tuple[str, ...],
) -> None:
    """Say point by point whether a client does what a device has to do.

    COMMAND runs it; it is asked by lines of JSON on its standard input (docs/conformance.md). The
    reports to the questions of SURVEY are tried as well as those to built-in ones.
    """
    from ldp_simulations.conformance.points import FAILED, POINTS
    from ldp_simulations.conformance.points import conform as conform_points

    command = ctx.meta[_COMMAND]
    if not command:
        raise click.UsageError("expected the command of a client behind --, got none")
    unknown = [name for name in only if name not in POINTS]
    if unknown:
        raise click.UsageError(
            f"--only: expected one of {', '.join(POINTS)}, got {', '.join(unknown)}"
        )
    survey = None if survey_path is None else read_survey(survey_path)
    failed = 0
    for point in conform_points(
        command, survey=survey, vectors=vectors, samples=samples, kills=kills, only=only
    ):
        click.echo(f"{point.verdict}  {point.name:<9} {point.detail}")
        failed += point.verdict == FAILED
    if failed:
        raise click.ClickException(f"expected a client that passes every point, got {failed} not")
