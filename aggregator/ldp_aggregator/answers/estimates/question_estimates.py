"""Estimates of a question: its numbers, which print, plot and export themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp.errors import EstimateError
from ldp.numbers.exact import log_upper
from ldp_aggregator.answers.estimates.cells import histogram_of
from ldp_aggregator.answers.estimates.question_numbers import MEAN, SUM, Estimate, QuestionNumbers
from ldp_aggregator.decoders.intervals.intervals import miss
from ldp_aggregator.output.columns import aligned
from ldp_aggregator.output.people import PERCENT
from ldp_aggregator.output.sheet import MOST_BARS, NOTHING, Bars, TextTable, finite

if TYPE_CHECKING:
    from ldp_aggregator.answers.distributions.answers import Share
    from ldp_aggregator.decoders.key_values.means import KeyNumber
    from ldp_aggregator.numerics.arrays import Floats

COLUMNS = ("question", "value", "count", "frequency", "standard_error", "low", "high")
"""Of flat records."""

COLUMNS_OF_FOUND = ("p_value", "q_value", "found_low", "found_high")
"""Of flat records besides, where it was asked which values are there."""

BOOLEAN = "boolean"
YES_NO = ("Yes", "No")
"""How people see the values of a boolean question, in their order."""

ALL_OF_THEM = (
    "All of them: `for estimate in estimates`; "
    "those of a survey: `rows()`, `to_csv()`, `to_dict()`."
)
"""Where the values are that are not shown."""

Gather = Callable[[Iterator[dict[str, Any]]], Any]
"""What becomes of records that come one by one: a list, or what writes them."""


@dataclass(frozen=True, eq=False)
class QuestionEstimates(QuestionNumbers):
    """Estimates of one question: arrays of shape (M,) in the order of `values`.

    Iterating gives `Estimate`s; indexing by a value, its `Estimate`.

    `estimate` has an example.
    """

    def nodes(
        self, level: str | int | None = None, *, width: float | None = None, crowd: float = 0
    ) -> QuestionEstimates:
        """Some nodes of a question whose values are the leaves of a tree.

        level  those of a level, by its name or its number from the top
        width  or for each branch the finest whose intervals (before they are cut to [0, 1]) are no
               wider than this
        crowd  of these, nodes whose interval lies above so many people; others are merged into the
               next such node above

        Raises `EstimateError` where there is no tree, or some of its nodes have been left out.
        """
        from ldp_aggregator.decoders.taxonomies.selection import chosen_nodes

        taxonomy = self.question.domain.taxonomy
        if taxonomy is None or len(self) != len(taxonomy.parents):
            raise EstimateError(
                f"question {self.name!r}: expected all nodes of a tree to choose from, as a "
                "question with parents has them"
            )
        crowded = self.low * self.respondents > crowd if crowd else None
        places = chosen_nodes(taxonomy, level, widths=self._widths, width=width, crowd=crowded)
        said = [self.note]
        if level is not None:
            said.append(f"shown: level {level}")
        if width is not None:
            said.append(f"shown: the finest nodes with intervals no wider than {width:g}")
        if crowd:
            said.append(
                f"nodes that may have no more than {crowd:,.0f} people are merged into those "
                "above; the others, for having been chosen, are too high on average"
            )
        return replace(self.only(places), note="; ".join(filter(None, said)))

    @property
    def _widths(self) -> Floats:
        """Widths of intervals before they are cut, by normal theory."""
        from scipy.special import ndtri  # slow to import

        missing = miss(self.options.level, len(self), self.options.simultaneous)
        widths: Floats = -2 * float(ndtri(missing / 2)) * self.standard_error
        return widths

    def text_table(self, *, in_full: bool = True, elsewhere: str = ALL_OF_THEM) -> TextTable:
        """Headings and rows as text, as every output shows them.

        Unless it is to be in full, of more than `MOST_ROWS` values only the top, and `elsewhere`,
        which says where all are.
        """
        shown = self if in_full else self.brief
        rows = [
            (*shown.row(estimate), *shown.mean_cells(place), *shown.found_cells(place))
            for place, estimate in enumerate(shown.everything)
        ]
        rows += [self.row(self._estimate_of(share)) for share in self.ranges]
        rows += [
            self.row(replace(self._estimate_of(district), value=district.shown))
            for district in self.shown_districts
        ]
        rows += [(name, "", *number.cells) for name, number in self.numbers]
        rows += [(number.name, "", *number.cells) for number in (*self.quantiles, *self.on_circle)]
        remarks = shown.sentences if shown is self else [*shown.sentences, elsewhere]
        headings = (*self.headings, *self.mean_headings, *self.found_headings)
        if self.found is not None:
            rows = [(*row, *("",) * (len(headings) - len(row))) for row in rows]
        return TextTable(self.name, self.describe(), headings, rows=rows, remarks=remarks)

    @property
    def headings(self) -> tuple[str, ...]:
        """The names of the cells of a row."""
        level, post_process = f"{self.options.level:.4g} interval", self.options.post_process
        value = "value" if self.key_means is None else "key"
        if self.is_vector:
            return "coordinate", "sum", "mean", "standard error", level
        if post_process is None:
            return value, "count", "frequency", "standard error", level
        if self.is_shape:
            return value, "count", f"frequency ({post_process}, biased)", "standard error", level
        return (
            value,
            "count",
            f"frequency ({post_process})",
            "unbiased standard error",
            f"unbiased {level}",
        )

    def row(self, estimate: Estimate) -> tuple[str, ...]:
        """An estimate as text."""
        show = self.shown
        count, frequency = NOTHING, NOTHING
        if math.isfinite(estimate.frequency):
            whole = f"{estimate.count:,.0f}"
            count = f"{estimate.count:,.4g}" if self.is_vector else whole
            frequency = show(estimate.frequency)
        errors = NOTHING, NOTHING
        if math.isfinite(estimate.standard_error):
            ends = f"[{show(estimate.low)}, {show(estimate.high)}]"
            errors = show(estimate.standard_error), ends
        return estimate.value, count, frequency, *errors

    @property
    def mean_headings(self) -> tuple[str, ...]:
        """The names of the cells of the means of keys, if there are any."""
        return () if self.key_means is None else (MEAN, f"{self.options.level:.4g} interval")

    def mean_cells(self, place: int) -> tuple[str, ...]:
        """The mean of the numbers that come with a key, and its interval, as text, if any."""
        return () if self.key_means is None else self.key_means.means[place].cells

    @property
    def found_headings(self) -> tuple[str, ...]:
        """The names of the cells that tell which values are there, if that was asked for."""
        if self.found is None:
            return ()
        level = f"{self.options.level:.4g} false-coverage-rate interval"
        return "p-value", f"q-value ({self.found.correction})", level

    def found_cells(self, place: int) -> tuple[str, ...]:
        """Return the evidence that a value is present, as text, if that was asked for."""
        if self.found is None or place >= len(self):
            return ()
        ends = NOTHING
        if self.found.found[place]:
            low, high = float(self.found.low[place]), float(self.found.high[place])
            ends = f"[{self.shown(low)}, {self.shown(high)}]"
        return f"{self.chances[place]:.2g}", f"{self.found.adjusted[place]:.2g}", ends

    def __repr__(self) -> str:
        return aligned(self.text_table(in_full=False)).rstrip("\n")

    def _repr_html_(self) -> str:
        from ldp_aggregator.output.formats.html_page import captioned

        return captioned(self.text_table(in_full=False))

    def bars(self, truth: Sequence[float] | None = None) -> Bars:
        """The estimates as a panel of a picture; `truth` gives true frequencies, where known.

        Numbers in their order are a histogram. Of a question without frequencies, the bar is that
        of its mean, and so is the truth. Of one of type place it is a map, without the truth.
        """
        title = self.question.text or self.name
        if self.places is not None:
            return self.map().bars()._replace(title=title)
        if self.regions is not None:
            return self.regions.bars()._replace(title=title)
        shown = self.merged(MOST_BARS)
        if truth is not None and len(shown) < len(self):
            truth = np.add.reduceat(truth, self.starts_of(MOST_BARS)).tolist()
        histogram = histogram_of(shown, title, truth)
        if histogram is not None:
            return histogram
        labels, unit = shown.labels, "" if self.is_vector else PERCENT
        lengths, low, high = shown.frequency, shown.low, shown.high
        if not self.is_vector:
            # Noise takes estimates beyond all shares: the nearest possible one, as intervals are.
            lengths = np.clip(lengths, 0, 1)
        if not labels and self.mean is not None:
            mean = self.mean
            labels, unit = (MEAN,), self.question.domain.unit or ""
            lengths, low, high = (np.array([end]) for end in (mean.estimate, *mean.interval))
        if self.question.domain.type == BOOLEAN:
            # Yes stands before No.
            labels, lengths, low, high = labels[::-1], lengths[::-1], low[::-1], high[::-1]
            truth = None if truth is None else truth[::-1]
        return Bars(
            title,
            self.describe(),
            labels,
            lengths=lengths,
            low=low,
            high=high,
            truth=truth,
            unit=unit,
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The values as people see them."""
        if self.question.domain.type != BOOLEAN:
            return self.values
        return tuple(YES_NO[value == "false"] for value in self.values)

    def __dir__(self) -> list[str]:
        """Return what people look for; all other names can be used as well."""
        return [
            *("values", "frequency", "standard_error", "low", "high", "reports", "mean"),
            *("distribution", "quantiles", "share", "ratio", "top", "nodes", "map", "describe"),
            *("plot", "to_dict", "to_pandas", "to_polars"),
        ]

    def plot(self, truth: Sequence[float] | None = None) -> Any:
        """A matplotlib figure with a bar for each value and its interval; `truth`, (M,), as marks.

        Of more than 40 values it shows the 40 most frequent. Raises `EstimateError` if matplotlib
        is not there.
        """
        from ldp_aggregator.output.pictures.picture import figure

        return figure([self.bars(truth)])

    def picture(self, form: str = "svg", truth: Sequence[float] | None = None) -> bytes:
        """Return the picture as the bytes of an SVG or PNG file."""
        from ldp_aggregator.output.pictures.picture import picture

        return picture([self.bars(truth)], form)

    def rows(self) -> Iterator[dict[str, str | float]]:
        """One flat record for each value, then for ranges, mean, variance and quantiles, if any.

        Of a circle, for its mean direction and resultant length. After a key come the sum and the
        mean of its numbers.

        The numbers are the frequencies of `mean`, `variance` and so on. NaN stands where there is
        no number: a quantile has an interval, and no standard error.
        """
        return (dict(zip(self.columns, row, strict=True)) for row in self.flat())

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of what a flat record holds."""
        return COLUMNS if self.found is None else (*COLUMNS, *COLUMNS_OF_FOUND)

    def flat(self, size: int | None = None) -> Iterator[tuple[str | float, ...]]:
        """The same as tuples, in the order of `columns`.

        They are of a given size, if another question has more columns.
        """
        size = len(self.columns) if size is None else size
        return ((*row, *(math.nan,) * (size - len(row))) for row in self._flat())

    def _flat(self) -> Iterator[tuple[str | float, ...]]:
        for index, e in enumerate(self):
            errors = (e.standard_error, e.low, e.high)
            yield self.name, e.value, e.count, e.frequency, *errors, *self._found_numbers(index)
            for name, of_key in self._numbers_of(index):
                errors = (of_key.standard_error, of_key.low, of_key.high)
                yield self.name, f"{e.value}: {name}", self.reports, of_key.estimate, *errors
        for share in (*self.ranges, *self.shown_districts):
            e = self._estimate_of(share)
            yield self.name, e.value, e.count, e.frequency, e.standard_error, e.low, e.high
        for name, number in self.numbers:
            errors = (number.standard_error, number.low, number.high)
            yield self.name, name, self.reports, number.estimate, *errors
        for quantile in self.quantiles:
            # Tests have ends, and no standard error.
            ends = (math.nan, quantile.low, quantile.high)
            yield self.name, quantile.name, self.reports, quantile.estimate, *ends
        for place in self.on_circle:
            known = (math.nan if part is None else part for part in place.known)
            yield self.name, place.name, self.reports, *known, place.low, place.high

    def _found_numbers(self, place: int) -> tuple[float, ...]:
        """Return the evidence that a value is present, if that was asked for."""
        if self.found is None:
            return ()
        of_place = (self.chances, self.found.adjusted, self.found.low, self.found.high)
        return tuple(float(column[place]) for column in of_place)

    def _numbers_of(self, place: int) -> tuple[tuple[str, KeyNumber], ...]:
        """The sum and the mean of the numbers that come with a key, by name, if there are any."""
        if self.key_means is None:
            return ()
        return ((SUM, self.key_means.sums[place]), (MEAN, self.key_means.means[place]))

    def _estimate_of(self, share: Share) -> Estimate:
        errors = (share.standard_error, share.low, share.high)
        return Estimate(share.range, self.respondents * share.frequency, share.frequency, *errors)

    def to_frame(self, kind: str = "pandas") -> Any:
        """The records as a tidy frame of pandas, polars or arrow, a row for each number.

        Raises `EstimateError` for another kind, and where its library is not installed.
        """
        from ldp_aggregator.output.frames import frame

        return frame(kind, self.columns, self.flat())

    def to_pandas(self) -> Any:
        """The records as a pandas DataFrame; needs pandas."""
        return self.to_frame("pandas")

    def to_polars(self) -> Any:
        """The records as a polars DataFrame; needs polars."""
        return self.to_frame("polars")

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; what is not a number (no reports yet) is None."""
        return self.record(list)

    def record(self, gather: Gather) -> dict[str, Any]:
        """The same, with what `gather` makes of the values, of which there may be a million."""
        question, options = self.question, self.options
        return {
            "mechanism": question.mechanism,
            "epsilon": {
                "declared": question.declared.text,
                "delivered": (
                    log_upper(question.randomizer.ratio) if question.declared.is_finite else None
                ),
            },
            "reports": self.reports,
            **({"unit": question.domain.unit} if question.domain.unit else {}),
            "level": options.level,
            "estimand": options.estimand,
            "interval": options.interval,
            "simultaneous": options.simultaneous is not None,
            "simultaneous_method": options.simultaneous,
            "post_process": options.post_process,
            "biased": options.post_process is not None,
            "values": gather(self._value_records()),
            **({"left_out": self.left_out} if self.left_out else {}),
            **({} if self.found is None else {"correction": self.found.correction}),
            **({} if self.found is None else {"detect_level": options.detect_level}),
            **({"respondents": self.respondents} if options.reports_per_person > 1 else {}),
            **{name.replace(" ", "_"): number.to_dict() for name, number in self.numbers},
            **({} if self.squared_error is None else {"squared_error": self.squared_error}),
            **self._of_distribution(),
            **({"unallocated": _share(rest) | _errors(rest)} if (rest := self.unallocated) else {}),
            **({} if self.manipulation is None else {"manipulation": self.manipulation.to_dict()}),
            **({"checks": [check._asdict() for check in self.checks]} if self.checks else {}),
            **({"note": self.note} if self.note else {}),
            **({"remarks": [remark._asdict() for remark in self.remarks]} if self.remarks else {}),
            **({} if self.covariance is None else {"covariance": self.covariance.tolist()}),
        }

    def _of_distribution(self) -> dict[str, Any]:
        """What is told of the distribution of a number beside its histogram."""
        if self.places is not None:
            x, y = (1 << halved for halved in self.places.shown_view)
            rectangles = self._of_ranges("rectangles", "rectangle")
            return {"cells": [x, y], **rectangles, **self._of_districts()}
        if self.distribution is None:
            return {}
        quantiles = [quantile.to_dict() for quantile in self.quantiles]
        circle = {number.name.replace(" ", "_"): number.to_dict() for number in self.on_circle}
        of_ranges = self._of_ranges("ranges", "range")
        return of_ranges | (circle if self.distribution.line.circular else {"quantiles": quantiles})

    def _of_ranges(self, name: str, one: str) -> dict[str, Any]:
        """The shares of ranges or rectangles, if any were asked for."""
        ranges = [self._estimate_of(share) for share in self.ranges]
        shares = [{one: e.value, **_share(e), **_errors(e)} for e in ranges]
        return {name: shares} if shares else {}

    def _of_districts(self) -> dict[str, Any]:
        """The shares of districts, if any were asked for."""
        districts = [
            {
                "district": district.range,
                **_share(e := self._estimate_of(district)),
                **_errors(e),
                "cut": district.cut,
                "surely": [district.surely_low, district.surely_high],
            }
            for district in self.shown_districts
        ]
        return {"districts": districts} if districts else {}

    def _value_records(self) -> Iterator[dict[str, Any]]:
        for index, estimate in enumerate(self):
            errors = _errors(estimate)
            shown: dict[str, Any] = {"value": estimate.value, **_share(estimate)}
            if self.options.post_process is None:
                shown |= errors
            elif self.is_shape:
                shown |= {"standard_error": None, "interval": None}
            else:
                raw = finite(float(self.unbiased[index]))
                shown |= {
                    "standard_error": None,
                    "interval": None,
                    "unbiased": {"frequency": raw, **errors},
                }
            shown |= {name: number.to_dict() for name, number in self._numbers_of(index)}
            yield shown | self._found_record(index)

    def _found_record(self, place: int) -> dict[str, Any]:
        """Return the evidence that a value is present, if that was asked for."""
        if self.found is None:
            return {}
        there = bool(self.found.found[place])
        ends = [float(self.found.low[place]), float(self.found.high[place])] if there else None
        return {
            "p_value": float(self.chances[place]),
            "q_value": float(self.found.adjusted[place]),
            "found": there,
            "false_coverage_rate_interval": ends,
        }


def _share(estimate: Estimate) -> dict[str, Any]:
    return {"count": finite(estimate.count), "frequency": finite(estimate.frequency)}


def _errors(estimate: Estimate) -> dict[str, Any]:
    ends = [finite(estimate.low), finite(estimate.high)]
    return {"standard_error": finite(estimate.standard_error), "interval": ends}
