"""Key-value beside PCKV-UE, exact and from a survey of each: `python -m
lab.benchmarks.key_values`.

PCKV-UE, written here from its paper: a respondent pads its pairs to one, draws one,
rounds its number to -1 or +1, and reports a vector with an entry for every key,

    of the drawn key   its sign with probability a p, the other one with a (1 - p), 0
                       with 1 - a
    of every other     either sign with probability b / 2, 0 with 1 - b

where a = 1/2, b = 2 / (e^epsilon + 3) and p = e^epsilon / (e^epsilon + 1), which is all
of epsilon. With N the share of entries that are not 0, and D the difference of the
shares of both signs,

    frequency  (N - b) / (a - b)                  n Var = b (1 - b) / (a - b)^2
    balance    D / (a (2 p - 1))                  n Var = b / (a (2 p - 1))^2    of a rare key

The published code cuts frequencies and counts before it divides; what is measured here
does not.

Source: Gu, Li, Cheng, Xiong and Cao 2020, Sections 4 and 5.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

import ldp
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_simulations.key_holders import PairHolders
from ldp_simulations.population import synthetic
from ldp_simulations.sampling.table import sample_counts

EPSILONS = ("0.5", "1", "2", "4")
SIZES = (10, 100)
RESPONDENTS, RUNS = 100_000, 200


class Pckv(NamedTuple):
    """The probabilities of PCKV-UE."""

    a: float
    b: float
    p: float

    @classmethod
    def of(cls, epsilon: float) -> Pckv:
        """All of an epsilon."""
        above = math.exp(epsilon)
        return cls(0.5, 2 / (above + 3), above / (above + 1))

    @property
    def rare(self) -> tuple[float, float]:
        """(n Var of the frequency, n Var of the balance) of a key that no one holds."""
        a, b, p = self
        return b * (1 - b) / (a - b) ** 2, b / (a * (2 * p - 1)) ** 2

    def survey(
        self, lower: Counts, upper: Counts, respondents: int, generator: Generator
    ) -> tuple[Floats, Floats]:
        """(frequency, balance) of every key, from as many holders of its two signs, one
        key each.

        Entries of a key are independent of each other, given who holds what.
        """
        a, b, p = self
        others = respondents - lower - upper
        # (keys, 3): how many entries are +1, -1 and 0, of holders of either sign and of
        # others.
        laws = (
            [a * (1 - p), a * p, 1 - a],
            [a * p, a * (1 - p), 1 - a],
            [b / 2, b / 2, 1 - b],
        )
        entries = sum(
            generator.multinomial(holders, law)
            for holders, law in zip((lower, upper, others), laws, strict=True)
        )
        plus, minus = np.asarray(entries)[:, :2].T / respondents
        return (plus + minus - b) / (a - b), (plus - minus) / (a * (2 * p - 1))


def signed_items(size: int, epsilon: str) -> ldp.Question:
    """Our question: one key a respondent, numbers from -1 to 1."""
    keys = [f"key {place}" for place in range(size)]
    question = ldp.question("x", keys=keys, low=-1, high=1, most=1, epsilon=epsilon)
    return ldp.survey("benchmark", question)["x"]


def rare(question: ldp.Question) -> tuple[float, float]:
    """(n Var of the frequency, n Var of the balance) of a key that no one holds."""
    even = np.ones((1, question.layout.cells), dtype=np.int64)
    balances = decoder_of(question.randomizer).keys.balances(question.randomizer, even)
    assert balances is not None
    return balances.law.of_share.other, balances.law.of_balance.other


def measured(size: int, epsilon: str, runs: int = RUNS, seed: int = 1) -> Floats:
    """Root mean square errors over all keys: of frequency and balance, PCKV-UE's, then
    ours.
    """
    question = signed_items(size, epsilon)
    survey = ldp.survey("benchmark", question)
    holders = synthetic(survey, RESPONDENTS, "zipf:1")["x"]
    assert isinstance(holders, PairHolders)
    true = np.array(holders.frequencies(question.domain.values or ()))
    balance = true * np.nan_to_num(holders.means(size))
    generator = np.random.default_rng(seed)
    owner, keys, up = holders.columns
    errors = []
    for _ in range(runs):
        # Either mechanism rounds each number anew.
        upper = generator.binomial(holders.counts[owner], up)
        of_upper = np.bincount(keys, upper, minlength=size).astype(np.int64)
        of_all = np.bincount(keys, holders.counts[owner], minlength=size).astype(
            np.int64
        )
        pckv = Pckv.of(float(epsilon)).survey(
            of_all - of_upper, of_upper, RESPONDENTS, generator=generator
        )
        counts = sample_counts(question, holders, generator)
        ours = decoder_of(question.randomizer).keys.balances(
            question.randomizer, counts
        )
        assert ours is not None
        estimates = (*pckv, ours.share, ours.balance)
        truths = (true, balance, true, balance)
        errors.append(
            [
                np.mean((one - other) ** 2)
                for one, other in zip(estimates, truths, strict=True)
            ]
        )
    return np.sqrt(np.mean(errors, axis=0))


def main() -> None:
    """Prints both tables."""
    print("n Var of frequency / balance of a rare key, one key each")
    for epsilon in EPSILONS:
        cells = [f"PCKV-UE {'{:.4g} / {:.4g}'.format(*Pckv.of(float(epsilon)).rare)}"]
        for size in SIZES:
            question = signed_items(size, epsilon)
            numbers = "{:.4g} / {:.4g}".format(*rare(question))
            cells.append(f"{size} keys {numbers} ({question.mechanism})")
        print(f"epsilon {epsilon}: {'; '.join(cells)}")
    print(f"\nroot mean square errors, {RESPONDENTS:,} respondents, {RUNS} surveys")
    for size in SIZES:
        for epsilon in EPSILONS:
            pckv_share, pckv_balance, share, balance = measured(size, epsilon)
            print(
                f"{size} keys, epsilon {epsilon}: frequency {pckv_share:.2g} PCKV-UE, "
                f"{share:.2g} here; balance {pckv_balance:.2g}, {balance:.2g}"
            )


if __name__ == "__main__":
    main()
