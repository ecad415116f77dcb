"""Counts that others collected, as a tally: who counts symbols or bits can be estimated
from.

Devices randomize as the survey says (by our clients, or by other code that draws from
the same law); another system adds up what they send, be it a warehouse, Cobalt, a DAP
collector or a notebook. What a tally needs of it is how often each symbol came, or how
many reports set each bit, and how many reports there were.

Nobody has checked these reports, and none was told apart from its copies: that was up
to whoever counted.
"""

from __future__ import annotations

from ldp.errors import EstimateError
from ldp.survey.survey import Question, Survey
from ldp_aggregator.analyses.rows.codes import labels_of, place_of
from ldp_aggregator.analyses.rows.counting import survey_of
from ldp_aggregator.exchange.layouts import LARGEST_COUNT, CountsFile, parse_counts
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_aggregator.tallies.tally import Tally

LARGEST = 1 << 28
"""Bytes of a file of counts."""
_FEW = 12


def read_counts(
    survey: Survey, name: str, content: bytes, *, reports: int | None = None
) -> Tally:
    """A tally of one question from a file of counts, in one of the `layouts`.

    `reports` is how many there were, where the file does not say so: of bits it cannot
    be added up. Raises `EstimateError` and `UnknownNameError`.
    """
    question, tally = survey[name], Tally.empty(survey_of(survey, [name]))
    try:
        tally.counts[name] = _counts_of(question, parse_counts(content), reports)
    except EstimateError as error:
        raise EstimateError(f"question {name!r}: {error}") from None
    return tally


def _counts_of(question: Question, known: CountsFile, reports: int | None) -> Counts:
    counts = empty_counts(question.layout)
    if len(counts) > 1 or question.layout.folding:
        raise EstimateError(
            "expected a question whose tally is one row of counts, got "
            f"{len(counts):,} rows of {question.mechanism}"
        )
    bits = bool(question.layout.counters)
    if reports is not None and known.reports not in (None, reports):
        raise EstimateError(
            f"expected {reports:,} reports, got a file of {known.reports:,}"
        )
    said = known.reports if reports is None else reports
    _check_sizes(known, said, bits=bits)
    first = bits and not known.cells
    numbers = range(counts.shape[1] - first)
    if known.places not in (None, len(numbers)):
        raise EstimateError(
            f"expected {len(numbers):,} sums, one for each "
            f"{'bit' if bits else 'symbol'}, got {known.places:,}"
        )
    labels = {value: place + bits for place, value in enumerate(labels_of(question))}
    cell_of = _Cells(labels, numbers, first=first, numbered=known.numbered)
    for label, count in known.counts.items():
        counts[0, cell_of(label)] += count
    if bits:
        return _of_bits(counts, said)
    return _of_symbols(counts, said)


def _check_sizes(known: CountsFile, said: int | None, *, bits: bool) -> None:
    """Raises `EstimateError` for sums that a tally has no room for.

    A file may count one thing in many rows, each of which is small enough.
    """
    sizes = (
        [said or 0, *known.counts.values()] if bits else [sum(known.counts.values())]
    )
    if max(sizes) >= LARGEST_COUNT:
        raise EstimateError(f"expected counts below 2^53 in all, got {max(sizes)}")


def _of_bits(counts: Counts, reports: int | None) -> Counts:
    """With the number of reports, of which each may have set a bit."""
    if reports is not None and counts[0, 0] not in (0, reports):
        raise EstimateError(
            f"expected {reports:,} reports, got {counts[0, 0]:,} in cell 0"
        )
    counts[0, 0] = reports or counts[0, 0]
    if not counts[0, 0]:
        raise EstimateError(
            "expected the number of reports (--reports, report_count, or cell 0): sums "
            "of bits do not tell it"
        )
    if counts[0, 1:].max() > counts[0, 0]:
        raise EstimateError(
            f"expected each bit to be set by at most {counts[0, 0]:,} reports, got "
            f"{counts[0, 1:].max():,}"
        )
    return counts


def _of_symbols(counts: Counts, reports: int | None) -> Counts:
    """Every report has one symbol."""
    if reports is not None and counts.sum() != reports:
        raise EstimateError(
            f"expected counts that add up to {reports:,} reports, as each has one "
            f"symbol; got {counts.sum():,}"
        )
    return counts


class _Cells:
    """The cells of a tally by what a file calls them: a value, or a number of a symbol
    or bit.

    Where values are numbers themselves, as on a scale from 1 to 5, a number is a value,
    unless the file's are `numbered`. `first` says that the first cell has all reports,
    and no number.
    """

    def __init__(
        self, labels: dict[str, int], numbers: range, *, first: bool, numbered: bool
    ) -> None:
        self._labels, self._numbers, self._first = labels, numbers, first
        self._has_numbers = numbered or labels.keys().isdisjoint(map(str, numbers))

    def __call__(self, label: str) -> int:
        """Raises `EstimateError`."""
        number = -1
        if label.isascii() and label.isdigit() and len(label) < 10:
            number = int(label)
        if self._has_numbers and number in self._numbers:
            return number + self._first
        names = [*self._labels]
        if (place := place_of(label, names)) is not None:
            return self._labels[names[place]]
        shown = ", ".join([*map(repr, names)][:_FEW])
        expected = []
        if shown:
            expected = [f"one of {shown}"]
        if self._has_numbers:
            expected.append(f"a number from 0 to {self._numbers[-1]}")
        raise EstimateError(f"expected {', or '.join(expected)}, got {label[:80]!r}")
