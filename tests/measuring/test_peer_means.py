"""Means of other libraries beside ours: who is asked, what workers say, and what the
page shows.

Nothing is installed here.
"""

import math

import numpy as np
import pytest

from lab.benchmarks.means import peers
from lab.benchmarks.means.__main__ import PAGE
from lab.benchmarks.means.inputs import Input, drawn
from lab.benchmarks.means.laws import of_mean
from lab.benchmarks.means.page import table
from lab.benchmarks.means.peers import (
    EPSILONS,
    RESPONDENTS,
    ROWS,
    SURVEYS,
    Error,
    beside,
    line,
)
from lab.benchmarks.means.workers import ours
from lab.benchmarks.means.workers.surveying import Asked, answered, of_frequencies
from lab.benchmarks.peers.environments import InstallError
from lab.benchmarks.peers.sides import ROOT, WORKERS
from lab.benchmarks.peers.table import OURS
from lab.benchmarks.peers.workers.measure import Contender

LAWS = {
    "ldpkit: `dithered`": "`dithered`",
    "ldpkit: `one-bit`": "Duchi (`one-bit`)",
    "ldpkit: `geometric`": "`geometric`, `laplace`",
    "opendp: `make_laplace`": "Laplace, discrete",
    "opendp: `make_geometric`": "Laplace, discrete",
    "opendp: `make_randomized_response_bool`": "Duchi (`one-bit`)",
}
"""Rows whose error is known, and the law that it comes from."""


def plain(build):
    """Answers of a worker: three surveys of numbers up to 4."""
    numbers = [0, 1, 4, 4]
    return answered(
        build, name="n", options={}, epsilon="1", steps=4, numbers=numbers, surveys=3
    )


def test_every_row_has_a_worker():
    """A side of the benchmark beside the peers, whose worker for means is there."""
    assert {row.side for row in ROWS} == set(WORKERS)
    for module in WORKERS.values():
        assert (
            ROOT / "lab" / "benchmarks" / "means" / "workers" / f"{module}.py"
        ).exists()


def test_a_worker_says_means_and_times():
    """A survey is all numbers once; answers are what the client takes."""
    seen = []

    def build(name, options, epsilon, steps):
        assert (name, options, epsilon, steps) == ("n", {}, "1", 4)
        return Asked(str, lambda answer: seen.append(answer) or int(answer), np.mean)

    answer = plain(build)
    assert answer["means"] == [2.25] * 3
    assert answer["client"] >= 0
    # Two at first, so that what is made once is made.
    assert seen == ["0", "1", *["0", "1", "4", "4"] * 3]


def test_a_mean_of_frequencies():
    """Where a library has these alone; the view is that which is named."""

    def shares(reports):
        return np.bincount(reports, minlength=5) / len(reports)

    contender = Contender(
        int,
        int,
        server=shares,
        read=lambda shares: {"unbiased": shares, "returned": 0 * shares},
    )
    asked = of_frequencies(contender, "unbiased", 4)
    assert asked.mean([0, 1, 4, 4]) == pytest.approx(2.25)
    assert of_frequencies(contender, "returned", 4).mean([4]) == 0
    with pytest.raises(TypeError, match="estimator"):
        of_frequencies(contender._replace(server=None), "unbiased", 4)


@pytest.mark.parametrize("name", ["dithered", "one-bit", "geometric"])
def test_our_side_goes_through_client_and_file(name):
    """At an epsilon of 20 a survey of 60 comes to the mean itself, within a step of the
    grid.
    """
    numbers = list(range(5)) * 60
    answer = answered(
        ours.build,
        name=name,
        options={"keys": ""},
        epsilon="20",
        steps=4,
        numbers=numbers,
        surveys=2,
    )
    # Of `one-bit` numbers are rounded to the ends, which has a standard error of .08
    # steps.
    assert np.abs(np.array(answer["means"]) - 2).max() < 0.5


class Scripted:
    """A side that errs by a tenth of the range, or fails at the greater of two
    inputs.
    """

    alive = True

    def __init__(self, *_):
        self.closed = False

    def ask(self, request):
        """As a worker answers."""
        if request["steps"] > 10:
            return {"failed": "MemoryError"}
        off = request["steps"] / 10
        middle = np.mean(request["numbers"])
        return {
            "means": [middle - off, middle + off] * request["surveys"],
            "client": 5e-6,
        }

    def close(self):
        """As a worker is ended."""
        self.closed = True


def test_what_cannot_be_measured_is_not_made_up(monkeypatch, tmp_path):
    """A library that cannot be installed has a row that says so; one that fails has no
    figure.
    """

    def interpreter(name, _):
        if name != OURS:
            raise InstallError(f"expected to install {name}")
        return tmp_path

    monkeypatch.setattr(peers, "interpreter", interpreter)
    monkeypatch.setattr(peers, "Side", Scripted)
    asked = [
        Input(f"to {steps}", np.full(steps + 1, 1 / (steps + 1))) for steps in (4, 20)
    ]
    headings, rows = beside(asked, tmp_path, surveys=2, rows=(ROWS[0], ROWS[3]))
    assert headings == [
        "epsilon",
        "library and mechanism",
        "µs a report",
        "to 4",
        "to 20",
    ]
    assert rows[:2] == [
        ["0.5", "ldpkit: `dithered`", "5", "100", "–"],
        ["0.5", "opendp: `make_laplace`, not measured", "–", "–", "–"],
    ]
    assert "| 0.5 | ldpkit: `dithered` | **5** | **100** | – |" in table(headings, rows)


def test_a_row():
    """The time is the median of the inputs'."""
    errors = [Error(0.01234, 1e-6), Error(0.2, 3e-6), Error(0.5, 9e-6)]
    assert line(ROWS[0], "2", errors) == [
        "2",
        "ldpkit: `dithered`",
        "3",
        "12.3",
        "200",
        "500",
    ]


def test_the_page_has_what_was_measured():
    """Every row; and where the law of an error is known, a figure that may come from
    it.

    Of 200 surveys, within 5.5 standard errors of a root mean square, each 1 / sqrt(2 n)
    of it: so within 27 %. False alarms: 4e-8 for each of 48 figures. An epsilon that is
    half as large again is detected.
    """
    text = PAGE.read_text(encoding="utf-8").split("<!-- peers -->\n")[1]
    lines = text.split("<!-- /peers -->")[0].splitlines()
    written = [
        [cell.strip("* ") for cell in line.strip("| ").split(" | ")] for line in lines
    ]
    headings, rows = written[0], written[2:]
    names = [f"{row.side}: {row.name}" for row in ROWS]
    measured = [[row[0], row[1].removesuffix(", not measured")] for row in rows]
    assert measured == [[epsilon, name] for epsilon in EPSILONS for name in names]
    for one in drawn():
        place = headings.index(one.name)
        for row in rows:
            if row[1] in LAWS:
                law = of_mean(LAWS[row[1]], float(row[0]), one)
                # The range is 2 wide in the laws.
                expected = 1_000 * math.sqrt(law / RESPONDENTS) / 2
                assert abs(float(row[place]) / expected - 1) < 5.5 / math.sqrt(
                    2 * SURVEYS
                )
