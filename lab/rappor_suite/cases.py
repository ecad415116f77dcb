"""The cases of the grid, as tables: demo, paper, and 4 sizes x 5 distributions x 5
configurations.

Beside them others, of sizes that nothing was made for: other filters, few reports and
many, nearly all candidates real, and texts that are no candidates.

The values are v1 to vM, and further names that no one holds are candidates as well.
Where names are missing, those that end in 9 are no candidates, however many hold them.
With k bits, h hash functions and m cohorts, the reports of the grid bear k m = 1,024
candidates; two configurations have up to 107 times as many.

Distributions of the number i of a value, from 1 to M:

    unif   1
    gauss  exp(-z^2 / 2), z = (i - (M + 1) / 2) / ((M - 1) / 6)
    exp    exp(-5 (i - 1) / (M - 1))
    zipfS  i^-S

Sources: tests/regtest_spec.py of google/rappor; Erlingsson, Pihur and Korolova 2014,
Section 5.2 (paper).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from typing import NamedTuple

import numpy as np

from ldp.errors import LDPError
from ldp.survey.survey import Question
from ldp.survey.survey_file import parse_survey
from ldp_aggregator.numerics.arrays import Floats


class CaseError(LDPError, ValueError):
    """A pattern that no case fits."""


class Parameters(NamedTuple):
    """How answers are reported: k, h, m and p, q, f."""

    bits: int
    hashes: int
    cohorts: int
    p: str
    q: str
    f: str

    @property
    def question(self) -> Question:
        """The question, open to any text."""
        return _question(self)


class Case(NamedTuple):
    """One case; an instance of it is one population drawn anew, with the noise of its
    reports.
    """

    name: str
    distribution: str
    values: int
    clients: int
    parameters: Parameters
    spurious: int
    """Candidates that no one holds."""
    missing: bool
    """Whether names that end in 9 are missing from the candidates."""
    instances: int
    answers_each: int = 1
    """Answers of a client, each drawn anew.

    The permanent response of those that agree is the same.
    """

    @property
    def candidates(self) -> list[int]:
        """The places of the candidates: values from 0, then the spurious ones."""
        places = [
            place
            for place in range(self.values)
            if not self.missing or (place + 1) % 10 != 9
        ]
        return [*places, *range(self.values, self.values + self.spurious)]

    @property
    def shares(self) -> Floats:
        """The probability of each value."""
        weights = DISTRIBUTIONS[self.distribution](
            np.arange(1, self.values + 1, dtype=float)
        )
        shares: Floats = weights / weights.sum()
        return shares


class _Size(NamedTuple):
    name: str
    values: int
    clients: int
    instances: int


class _Configuration(NamedTuple):
    name: str
    parameters: Parameters
    spurious: float
    """As a share of the number of values."""
    missing: bool


def _gauss(number: Floats) -> Floats:
    spread = (len(number) - 1) / 6
    shape: Floats = np.exp(-(((number - number.mean()) / spread) ** 2) / 2)
    return shape


DISTRIBUTIONS: dict[str, Callable[[Floats], Floats]] = {
    "unif": np.ones_like,
    "gauss": _gauss,
    "exp": lambda number: np.exp(-5 * (number - 1) / (len(number) - 1)),
    "zipf1": lambda number: 1 / number,
    "zipf1.5": lambda number: number**-1.5,
}

DEMO = Parameters(32, 1, 64, p="0.25", q="0.75", f="0.5")
PAPER = Parameters(128, 2, 16, p="0.5", q="0.75", f="0.5")
NOISY = Parameters(8, 2, 128, p="0.39", q="0.61", f="0.45")
LOOSE = Parameters(8, 2, 128, p="0.225", q="0.775", f="0")

_OTHERS = (
    # Name, distribution, values, clients, parameters, spurious, whether some are
    # missing.
    ("few", "zipf1", 100, 2_000, DEMO, 100, False),
    (
        "wide",
        "exp",
        200,
        10_000_000,
        Parameters(128, 2, 128, p="0.25", q="0.75", f="0.5"),
        200,
        False,
    ),
    ("paper", "zipf1", 300, 10_000_000, PAPER, 300, False),
    ("missing", "zipf1", 100, 1_000_000, PAPER, 100, True),
    (
        "real",
        "unif",
        200,
        1_000_000,
        Parameters(64, 4, 16, p="0.25", q="0.75", f="0.5"),
        10,
        False,
    ),
    (
        "cohorts",
        "unif",
        200,
        1_000_000,
        Parameters(256, 2, 4, p="0.1", q="0.9", f="0.5"),
        200,
        False,
    ),
    (
        "hash",
        "zipf1",
        100,
        1_000_000,
        Parameters(16, 1, 32, p="0.4", q="0.6", f="0.25"),
        50,
        False,
    ),
    (
        "crowd",
        "zipf1.5",
        100,
        100_000,
        Parameters(64, 2, 16, p="0.1", q="0.6", f="0.5"),
        2_000,
        False,
    ),
)

_SIZES = (
    _Size("tiny", 100, 1_000, instances=20),
    _Size("small", 100, 1_000_000, instances=40),
    _Size("medium", 1_000, 10_000_000, instances=8),
    _Size("large", 10_000, 100_000_000, instances=3),
)
_CONFIGURATIONS = (
    _Configuration("typical", NOISY, 0.2, missing=True),
    _Configuration("sharp", NOISY, 0, missing=False),
    _Configuration("loose", LOOSE, 0.2, missing=True),
    _Configuration("over_x2", NOISY, 2, missing=True),
    _Configuration("over_x10", NOISY, 10, missing=True),
)


def cases(pattern: str = "*") -> list[Case]:
    """The cases whose names fit a pattern such as `small *`.

    Raises `CaseError` if there are none.
    """
    fitting = [case for case in _cases() if fnmatchcase(case.name, pattern)]
    if not fitting:
        raise CaseError(
            "expected a pattern that cases fit, such as 'demo *' or 'small typical *', "
            f"got {pattern!r}"
        )
    return fitting


def _cases() -> Iterator[Case]:
    for distribution in DISTRIBUTIONS:
        yield Case(
            f"demo {distribution}",
            distribution,
            100,
            clients=100_000,
            parameters=DEMO,
            spurious=100,
            missing=True,
            instances=40,
            answers_each=10,
        )
    yield Case(
        "paper exp",
        "exp",
        100,
        clients=1_000_000,
        parameters=PAPER,
        spurious=100,
        missing=False,
        instances=40,
    )
    for name, distribution, values, clients, parameters, unheld, missing in _OTHERS:
        yield Case(
            f"other {name} {distribution}",
            distribution,
            values,
            clients=clients,
            parameters=parameters,
            spurious=unheld,
            missing=missing,
            instances=20,
        )
    for size in _SIZES:
        for name, parameters, spurious, missing in _CONFIGURATIONS:
            for distribution in DISTRIBUTIONS:
                yield Case(
                    f"{size.name} {name} {distribution}",
                    distribution,
                    size.values,
                    clients=size.clients,
                    parameters=parameters,
                    spurious=round(spurious * size.values),
                    missing=missing,
                    instances=size.instances,
                )


@cache
def _question(parameters: Parameters) -> Question:
    bits, hashes, cohorts, *noise = parameters
    probabilities = "".join(
        f'{name} = "{value}"\n' for name, value in zip("pqf", noise, strict=True)
    )
    keys = (
        f"bloom_bits = {bits}\nhashes = {hashes}\ncohorts = {cohorts}\n{probabilities}"
    )
    head = (
        '[survey]\nname = "suite"\n[[question]]\nname = "x"\nmechanism = '
        '"rappor"\ntype = "text"'
    )
    return parse_survey(f"{head}\n{keys}")["x"]
