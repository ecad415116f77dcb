"""Reports beside what is known in the clear, and means of what they are worth, with
covariance.

A *combination* is what is known of some respondents without any randomization: the
values of public attributes, or the covariates of one row. A *cell* is what a report may
tell: a value of the question, or a combination of the values of its fields. Everything
that is estimated here is a mean over reports of a score that is linear in what the
report is worth to the cells:

    score    d_i (V_b0 + sum over cells of s_ic V_bc),  b the combination of report i, d_i its
             design weight, s_ic what it is worth to cell c
    mean     sum of scores / sum of design weights
    error    the scores of reports are independent, whatever noise is in them: the
             variance of their sum is the sum of squares about their mean. Where the
             reports of a cluster (a household, a school) go together it is that of the
             sums of clusters, within the strata of the sampling frame: sum over strata
             h of (1 - f_h) n_h / (n_h - 1) sum (z_hc - mean z_h)^2 + f_h noise_h, f_h =
             n_h / N_h the share of the stratum's clusters (or people) that were asked
    noise    that of the sum of scores given what was held: who asks everyone has no
             error of sampling, but all of this. A report's part is (sum s_ic V_bc)^2 -
             sum s_ic V_bc^2, unbiased as it holds one cell; of a mean it is not known,
             and nothing is taken off

Of R reports under one permanent response that all are alike, which is the most that
they may be, the variance is R times as large.

So the noise of randomization, the sampling and the weighting are in one formula, for
the population that the respondents were drawn from. A tally of bits has no reports left
to be looked at one by one; there sums of products of scores take their place.

Sources: Taylor linearization of survey statistics (Woodruff 1971; Binder 1983); two
phases of sampling, of which randomization is the second (Sarndal, Swensson and Wretman
1992, Chapter 9).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple

import numpy as np

from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.numerics.arrays import Flags, Floats, Integers
from ldp_aggregator.output.checks import Remark


class ReportPart(NamedTuple):
    """Part of a report: a question, or a field of one."""

    name: str
    values: tuple[str, ...]
    numbers: Floats | None
    """What the values stand for, where they are numbers."""


class AnswerColumn(NamedTuple):
    """What holds in each combination and cell: a part of an answer, or a public
    attribute.
    """

    name: str
    values: tuple[str, ...]
    codes: Integers
    """Places in `values`, of a shape that goes with (combinations, cells)."""
    numbers: Floats | None
    public: bool


class Units(NamedTuple):
    """Reports that are alike, or one each."""

    combination: Integers
    """(U,)."""
    alike: Floats
    """How many reports are alike, (U,)."""
    design: Floats
    """The design weight of each of them, (U,)."""
    scores: Floats
    """What each is worth to the cells, (U, cells)."""
    law: Floats | None = None
    """P[report | cell], (U, cells), where it is known."""
    cluster: Integers | None = None
    """Which cluster a report is of, (U,); each is one by itself, if it is None."""
    stratum: Integers | None = None
    """Which stratum of the sampling frame it is of, (U,)."""
    sizes: Floats | None = None
    """How many clusters (or people) each stratum has in the population, by stratum."""
    row: Integers | None = None
    """The place of each in its table, (U,), if they are rows of one."""


class Products(NamedTuple):
    """Where reports cannot be told one by one: sums of products of what they are
    worth.
    """

    first: Floats
    """Sums of design weight times (1, scores), (combinations, 1 + cells)."""
    second: Floats
    """Sums of its square times products of (1, scores), (combinations, 1 + cells, 1 +
    cells).
    """


@dataclass(frozen=True, eq=False)
class ReportAnswers:
    """Answers of reports, by public combination."""

    name: str
    """Of the question, or of the questions that were answered together."""
    spent: tuple[str, ...]
    """What a respondent spent on it, in sentences."""
    attributes: tuple[str, ...]
    combinations: tuple[tuple[str, ...], ...]
    """The values of the public attributes."""
    parts: tuple[ReportPart, ...]
    is_mean: bool
    """Whether the one cell is the number itself, and its score that of a mean."""
    reports: int
    units: Units | None
    products: Products | None = None
    refused: str = ""
    """What became of rows that could not be counted, if any."""
    repeats: int = 1
    """Reports of each respondent under one permanent response: they may all be
    alike.
    """
    repeated: tuple[Remark, ...] = ()
    """How these were found."""

    @cached_property
    def sums(self) -> Floats:
        """Sums of design weight times (1, scores), (combinations, 1 + cells)."""
        if self.products is not None:
            return self.products.first
        units = self._units
        weight = units.alike * units.design
        table = np.concatenate([np.ones((len(weight), 1)), units.scores], axis=1)
        sums = np.zeros((len(self.combinations), table.shape[1]))
        np.add.at(sums, units.combination, table * weight[:, None])
        return sums

    @cached_property
    def weight(self) -> float:
        """The sum of all design weights."""
        return float(self.sums[:, 0].sum())

    @property
    def has_design_weights(self) -> bool:
        """Whether reports count as more or less than one, before any margin."""
        if self.units is not None:
            return not np.allclose(self.units.design, 1, rtol=1e-9, atol=0)
        return not math.isclose(self.weight, self.reports, rel_tol=1e-9)

    def with_mean_weight_1(self) -> ReportAnswers:
        """The same with design weights of 1 on average, whatever unit they had."""
        factor = self.weight / self.reports
        units, products = self.units, self.products
        if units is not None:
            units = units._replace(design=units.design / factor)
        if products is not None:
            products = Products(products.first / factor, products.second / factor**2)
        return replace(self, units=units, products=products)

    @property
    def counts_people(self) -> bool:
        """Whether each report is of a person of its own, and counts once."""
        return self.repeats == 1 and not self.has_design_weights

    def of_each(self, reports_per_person: int | None) -> ReportAnswers:
        """The same with so many reports of each respondent, if that is said."""
        if reports_per_person is None:
            return self
        text = (
            f"Each respondent is taken to have sent {reports_per_person:,} of the "
            "reports, as asked."
        )
        return replace(
            self, repeats=reports_per_person, repeated=(Remark("repeats", text),)
        )

    @property
    def freedom(self) -> float:
        """The design degrees of freedom, clusters less strata; infinite without
        either.
        """
        units = self.units
        if units is None or (units.cluster is None and units.stratum is None):
            return math.inf
        pairs, _ = clusters_of(units)
        return float(pairs.shape[1] - len(np.unique(pairs[0])))

    @property
    def cells(self) -> int:
        """How many a report may tell of."""
        return int(self.sums.shape[1]) - 1

    @property
    def names(self) -> tuple[str, ...]:
        """Names of everything that a formula or a margin may name."""
        return (*self.attributes, *(part.name for part in self.parts))

    @cached_property
    def shares(self) -> Floats:
        """Shares of each combination and cell among all, (combinations, cells):
        unbiased.
        """
        return self.sums[:, 1:] / self.weight

    @cached_property
    def clear_shares(self) -> Floats:
        """The shares of the combinations, which are in the clear, (combinations,)."""
        return self.sums[:, 0] / self.weight

    def shares_where(self, *, public: bool) -> Floats:
        """The shares of combinations and cells.

        Where all is in the clear, those of combinations alone, in one column.
        """
        if public:
            return self.clear_shares[:, None]
        return self.shares

    def column(self, name: str) -> AnswerColumn:
        """Return the column of a name. Raises `UnknownNameError`."""
        if name in self.attributes:
            place = self.attributes.index(name)
            texts = [values[place] for values in self.combinations]
            numbers = _numbers(texts)
            values = _in_order(texts, numbers)
            places = {text: code for code, text in enumerate(values)}
            codes = np.array([places[text] for text in texts], dtype=np.int64)[:, None]
            return AnswerColumn(
                name, values, codes, numbers=_numbers(values), public=True
            )
        if name not in self.names or self.is_mean:
            raise UnknownNameError(name, self.names, "an attribute or a field")
        place = [part.name for part in self.parts].index(name)
        part = self.parts[place]
        cells = product(*(range(len(one.values)) for one in self.parts))
        codes = np.array([values[place] for values in cells], dtype=np.int64)[None, :]
        return AnswerColumn(
            name, part.values, codes, numbers=part.numbers, public=False
        )

    def mean(self, functions: Floats) -> Floats:
        """The means of scores V, (combinations, 1 + cells, k): of shape (k,)."""
        return np.asarray(np.einsum("bc,bck->k", self.sums, functions) / self.weight)

    def covariance(self, functions: Floats, *, corrected: bool = True) -> Floats:
        """Covariance of the means of scores V, (combinations, 1 + cells, k): of shape
        (k, k).

        corrected  with n / (n - 1), as survey packages have it; without, and about 0 in
                   place of the mean, it is the sandwich of equations whose scores have
                   the mean 0. Under clusters or strata survey packages correct that as
                   well, and so it is here
        """
        once = self._covariance_once(functions, corrected=corrected)
        return once * self.repeats

    def _covariance_once(self, functions: Floats, *, corrected: bool) -> Floats:
        """The covariance, if each report is of another respondent."""
        if self.products is not None:
            spread = np.einsum(
                "bck,bcd,bdl->kl", functions, self.products.second, functions
            )
            mean = self.mean(functions) * self.weight / self.reports
            return self._scale(spread, mean, corrected=corrected)
        units = self._units
        scores = self._unit_scores(functions)
        if units.cluster is not None or units.stratum is not None:
            noise = None if self.is_mean else partial(self._noise, functions, scores)
            spread = _of_clusters(units, scores, noise=noise)
            return spread / self.weight**2
        spread = (scores * units.alike[:, None]).T @ scores
        mean = units.alike @ scores / self.reports
        return self._scale(spread, mean, corrected=corrected)

    def noise(self, functions: Floats) -> Floats:
        """The part of that which randomization adds, (k, k); NaN where it is not
        known.
        """
        size = functions.shape[2]
        if self.units is None or self.is_mean:
            return np.full((size, size), math.nan)
        everyone = np.ones(len(self.units.alike), dtype=bool)
        added = self._noise(functions, self._unit_scores(functions), everyone)
        return added / self.weight**2

    def drawn_apart(self) -> ReportAnswers:
        """The same as if respondents were drawn one by one, without clusters and
        strata.
        """
        if self.units is None:
            return self
        units = self.units._replace(cluster=None, stratum=None, sizes=None)
        return replace(self, units=units)

    def _unit_scores(self, functions: Floats) -> Floats:
        """Unit scores of each unit, design weight and all: (U, k)."""
        units = self._units
        scores = functions[units.combination, 0].copy()
        for place in range(functions.shape[2]):
            own = functions[units.combination, 1:, place]
            scores[:, place] += np.einsum("uc,uc->u", units.scores, own)
        return np.asarray(scores * units.design[:, None])

    def _noise(self, functions: Floats, scores: Floats, chosen: Flags) -> Floats:
        """Of the sum of the scores of some units, given what their respondents hold:
        (k, k).
        """
        units = self._units
        combination, alike = units.combination[chosen], units.alike[chosen]
        design = units.design[chosen]
        # What reports alone make of the scores, (units, k).
        reported = scores[chosen] - functions[combination, 0] * design[:, None]
        held = np.zeros((len(self.combinations), self.cells))
        np.add.at(
            held, combination, units.scores[chosen] * (alike * design**2)[:, None]
        )
        cells = functions[:, 1:]
        expected = np.einsum("bc,bck,bcl->kl", held, cells, cells)
        return np.asarray((reported * alike[:, None]).T @ reported - expected)

    def _scale(self, spread: Floats, mean: Floats, *, corrected: bool) -> Floats:
        if not corrected:
            return spread / self.weight**2
        reports = self.reports
        about = spread - reports * np.outer(mean, mean)
        return about * reports / max(reports - 1, 1) / self.weight**2

    @property
    def _units(self) -> Units:
        if self.units is None:
            raise EstimateError(
                f"{self.name}: expected reports that can be told one by one, got a "
                "tally of bits"
            )
        return self.units


def _of_clusters(
    units: Units, scores: Floats, *, noise: Callable[[Flags], Floats] | None
) -> Floats:
    """The covariance of the sum of scores (U, k), cluster by cluster and stratum by
    stratum.

    noise  that of the sum of the scores of some units, if it is known
    """
    if units.cluster is None and not np.all(units.alike == 1):
        raise EstimateError("expected one row a report for strata of a sampling frame")
    pairs, place = clusters_of(units)
    totals = np.zeros((pairs.shape[1], scores.shape[1]))
    np.add.at(totals, place, scores * units.alike[:, None])
    spread = np.zeros((scores.shape[1], scores.shape[1]))
    for number in np.unique(pairs[0]):
        own = totals[pairs[0] == number]
        clusters = len(own)
        if clusters < 2:
            raise EstimateError(
                "expected at least two clusters (or reports) in each stratum of the "
                f"sampling frame, got {clusters}"
            )
        asked = 0.0
        if units.sizes is not None:
            asked = _sampling_fraction(clusters, float(units.sizes[number]))
        about = own - own.mean(axis=0)
        sampled = clusters / (clusters - 1) * about.T @ about
        spread += sampled
        if asked and noise is not None:
            spread += asked * (noise(pairs[0][place] == number) - sampled)
    return spread


def clusters_of(units: Units) -> tuple[Integers, Integers]:
    """Return stratum and cluster of each cluster, (2, clusters), and the place of each
    unit's.
    """
    size = len(units.combination)
    cluster = np.arange(size) if units.cluster is None else units.cluster
    stratum = np.zeros(size, dtype=np.int64) if units.stratum is None else units.stratum
    pairs, place = np.unique(np.stack([stratum, cluster]), axis=1, return_inverse=True)
    return pairs, place.ravel()


def _sampling_fraction(clusters: int, size: float) -> float:
    """Of the clusters (or people) of a stratum. Raises `EstimateError` for more than
    all.
    """
    if not size >= clusters:
        raise EstimateError(
            f"expected a stratum to have at least the {clusters:,} clusters (or "
            f"people) in the population that were asked, got {size:g} in the column of "
            "sizes"
        )
    return clusters / size


def _numbers(texts: Sequence[str]) -> Floats | None:
    """The numbers that texts write; None where one of them writes none."""
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        return None
    if np.isfinite(numbers).all():
        return numbers
    return None


def _in_order(texts: Sequence[str], numbers: Floats | None) -> tuple[str, ...]:
    """The texts that differ, as numbers or as words."""
    if numbers is None:
        return tuple(sorted(set(texts)))
    return tuple(sorted(set(texts), key=float))
