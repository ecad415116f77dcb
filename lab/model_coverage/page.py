"""The measurements as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from lab.model_coverage.measuring import Measured

_HEAD = """# Coverage of regressions and weighted estimates

Of so many *runs* each, the share whose 95 % interval holds the truth; of several coefficients that
which is farthest from .95. Claimed is .94 to .96. *Bias* is the mean error in standard deviations
of the estimate; *error* the mean standard error over that deviation; *size* how often a test at .05
rejects a predictor that explains nothing. Written by `python -m lab.model_coverage`.

| what | from | respondents | runs | coverage | bias | error | size |
|---|---|---|---|---|---|---|---|
"""


def page(measured: Sequence[Measured]) -> str:
    """The page."""
    rows = [
        f"| {one.case.name} | {one.case.what} | {one.case.respondents:,} | {one.runs:,} "
        f"| {_share(one.coverage)} | {one.bias:+.2f} | {one.ratio:.2f} | {_size(one)} |"
        for one in measured
    ]
    return _HEAD + "\n".join(rows) + "\n"


def _size(one: Measured) -> str:
    return "-" if one.size is None else _share(one.size)


def _share(share: float) -> str:
    return f"{share:.3f}".lstrip("0")
