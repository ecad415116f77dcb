"""Report of a plan: a row for each mechanism or question, as a table with legend, and
records.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from ldp.numbers.exact import log_upper
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.output.sheet import Sheet, TextTable
from ldp_simulations.planning.kinds import (
    distribution_plan,
    field_plan,
    key_plan,
    level_plan,
    mean_plan,
    place_plan,
    search_plan,
    vector_plan,
)
from ldp_simulations.planning.kinds.asking import MOST_RESPONDENTS, Ask
from ldp_simulations.planning.kinds.entries import (
    draw_entry,
    drawn_in_words,
    forged_in_words,
    forged_reports,
    share,
    short,
    whole,
)
from ldp_simulations.planning.plans import Plan
from ldp_simulations.planning.stopwatch import client_microseconds, decode_milliseconds

FORMAT = 1


def record(plan: Plan, ask: Ask, forged: int | None) -> dict[str, Any]:
    """Ready for JSON; what cannot be had is None."""
    design, respondents = plan.design, plan.respondents
    entry: dict[str, Any] = {
        "name": plan.label,
        "reachable": design is not None and respondents is not None,
    }
    if design is None:
        return entry
    entry |= {
        "mechanism": design.name,
        "values": len(design.values),
        "epsilon": {
            "declared": design.declared.text,
            "delivered": log_upper(design.randomizer.ratio),
        },
        "efficiency": design.efficiency,
        "report_bytes": design.randomizer.layout.width,
        "client_microseconds": client_microseconds(design.randomizer, design.values),
        "decode_milliseconds": decode_milliseconds(design.randomizer, design.values),
    }
    entry |= draw_entry(plan.share, respondents)
    if respondents is None:
        return entry
    frequency = design.typical(ask)
    fakes = forged_reports(respondents, forged)
    entry |= {
        "respondents": respondents,
        "rare_error": float(design.error(0, respondents, ask).max()),
        "typical_frequency": frequency,
        "typical_error": float(design.error(frequency, respondents, ask).max()),
        "half_width": design.half_width(respondents, ask),
        "detectable": design.detectable(respondents, ask),
        "value": design.planned_value(respondents, ask),
        "forged": {
            "reports": fakes,
            "shift": None
            if design.reach is None
            else design.reach * fakes / respondents,
        },
    }
    if ask.detect is not None:
        entry["chance_to_detect"] = design.chance(ask.detect, respondents, ask)
    return entry


def sheet(
    records: Sequence[dict[str, Any]],
    searches: Sequence[search_plan.SearchPlan],
    ask: Ask,
    means: Sequence[mean_plan.MeanPlan],
    distributions: Sequence[distribution_plan.DistributionPlan],
    forged: int | None,
    trees: Sequence[level_plan.TreePlan] = (),
    keys: Sequence[key_plan.KeyPlan] = (),
    vectors: Sequence[vector_plan.VectorPlan] = (),
    places: Sequence[place_plan.PlacePlan] = (),
    fields: Sequence[field_plan.FieldPlan] = (),
) -> Sheet:
    """Tables of plans, means, vectors, distributions; one a tree, a table, keys, map,
    search.
    """
    asked = {name: value for name, value in vars(ask).items() if value is not None}
    tables = []
    if records:
        tables = [_table(records, ask, forged)]
    tables += [mean_plan.text_table(means, ask, forged)] if means else []
    tables += [vector_plan.text_table(vectors, ask, forged)] if vectors else []
    if distributions:
        tables.append(distribution_plan.text_table(distributions, ask, forged))
    tables += [level_plan.text_table(plan, ask, forged) for plan in trees]
    tables += [field_plan.text_table(plan, ask, forged) for plan in fields]
    tables += [key_plan.text_table(plan, ask) for plan in keys]
    tables += [place_plan.text_table(plan, ask, forged) for plan in places]
    tables += map(search_plan.text_table, searches)
    of_means = (mean_plan.record(plan, forged) for plan in means)
    of_distributions = (
        distribution_plan.record(plan, forged) for plan in distributions
    )
    of_trees = (level_plan.record(plan, forged) for plan in trees)
    of_vectors = (vector_plan.record(plan, forged) for plan in vectors)
    of_numbers = (*of_means, *of_vectors, *of_distributions)
    of_fields = (field_plan.record(plan, forged) for plan in fields)
    of_maps = (place_plan.record(plan, forged) for plan in places)
    of_others = (*of_trees, *of_fields, *map(key_plan.record, keys), *of_maps)
    plans = [*records, *of_numbers, *of_others, *map(search_plan.record, searches)]
    if ask.response_rate is not None:
        _add_asked(plans, ask.response_rate)
    return Sheet(
        "Plan",
        lead=[
            f"{plan['name']}: ask {plan['asked']:,}"
            for plan in plans
            if "asked" in plan
        ],
        tables=lambda: tables,
        record=lambda: {"format": FORMAT, "asked": asked, "plans": plans},
    )


def _add_asked(plans: Sequence[dict[str, Any]], rate: float) -> None:
    """Say how many have to be asked, if this share of them answers."""
    for plan in plans:
        answer = plan.get("drawn", plan).get("asked", plan.get("respondents"))
        if answer is not None:
            plan["asked"] = ceil(answer / rate)


def _table(
    records: Sequence[dict[str, Any]], ask: Ask, forged: int | None
) -> TextTable:
    """A row for each plan, a dash where there is no such number, and what the columns
    mean.
    """
    named = any(
        entry["name"] != entry.get("mechanism", entry["name"]) for entry in records
    )
    headings = ["question" if named else "mechanism", *(["mechanism"] if named else [])]
    headings += [
        "epsilon",
        "respondents",
        "error\nat 0",
        "error\nat f",
        "half-\nwidth",
        "detects",
    ]
    headings += [f"chance of\n{ask.detect:g}"] if ask.detect is not None else []
    headings += [
        "effici-\nency",
        "report\nbytes",
        "client\nus",
        "decode\nms",
        "forged\nshift",
    ]
    rows = []
    for row in records:
        cells = [row["name"], *([row.get("mechanism", "-")] if named else [])]
        cells += [
            row["epsilon"]["declared"] if "epsilon" in row else "-",
            whole(row.get("respondents")),
        ]
        cells += [
            short(row.get(key))
            for key in ("rare_error", "typical_error", "half_width", "detectable")
        ]
        cells += [short(row.get("chance_to_detect"))] if ask.detect is not None else []
        cells += [share(row.get("efficiency")), whole(row.get("report_bytes"))]
        cells += [
            short(row.get(key))
            for key in ("client_microseconds", "decode_milliseconds")
        ]
        rows.append([*cells, short(row.get("forged", {}).get("shift"))])
    return TextTable("", "", headings, rows=rows, remarks=_legend(records, ask, forged))


def _legend(
    records: Sequence[dict[str, Any]], ask: Ask, forged: int | None
) -> list[str]:
    """Explain the columns."""
    typical = {
        entry["typical_frequency"] for entry in records if "typical_frequency" in entry
    }
    f = "f = an even share"
    if len(typical) == 1:
        f = f"f = {typical.pop():.3g}"
    family = ", all of a question's together" if ask.simultaneous else ""
    tested = "testing every value against 0 at level "
    together = " over all values together (Bonferroni)"
    if ask.value is not None:
        tested, together = "testing it against 0 at level ", ""
    lines = [
        f"error: standard error for {WHOM[ask.estimand]}, of a value no one holds (at "
        f"0) and of one held by {f}",
        f"half-width: of the {ask.level:g} interval at f{family}",
        f"detects: the least frequency found with probability {ask.power:g}, {tested}"
        f"{ask.level:g}{together}",
        (
            "efficiency: least total error of any mechanism at this epsilon, over this "
            "one's"
        ),
        "client, decode: measured just now; one report, and one tally with its errors "
        "and intervals",
        f"forged shift: how far {forged_in_words(forged)}, if forged, can move the "
        "estimate of one value, at most",
    ]
    lines += [
        (
            f"{entry['name']}: errors, half-width and detects are those of "
            f"{entry['value']!r}"
        )
        + (
            ""
            if ask.value is not None
            else ", whose interval is the widest (--value names one)"
        )
        for entry in records
        if entry.get("value") is not None
    ]
    lines += drawn_in_words(records)
    if any(not entry["reachable"] for entry in records):
        lines.append(
            f"-: cannot be reached with {MOST_RESPONDENTS:.0e} respondents, or with "
            "any epsilon that is allowed"
        )
    return lines
