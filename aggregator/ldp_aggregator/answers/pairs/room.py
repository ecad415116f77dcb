"""Keys that come with numbers: shares of the keys, and sums and means of their
numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from ldp.errors import UnknownNameError
from ldp_aggregator.answers.results.question_estimates import (
    Further,
    OfValue,
    QuestionEstimates,
)
from ldp_aggregator.answers.results.room import AnswerKind, CountedQuestion
from ldp_aggregator.answers.results.values import MEAN, SUM
from ldp_aggregator.answers.shares.room import numbers_of, shares_of
from ldp_aggregator.answers.shares.share_estimates import ShareEstimates
from ldp_aggregator.decoders.intervals.intervals import miss
from ldp_aggregator.decoders.key_values.means import KeyMeans, KeyNumber, key_means
from ldp_aggregator.output.checks import Remark

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_OF_KEYS = (
    "a frequency is the share of those who hold the key, among others or alone, and a "
    "mean that of the numbers that come with it among them; a device answers with at "
    "most {most} keys"
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PairEstimates(ShareEstimates):
    """Shares of keys, and sums and means of the numbers that come with them."""

    key_means: KeyMeans | None = None
    """Sums and means in the order of `values`, unbiased (the sums) whatever the view
    is.
    """

    def mean_of(self, key: str) -> KeyNumber:
        """The mean of the numbers that come with a key, among those who hold it."""
        return self._of_keys(key).means[self.place(key)]

    def sum_of(self, key: str) -> KeyNumber:
        """Their sum over all respondents, over the number of these."""
        return self._of_keys(key).sums[self.place(key)]

    def _of_keys(self, key: str) -> KeyMeans:
        if self.key_means is None or key not in self.values:
            known = () if self.key_means is None else self.values
            what = f"one of the keys with numbers of question {self.name!r}"
            raise UnknownNameError(key, known, what)
        return self.key_means

    def only(self, places: NDArray[np.int64]) -> Self:
        """The keys at these places, in their order."""
        means = None
        if self.key_means is not None:
            means = self.key_means.only(places)
        return replace(super().only(places), key_means=means)

    @property
    def headings(self) -> tuple[str, ...]:
        """The names of the cells of a row."""
        if self.key_means is None:
            return super().headings
        _, count, frequency, error, interval, *others = super().headings
        means = MEAN, f"{self.options.level:.4g} interval"
        return "key", count, frequency, error, interval, *means, *others

    def of_value(self, place: int) -> OfValue:
        """The sum and the mean of the numbers that come with a key."""
        shares = super().of_value(place)
        if self.key_means is None:
            return shares
        named = {SUM: self.key_means.sums[place], MEAN: self.key_means.means[place]}
        further = []
        for name, number in named.items():
            errors = (number.standard_error, number.low, number.high)
            numbers = (self.reports, number.estimate, *errors)
            further.append(
                Further(f"{self.values[place]}: {name}", number.cells, numbers)
            )
        record = {name: number.to_dict() for name, number in named.items()}
        return OfValue(
            (*named[MEAN].cells, *shares.cells),
            shares.numbers,
            tuple(further),
            record=record | shares.record,
        )


def means_of_keys(estimates: QuestionEstimates) -> KeyMeans | None:
    """The sums and means of keys, of a question whose keys come with numbers."""
    if isinstance(estimates, PairEstimates):
        return estimates.key_means
    return None


def estimate(counted: CountedQuestion) -> PairEstimates:
    """The shares of keys, and what numbers come with them."""
    question, options = counted.question, counted.options
    numbers = numbers_of(counted, counted.values)
    note = numbers.moments.findings.note or _OF_KEYS.format(most=question.domain.most)
    shares = shares_of(counted, numbers, counted.values, kind=PairEstimates, note=note)
    scale = question.domain.key_scale
    balances = counted.decoder.keys.balances(question.randomizer, counted.counts)
    if scale is None or balances is None:
        return shares
    missing = miss(options.level, len(shares), options.simultaneous)
    means = key_means(
        balances, (scale.low, scale.high), missing, estimand=options.estimand
    )
    return replace(
        shares, key_means=means, remarks=(*shares.remarks, *on_key_means(means))
    )


def on_key_means(numbers: KeyMeans) -> tuple[Remark, ...]:
    """Means of keys of which the reports say nothing."""
    untold = numbers.untold
    some = int(untold.sum())
    if not some:
        return ()
    low, high = numbers.range
    text = (
        f"{some:,} of {untold.size:,} means have the whole range from {low:g} to "
        f"{high:g} for an interval: too few hold these keys, or too few answered, to "
        "tell."
    )
    return (Remark("whole-range", text),)


ROOM = AnswerKind(PairEstimates, estimate)
