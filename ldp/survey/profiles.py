"""Parameters with a name: what others have deployed and published, and one set for
tests.

A question that says `profile = "NAME"` takes its mechanism and all parameters from
here, and adds none of its own. Each profile says where its numbers were published, what
they give, and what was criticised: they are there to be compared with and to
interoperate. For a new survey `mechanism = "auto"`, or `l-grr` for repeated answers,
does better.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Profile(NamedTuple):
    """Keys of a survey file, and what to know about them."""

    keys: Mapping[str, object]
    source: str
    gives: str
    criticised: str
    tests_only: bool = False


def _rappor(
    bloom_bits: int, hashes: int, cohorts: int, p: str, q: str, f: str
) -> dict[str, object]:
    sizes: dict[str, object] = {
        "bloom_bits": bloom_bits,
        "hashes": hashes,
        "cohorts": cohorts,
    }
    return {"mechanism": "rappor", **sizes, "p": p, "q": q, "f": f}


_CHANGES = (
    "eps_inf is for one unchanged answer: every further value that an answer takes "
    "costs as much again"
)

PROFILES: Mapping[str, Profile] = {
    "rappor-paper": Profile(
        _rappor(128, 2, 32, p="0.5", q="0.75", f="0.75"),
        "Erlingsson, Pihur and Korolova 2014, Section 5: home pages of Chrome users",
        "eps_1 .5343 and eps_inf 2.0433, for an open vocabulary",
        criticised=_CHANGES,
    ),
    "rappor-reference": Profile(
        _rappor(16, 2, 64, p="0.5", q="0.75", f="0.5"),
        "google/rappor, the defaults of its Python client",
        "eps_1 1.0743 and eps_inf 4.3944, for small vocabularies",
        criticised=f"{_CHANGES}; with 16 bits many words share all of theirs",
    ),
    "chromium-normal": Profile(
        _rappor(128, 2, 128, p="0.25", q="0.75", f="0.5"),
        "Chromium, components/rappor: its type for normal noise",
        "eps_1 2.0433 and eps_inf 4.3944, for an open vocabulary",
        criticised=_CHANGES,
    ),
    "chromium-sparse": Profile(
        _rappor(32, 2, 128, p="0.25", q="0.75", f="0.25"),
        "Chromium, components/rappor: its type for rare metrics with less noise",
        "eps_1 3.1538 and eps_inf 7.7836, for an open vocabulary",
        criticised=f"{_CHANGES}; and seven is no small epsilon",
    ),
    "apple-emoji": Profile(
        {"mechanism": "cms", "epsilon": "4", "hashes": 16384, "width": 1024},
        "Differential Privacy Team, Apple 2017, Learning with Privacy at Scale",
        (
            "epsilon 4 for one report among some thousand values; with 65,536 hash "
            "functions there"
        ),
        criticised="the published variance was wrong (Pan 2024), and the budget was "
        "renewed every day, so that a lifetime had no bound (Tang et al. 2017); here a "
        "device answers once",
    ),
    "tests-only": Profile(
        {"mechanism": "grr", "epsilon": "20"},
        "no one's",
        "estimates next to the truth, for the tests of an app",
        criticised="NO PRIVACY: a report is the answer",
        tests_only=True,
    ),
}
"""By name, as a survey file gives it."""
