"""The measurements as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from lab.model_coverage.measuring import Measured

_HEAD = """# Coverage of regressions and weighted estimates

*Coverage* is the share of runs whose 95 % interval contains the truth; for several coefficients it
is the share farthest from .95. The claim is .94 to .96. *Bias* is the mean error in standard
deviations of the estimate. *Error* is the mean standard error over that deviation. *Size* is how
often a test at .05 rejects a predictor without effect. `python -m lab.model_coverage` writes this
page.

| what | from | respondents | runs | coverage | bias | error | size |
|---|---|---|---|---|---|---|---|
"""


def page(measured: Sequence[Measured]) -> str:
    """The page."""
    rows = [
        f"| {one.case.name} | {one.case.what} | {one.case.respondents:,} | "
        f"{one.runs:,} | {_share(one.coverage)} | {one.bias:+.2f} | {one.ratio:.2f} | "
        f"{_size(one)} |"
        for one in measured
    ]
    return _HEAD + "\n".join(rows) + "\n"


def _size(one: Measured) -> str:
    return "-" if one.size is None else _share(one.size)


def _share(share: float) -> str:
    return f"{share:.3f}".lstrip("0")
