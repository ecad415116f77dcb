"""The figures of docs/threat-model.md, worked out from the surveys of the examples.

    python -m lab.threat_figures docs/threat-model.md

writes them into the page, between its marks; `test_threat_model.py` holds that they
stand there as they are worked out now.
"""

import re
import sys
from fractions import Fraction
from math import log2
from pathlib import Path

from ldp import parse_survey
from ldp.mechanisms.chains.identifiers import identifier
from ldp.numbers.accounting import posterior, posterior_of
from ldp.numbers.exact import log_text, percent_below
from ldp.privacy.certificate import exact_ratios, totals
from ldp_client.answering.budget import USUAL_CAP

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = (
    "examples/affairs.toml",
    "examples/notes/survey.toml",
    "examples/commute.toml",
)
_DAY = 86_400
_YEAR = 365 * _DAY


def surveys():
    """Those of the examples."""
    return [parse_survey((ROOT / path).read_bytes(), path) for path in EXAMPLES]


def table(headings, rows):
    """A table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def guessed(ratio, size):
    """How often the best guesser of one of so many values, alike to begin with, is
    right.
    """
    return f"{percent_below(posterior(ratio, Fraction(1, size)))} %"


def reconstruction():
    """What reports of each question let someone guess."""
    rows = []
    for survey in surveys():
        for question in survey:
            one, ever = exact_ratios(question)
            size = question.domain.size
            blind = (
                "any text" if size is None else percent_below(Fraction(1, size)) + " %"
            )
            rows.append(
                [
                    f"{survey.name}: {question.name}",
                    log_text(one, 3),
                    f"{percent_below(posterior(one))} %",
                    blind,
                    "-" if size is None else guessed(one, size),
                    "unbounded"
                    if ever is None
                    else f"{percent_below(posterior(ever))} %",
                ]
            )
    headings = ["question", "epsilon of a report", "50 % becomes at most"]
    return table(
        [*headings, "right by chance", "right with one report", "50 % with all, ever"],
        rows,
    )


def linkage():
    """What tells the reports of one device to be its own."""
    rows = []
    for survey in surveys():
        for question in survey:
            if not question.memoizes:
                continue
            bits = identifier(question.randomizer)
            rows.append(
                [
                    f"{survey.name}: {question.name} (`{question.mechanism}`)",
                    *(f"{number:.2f}" for number in bits),
                    f"{2**bits.over_time:,.0f}",
                ]
            )
    headings = ["question", "bits in clear", "between two reports", "over time"]
    return table([*headings, "devices told apart in time"], rows)


def traces():
    """What a batch has besides its reports, in bits that tell one device from
    others.
    """
    day, second = (f"{log2(_YEAR / length):.2f}" for length in (_DAY, 1))
    week = f"{log2(_YEAR / (7 * _DAY)):.2f}"
    rows = [
        ["its id: 16 random bytes, new in each", "0.00", "yes"],
        ["the epoch in its id, of a week", week, "yes"],
        ["the epoch in its id, of a day", day, "yes"],
        ["on which day it arrives", day, "how many did, of all devices"],
        ["at which second it arrives", second, "no"],
        ["an address of IPv4", "32.00", "no"],
        ["a network of IPv6", "64.00", "no"],
    ]
    return table(["of a batch", "bits at most", "kept by the service"], rows)


def lifetimes():
    """What a device spends on a survey, and on all."""
    rows = []
    for survey in surveys():
        sums = totals(survey)
        once, charges = (
            Fraction(sums[key]) for key in ("one_report_each", "all_charges")
        )
        limit = "none" if survey.lifetime is None else survey.lifetime.text
        rows.append([survey.name, f"{float(once):.3f}", f"{float(charges):.3f}", limit])
    everything = percent_below(posterior_of(USUAL_CAP))
    rows.append(
        [
            "all surveys in one state file",
            "-",
            str(USUAL_CAP),
            (
                f"{USUAL_CAP} (50 % becomes {everything} % at most), or all charges of "
                "the first survey if that is more, unless the app sets a cap"
            ),
        ]
    )
    return table(
        [
            "survey",
            "one report each",
            "all that may ever be charged",
            "the device stops at",
        ],
        rows,
    )


TABLES = {
    "reconstruction": reconstruction,
    "linkage": linkage,
    "traces": traces,
    "lifetimes": lifetimes,
}


def written(page):
    """A page with the figures as they are now."""
    for name, make in TABLES.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
        page = re.sub(
            pattern,
            lambda mark, make=make: mark[1] + make() + mark[2],
            page,
            flags=re.DOTALL,
        )
    return page


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
