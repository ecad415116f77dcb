"""What is simulated: pairs of tallies, and courses over epochs."""

from __future__ import annotations

from lab.changes.contrasts import Contrast
from lab.changes.courses import Course, jump, rise, still, walk
from lab.changes.pairs import Pair

ALIKE = (0.5, 0.3, 0.15, 0.05)
MOVED = (0.46, 0.34, 0.15, 0.05)
RARE = (0.6, 0.3, 0.09, 0.01)
RARE_MOVED = (0.6, 0.29, 0.09, 0.02)

_PEOPLE = ("respondents", "population")
PAIRS: dict[str, Pair] = {
    f"{mechanism}, epsilon {epsilon}, {estimand}, {name}": Pair(
        mechanism, epsilon, respondents, shares=shares, estimand=estimand
    )
    for name, shares, respondents in (
        ("nothing differs", (ALIKE, ALIKE), (10_000, 10_000)),
        ("two values moved", (ALIKE, MOVED), (10_000, 10_000)),
        ("few, rare", (RARE, RARE_MOVED), (200, 400)),
    )
    for mechanism, epsilon in (("grr", "1"), ("oue", "1"), ("grr", "4"))
    for estimand in _PEOPLE
}
"""By name; the last six of which have too few reports for normal theory."""

PANELS: dict[str, Pair] = {
    f"{mechanism}, {overlap:.0%} in both": Pair(
        mechanism,
        "1",
        (10_000, 10_000),
        shares=(ALIKE, ALIKE),
        estimand="respondents",
        overlap=overlap,
    )
    for mechanism in ("l-grr", "l-osue")
    for overlap in (0.0, 0.5, 1.0)
}

SHARES = (0.4, 0.25, 0.15, 0.15, 0.05)
CONTRASTS: dict[str, Contrast] = {
    f"{mechanism}, epsilon {epsilon}, n {respondents:,}, {estimand}": Contrast(
        mechanism, epsilon, respondents, shares=SHARES, estimand=estimand
    )
    for mechanism, epsilon, respondents in (
        ("grr", "1", 10_000),
        ("ss", ".5", 10_000),
        ("oue", "1", 10_000),
        ("pgr", "1", 10_000),
        ("hr", "1", 10_000),
        ("the", "1", 10_000),
        ("grr", "4", 500),
        ("oue", "4", 500),
    )
    for estimand in _PEOPLE
}

BANDS = (
    *(Course(f"steps of {step}", 12, walk(step)) for step in (0.0, 0.3, 1.0, 2.0, 4.0)),
    *(Course(f"steps of {step}, 30 epochs", 30, walk(step)) for step in (0.3, 1.0)),
    Course("steps of 1, three epochs missing", 12, walk(1.0), missing=(3, 4, 9)),
    Course("steps of 1 and a slope of 0.5", 12, rise(0.5, 1.0), slope=True),
)

ALARMS = (
    Course("nothing changes", 40, still),
    *(
        Course(f"a jump of {size:g} at 10", 40, jump(size, 10), changed=10)
        for size in (2.0, 3.0, 5.0)
    ),
    Course("memoized, the same devices", 40, still, devices="same"),
    Course("memoized, others from 20 on", 40, still, devices="swapped"),
    Course("memoized, others in each epoch", 40, still, devices="others"),
)
