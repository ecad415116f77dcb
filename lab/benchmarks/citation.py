"""What the README cites of docs/benchmarks.md: written from the page, so that they agree."""

from __future__ import annotations

import re

_PLACE = re.compile(r"(<!-- measured -->).*?(<!-- /measured -->)", re.DOTALL)
_MACHINE = re.compile(r"^Measured on (.*?)\. ", re.MULTILINE)
_SYMBOL, _BITS = "client: grr, 4 values", "client: oue, 1,024 values"


def citation(page: str) -> str:
    """The figures of the client, as the README states them, by the page of all figures."""
    machine = _MACHINE.search(page)
    if machine is None:
        raise ValueError('expected a page that says "Measured on ...", got none')
    return (
        f"a report of `grr` takes\n  {_microseconds(page, _SYMBOL)} microseconds, one of 1,024 "
        f"bits "
        f"{_microseconds(page, _BITS)}, on\n  {machine[1]}"
    )


def cited(readme: str, page: str) -> str:
    """The README with what the page says where it cites it."""
    if len(_PLACE.findall(readme)) != 1:
        raise ValueError(
            "expected one place between <!-- measured --> and <!-- /measured --> in the README"
        )
    return _PLACE.sub(lambda place: f"{place[1]}{citation(page)}{place[2]}", readme)


def _microseconds(page: str, name: str) -> str:
    """What was measured, to three digits."""
    row = re.search(rf"^\| {re.escape(name)} \|[^|]*\| ([0-9.]+) us \|", page, re.MULTILINE)
    if row is None:
        raise ValueError(f"expected a row {name!r} in microseconds, got none")
    return row[1]
