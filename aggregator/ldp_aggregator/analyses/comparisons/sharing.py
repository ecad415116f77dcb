"""Errors that two sets of estimates have in common, because the same devices sent
reports to both.

A device with a memoized mechanism keeps a permanent response for each answer, so that
what this response errs by is in both of its reports. Of a question through a chain of
p1, q1 and p2, q2, a device whose answer stayed the same adds to the covariance of two
frequencies, as its report of one period and that of the other are independent given the
permanent response,

    P (1 - P) (p2 - q2)^2 / [(p1 - q1) (p2 - q2)]^2,   P = p1 if it holds the value, else q1

which is the variance of an estimate from permanent responses alone (`Moments.lasting`).
Where the errors are for a population, that the same people were drawn is shared as
well: f (1 - f). With a share o of the smaller number of devices in both,

    Cov = o s / max(n_a, n_b),   s = f lasting_if_held + (1 - f) lasting_if_not [+ f (1 - f)]

at f between the two estimates. Devices whose answer changed use another permanent
response, and share nothing: o is of those that stayed. Where o is unknown, the
covariance lies between 0 and that of o = 1. It is never negative, so the interval of 0
is the widest, and holds the truth in any case.

Of a mechanism that keeps something, and of which it is not known how much (Bloom
filters), all of the variance counts as what may be shared. One that keeps nothing draws
afresh for every report: for respondents nothing is shared, whoever they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.contract import is_memoized
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.numerics.arrays import Floats

UNKNOWN = (
    "devices keep a permanent response, whose error is in the reports of both if the "
    "same devices sent them: how many did is not known, so intervals are those of "
    "none, the widest; of all, standard errors would be {factor:.2f} times these, on "
    "average (--overlap says how many)"
)
KNOWN = (
    "a share of {overlap:g} of the devices is taken to be in both, with the same answer"
)
FRESH = (
    "this question has fresh noise in every report, so the errors of the same devices "
    "are not shared, for the respondents"
)
DIFFERENT_PEOPLE = (
    "the two are taken to be of different people; if the same people answered both, "
    "--overlap says how many, or compare the respondents"
)


class Sharing(NamedTuple):
    """The covariance of the errors, of shape (M,): in any case, and at most."""

    least: Floats
    most: Floats
    sentence: str

    def correlations(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """Correlations of errors with such standard errors."""
        product = first * second
        scale = np.divide(1.0, product, out=np.zeros_like(product), where=product > 0)
        least, most = (
            np.clip(part * scale, 0.0, 1.0) for part in (self.least, self.most)
        )
        return least, most


def check_overlap(overlap: float | None) -> None:
    """Raise `EstimateError` for what is no share."""
    if overlap is not None and not 0 <= overlap <= 1:
        raise EstimateError(f"expected an overlap from 0 to 1, got {overlap:g}")


def keeps(estimates: QuestionEstimates) -> bool:
    """Whether devices keep a permanent response for this question."""
    randomizer = estimates.question.randomizer
    return is_memoized(randomizer) and randomizer.memoizes


def lasting_variance(estimates: QuestionEstimates, frequency: Floats) -> Floats:
    """Return the common variance of one device's reports, if these are the true
    frequencies: s.
    """
    law = estimates.law
    share = np.clip(frequency, 0.0, 1.0)
    if law is None:
        return np.zeros_like(share)
    drawn = share * (1 - share) if estimates.options.estimand == "population" else 0.0
    if not keeps(estimates):
        return drawn + np.zeros_like(share)
    if_held, if_not = law.lasting or (law.variance_if_held, law.variance_if_not)
    return share * if_held + (1 - share) * if_not + drawn


def sharing_of(
    first: QuestionEstimates, second: QuestionEstimates, overlap: float | None
) -> Sharing:
    """Return the common part of the errors of two sets of frequencies."""
    nothing = np.zeros(len(first))
    together = (first.unbiased + second.unbiased) / 2
    variances = [lasting_variance(side, together) for side in (first, second)]
    everything = np.minimum(*variances) / max(first.respondents, second.respondents, 1)
    for_respondents = first.options.estimand == "respondents"
    may_repeat = keeps(first) and _same_response(first, second)
    if not may_repeat and for_respondents:
        return Sharing(nothing, nothing, "" if overlap is None else FRESH)
    if overlap is not None:
        known = overlap * everything
        return Sharing(known, known, KNOWN.format(overlap=overlap) if overlap else "")
    if not may_repeat:
        return Sharing(nothing, nothing, DIFFERENT_PEOPLE)
    variance = first.standard_error**2 + second.standard_error**2
    left = np.maximum(variance - 2 * everything, 0.0)
    factor = np.sqrt(
        np.divide(left, variance, out=np.ones_like(left), where=variance > 0)
    )
    sentence = UNKNOWN.format(factor=float(factor.mean()) if len(factor) else 1.0)
    return Sharing(nothing, everything, sentence)


def shared_of_means(
    first: QuestionEstimates, overlap: float | None, error: Floats
) -> Sharing:
    """The same of means, whose shared part is not known: anything up to all of the
    variance.
    """
    nothing = np.zeros(1)
    if not keeps(first):
        return Sharing(nothing, nothing, "")
    most = error
    if overlap is not None:
        most = overlap * error
    return Sharing(nothing, most, "")


def _same_response(first: QuestionEstimates, second: QuestionEstimates) -> bool:
    """A permanent response belongs to a question under all its parameters."""
    return first.question.fingerprint == second.question.fingerprint
