"""The grid's results as tables of text, and as one HTML page with every case's
distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from lab.rappor_suite.published import PUBLISHED
from lab.rappor_suite.running import Outcome, Score
from lab.rappor_suite.summary import sentences
from ldp_aggregator.output.columns import write
from ldp_aggregator.output.formats import html_page
from ldp_aggregator.output.markup import tag
from ldp_aggregator.output.sheet import Sheet, TextTable

TITLE = "RAPPOR: the regression grid"

_METRICS = {
    "actual": "a",
    "found": "r",
    "fpr": "FPR",
    "fnr": "FNR",
    "tv": "TV",
    "am": "AM",
    "fdr": "FDR",
    "coverage": "coverage",
    "found coverage": "of found",
    "width": "width",
    "seconds": "seconds",
}
_COMPARED = (
    "case",
    "FPR R, here",
    "FNR R, here",
    "TV R, posterior",
    "TV of posterior-mean",
    "TV unbiased",
    "coverage R, here",
    "coverage of found",
    "seconds R, here",
    "FDR",
)

_INTRODUCTION = (
    "Known populations, their reports drawn from their exact law, and how well the "
    "decoder finds them again: means and standard errors over instances, each with "
    "other people, other noise and other hash functions.",
    "a: values that somebody holds. r: values found by default, with 5 % false "
    "discoveries. FPR: false positives / spurious candidates. FNR: missed values / "
    "values among the candidates. TV: half the sum of differences between true and "
    "estimated frequencies, those that are not found counting as 0. AM: allocated "
    "mass, the sum of the frequencies found. FDR: false positives / found. Coverage "
    "and width: of the 95 % intervals of all candidates that somebody holds, found or "
    "not. Of found: coverage of the false-coverage-rate intervals of what is found, as "
    "they are exported. Seconds: from counts and the candidates' bits to estimates and "
    "detections, on one processor.",
)
_COMPARISON = (
    "google/rappor's own decoder (R) was run on the same cases. It takes for found "
    "what exceeds two of its standard errors; here every candidate is taken whose "
    "p-value is at most the share of spurious candidates that R lets in (where none is "
    "spurious, in the case typical with the same distribution). TV of posterior and "
    "posterior-mean is of all candidates as these views are printed (--post-process); "
    "unbiased, of the candidates taken, as that of R. FDR and the coverage of found "
    "are of what is found by default."
)
_DISTRIBUTION = "true (line) and found (bars)"
_STYLE = """
body { max-width: 90rem; }
table { font-size: .75rem; white-space: nowrap; }
th, td { padding: .2rem .5rem; }
svg { width: 13rem; height: 3rem; background: #fff; vertical-align: middle; }
"""
_WIDE, _HIGH = 300, 60

Show = Callable[[Score], str]


def text(outcomes: Sequence[Outcome]) -> str:
    """Aligned tables, without standard errors."""
    rows = [_cells(outcome, Score.brief) for outcome in outcomes]
    tables = [TextTable("", " ".join(sentences(outcomes)), _headings(), rows=rows)]
    if compared := _compared(outcomes, Score.brief):
        tables.append(
            TextTable("Beside google/rappor", _COMPARISON, _COMPARED, rows=compared)
        )
    return "".join(write(Sheet(TITLE, tables=lambda: tables)))


def page(outcomes: Sequence[Outcome], command: str) -> str:
    """One self-contained page."""
    parts = [
        html_page.paragraph(part) for part in (*_INTRODUCTION, f"Command: {command}")
    ]
    parts += [html_page.paragraph(sentence) for sentence in sentences(outcomes)]
    if compared := _compared(outcomes):
        parts += [tag("h2", "Beside google/rappor"), html_page.paragraph(_COMPARISON)]
        parts.append(html_page.table(_COMPARED, compared))
    for size, group in groupby(
        outcomes, lambda outcome: outcome.case.name.partition(" ")[0]
    ):
        rows = list(group)
        parts += [tag("h2", size), html_page.paragraph(_size(rows))]
        pictures = [curve(*outcome.curve) for outcome in rows]
        parts.append(
            html_page.table(
                (*_headings(), _DISTRIBUTION), [_cells(row) for row in rows], pictures
            )
        )
    return html_page.page(TITLE, "".join(parts), _STYLE)


def curve(truth: Sequence[float], estimates: Sequence[float]) -> str:
    """A small picture: the true frequencies as a line, those found as bars.

    Groups of values from left to right.
    """
    step, top = _WIDE / len(truth), max(*truth, *estimates)

    def height(frequency: float) -> int:
        return round(_HIGH * (1 - max(frequency, 0.0) / top))

    bars = "".join(
        f"M{index * step:.0f} {_HIGH}V{height(frequency)}h{0.8 * step:.1f}V{_HIGH}"
        for index, frequency in enumerate(estimates)
        if height(frequency) < _HIGH
    )
    line = "L".join(
        f"{(index + 0.4) * step:.0f} {height(frequency)}"
        for index, frequency in enumerate(truth)
    )
    return (
        f'<svg viewBox="0 0 {_WIDE} {_HIGH}" preserveAspectRatio="none">'
        f'<path d="{bars}" fill="#8fb3d9"/>'
        f'<path d="M{line}" fill="none" stroke="#c8452f" stroke-width="1.5"/></svg>'
    )


def _headings() -> tuple[str, ...]:
    return ("case", *_METRICS.values())


def _cells(outcome: Outcome, show: Show = str) -> list[str]:
    scores = outcome.scores
    return [outcome.case.name, *(show(scores[name]) for name in _METRICS)]


def _compared(outcomes: Sequence[Outcome], show: Show = str) -> list[list[str]]:
    return [
        list(_comparison(outcome, show))
        for outcome in outcomes
        if outcome.case.name in PUBLISHED
    ]


def _comparison(outcome: Outcome, show: Show) -> Iterator[str]:
    """R's figure and ours, side by side."""
    theirs = PUBLISHED[outcome.case.name]
    matched = outcome.matched
    scores = outcome.scores
    yield outcome.case.name
    for name in ("fpr", "fnr"):
        yield f"{_known(getattr(theirs, name))}, {show(matched[name])}"
    yield f"{theirs.tv}, {show(matched['posterior tv'])}"
    yield show(matched["mean tv"])
    yield show(matched["tv"])
    yield f"{theirs.coverage}, {show(scores['coverage'])}"
    yield show(scores["found coverage"])
    yield f"{_known(theirs.seconds)}, {show(scores['seconds'])}"
    yield show(scores["fdr"])


def _known(number: float | None) -> str:
    return "–" if number is None else str(number)


def _size(outcomes: Sequence[Outcome]) -> str:
    case = outcomes[0].case
    answers = f" with {case.answers_each} answers each" if case.answers_each > 1 else ""
    instances = len(outcomes[0].results)
    return (
        f"{case.values:,} values, {case.clients:,} clients{answers}, {instances} "
        "instances."
    )
