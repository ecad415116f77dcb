"""OpenDP: noise on a number, or randomized response on one of two ends, the mean of
what comes.

`make_laplace` and `make_geometric` add noise that nothing cuts, to a number whose range
is known, so that it may change by the whole range. That a number is rounded to one of
both ends at random before `make_randomized_response_bool`, and what a report is then
worth, is not the library's: with it, the mechanism is Duchi's. The library says itself
what each costs, which is checked.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from typing import Any

import opendp.prelude as dp

from lab.benchmarks.means.workers.surveying import Asked, serve

dp.enable_features("contrib")

_ROUNDING = 1e-9
"""By which part of it an epsilon may be passed, through floats."""


def build(name: str, options: dict[str, Any], epsilon: str, steps: int) -> Asked:
    """`name` is what follows `make_`; it takes no options."""
    return _BUILDERS[name](float(epsilon), steps, **options)


def _laplace(epsilon: float, steps: int) -> Asked:
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    measurement = dp.m.make_laplace(*space, scale=steps / epsilon)
    _check(measurement.map(float(steps)), epsilon)
    return Asked(float, measurement, _average)


def _geometric(epsilon: float, steps: int) -> Asked:
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    measurement = dp.m.make_geometric(*space, scale=steps / epsilon)
    _check(measurement.map(steps), epsilon)
    return Asked(int, measurement, _average)


def _one_of_two(epsilon: float, steps: int) -> Asked:
    truth = math.exp(epsilon) / (math.exp(epsilon) + 1)
    measurement = dp.m.make_randomized_response_bool(truth)
    _check(measurement.map(1), epsilon)

    def client(number: int) -> bool:
        report: bool = measurement(secrets.randbelow(steps) < number)
        return report

    def mean(reports: list[bool]) -> float:
        return steps * (_average(reports) - (1 - truth)) / (2 * truth - 1)

    return Asked(int, client, mean)


def _average(reports: list[Any]) -> float:
    return sum(reports) / len(reports)


def _check(cost: float, epsilon: float) -> None:
    if cost > epsilon * (1 + _ROUNDING):
        raise ValueError(f"expected a report to cost {epsilon}, got {cost}")


_BUILDERS: dict[str, Callable[..., Asked]] = {
    "laplace": _laplace,
    "geometric": _geometric,
    "randomized_response_bool": _one_of_two,
}

if __name__ == "__main__":
    serve(build)
