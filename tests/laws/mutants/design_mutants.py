"""Designs that deliver less privacy than they declare (or far more), and decoders that
go wrong.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from lawbook import decoder, errors
from mutants import GENUINE, declared_as, decoded_by, designed_as

from ldp.mechanisms.contract import Declared
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp.numbers.exact import WEIGHT_SCALE, exp_lower, exp_upper
from ldp.numbers.randomness import WORD

ONE, SPAN = Fraction(1), 1 << WORD
FLOAT_E = Fraction(math.nextafter(math.e, 3))
"""e as a float that was rounded up."""


def sue(epsilon, rounded):
    """SUE that gives each bit `epsilon`, with thresholds rounded in some way."""
    flip = rounded(SPAN / (exp_lower(epsilon) + 1))
    return UnaryEncoding(4, SPAN - flip, flip)


def odds(truth, other=WEIGHT_SCALE):
    return RandomizedResponse(5, truth, other)


def rappor(number, **integers):
    return GENUINE[f"rappor-{number}"].randomizer._replace(**integers)


OUE_FLOOR = UnaryEncoding(4, SPAN // 2, math.floor(SPAN / (exp_lower(ONE) + 1)))
NEAREST_128TH = round(Fraction(3, 10) * 128) * SPAN // 256

DESIGNS = (
    designed_as("SUE with e^epsilon for e^(epsilon/2)", "sue-1", sue(ONE, math.ceil)),
    designed_as("SUE with half of its epsilon", "sue-1", sue(ONE / 4, math.ceil)),
    designed_as("SUE with q rounded down", "sue-1", sue(ONE / 2, math.floor)),
    designed_as("OUE with q rounded down", "oue-1", OUE_FLOOR),
    designed_as("OUE with p and q of SUE", "oue-1", sue(ONE, math.ceil)),
    designed_as(
        "odds rounded up", "grr-1", odds(math.ceil(exp_upper(ONE) * WEIGHT_SCALE))
    ),
    designed_as(
        "odds from a float rounded up",
        "grr-1",
        odds(FLOAT_E.numerator, FLOAT_E.denominator),
    ),
    designed_as(
        "odds against all others together",
        "grr-1",
        odds(math.floor(exp_lower(ONE) * 4 * WEIGHT_SCALE)),
    ),
    designed_as(
        "f rounded to the nearest 1/128 (google/rappor)",
        "rappor-1",
        rappor(1, flip=NEAREST_128TH),
    ),
    designed_as("f/2 rounded down", "rappor-2", rappor(2, flip=SPAN // 6)),
    declared_as("e^epsilon bounded from above", "grr-1", Declared("1", exp_upper(ONE))),
    declared_as("e^epsilon from a float rounded up", "grr-1", Declared("1", FLOAT_E)),
    declared_as("epsilon of yes alone", "forced-2", Declared.ratio(Fraction(19, 6))),
    declared_as(
        "epsilon of one hash (pure-LDP 1.2.0)",
        "rappor-4",
        Declared.ratio(rappor(4, hashes=1).ratio),
    ),
)


def clipped(moments, *_):
    positive = np.maximum(moments.frequency, 0)
    return replace(
        moments, frequency=positive / positive.sum() if positive.any() else positive
    )


def swapped(moments, randomizer, _):
    p, q = (float(rate) for rate in randomizer.support)
    return replace(
        moments, frequency=(moments.count.supports / moments.reports - p) / (q - p)
    )


def nominal(moments, randomizer, _):
    """Takes q from an epsilon that is rounded for reading, not from the integers that
    were run.
    """
    p, q = 1 / 2, 1 / (math.exp(round(math.log(randomizer.ratio), 1)) + 1)
    return replace(
        moments, frequency=(moments.count.supports / moments.reports - q) / (p - q)
    )


def counted_only(moments, *_):
    return replace(moments, frequency=moments.count.supports / moments.reports)


def reversed_values(moments, *_):
    return replace(moments, frequency=moments.frequency[::-1])


def transposed(moments, randomizer, counts):
    channel = np.array(randomizer.channel().rows, dtype=float)
    return replace(moments, frequency=np.linalg.inv(channel) @ counts[0] / counts.sum())


def without_f_term(moments, *_):
    return replace(moments, variance_if_held=moments.variance_if_not)


def of_the_population(moments, *_):
    return replace(moments, variance_if_held=moments.variance_if_held + 1)


def uncorrelated(moments, *_):
    return replace(moments, covariance=lambda: np.diag(np.diag(moments.covariance())))


def multinomial(moments, *_):
    shares = moments.frequency
    return replace(
        moments,
        covariance=lambda: (
            (np.diag(shares) - np.outer(shares, shares)) / moments.reports
        ),
    )


DECODERS = (
    decoded_by(
        "clipped and normalised (multi-freq-ldpy)", decoder, "symbols-7", change=clipped
    ),
    decoded_by("clipped and normalised inverse", decoder, "matrix-3", change=clipped),
    decoded_by(
        "p and q swapped in the decoder", decoder, "bits-3-word-3", change=swapped
    ),
    decoded_by(
        "nominal p and q in the decoder", decoder, "bits-3-word-4", change=nominal
    ),
    decoded_by(
        "counts not debiased (google/rappor)",
        decoder,
        "rappor-2-word-3",
        change=counted_only,
    ),
    decoded_by("values in reverse", decoder, "bits-3-word-3", change=reversed_values),
    decoded_by("inverse transposed", decoder, "matrix-3", change=transposed),
    decoded_by(
        "variance without the f-term", errors, "bits-3-word-4", change=without_f_term
    ),
    decoded_by(
        "variance of the population for the respondents",
        errors,
        "symbols-7",
        change=of_the_population,
    ),
    decoded_by(
        "matrix variance not centred", errors, "matrix-3", change=of_the_population
    ),
    decoded_by(
        "values taken as uncorrelated", errors, "symbols-7", change=uncorrelated
    ),
    decoded_by(
        "covariance without randomization", errors, "matrix-3", change=multinomial
    ),
)

MUTANTS = (*DESIGNS, *DECODERS)
