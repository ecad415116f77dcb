"""The laws of what a device keeps: permanent responses, and what their reports reveal.

Like the others in `lawbook`, to which they belong, they take a `Specimen` and return
the violations they find.
"""

from __future__ import annotations

from itertools import combinations

from permanence import (
    cohorts_of,
    instantaneous_channel,
    permanent_channel,
    true_state,
    true_states,
    worst_of_repeated,
)
from written_out import declared_law

from ldp.mechanisms.contract import lifetime_ratio
from ldp.numbers import channel as channels
from ldp.numbers.channel import Channel
from ldp_simulations.audit.tapes.every_tape import condition_on_finish, every_tape


def lifetime(specimen):
    """All reports reveal what the permanent response reveals.

    Without one they are one report, or unbounded.
    """
    randomizer = specimen.randomizer
    stated = lifetime_ratio(randomizer)
    if not hasattr(randomizer, "memoizes"):
        if stated == randomizer.ratio:
            return []
        return ["one report is all there is, but its ratio is not the stated one"]
    if not randomizer.memoizes:
        if stated is None:
            return []
        return ["fresh reports of the truth are said to be bounded"]
    rows = permanent_channel(randomizer).rows
    if randomizer.kind == "bloom":
        return bloom_ratio(randomizer, rows, stated)
    ratio = channels.worst_ratio(
        Channel(tuple(rows[state] for state in true_states(randomizer)))
    )
    if ratio == stated:
        return []
    return [f"states a lifetime ratio of {stated}, keeps {ratio}"]


def repeated(specimen):
    """The likeliest reports of a value are as much likelier than for another as is
    stated.

    Many reports say more than fewer do, and never more than the permanent response that
    they were made from.
    """
    randomizer = specimen.randomizer
    if not hasattr(randomizer, "memoizes"):
        return []
    stated = [randomizer.ratio_after(reports) for reports in (1, 2, 3, 50)]
    ever = randomizer.lifetime_ratio
    problems = []
    if stated[0] != randomizer.ratio:
        problems = ["one report is stated to have two ratios"]
    if stated != sorted(stated) or (ever is not None and stated[-1] > ever):
        problems.append("the ratio does not rise to that of all reports")
    if randomizer.kind == "bloom":
        return problems
    rows = permanent_channel(randomizer).rows
    permanents = [rows[state] for state in true_states(randomizer)]
    for reports in (1, 2, 3):
        worst = worst_of_repeated(
            permanents, instantaneous_channel(randomizer).rows, reports
        )
        if worst != stated[reports - 1]:
            problems.append(
                f"{reports} reports have a ratio of {worst}, stated "
                f"{stated[reports - 1]}"
            )
    return problems


def stages(specimen):
    """The permanent channel, then the instantaneous one, is the stated law of a first
    report.
    """
    randomizer, problems = specimen.randomizer, []
    if not hasattr(randomizer, "memoizes"):
        return problems
    both = channels.chain(
        permanent_channel(randomizer), instantaneous_channel(randomizer)
    ).rows
    cohorts = cohorts_of(randomizer)
    for value in specimen.values:
        stated = declared_law(randomizer, value)
        for cohort in cohorts:
            row = both[true_state(randomizer, value, cohort)]
            reports = [
                randomizer.layout.report(body, cohort) for body in range(len(row))
            ]
            if [stated[report] * len(cohorts) for report in reports] != list(row):
                problems.append(f"value {value!r} in cohort {cohort}: another law")
    return problems


def permanent(specimen):
    """Over every tape, the permanent response has its law, exactly.

    Values that share one are not told apart.
    """
    randomizer, problems = specimen.randomizer, []
    if not getattr(randomizer, "memoizes", False):
        return problems
    rows = permanent_channel(randomizer).rows
    for cohort in cohorts_of(randomizer):
        laws = {}
        for value in specimen.values:
            law = condition_on_finish(
                every_tape(
                    lambda random, value=value, cohort=cohort: randomizer.permanent(
                        value, cohort, random
                    ),
                    specimen.tape[-2:-1],
                )
            )
            stated = rows[true_state(randomizer, value, cohort)]
            if any(
                law.get(response, 0) != mass for response, mass in enumerate(stated)
            ) or len(law) > len(stated):
                problems.append(f"value {value!r} in cohort {cohort}: another law")
            if laws.setdefault(randomizer.memo_value(value, cohort), law) != law:
                problems.append(
                    f"value {value!r} in cohort {cohort} shares another value's "
                    "permanent response"
                )
        if randomizer.memos is not None and len(laws) > randomizer.memos:
            problems.append(
                f"cohort {cohort} keeps {len(laws)} responses, stated at most "
                f"{randomizer.memos}"
            )
    return problems


def bloom_ratio(randomizer, rows, stated):
    """Two filters that differ in h bits each way have the stated ratio.

    No two that texts can set have more.
    """
    size, hashes = randomizer.bits, randomizer.hashes
    problems = []
    real = [bits for bits in range(1, 1 << size) if bits.bit_count() <= hashes]
    full = [bits for bits in real if bits.bit_count() == hashes]
    apart = [pair for pair in combinations(full, 2) if not pair[0] & pair[1]]
    if {
        channels.worst_ratio(Channel((rows[one], rows[other]))) for one, other in apart
    } != {stated}:
        problems.append(
            f"two filters that differ in {hashes} bits each way do not have the stated "
            f"ratio of {stated}"
        )
    if any(
        channels.worst_ratio(Channel((rows[a], rows[b]))) > stated
        for a, b in combinations(real, 2)
    ):
        problems.append("two texts can be told apart better than stated")
    return problems
