"""n times the variance of a mean, given the numbers: exact, averaged over an input.

Each mechanism makes of a number x from -1 to 1 a report that is worth y to the mean,
E[y | x] = x. E stands for e^epsilon, C for (E + 1) / (E - 1).

    discrete Laplace   8 / epsilon^2, nearly: noise on a grid, neither cut nor folded
    geometric          the same noise, cut to the range: k (2 - P[an end | x]), in steps
    Duchi              C^2 - x^2                              Duchi, Jordan and Wainwright 2018
    PM                 x^2 / (s - 1) + (s + 3) / (3 (s - 1)^2), s = e^(epsilon/2)
    HM                 PM with probability 1 - 1/s, else Duchi; Duchi alone up to
                       epsilon .61
    dithered           from the integers that a device draws with

PM and HM are the piecewise and the hybrid mechanism of Wang et al. 2019, "Collecting
and Analyzing Multidimensional Data with Local Differential Privacy" (ICDE), as
published: in floats. They are here to be compared with.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from lab.benchmarks.means.inputs import Input
from ldp import parse_survey
from ldp.mechanisms.numbers.dithered import DitheredResponse
from ldp_aggregator.decoders.numbers.dithered import scores_of
from ldp_aggregator.numerics.arrays import Floats

THREE_LEVELS = "`dithered`, `levels = 3`"
SWITCH = 0.61
"""The epsilon up to which the hybrid mechanism is Duchi's alone, as published."""


def discrete_laplace(epsilon: float, asked: Input) -> Floats:
    """Of shape (places,), as all of these."""
    decay = math.exp(-epsilon / asked.steps)
    in_steps = 2 * decay / (1 - decay) ** 2
    return np.full(asked.steps + 1, in_steps * (2 / asked.steps) ** 2)


def geometric(epsilon: float, asked: Input) -> Floats:
    """Of `geometric`, and of `laplace`, which the aggregator cuts to the range."""
    decay = math.exp(-epsilon / asked.steps)
    from_low = np.arange(asked.steps + 1)
    at_end = (decay**from_low + decay ** from_low[::-1]) / (1 + decay)
    in_steps = decay / (1 - decay) ** 2 * (2 - at_end)
    return in_steps * (2 / asked.steps) ** 2


def duchi(epsilon: float, asked: Input) -> Floats:
    """Of `one-bit`."""
    return duchi_variance(epsilon, asked.scaled)


def piecewise(epsilon: float, asked: Input) -> Floats:
    """Of PM."""
    return piecewise_variance(epsilon, asked.scaled)


def hybrid(epsilon: float, asked: Input) -> Floats:
    """Of HM: both of its parts are unbiased, so that their variances mix."""
    share = piecewise_share(epsilon)
    return share * piecewise(epsilon, asked) + (1 - share) * duchi(epsilon, asked)


def dithered(epsilon: float, asked: Input) -> Floats:
    """Of `dithered`, with the levels that it has if the survey does not say."""
    return of_dithers(dithered_response(epsilon, asked.steps))


def three_levels(epsilon: float, asked: Input) -> Floats:
    """Of `dithered` with three levels, which may know a variance better than two."""
    return of_dithers(dithered_response(epsilon, asked.steps)._replace(levels=3))


def has_two_levels(epsilon: float) -> bool:
    """Whether a survey that does not say has fewer levels than three."""
    return dithered_response(epsilon, 1).levels == 2


def of_dithers(randomizer: DitheredResponse) -> Floats:
    """The second moment of a report's worth, over all dithers and levels, less the
    square.
    """
    own, other = (float(chance) for chance in randomizer.response.support)
    # (grid, levels): what a report is worth, counted from the middle of the range.
    worth = scores_of(randomizer).place
    # (grid, levels): its second moment, by dither and the true level.
    everything = other * (worth**2).sum(axis=1, keepdims=True)
    moments = everything + (own - other) * worth**2
    dithers = np.arange(randomizer.grid)
    places = np.arange(randomizer.size)
    levels = ((randomizer.levels - 1) * places[:, None] + dithers) // randomizer.grid
    in_steps = (
        moments[dithers, levels].mean(axis=1) - (places - randomizer.grid / 2) ** 2
    )
    return in_steps * (2 / randomizer.grid) ** 2


def dithered_response(epsilon: float, steps: int) -> DitheredResponse:
    """That of a survey whose range has n steps, up to those of the finest grid."""
    head = '[survey]\nname = "s"\n[[question]]\nname = "x"\nmechanism = "dithered"\n'
    keys = (
        f'type = "number"\nlow = 0\nhigh = {steps}\nstep = 1\nepsilon = "{epsilon}"\n'
    )
    randomizer = parse_survey(head + keys)["x"].randomizer
    assert isinstance(randomizer, DitheredResponse)
    return randomizer


MECHANISMS: dict[str, Callable[[float, Input], Floats]] = {
    "Laplace, discrete": discrete_laplace,
    "`geometric`, `laplace`": geometric,
    "Duchi (`one-bit`)": duchi,
    "PM": piecewise,
    "HM": hybrid,
    "`dithered`": dithered,
    THREE_LEVELS: three_levels,
}


def of_mean(name: str, epsilon: float, asked: Input) -> float:
    """The variance of the mean times n, for respondents who hold the numbers of an
    input.
    """
    return float(asked.shares @ MECHANISMS[name](epsilon, asked))


def duchi_variance(epsilon: float, numbers: Floats) -> Floats:
    """Of a report on each number."""
    ratio = math.exp(epsilon)
    return ((ratio + 1) / (ratio - 1)) ** 2 - numbers**2


def piecewise_variance(epsilon: float, numbers: Floats) -> Floats:
    """Of a report on each number."""
    root = math.exp(epsilon / 2)
    return numbers**2 / (root - 1) + (root + 3) / (3 * (root - 1) ** 2)


def piecewise_share(epsilon: float) -> float:
    """How often the hybrid mechanism is the piecewise one."""
    return 1 - math.exp(-epsilon / 2) if epsilon > SWITCH else 0.0


def duchi_reports(numbers: Floats, epsilon: float, generator: Generator) -> Floats:
    """What reports on some numbers are worth: one of two ends."""
    ratio = math.exp(epsilon)
    end = (ratio + 1) / (ratio - 1)
    chance = (1 + numbers / end) / 2
    return np.where(generator.random(len(numbers)) < chance, end, -end)


def piecewise_reports(numbers: Floats, epsilon: float, generator: Generator) -> Floats:
    """What reports of PM are worth: uniform on a window about the number, or outside of
    it.
    """
    root = math.exp(epsilon / 2)
    end = (root + 1) / (root - 1)
    # The window is [left, left + end - 1], and the rest as wide as two ends and one
    # more.
    left = (end + 1) / 2 * numbers - (end - 1) / 2
    inside = generator.random(len(numbers)) < root / (root + 1)
    rest = -end + (end + 1) * generator.random(len(numbers))
    rest = np.where(rest < left, rest, rest + end - 1)
    return np.where(inside, left + (end - 1) * generator.random(len(numbers)), rest)


def hybrid_reports(numbers: Floats, epsilon: float, generator: Generator) -> Floats:
    """What reports of HM are worth."""
    of_piecewise = generator.random(len(numbers)) < piecewise_share(epsilon)
    return np.where(
        of_piecewise,
        piecewise_reports(numbers, epsilon, generator),
        duchi_reports(numbers, epsilon, generator),
    )
