"""Least squares on Bloom filters, from counts by cohort, a design, and the noise of a
bit.

A report shows the bits of a text with noise, so how often each bit is set tells what
share of the respondents has a text that sets it. Each candidate sets a few known bits.
The frequencies are those under which the candidates' bits come closest to these shares,
where bits with less noise count for more.

    t = (c / N_j - p*) / (q* - p*), by cohort j and bit i: an unbiased estimate of the
    share of respondents whose text sets the bit
    X[(j, i), x] = 1 if candidate x sets bit i in cohort j;  V = Cov(t), as in `bit_covariance`
    t - b = (X - b) f + noise, because the candidates have a share sum(f) of the
    respondents, and a text that is no candidate sets a bit with probability b, the
    `background` f = G^-1 (X - b)' V^-1 (t - b),  G = (X - b)' V^-1 (X - b),  Cov(f) =
    G^-1 for the population

Unbiased if the candidates contain every text, whatever b is; if not, unbiased over the
choice of hash functions. Then the texts that are missing leave the residuals r larger
than chance has it: r' V^-1 r is a chi-square with as many degrees of freedom as there
are rates more than candidates, and all variances grow by its excess (`dispersion`).

V depends on the frequencies; those of a first solution with equal weights are put in,
projected on the simplex.

Source: Erlingsson, Pihur and Korolova 2014, Section 4 (least squares on candidates);
Aitken 1936 (with the full V).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.decoders.moments.bit_covariance import (
    BitNoise,
    Precision,
    precision,
)
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.numerics.postprocessing import norm_sub

MOST_AT_ONCE = 12_000
"""Candidates in one regression: its matrix is dense, 4 bytes times their square."""
_MOST_IN_DOUBLE = 4_000
"""Beyond, the matrix is kept in single precision.

Frequencies are refined to double precision all the same.
"""
_COLUMNS = 512
_REFINEMENTS = 3
_ALIKE = (
    "expected candidates that set different bits, got some that cannot be told apart "
    "by these reports (too few cohorts have reports, or two candidates are the same); "
    "collect more, or shorten the list"
)


class ChiSquare(NamedTuple):
    """A sum of squares that has a known law if all is as it should be."""

    statistic: float
    freedom: int

    @property
    def p_value(self) -> float:
        """How likely a sum at least as large is by chance; 1 if nothing is left to
        compare.
        """
        from scipy.special import chdtrc

        if self.freedom:
            return float(chdtrc(self.freedom, self.statistic))
        return 1.0


@dataclass(frozen=True, eq=False)
class BloomRegression:
    """Frequencies of M candidates, with all that is known of their errors."""

    respondents: float
    frequency: Floats
    shares: Floats
    """The frequencies that V was made with: never negative, of sum 1 at most."""
    root: Floats
    """An (M, M) matrix R with R R' = G^-1."""
    residual: ChiSquare
    inverse: Precision
    """V^-1."""
    left: Floats
    """The residuals."""
    bits: int
    """In each cohort."""

    @property
    def dispersion(self) -> float:
        """How many times larger than stated by V the variances are; at least 1.

        A text sets about as many bits in every cohort, so that what is missing spreads
        in one direction less than there are bits, and in these more than the mean
        square of the residuals shows.
        """
        if not self.residual.freedom:
            return 1.0
        excess = self.residual.statistic / self.residual.freedom - 1
        return 1 + max(0.0, excess) * self.bits / (self.bits - 1)

    @cached_property
    def variance(self) -> Floats:
        """Of each frequency, the respondents of each cohort being drawn from a
        population.
        """
        squares: Floats = self.dispersion * np.einsum(
            "ij,ij->i", self.root, self.root, dtype=float
        )
        return squares

    @property
    def covariance(self) -> Floats:
        """Covariance of all pairs; its diagonal is `variance`."""
        matrix: Floats = self.dispersion * (self.root @ self.root.T)
        return matrix

    @property
    def remainder(self) -> tuple[float, float]:
        """The share of respondents whose text is no candidate, and its standard error.

        The error is for the population.
        """
        spread = self.root.sum(axis=0, dtype=float)
        return 1 - float(self.frequency.sum()), float(
            np.sqrt(self.dispersion * (spread @ spread))
        )


def regress(
    counts: Counts, design: Any, noise: BitNoise, background: float
) -> BloomRegression:
    """The regression of counts on a design, for the cohorts that have reports.

    Counts have the shape (cohorts, 1 + bits), reports of the cohort first. The design
    is a sparse matrix of zeros and ones, (cohorts * bits, M).

    Raises `EstimateError` if the candidates are too many, or cannot be told apart.
    """
    counts, design = reporting(counts, design)
    rows, candidates = design.shape
    if candidates > min(rows, MOST_AT_ONCE):
        raise EstimateError(
            f"expected at most {min(rows, MOST_AT_ONCE)} candidates ({len(counts)} "
            f"cohorts that reported, {counts.shape[1] - 1} bits each), got "
            f"{candidates}; shorten the list of candidates"
        )
    rates, sizes = centred_rates(counts, noise, background)
    shares = first_shares(rates, sizes, design, background=background)
    inverse = precision(design, sizes, noise, background=background, shares=shares)
    root = _inverse_root(normal_matrix(design, inverse, background))
    # Refined, as the root may be in single precision: frequencies (M,), and residuals
    # (rows,).
    frequency, left = np.zeros(candidates), rates
    for _ in range(_REFINEMENTS):
        slope = slopes(design, inverse.times(left), background).astype(root.dtype)
        frequency = frequency + root @ (root.T @ slope)
        left = rates - (design @ frequency - background * frequency.sum())
    residual = ChiSquare(float(left @ inverse.times(left)), rows - candidates)
    return BloomRegression(
        float(sizes.sum()),
        frequency,
        shares,
        root=root,
        residual=residual,
        inverse=inverse,
        left=left,
        bits=counts.shape[1] - 1,
    )


def reporting(counts: Counts, design: Any) -> tuple[Counts, Any]:
    """The counts and the design of those cohorts that have reports."""
    present = counts[:, 0] > 0
    return counts[present], design[np.repeat(present, counts.shape[1] - 1)]


def centred_rates(
    counts: Counts, noise: BitNoise, background: float
) -> tuple[Floats, Floats]:
    """(t - b, respondents of each cohort)."""
    reports = counts[:, :1].astype(float)
    rates = (counts[:, 1:] / reports - noise.zero) / (noise.one - noise.zero)
    return (rates - background).ravel(), reports[:, 0] / noise.repeats


def slopes(design: Any, rates: Floats, background: float) -> Floats:
    """(X - b)' rates."""
    product: Floats = design.T @ rates - background * rates.sum()
    return product


def first_shares(
    rates: Floats, sizes: Floats, design: Any, background: float
) -> Floats:
    """Plausible frequencies from the equally weighted solution: none negative, of sum 1
    at most.
    """
    from scipy.sparse.linalg import LinearOperator, lsqr

    weights = np.sqrt(np.repeat(sizes, len(rates) // len(sizes)))
    centred = LinearOperator(
        design.shape,
        matvec=lambda f: weights * (design @ f - background * f.sum()),
        rmatvec=lambda t: slopes(design, weights * t, background),
        dtype=float,
    )
    solved = np.maximum(
        lsqr(centred, weights * rates, atol=1e-4, btol=1e-4, iter_lim=100)[0], 0.0
    )
    if solved.sum() > 1:
        return norm_sub(solved)
    return solved


def normal_matrix(design: Any, inverse: Precision, background: float) -> Any:
    """G, of which only the upper triangle is filled in."""
    from scipy.linalg import get_blas_funcs

    candidates = design.shape[1]
    kind = np.float64 if candidates <= _MOST_IN_DOUBLE else np.float32
    matrix = np.zeros((candidates, candidates), kind, order="F")
    # X' diag(weights), (M, rows); the parts with b are sums of its rows.
    columns = design.tocsc()
    weighted = (columns.T * inverse.weights).tocsr()
    sums = weighted.sum(axis=1) - background * inverse.weights.sum() / 2
    for start in range(0, candidates, _COLUMNS):
        end = min(start + _COLUMNS, candidates)
        block = (weighted[:end] @ columns[:, start:end]).toarray()
        matrix[:end, start:end] = block - background * (
            sums[:end, None] + sums[start:end]
        )
    if not inverse.deflation.shape[0]:
        return matrix
    # Less the squares of the deflated columns, (eigenvalues, M).
    deflated = (
        inverse.deflation @ columns
    ).toarray() - background * inverse.deflation.sum(axis=1)[:, None]
    update = get_blas_funcs("syrk", (matrix,))
    return update(-1.0, deflated, beta=1.0, c=matrix, trans=1, overwrite_c=1)


def _inverse_root(matrix: Any) -> Any:
    """R with R R' = G^-1, upper triangular, in the place of G."""
    from scipy.linalg import get_lapack_funcs

    lapack: Any = get_lapack_funcs(("potrf", "trtri"), (matrix,))
    factorize, invert = lapack
    scale = np.diag(matrix).copy()
    factor, failed = factorize(matrix, lower=0, overwrite_a=1, clean=1)
    if (
        failed
        or (np.diag(factor) ** 2 < 100 * np.finfo(factor.dtype).eps * scale).any()
    ):
        raise EstimateError(_ALIKE)
    root, _ = invert(factor, lower=0, overwrite_c=1)
    return root
