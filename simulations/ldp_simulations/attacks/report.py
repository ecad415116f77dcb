"""Results of simulated attacks over all runs: a table for each question, and
records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ldp_aggregator.output.sheet import Sheet, TextTable
from ldp_simulations.attacks.attack import Attack, AttackOutcome

FORMAT = 1
_HEADINGS = (
    "attack",
    "target",
    "truth",
    "honest",
    "poisoned",
    "gain",
    "furthest",
    "bound",
    "noticed by",
)
_LEGEND = (
    "truth: the frequency among the honest respondents, or their mean",
    "honest, poisoned: the mean estimate without and with the forged reports",
    "gain: what the forged reports added, on average, and in the run where they moved "
    "the estimate most (furthest)",
    "bound: the most that as many can, whatever they say. A dash: there is no bound",
)


_OF_DRAWS = (
    "of a draw, forgers answer the question that they attack, whatever they would "
    "draw, so that more of its reports are forged than of all; those of input draw as "
    "honest devices do"
)


class Attacked(NamedTuple):
    """An attack and its runs."""

    attack: Attack
    outcomes: Sequence[AttackOutcome]

    @property
    def detections(self) -> dict[str, int]:
        """The checks that became suspicious, and in how many runs."""
        return dict(
            Counter(name for outcome in self.outcomes for name in outcome.noticed)
        )


def record(attacked: Attacked) -> dict[str, Any]:
    """Ready for JSON; a bound that does not exist is None."""
    attack, outcomes = attacked
    truth = attack.truth
    bounds = [outcome.bound for outcome in outcomes if outcome.bound is not None]
    honest, poisoned, gain = (
        np.array([getattr(outcome, name) for outcome in outcomes])
        for name in ("honest", "poisoned", "gain")
    )
    furthest = np.abs(gain).argmax(axis=0)
    towards = {}
    if attack.is_of_mean:
        towards = {"towards": [attack.values[target] for target in attack.targets]}
    return {
        "question": attack.question.name,
        "mechanism": attack.question.mechanism,
        "attack": attack.kind,
        "respondents": attack.holders.respondents,
        **_draw_share(attack),
        "forged": attack.forged,
        "runs": len(outcomes),
        "targets": [
            {
                "value": name,
                "truth": float(truth[target]),
                "honest": float(honest[:, target].mean()),
                "poisoned": float(poisoned[:, target].mean()),
                "gain": float(gain[:, target].mean()),
                "furthest_gain": float(gain[furthest[target], target]),
                "bound": max(bounds, default=None),
            }
            for target, name in attack.estimates
        ],
        **towards,
        "noticed": attacked.detections,
    }


def _draw_share(attack: Attack) -> dict[str, Any]:
    """Which share of the respondents answers, where devices draw one of several
    questions.
    """
    share = attack.question.share
    if share == 1:
        return {}
    return {"drawn": str(share)}


def sheet(records: Sequence[dict[str, Any]], setting: dict[str, Any]) -> Sheet:
    """A table for each question, with a row for each attack and target, and what the
    columns mean.

    `setting` is said beside the records, for machines.
    """
    names = dict.fromkeys(record["question"] for record in records)
    tables = [
        _table([record for record in records if record["question"] == name])
        for name in names
    ]
    has_draws = any("drawn" in record for record in records)
    return Sheet(
        "Attacks",
        tables=lambda: tables,
        legend=(*_LEGEND, _OF_DRAWS) if has_draws else _LEGEND,
        record=lambda: {"format": FORMAT, **setting, "attacks": records},
    )


def _table(records: Sequence[dict[str, Any]]) -> TextTable:
    """The attacks on one question."""
    first = records[0]
    drawn = ""
    if "drawn" in first:
        drawn = f", drawn by a share of {first['drawn']} of these"
    caption = (
        f"{first['mechanism']}, {first['forged']:,} forged reports beside "
        f"{first['respondents']:,} honest ones{drawn}, {first['runs']:,} runs"
    )
    rows = [
        (
            record["attack"],
            _aim(record, target),
            *_cells(target),
            _detections_text(record),
        )
        for record in records
        for target in record["targets"]
    ]
    return TextTable(first["question"], caption, _HEADINGS, rows=rows)


def _aim(record: dict[str, Any], target: dict[str, Any]) -> str:
    """Describe the target; and the wanted value, if that is a mean."""
    name = str(target["value"])
    if "towards" in record:
        return f"{name} to {', '.join(record['towards'])}"
    return name


def _cells(target: dict[str, Any]) -> list[str]:
    numbers = (
        target[key]
        for key in ("truth", "honest", "poisoned", "gain", "furthest_gain", "bound")
    )
    return ["-" if number is None else f"{number:.4f}" for number in numbers]


def _detections_text(record: dict[str, Any]) -> str:
    """The checks, with the number of runs where it was not in all."""
    runs = record["runs"]
    return (
        ", ".join(
            name if times == runs else f"{name} ({times} of {runs})"
            for name, times in record["noticed"].items()
        )
        or "nothing"
    )
