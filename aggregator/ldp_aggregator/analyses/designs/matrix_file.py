"""A design that no row of the table has, as a CSV file of chances.

    type,yes,no             a line for each type of respondent, a column for each answer
    carrier,3/4,1/4
    other,1/8,7/8

Several samples have a column `arm` besides.
"""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

from ldp.errors import EstimateError
from ldp.numbers.exact import fraction
from ldp_aggregator.analyses.designs.law import Arm, Law, closed_law

_MOST_BYTES = 1 << 20


def matrix_law(path: Path) -> Law:
    """Return the law in a CSV file: `type,yes,no`, a line for each type; `arm` may be a
    column.

    Raises `EstimateError`.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.DictReader(file.read(_MOST_BYTES).splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise EstimateError(f"matrix {path}: {error}") from None
    if not lines or None in lines[0] or "type" not in lines[0]:
        raise EstimateError(
            f"matrix {path}: expected CSV with the columns type and one for each "
            "answer, such as type,yes,no"
        )
    answers = [name for name in lines[0] if name not in ("type", "arm")]
    arms: dict[str, dict[str, tuple[Fraction, ...]]] = {}
    for number, line in enumerate(lines, 2):
        try:
            row = tuple(fraction(line[answer] or "") for answer in answers)
        except ValueError as error:
            raise EstimateError(f"matrix {path}, line {number}: {error}") from None
        if sum(row) != 1 or min(row) < 0:
            raise EstimateError(
                f"matrix {path}, line {number}: expected chances that sum to 1, got "
                f"{sum(row)}"
            )
        arms.setdefault(line.get("arm") or "", {})[line["type"]] = row
    types = list(next(iter(arms.values())))
    if any(list(rows) != types for rows in arms.values()):
        raise EstimateError(f"matrix {path}: expected the same types in each arm")
    return closed_law(
        types, answers, [Arm(name, tuple(rows.values())) for name, rows in arms.items()]
    )
