"""What docs/analysis.md works on: a survey of 6,366 readers on affairs.

    python examples/analysis.py FOLDER

writes the survey, true answers (which only a simulation has) and what is known in the
clear. The data are `fair` of statsmodels: Fair 1978, A Theory of Extramarital Affairs,
Journal of Political Economy 86.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd
from statsmodels.datasets import fair

import ldp
from ldp_client import Client, report_bytes

WEEKS = 12
A_WEEK = 2000
CHANGE = 8
"""The week from which on those are asked who are not so happy."""

SURVEY = ldp.survey(
    "affairs-study",
    ldp.question("affair", text="Have you had an affair?", type="boolean", epsilon="2"),
    attributes=[ldp.attribute("children", ["none", "some"])],
)


def people() -> pd.DataFrame:
    """A row for each reader: the answer, and what may explain it."""
    data = fair.load_pandas().data
    return data.assign(
        affair=data["affairs"] > 0,
        children=data["children"].gt(0).map({True: "some", False: "none"}),
    )


def weeks(everyone: pd.DataFrame) -> list[pd.DataFrame]:
    """Twelve weeks: of those who are happiest in their marriage, from the eighth on of
    others.

    So many readers there are not: each week draws anew from them.
    """
    happiest = everyone["rate_marriage"] == everyone["rate_marriage"].max()
    groups = [everyone[happiest]] * (CHANGE - 1) + [everyone[~happiest]] * (
        WEEKS - CHANGE + 1
    )
    return [
        group.sample(A_WEEK, replace=True, random_state=week)
        for week, group in enumerate(groups)
    ]


def skewed(everyone: pd.DataFrame) -> pd.DataFrame:
    """Who answers an app of the childless: all of these, and one in six of the
    others.
    """
    some = everyone["children"] == "some"
    return pd.concat([everyone[~some], everyone[some].iloc[::6]])


def margins(everyone: pd.DataFrame) -> pd.DataFrame:
    """The known shares of those with and without children."""
    shares = everyone["children"].value_counts(normalize=True)
    rows = [
        {"attribute": "children", "value": value, "share": share}
        for value, share in shares.items()
    ]
    return pd.DataFrame(rows)


def rows(everyone: pd.DataFrame) -> pd.DataFrame:
    """What is known of each device, beside the report that it sent."""
    answers = zip(everyone["affair"], everyone["children"], strict=True)
    reports = [_report(bool(affair), children) for affair, children in answers]
    known = everyone[["rate_marriage", "religious", "yrs_married"]]
    return known.assign(report=[report.hex() for report in reports])


def _report(affair: bool, children: str) -> bytes:
    report: Any = Client(SURVEY, attributes={"children": children}).record(
        "affair", affair
    )
    return report_bytes([report])


def main(folder: Path) -> None:
    """Write all files."""
    everyone = people()
    folder.mkdir(exist_ok=True)
    (folder / "affairs.toml").write_text(SURVEY.to_toml(), encoding="utf-8")
    answers = ["affair", "children"]
    everyone[answers].to_csv(folder / "people.csv", index=False)
    for group, part in everyone.groupby("children"):
        part[answers].to_csv(folder / f"{group}.csv", index=False)
    for week, part in enumerate(weeks(everyone), 1):
        part[answers].to_csv(folder / f"week{week:02}.csv", index=False)
    skewed(everyone)[answers].to_csv(folder / "skewed.csv", index=False)
    margins(everyone).to_csv(folder / "margins.csv", index=False)
    rows(everyone).to_csv(folder / "rows.csv", index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
