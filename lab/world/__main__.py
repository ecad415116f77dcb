"""The command: live through the worlds of many seeds, or of one again, and smaller.

    python -m lab.world --seeds 0:1000000 --workers 2
    python -m lab.world --replay 4711
    python -m lab.world --seeds 0:500 --bug double-turn

Exits with 1 where a seed failed, or a kind of fault never happened.
"""

from __future__ import annotations

import sys
import time

import click

from lab.world.bugs import BUGS
from lab.world.machines.faults import FAULTS, missing
from lab.world.runs import Runs, rules_broken, run_all, verdict
from lab.world.scenario import Scenario, scenario
from lab.world.shrinking import shrink

_PAUSE = 60.0
"""Seconds between two lines about how far it is."""


class _Range(click.ParamType[tuple[int, int]]):
    """Two whole numbers, the second beyond the last."""

    name = "A:B"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Read them."""
        first, _, last = str(value).partition(":")
        if not (first.isdecimal() and last.isdecimal() and int(first) < int(last)):
            self.fail(f"expected seeds such as 0:1000, got {value!r}", param, ctx)
        return int(first), int(last)


@click.command()
@click.option("--seeds", type=_Range(), help="From the first to before the second.")
@click.option("--workers", default=1, show_default=True, help="Processes.")
@click.option(
    "--replay", type=int, help="A seed to be lived through again; smaller if it fails."
)
@click.option("--bug", type=click.Choice(list(BUGS)), help="A defect to put in.")
def main(
    seeds: tuple[int, int] | None, workers: int, replay: int | None, bug: str | None
) -> None:
    """Simulate service, devices, network, disks and clocks as a whole."""
    if (seeds is None) == (replay is None):
        raise click.UsageError("expected either --seeds or --replay")
    if replay is not None:
        sys.exit(_replay(replay, bug))
    assert seeds is not None  # one of both is
    sys.exit(_run(*seeds, workers=workers, bug=bug))


def _run(first: int, last: int, *, workers: int, bug: str | None) -> int:
    begun = said = time.monotonic()
    known = 0

    def tell(runs: Runs) -> None:
        nonlocal said, known
        for failure in runs.failures[known:]:
            click.echo(f"seed {failure.seed}: {'; '.join(failure.wrong[:3])}")
        known = len(runs.failures)
        if time.monotonic() - said >= _PAUSE:
            said = time.monotonic()
            click.echo(f"{runs.seeds:,} seeds, {runs.failed:,} failed", err=True)

    runs = run_all(first, last, bug, workers=workers, tell=tell)
    for name in FAULTS:
        click.echo(f"{runs.faults[name]:12,}  {name}")
    never = missing(runs.faults)
    for name in never:
        click.echo(
            f"expected a fault that happens, got none of: {name} ({FAULTS[name]})"
        )
    click.echo(
        f"{runs.seeds:,} seeds, {runs.batches:,} batches counted, {runs.failed:,} "
        f"failed; {1000 * runs.seconds / runs.seeds:.1f} ms of a processor each, "
        f"{runs.seeds / (time.monotonic() - begun):.0f} a second"
    )
    return int(bool(runs.failed or never))


def _replay(seed: int, bug: str | None) -> int:
    world = scenario(seed)
    outcome = verdict(world, bug)
    if outcome.wrong:
        shrunk = shrink(world, lambda smaller: rules_broken(smaller, bug))
        click.echo(
            f"seed {seed} fails; {_sizes(world)}; after {shrunk.tries} worlds less:"
        )
        world = shrunk.scenario
        outcome = verdict(world, bug)
        click.echo(f"{_sizes(world)}")
    for line in outcome.trace:
        click.echo(line)
    for sentence in outcome.wrong:
        click.echo(f"wrong: {sentence}")
    click.echo(f"trace {outcome.digest}")
    return int(bool(outcome.wrong))


def _sizes(world: Scenario) -> str:
    return (
        f"{len(world.surveys)} devices, {len(world.events)} events, {world.hours:.1f} "
        "hours"
    )


if __name__ == "__main__":
    main()
