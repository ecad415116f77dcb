"""Decoding RAPPOR's Bloom filters: weighted least squares over candidate texts.

    per cohort j and bit i:  t = (c / N_j - p*) / (q* - p*), an unbiased estimate of the share of the cohort's
    respondents whose text sets the bit;  t = X f + noise, X[(j, i), x] = 1 if candidate x sets bit i in cohort j
    f = (X' W X)^-1 X' W t, with W the inverse noise variances at a first, equally weighted solution

The error has two parts. Noise: given the texts, bits are independent, with variance share q*(1-q*) + (1-share) p*(1-p*)
each. Assignment: cohorts are drawn at random, so each sees its own sample of the respondents. Both are computed, with
the fitted frequencies in place of the unknown ones. Unbiased if the candidates contain every text that was reported.

Source: Erlingsson, Pihur and Korolova 2014, Section 4 (least squares on candidates).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp.bloom import bloom_positions
from ldp.errors import EstimateError
from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.rappor import Rappor
from ldp_aggregator.counting import Counts
from ldp_aggregator.moments import Floats, Moments


def bloom_moments(randomizer: Randomizer, counts: Counts, candidates: Sequence[str]) -> Moments:
    """Moments of the candidates' frequencies. Raises `EstimateError` if the reports cannot tell them apart."""
    assert isinstance(randomizer, Rappor)  # noqa: S101
    cohorts = np.flatnonzero(counts[:, 0])
    sizes = counts[cohorts, 0].astype(float)
    reports = int(sizes.sum())
    one, zero = (float(rate) for rate in randomizer.support)
    shares = ((counts[cohorts, 1:] / sizes[:, None] - zero) / (one - zero)).ravel()
    design = design_matrix(randomizer, candidates, cohorts)
    of_row = np.repeat(sizes, randomizer.bits)
    if len(candidates) > len(shares):
        raise EstimateError(
            f"expected at most {len(shares)} candidates ({len(cohorts)} cohorts that reported, "
            f"{randomizer.bits} bits each), got {len(candidates)}; shorten the list of candidates"
        )

    def noise(expected: Floats) -> Floats:
        held = np.clip(expected, 0, 1)
        variance: Floats = (held * one * (1 - one) + (1 - held) * zero * (1 - zero)) / ((one - zero) ** 2 * of_row)
        return variance

    first = _solver(design, of_row) @ shares
    variance = noise(design @ first)
    solver = _solver(design, 1 / variance)
    frequency = solver @ shares
    held = np.clip(frequency, 0, 1)

    def covariance() -> Floats:
        total: Floats = (solver * variance) @ solver.T - np.diag(held) / reports
        for seen in _seen_by_cohort(solver, design, randomizer.bits):
            total += (seen[1] * held) @ seen[1].T / sizes[seen[0]]
        return total

    spread = (solver**2) @ variance - held / reports
    for cohort, seen in _seen_by_cohort(solver, design, randomizer.bits):
        spread += seen**2 @ held / sizes[cohort]
    scaled = reports * np.maximum(spread, 0.0)
    return Moments(reports, frequency, scaled, scaled, covariance)


def design_matrix(randomizer: Rappor, candidates: Sequence[str], cohorts: NDArray[Any]) -> Any:
    """X as a sparse matrix of shape (cohorts x bits, candidates)."""
    from scipy.sparse import csr_array

    encoded = [candidate.encode() for candidate in candidates]
    cells = {
        (place * randomizer.bits + position, column)
        for place, cohort in enumerate(cohorts.tolist())
        for column, text in enumerate(encoded)
        for position in bloom_positions(text, cohort, randomizer.hashes, randomizer.bits)
    }
    rows, columns = np.array(sorted(cells)).T
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(cohorts) * randomizer.bits, len(candidates)))


def _solver(design: Any, weights: Floats) -> Floats:
    """(X' W X)^-1 X' W, dense."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    weighted = (design.T * weights).toarray()
    try:
        solved: Floats = cho_solve(cho_factor(weighted @ design), weighted)
    except LinAlgError:
        raise EstimateError(
            "expected candidates that set different bits, got some that cannot be told apart by these reports "
            "(too few cohorts have reports, or two candidates are the same); collect more, or shorten the list"
        ) from None
    return solved


def _seen_by_cohort(solver: Floats, design: Any, bits: int) -> Any:
    """(place of the cohort, what one of its respondents adds to each estimate, by the text held): (M, M) each."""
    for place in range(design.shape[0] // bits):
        rows = slice(place * bits, (place + 1) * bits)
        yield place, solver[:, rows] @ design[rows]
