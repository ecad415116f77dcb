"""Memoized mechanisms broken on purpose, some of them as published."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from lawbook import decoder, errors, privacy, sampler, support
from memory_laws import lifetime, permanent, repeated
from mutants import GENUINE, altered, decoded_by, designed_as

from ldp.mechanisms.chains.bit_flip import BitFlip
from ldp.mechanisms.chains.longitudinal import Chain
from ldp.numbers.accounting import repeated_bits_ratio, repeated_ratio
from ldp.numbers.exact import WEIGHT_SCALE, exp_lower, exp_upper
from ldp.numbers.randomness import WORD

ONE = Fraction(1)


def chain(name, **parts):
    """A genuine chain, with other odds of a step."""
    lasting, fresh = GENUINE[name].randomizer
    return Chain(
        lasting._replace(**parts.get("lasting", {})),
        fresh._replace(**parts.get("fresh", {})),
    )


def published(name):
    """R2 = (R R1 - 1) / (R1 - R), as published: the ways between wrong symbols are left
    out.
    """
    lasting, wanted = chain(name).lifetime_ratio, exp_lower(ONE)
    odds = (wanted * lasting - 1) / (lasting - wanted)
    return chain(name, fresh={"truth": math.floor(odds * WEIGHT_SCALE)})


def flipping(name, flip):
    return chain(name, fresh={"truth": (1 << WORD) - flip, "other": flip})


def by_rates_of_one_report(self, reports):
    """For `ratio_after`: eps_1 where it takes the instantaneous step's (equation 16,
    published).
    """
    return repeated_ratio(self.lasting.support, self.support, reports)


def bits_by_rates_of_one_report(self, reports):
    return repeated_bits_ratio(self.lasting.support, self.support, reports)


def ones_alone(self, reports):
    """For `ratio_after`: what a bit of the value reveals, and not what the bit of
    another does.
    """
    return repeated_ratio(self.lasting.support, self.fresh.support, reports)


def added_up(self, reports):
    """For `ratio_after`: as if every report had a permanent response of its own."""
    return self.ratio**reports


def one_report(self):
    return self.ratio


def permanent_rates(self):
    """For `support`: the instantaneous step is left out."""
    return self.lasting.support


def kept_by_value(_, value, __):
    """For `memo_value`: a permanent response for each value, and not for each
    bucket.
    """
    return value


def kept_by_parity(_, value, __):
    """For `memo_value`: values that differ share a response."""
    return value % 2


def truth_kept(self, value, cohort, _):
    return Chain(*self).memo_value(value, cohort)


def permanent_sent(self, response, cohort, _):
    return self.layout.report(response, cohort)


def noise_on_the_truth(self, value, random):
    cohort = self.draw_cohort(random)
    self.permanent(value, cohort, random)
    return self.instantaneous(self.memo_value(value, cohort), cohort, random)


def seed_of_the_report(self, response, cohort, random):
    """For `instantaneous`: the response to one hash function's bucket, sent with
    another's seed.
    """
    return self.layout.report(self.fresh.randomize(response, random), cohort ^ 1 << 32)


def variance_if_rates_add_up_to_one(moments, randomizer, _):
    """The published rate of support of a value held by f: q + f (2 p - 1), for q + f (p
    - q).
    """
    p, q = map(float, randomizer.support)
    rate = q + 2 * p - 1
    return replace(
        moments,
        variance_if_held=np.full_like(
            moments.variance_if_held, rate * (1 - rate) / (p - q) ** 2
        ),
    )


def of_the_window(self):
    """For `memos`: the response that all other values share is forgotten."""
    return self.sampled


def bits_of_another_window(self, value, cohort, random):
    return BitFlip(*self).permanent(value, (cohort + 1) % self.size, random)


def window_of_the_value(self, value, random):
    """The window is drawn until it holds the value, and so tells that it does."""
    while (
        int(value) - (cohort := self.draw_cohort(random))
    ) % self.size >= self.sampled:
        pass
    return self.instantaneous(self.permanent(value, cohort, random), cohort, random)


def one_bit(self):
    """For `ratio`: as if two values differed in one bit."""
    return Fraction((1 << self.word) - self.flip, self.flip)


def asked_everything(moments, randomizer, _):
    """Decoded as if a bit outside the window were a 0 that was sent."""
    share, q = randomizer.sampled / randomizer.size, float(randomizer.within[1])
    return replace(
        moments, frequency=moments.frequency - q * (1 / share - 1) / (1 - 2 * q)
    )


FLIP = chain("l-osue-1").fresh.other
ODDS_UP = math.ceil(exp_upper(2 * ONE) * WEIGHT_SCALE)

MUTANTS = (
    designed_as("L-GRR as published", "l-grr-1", published("l-grr-1")),
    designed_as("LOLOHA as published", "loloha-1", published("loloha-1")),
    designed_as(
        "permanent odds rounded up",
        "l-grr-1",
        chain("l-grr-1", lasting={"truth": ODDS_UP}),
    ),
    designed_as(
        "instantaneous odds rounded up",
        "l-grr-1",
        chain("l-grr-1", fresh={"truth": ODDS_UP}),
    ),
    designed_as(
        "instantaneous flip too rare by 2^-62",
        "l-osue-1",
        flipping("l-osue-1", FLIP - 4),
    ),
    designed_as(
        "a flip of eps_1 after one of eps_inf",
        "l-sue-1",
        flipping("l-sue-1", GENUINE["sue-1"].randomizer[2]),
    ),
    altered(
        "t reports with eps_1 for that of a step",
        repeated,
        "chain-of-2-symbols",
        ratio_after=by_rates_of_one_report,
    ),
    altered(
        "t reports with q* and p*",
        repeated,
        "chain-of-2-bits",
        ratio_after=bits_by_rates_of_one_report,
    ),
    altered(
        "t reports of one bit", repeated, "chain-of-2-bits", ratio_after=ones_alone
    ),
    altered("t reports add up", repeated, "chain-of-3-symbols", ratio_after=added_up),
    altered(
        "eps_inf of a chain is eps_1",
        lifetime,
        "chain-of-3-symbols",
        lifetime_ratio=property(one_report),
    ),
    altered(
        "p and q of the permanent step",
        support,
        "chain-of-3-symbols",
        support=property(permanent_rates),
    ),
    altered(
        "a permanent response for each value",
        permanent,
        "chain-of-3-buckets",
        memo_value=kept_by_value,
    ),
    altered(
        "values that share a permanent response",
        permanent,
        "chain-of-3-symbols",
        memo_value=kept_by_parity,
    ),
    altered(
        "the truth for a permanent response",
        permanent,
        "chain-of-3-symbols",
        permanent=truth_kept,
    ),
    altered(
        "the permanent response for a report",
        sampler,
        "chain-of-2-bits",
        instantaneous=permanent_sent,
    ),
    altered(
        "fresh noise on the true symbol",
        sampler,
        "chain-of-3-symbols",
        randomize=noise_on_the_truth,
    ),
    altered(
        "another hash function's seed",
        sampler,
        "chain-of-buckets",
        instantaneous=seed_of_the_report,
    ),
    altered(
        "no response for values outside the window",
        permanent,
        "window-of-1",
        memos=property(of_the_window),
    ),
    altered(
        "the bits of another window",
        permanent,
        "window-of-2",
        permanent=bits_of_another_window,
    ),
    altered(
        "window chosen by the value",
        sampler,
        "window-of-2",
        randomize=window_of_the_value,
    ),
    altered("ratio of one bit", privacy, "window-of-2", ratio=property(one_bit)),
    decoded_by(
        "bits outside the window counted as 0",
        decoder,
        "window-of-2",
        change=asked_everything,
    ),
    decoded_by(
        "variance as if p + q = 1",
        errors,
        "l-grr-1",
        change=variance_if_rates_add_up_to_one,
    ),
)
