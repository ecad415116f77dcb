"""Strata in the clear: a file of reports or a tally for each combination of public
attributes.

A strata file is CSV. Its column `reports` names report files or tallies, relative to
the file; a column `weight`, if any, has the design weight of each respondent there; all
other columns are public attributes:

    country,version,reports
    DE,1.2,de-1.2.tally
    FR,1.2,fr-1.2.tally

A combination stands in one line: one that comes again is as likely a slip as more of
the same.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from ldp.errors import EstimateError
from ldp.survey.survey import Survey
from ldp_aggregator.analyses.rows.columns import columns_of
from ldp_aggregator.analyses.weighting.reading import Combination
from ldp_aggregator.tallies.intake.paths import count_paths
from ldp_aggregator.tallies.tally import Tally

REPORTS, WEIGHT = "reports", "weight"


class Strata(NamedTuple):
    """Content of a strata file."""

    attributes: tuple[str, ...]
    tallies: dict[Combination, Tally]
    design: dict[Combination, float] | None
    """The design weight of each respondent of a combination, where the file has any."""


def read_strata(survey: Survey, path: str | os.PathLike[str]) -> Strata:
    """The strata in a file. Raises `EstimateError` and `FileError`."""
    folder = Path(path).parent
    columns = columns_of(path)
    if REPORTS not in columns:
        raise EstimateError(
            f"{path}: expected a column {REPORTS!r}, got {', '.join(columns)}"
        )
    attributes = tuple(name for name in columns if name not in (REPORTS, WEIGHT))
    if not attributes:
        raise EstimateError(
            f"{path}: expected a column for each public attribute, got none"
        )
    sources: dict[Combination, str] = {}
    design: dict[Combination, float] = {}
    for number, source in enumerate(columns[REPORTS]):
        combination = tuple(str(columns[name][number]) for name in attributes)
        if combination in sources:
            first = 2 + [*sources].index(combination)
            raise EstimateError(
                f"{path}: line {number + 2}: expected each combination once, got "
                f"{', '.join(combination)} again, which line {first} has; count its "
                "reports into one tally first (ldp aggregate)"
            )
        sources[combination] = str(folder / source)
        if WEIGHT in columns:
            design[combination] = _weight(path, number + 2, columns[WEIGHT][number])
    seen: set[bytes] = set()
    tallies: dict[Combination, Tally] = {}
    for combination, own in sources.items():
        # A batch, or a tally, that is in two files counts once, and says so where it is
        # refused.
        tallies[combination], accepted = count_paths(survey, [own], seen)
        seen |= accepted
    return Strata(attributes, tallies, design or None)


def _weight(path: str | os.PathLike[str], line: int, text: object) -> float:
    try:
        return float(str(text))
    except ValueError:
        raise EstimateError(
            f"{path}: line {line}: expected a weight, got {text!r}"
        ) from None
