"""What a run of the grid comes to, in sentences: which cases keep what is promised, and
which not.

A case misses a bound if its mean does; whether by more than chance is said beside it,
in standard errors of that mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lab.rappor_suite.published import PUBLISHED
from lab.rappor_suite.running import Outcome, Score

MOST_FALSE = 0.05
"""Of what is found, on average."""
COVERED = 0.94, 0.96
FEWEST_FOUND = 10
"""Of cases that find fewer, the coverage of what is found is that of next to nothing.
"""
_CHANCE = 2.0


def sentences(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """One for each promise that these cases are about."""
    yield _kept(
        f"False discoveries by default are at most {MOST_FALSE}",
        {
            outcome.case.name: _above(outcome.scores["fdr"], MOST_FALSE)
            for outcome in outcomes
        },
    )
    everything = {outcome.case.name: outcome.scores["coverage"] for outcome in outcomes}
    yield _covered("all candidates that somebody holds", everything)
    exported = {
        outcome.case.name: outcome.scores["found coverage"]
        for outcome in outcomes
        if outcome.scores["found"].mean >= FEWEST_FOUND
    }
    if exported:
        yield _covered(
            f"what is found, where that is {FEWEST_FOUND} or more,", exported
        )
    beside = [outcome for outcome in outcomes if outcome.case.name in PUBLISHED]
    for what, name, of_r in (
        ("FNR", "fnr", "fnr"),
        ("TV of posterior", "posterior tv", "tv"),
    ):
        if beside:
            excess = {
                outcome.case.name: _above(
                    outcome.matched[name],
                    getattr(PUBLISHED[outcome.case.name], of_r),
                    strict=True,
                )
                for outcome in beside
            }
            yield _kept(f"{what} is below that of R", excess)


def _covered(whose: str, coverage: dict[str, Score]) -> str:
    low, high = COVERED
    excess = {
        name: float(np.fmax(_above(score, high), _above(_turned(score), -low)))
        for name, score in coverage.items()
    }
    means = [score.mean for score in coverage.values()]
    return _kept(
        f"Coverage of {whose} is from {min(means):.3f} to {max(means):.3f}, and within "
        f"{low} and {high}",
        excess,
    )


def _turned(score: Score) -> Score:
    """With the sign of the mean changed, to look for what is below."""
    return Score(-score.mean, score.error)


def _above(score: Score, bound: float, *, strict: bool = False) -> float:
    """By how many standard errors a mean misses a bound; not a number where it does
    not.
    """
    missed = score.mean >= bound if strict else score.mean > bound
    if not missed:
        return np.nan
    # Of one instance, or of equal ones, there is no error to compare with.
    known = score.error > 0
    return (score.mean - bound) / score.error if known else 0.0


def _kept(promise: str, excess: dict[str, float]) -> str:
    """How many keep it; the others by name, those beyond chance first."""
    missing = {name: errors for name, errors in excess.items() if not np.isnan(errors)}
    text = f"{promise} in {len(excess) - len(missing)} of {len(excess)} cases."
    if not missing:
        return text
    beyond = [name for name, errors in missing.items() if errors > _CHANCE]
    text += f" Not in {', '.join(missing)}"
    return (
        f"{text}; by more than {_CHANCE:g} standard errors in "
        f"{', '.join(beyond) or 'none'}."
    )
