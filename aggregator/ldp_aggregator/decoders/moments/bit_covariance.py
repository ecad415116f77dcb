"""How the bit rates of a cohort err together, and the inverse of that covariance.

A respondent of cohort j holds text x with probability f_x, or with probability u a text
that is no candidate, whose bits are taken to be set anywhere, each with probability b.
Bits are then perturbed independently. With s = X_j f + u b the shares of respondents
whose text sets each bit, and v the variance of a respondent's mean report of a bit,

    Cov(t_j) = V_j / n_j,   V_j = diag(d) + sum_x f_x (x - s)(x - s)' + u (b - s)(b - s)'
    d = [s v_one + (1 - s) v_zero] / (q* - p*)^2 + u b (1 - b)

which is the multinomial covariance of the texts, seen through their bits, plus noise.
After division by sqrt(d) on both sides, V_j is 1 plus a matrix with eigenvalues l >= 0.
Those below `NEGLIGIBLE` count as their mean, which keeps the trace: V_j is then off by
a factor between 1 - NEGLIGIBLE and 1 + NEGLIGIBLE in every direction, and a standard
error by half of that at most.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ldp_aggregator.decoders.moments.bit_designs import FEW, BitDesign
from ldp_aggregator.decoders.moments.jumps import jumps_of, repeat_law
from ldp_aggregator.numerics.arrays import Floats

NEGLIGIBLE = 0.01


class BitNoise(NamedTuple):
    """How a respondent's reports of one bit depend on the true bit."""

    one: float
    """q*, the probability of a 1 where the true bit is 1."""
    zero: float
    """p*, where it is 0."""
    one_variance: float
    """The variance of the mean of a respondent's reports of a bit that is 1."""
    zero_variance: float
    repeats: int = 1
    """Reports from each respondent, all of one permanent response."""
    zero_third: float = 0.0
    """The third central moment of the mean of a respondent's reports of a bit that is
    0.
    """


def bit_noise(p: float, q: float, f: float, repeats: int = 1) -> BitNoise:
    """The noise of RAPPOR with parameters p, q, f.

    Repeats average the instantaneous noise, never the permanent one.
    """
    flip = f / 2
    permanent = flip * (1 - flip) * (q - p) ** 2
    of_one, of_zero = q * (1 - q), p * (1 - p)
    return BitNoise(
        (1 - flip) * q + flip * p,
        flip * q + (1 - flip) * p,
        permanent + ((1 - flip) * of_one + flip * of_zero) / repeats,
        zero_variance=permanent + (flip * of_one + (1 - flip) * of_zero) / repeats,
        repeats=repeats,
        zero_third=jumps_of(*repeat_law(((flip, q), (1 - flip, p)), repeats)).third,
    )


class Precision(NamedTuple):
    """The inverse covariance of all rates: diag(weights) - deflation' deflation."""

    weights: Floats
    deflation: Any
    """Sparse, a row for each eigenvalue that counts."""

    def times(self, rates: Floats) -> Floats:
        """The inverse covariance times a vector."""
        product: Floats = self.weights * rates - self.deflation.T @ (
            self.deflation @ rates
        )
        return product


def precision(
    design: Any, sizes: Floats, noise: BitNoise, background: float, shares: Floats
) -> Precision:
    """The precision of the rates of cohorts with `sizes` respondents.

    It is that which they have if `shares` are the candidates' frequencies.
    """
    from scipy.sparse import block_diag, csr_array

    unknown = max(1 - float(shares.sum()), 0.0)
    bits = design.shape[0] // len(sizes)
    # (cohorts, bits): the shares of candidates that set each bit.
    by_bit = (design @ shares).reshape(-1, bits)
    weights, blocks = [], []
    texts = _Texts(design, shares, unknown, background=background, bits=bits)
    # Cohorts are independent, so each is a block by itself.
    for cohort, size in enumerate(sizes.tolist()):
        # (bits,): the share that has each bit set, and the variance of its noise.
        share = np.clip(by_bit[cohort] + unknown * background, 0, 1)
        scale = (share * noise.one_variance + (1 - share) * noise.zero_variance) / (
            noise.one - noise.zero
        ) ** 2
        scale += unknown * background * (1 - background)
        values, vectors = texts.spread(cohort, by_bit[cohort], share, scale=scale)
        # Large eigenvalues are kept one by one; the others count as noise, the same in
        # each bit.
        large = values > NEGLIGIBLE
        rest = float(values[~large].sum()) / max(bits - int(large.sum()), 1)
        weights.append(size / (scale * (1 + rest)))
        excess = 1 / (1 + rest) - 1 / (1 + values[large])
        blocks.append(
            csr_array((vectors[:, large] * np.sqrt(size * excess)).T / np.sqrt(scale))
        )
    return Precision(np.concatenate(weights), block_diag(blocks, format="csr"))


class _Texts:
    """Texts of respondents: candidates with these shares, and an unknown rest."""

    def __init__(
        self, design: Any, shares: Floats, unknown: float, background: float, bits: int
    ) -> None:
        self.unknown, self.background, self.bits = unknown, background, bits
        present = np.flatnonzero(shares)
        # Of very many candidates nothing is made that has a row or column for each.
        self.many = isinstance(design, BitDesign) and len(present) > FEW
        self.design = design if self.many else design[:, present].tocsr()
        self.shares = shares if self.many else shares[present]

    def spread(
        self, cohort: int, by_bit: Floats, share: Floats, scale: Floats
    ) -> tuple[Floats, Floats]:
        """Eigenvalues, and eigenvectors in columns, of the covariance of what is held.

        In units of the noise; those that are zero may be left out.
        """
        if self.many:
            together = self.design.together(cohort, self.shares)
        else:
            part = self.design[cohort * self.bits : (cohort + 1) * self.bits]
            if len(self.shares) + 1 < self.bits:
                return self._of_few(part, share, scale)
            together = ((part * self.shares) @ part.T).toarray()
        # (bits, bits): the sums of f (x - s)(x - s)'.
        crossed = np.outer(by_bit - self.shares.sum() / 2 * share, share)
        apart = self.background - share
        covariance = (
            together - crossed - crossed.T + self.unknown * np.outer(apart, apart)
        )
        values, vectors = np.linalg.eigh(covariance / np.sqrt(np.outer(scale, scale)))
        return values, vectors

    def _of_few(self, part: Any, share: Floats, scale: Floats) -> tuple[Floats, Floats]:
        # (bits, candidates + 1): how each text's bits differ from the shares, whose
        # square it is.
        rest = np.full(self.bits, self.background)
        spread = np.column_stack([part.toarray(), rest]) - share[:, None]
        spread *= np.sqrt([*self.shares, self.unknown]) / np.sqrt(scale)[:, None]
        vectors, roots, _ = np.linalg.svd(spread, full_matrices=False)
        return roots**2, vectors
