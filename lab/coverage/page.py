"""The measurements as Markdown.

A line for every mechanism, tables for other families, and what does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from lab.coverage.cells import FEW, REPEATS, RESPONDENTS
from lab.coverage.claims import (
    FALSE_ALARM,
    MISS,
    OF_ONE,
    ON_AVERAGE,
    OVERALL,
    Claim,
    Outcome,
    least_noticed,
)
from lab.coverage.estimands import POPULATION
from lab.coverage.estimands import RESPONDENTS as FIXED
from lab.coverage.measuring import Finding
from lab.coverage.questions import EPSILONS, SIZES

_INTRODUCTION = """# Coverage of intervals

This page shows how often intervals contain the true value, and how often a value is detected that
no one holds: {surveys:,} simulated surveys of two parts each, in {cells:,} cells. Tallies are drawn
from their exact law and decoded as usual.

```console
$ uv run python -m lab.coverage docs/coverage.md --results coverage.jsonl
```

The command continues an interrupted run, and exits with 1 if a claim is broken. `--part`
measures the hardest cell of every mechanism, in seconds. `--add` measures rows that the page
lacks, and leaves all others as they are.

- **The grid**: every mechanism, with an epsilon of {epsilons},
  for {sizes} values, as far as it takes them,
  and {respondents} respondents.
  Populations take turns: all values alike (uniform), falling as 1/rank (zipf), or nine in ten
  values without a holder (sparse). Each cell has random numbers of its own.
- **One by one**: 95 % intervals. The first number is for the respondents, the same people in all
  surveys. The second is for the population, which is drawn again each time. A value without a
  holder can be missed on one side only.
- **All at once**: simultaneous intervals (Bonferroni) of all values of a question.
- **Wrong**: the share of detected values (Benjamini-Hochberg) that have no holder. **Alarms**:
  surveys in which any such value is detected (Bonferroni).
- **±** is the Monte-Carlo error: the standard error of a figure, from the number of surveys.

Four **claims** are tested:

- Intervals miss at most {on_average:.0%} of the time in a cell (mean of single ones, and all at
  once).
- They miss at most {of_one:.0%} of the time at a single value.
- They miss at most {overall:.1%} of the time over all cells of a mechanism.
- At most 5 % of findings are wrong, and at most 5 % of surveys raise an alarm.

A claim counts as broken if chance would break it with a probability below {false_alarm:g}, shared
by all {comparisons:,} comparisons. In a cell of {most} surveys this notices intervals that miss
{noticed:.1%} of the time. In a cell of {least} surveys it notices {noticed_least:.1%}.
"""

_BIAS = """
## Bloom filters with the same hash functions

The texts and the number of cohorts fix the hash functions. Given these, estimates from Bloom
filters have a bias if texts are missing from the regression: texts outside the candidates, or
unchosen candidates if there are more than half of the bit rates. The bias averages out over the
choice of hash functions, and the standard errors include it. It is the same in every survey of
the same texts, and more respondents do not reduce it. All surveys here have the same hash
functions, and the bias is the mean of (estimate - truth) / standard error. Intervals hold as
stated over the choice of hash functions, as above. Given the functions, the interval of a single
candidate may always miss, so there is no claim about the figures here.

"""

Group = Sequence[Mapping[str, Finding]]
"""The findings of several cells."""


class Sums(NamedTuple):
    """What a page is made of, over all its cells."""

    surveys: int
    cells: int
    comparisons: int
    most: int
    """Surveys of a cell."""
    least: int

    def and_of(self, other: Sums) -> Sums:
        """Those of two pages together."""
        return Sums(
            self.surveys + other.surveys,
            self.cells + other.cells,
            self.comparisons + other.comparisons,
            most=max(self.most, other.most),
            least=min(self.least, other.least),
        )


def sums(outcomes: Sequence[Outcome], comparisons: int) -> Sums:
    """Those of measurements."""
    surveys = [cell.surveys for cell, _ in outcomes]
    return Sums(
        sum(surveys), len(outcomes), comparisons, most=max(surveys), least=min(surveys)
    )


def page(outcomes: Sequence[Outcome], broken: Sequence[Claim], comparisons: int) -> str:
    """The whole page."""
    parts = [
        introduction(sums(outcomes, comparisons)),
        *(_section(section, outcomes) for section in SECTIONS),
        _by_respondents(outcomes),
        _bias(outcomes),
        _verdict(broken, comparisons),
    ]
    return "\n".join(part for part in parts if part)


def introduction(made_of: Sums) -> str:
    """What is measured, how, and what is claimed."""
    return _INTRODUCTION.format(
        surveys=made_of.surveys,
        cells=made_of.cells,
        epsilons=_listed(EPSILONS),
        sizes=_listed(f"{size:,}" for size in SIZES),
        respondents=_listed(f"{number:,}" for number in RESPONDENTS),
        on_average=MISS + ON_AVERAGE,
        of_one=MISS + OF_ONE,
        overall=MISS + OVERALL,
        false_alarm=FALSE_ALARM,
        comparisons=made_of.comparisons,
        most=made_of.most,
        noticed=least_noticed(MISS + ON_AVERAGE, made_of.most, made_of.comparisons),
        least=made_of.least,
        noticed_least=least_noticed(
            MISS + ON_AVERAGE, made_of.least, made_of.comparisons
        ),
    )


class _Column(NamedTuple):
    """A figure of several cells, in the sections that are about it."""

    heading: str
    about: str
    show: Callable[[Group, str], str]


class Section(NamedTuple):
    """A table of all mechanisms of which cells of a kind show what it is about."""

    title: str
    text: str
    kind: str
    about: tuple[str, ...] = ("each", "all", "wrong", "alarm")


def _section(section: Section, outcomes: Sequence[Outcome]) -> str:
    here = [
        (cell, findings)
        for cell, findings in outcomes
        if cell.kind == section.kind
        and any(_of([findings], about) for about in section.about)
    ]
    if not here:
        return ""
    columns = [column for column in _COLUMNS if column.about in section.about]
    rows = []
    for name in dict.fromkeys(cell.mechanism for cell, _ in here):
        group = [findings for cell, findings in here if cell.mechanism == name]
        rows.append(
            [
                name,
                str(len(group)),
                *(column.show(group, column.about) for column in columns),
            ]
        )
    headings = ["", "cells", *(column.heading for column in columns)]
    return f"\n## {section.title}\n\n{section.text}\n\n{_table(headings, rows)}"


def _by_estimand(group: Group, about: str) -> str:
    """The coverage over all cells, of respondents and of a population, with the larger
    error.
    """
    if not _of(group, about):
        return "–"
    means = [
        _over_all(_of(group, f"{about}, {estimand}"))
        for estimand in (FIXED, POPULATION)
    ]
    return (
        f"{1 - means[0][0]:.3f} {1 - means[1][0]:.3f} ± "
        f"{max(error for _, error in means):.1g}"
    )


def _lowest(group: Group, about: str) -> str:
    """The coverage of the cell with the lowest, whichever the estimand."""
    worst = max(_of(group, about), key=lambda finding: finding.mean, default=None)
    return "–" if worst is None else f"{1 - worst.mean:.3f} ± {worst.error:.1g}"


def _worst_value(group: Group, about: str) -> str:
    worst = max(
        (finding for finding in _of(group, about) if finding.values > 1),
        key=lambda finding: finding.worst,
        default=None,
    )
    if worst is None:
        return "–"
    return (
        f"{1 - worst.worst:.3f} ± "
        f"{(worst.worst * (1 - worst.worst) / worst.surveys) ** 0.5:.1g}"
    )


def _highest(group: Group, about: str) -> str:
    """Over all cells, and of the cell with the most."""
    findings = _of(group, about)
    if not findings:
        return "–"
    mean, error = _over_all(findings)
    worst = max(findings, key=lambda finding: finding.mean)
    return f"{mean:.3f} ± {error:.1g}, {worst.mean:.3f} ± {worst.error:.1g}"


_COLUMNS = (
    _Column("one by one", "each", _by_estimand),
    _Column("lowest cell", "each", _lowest),
    _Column("worst value", "each", _worst_value),
    _Column("differences", "difference", _by_estimand),
    _Column("lowest cell", "difference", _lowest),
    _Column("sums", "sum", _by_estimand),
    _Column("lowest cell", "sum", _lowest),
    _Column("means", "mean", _by_estimand),
    _Column("lowest cell", "mean", _lowest),
    _Column("variances", "variance", _by_estimand),
    _Column("lowest cell", "variance", _lowest),
    _Column("shares below", "below", _by_estimand),
    _Column("lowest cell", "below", _lowest),
    _Column("worst value", "below", _worst_value),
    _Column("band", "band", _by_estimand),
    _Column("lowest cell", "band", _lowest),
    _Column("ranges", "range", _by_estimand),
    _Column("lowest cell", "range", _lowest),
    _Column("quantiles", "quantile", _by_estimand),
    _Column("lowest cell", "quantile", _lowest),
    _Column("all at once", "all", _by_estimand),
    _Column("lowest cell", "all", _lowest),
    _Column("given", "given", _by_estimand),
    _Column("lowest cell", "given", _lowest),
    _Column("wrong, highest cell", "wrong", _highest),
    _Column("alarms, highest cell", "alarm", _highest),
)


def _of(group: Group, about: str) -> list[Finding]:
    """The findings of what is called so, or begins so (of either estimand)."""
    return [
        finding
        for findings in group
        for what, finding in findings.items()
        if what == about or what.startswith(f"{about},")
    ]


def _over_all(findings: Sequence[Finding]) -> tuple[float, float]:
    """The mean over all surveys, and its standard error."""
    surveys = sum(finding.surveys for finding in findings)
    squares = sum((finding.error * finding.surveys) ** 2 for finding in findings)
    return sum(
        finding.mean * finding.surveys for finding in findings
    ) / surveys, squares**0.5 / surveys


def _by_respondents(outcomes: Sequence[Outcome]) -> str:
    """All mechanisms together, by what makes expected counts few."""
    here = [(cell, findings) for cell, findings in outcomes if cell.kind == "values"]
    if not here:
        return ""
    rows = []
    for number in RESPONDENTS:
        row = [f"{number:,}"]
        for epsilon in EPSILONS:
            group = [
                findings
                for cell, findings in here
                if (cell.epsilon, cell.respondents) == (epsilon, number)
            ]
            shown = ((about, _of(group, about)) for about in ("each", "all", "wrong"))
            row.append(
                " ".join(
                    _short(about, findings) for about, findings in shown if findings
                )
            )
        rows.append(row)
    text = (
        "One by one, all at once, and wrong findings: over all mechanisms, sizes and "
        "populations."
    )
    headings = ["respondents", *(f"epsilon {epsilon}" for epsilon in EPSILONS)]
    return f"\n## {ALL_TOGETHER}\n\n{text}\n\n{_table(headings, rows)}"


def _short(about: str, findings: Sequence[Finding]) -> str:
    mean, _ = _over_all(findings)
    return f"{mean if about == 'wrong' else 1 - mean:.3f}"


def _bias(outcomes: Sequence[Outcome]) -> str:
    here = [(cell, findings) for cell, findings in outcomes if cell.kind == "hashes"]
    if not here:
        return ""
    headings = [
        "candidates",
        "respondents",
        "one by one",
        "worst value",
        "bias, root mean square",
        "largest",
    ]
    rows = []
    for cell, findings in here:
        shift = findings["shift"]
        # Of which chance alone makes the square of 1 / surveys.
        square = shift.spread**2 + shift.mean**2 - 1 / shift.surveys
        figures = [_by_estimand([findings], "each"), _worst_value([findings], "each")]
        rows.append(
            [
                f"{cell.size:,}",
                f"{cell.respondents:,}",
                *figures,
                f"{max(square, 0.0) ** 0.5:.2f}",
                f"{abs(shift.worst):.2f}",
            ]
        )
    error = 1 / here[0][1]["shift"].surveys ** 0.5
    precision = f"The bias of one value has a Monte-Carlo error of {error:.2f}."
    return f"{_BIAS}{_table(headings, rows)}\n{precision}\n"


def _verdict(broken: Sequence[Claim], comparisons: int) -> str:
    lines = [f"- {claim}" for claim in broken]
    none = f"None of the {comparisons:,} comparisons breaks a claim."
    return f"\n## {TITLE_OF_VERDICT}\n\n{chr(10).join(lines) or none}\n"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = (headings, ["---"] * len(headings), *rows)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _listed(words: Iterable[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}"


ALL_TOGETHER = "By epsilon and respondents"
TITLE_OF_VERDICT = "What does not hold"

SECTIONS = (
    Section(
        "By mechanism",
        "Mean over all cells, then the worst cell or value.",
        "values",
    ),
    Section("Means", "Means of whole numbers.", "means", about=("mean",)),
    Section(
        "Variances", "Variances of the same numbers.", "means", about=("variance",)
    ),
    Section(
        "Few reports",
        f"Of {_listed(map(str, FEW))} respondents: the share of one value less that of "
        "another, and that of\n"
        "half of the values together.",
        "few",
        about=("difference", "sum"),
    ),
    Section(
        "Few numbers",
        "Means and variances of as few.",
        "few numbers",
        about=("mean", "variance"),
    ),
    Section(
        "Distributions",
        "Whole numbers: the shares of answers *below* each number, the *band* around "
        "all shares,\n"
        "*ranges* between quarters of the values, and the *quantiles* at .1, .25, .5, "
        ".75 and .9,\n"
        "of whole numbers, so that their intervals hold more often than stated.",
        "distributions",
        about=("below", "band", "range", "quantile"),
    ),
    Section(
        "Repeated reports",
        f"{REPEATS} reports from each respondent, of one permanent response.",
        "repeats",
    ),
    Section(
        "Joint cells",
        "Two questions answered together, of 3 and of 12 values, with an epsilon of "
        "1/5, 1 and 4 "
        "each. *Given*: the\n"
        "share of the second question's value among those who gave the first's.",
        "joint",
        about=("each", "all", "given"),
    ),
    Section(
        "Pooled versions",
        "A third of the respondents have the first version.",
        "pooled",
    ),
)
