"""RAPPOR broken on purpose."""

from __future__ import annotations

from fractions import Fraction

from lawbook import privacy, sampler
from memory_laws import lifetime, permanent, stages
from mutants import altered

from ldp.mechanisms.chains.rappor import Rappor


def never_cleared(self, value, cohort, random):
    """A permanent response that flips a 0 to 1, but no 1 to 0."""
    return self.true_bits(value, cohort) | Rappor.permanent(self, value, cohort, random)


def not_permanent(self, value, cohort, _):
    return self.true_bits(value, cohort)


def flips_with_f(self, value, cohort, random):
    return Rappor(*self)._replace(flip=2 * self.flip).permanent(value, cohort, random)


def not_instantaneous(_, bits, *__):
    return bits


def p_for_q(self, bits, cohort, random):
    swapped = Rappor(*self)._replace(if_one=self.if_zero, if_zero=self.if_one)
    return swapped.instantaneous(bits, cohort, random)


def noise_on_the_truth(self, value, random):
    """The permanent response is drawn, but the true bits are reported on."""
    cohort = self.draw_cohort(random)
    self.permanent(value, cohort, random)
    return self.instantaneous(self.true_bits(value, cohort), cohort, random)


def cohort_of_value(self, value, random):
    self.draw_cohort(random)
    cohort = value[0] % self.cohorts
    return self.instantaneous(self.permanent(value, cohort, random), cohort, random)


def cohort_zero(*_):
    return 0


def ratio_of_one_hash(self):
    return Rappor(*self)._replace(hashes=1).ratio


def one_report(self):
    return self.ratio


def h_bits_kept(self):
    """As if two filters differed in h bits and not in h each way."""
    return Fraction((1 << self.word) - self.flip, self.flip) ** self.hashes


def nominal(self):
    """For `support`: q and p in place of q* and p*."""
    return Fraction(self.if_one, 1 << self.word), Fraction(self.if_zero, 1 << self.word)


MUTANTS = (
    altered(
        "a 1 is never cleared (pure-LDP 1.2.0)",
        permanent,
        "rappor-2-word-3",
        permanent=never_cleared,
    ),
    altered(
        "a 1 is never cleared, as reports show",
        sampler,
        "bloom-2",
        permanent=never_cleared,
    ),
    altered("no permanent response", permanent, "bloom-2", permanent=not_permanent),
    altered("flips with f, not f/2", permanent, "bloom-2", permanent=flips_with_f),
    altered(
        "no instantaneous response",
        sampler,
        "rappor-2-word-3",
        instantaneous=not_instantaneous,
    ),
    altered("p taken for q", sampler, "rappor-2-word-3", instantaneous=p_for_q),
    altered(
        "instantaneous response to the truth",
        sampler,
        "rappor-2-word-3",
        randomize=noise_on_the_truth,
    ),
    altered(
        "cohort chosen from the value", sampler, "bloom-2", randomize=cohort_of_value
    ),
    altered("everybody in one cohort", sampler, "bloom-2", draw_cohort=cohort_zero),
    altered(
        "eps_1 ignores h",
        privacy,
        "bloom-4-two-hashes",
        ratio=property(ratio_of_one_hash),
    ),
    altered(
        "eps_inf with h, not 2h",
        lifetime,
        "rappor-4",
        lifetime_ratio=property(h_bits_kept),
    ),
    altered(
        "eps_inf is eps_1", lifetime, "rappor-0", lifetime_ratio=property(one_report)
    ),
    altered(
        "eps_inf finite without permanent response",
        lifetime,
        "rappor-3",
        lifetime_ratio=property(one_report),
    ),
    altered(
        "nominal p and q for p* and q*", stages, "rappor-0", support=property(nominal)
    ),
)
