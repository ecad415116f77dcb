"""The command: let devices live, and say what arrived. `python -m lab.delivery`."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from lab.delivery.figures import GOAL, Row, biases, hard_lives, lives, row
from lab.delivery.lives import Life


@click.command()
@click.option("--devices", default=200, show_default=True, help="Of each kind of life.")
@click.option("--seed", default=1, show_default=True)
@click.option(
    "--forgetting", is_flag=True, help="Draw due times anew at each start, to compare."
)
def main(devices: int, seed: int, *, forgetting: bool) -> None:
    """Let devices answer once, be offline, and send, by the client's own schedule.

    Exit code 1 if of the devices that come back, and have a network for ten seconds,
    less than 99 % of the reports arrive.
    """

    def measured(kinds: Iterable[tuple[str, Life]]) -> list[Row]:
        rows = []
        for name, life in kinds:
            one = row(name, life, devices, seed, keeps=not forgetting)
            soon = one.next_day / max(1, one.devices)
            click.echo(
                f"{life.minutes:7.0f} {life.offline:8} {one.devices:8} "
                f"{one.share:8.2%} {soon:8.2%}  {name}"
            )
            rows.append(one)
        return rows

    click.echo("minutes  offline  devices  arrived  within a day of a network")
    returning, hard = measured(lives()), measured(hard_lives())
    click.echo(
        "\nbias of a share that 30 % of light users (1 minute) and 60 % of heavy ones "
        "hold"
    )
    for name, light, heavy, error in biases([*returning, *hard]):
        click.echo(
            f"{100 * error:+6.2f} points  light {light:.2%}, heavy {heavy:.2%}  {name}"
        )
    arrived = sum(one.arrived for one in returning) / sum(
        one.devices for one in returning
    )
    click.echo(f"\n{arrived:.3%} of the reports of devices that come back arrived")
    sys.exit(arrived < GOAL)


if __name__ == "__main__":
    main()
