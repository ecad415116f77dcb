"""Reports and batches in plain words: which question, how many bytes, what each report
supports.

A report supports the values under which it is likeliest: of a small question they are
read off its channel; of a larger one, off the shape of its reports. It is noise more
often than not, and says of nobody what they answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ldp.errors import WireError
from ldp.numbers.epochs import epoch_of
from ldp.survey.attributes import labels_of, size_of
from ldp.survey.survey import Envelope, Question, Survey
from ldp.wire.wire import Batch, Damage, decode_batch, read_frames

MOST_ROWS = 10
"""Reports of a batch that are shown."""
_MOST_VALUES = 5
_MOST_CELLS = 1 << 14
_MOST_BITS = 16
_BATCH_BEGINS = 0x90
"""The upper half of a first byte: a msgpack array of at most 15 parts."""


def decoded_file(
    content: bytes, surveys: Sequence[Survey] = (), most_rows: int = MOST_ROWS
) -> Iterator[str]:
    """Describe a report file, an upload or a single batch, line by line."""
    if not content:
        yield "nothing: expected frames of reports, or a batch"
    if content[:1] and content[0] & 0xF0 == _BATCH_BEGINS:
        yield from _decoded_payload(content, surveys, most_rows)
        return
    for part in read_frames(content):
        if isinstance(part, Damage):
            yield (
                f"damage: {part.size:,} bytes at {part.offset:,} that are no whole "
                "frame"
            )
        else:
            yield from _decoded_payload(part, surveys, most_rows)


def decoded_batch(
    batch: Batch, surveys: Sequence[Survey] = (), most_rows: int = MOST_ROWS
) -> Iterator[str]:
    """Describe a batch: a line for itself, and one for each report, up to
    `most_rows`.
    """
    envelope = _envelope(batch.fingerprint, surveys)
    width = len(batch.rows) // batch.size
    epoch = ""
    if envelope is None:
        name = f"unknown question {batch.fingerprint.hex()}"
    else:
        name = f"question {envelope.name}"
        name += _said_openly(envelope, batch.combination)
        if envelope.epoch is not None:
            epoch = f", epoch {epoch_of(batch.id)}"
    reports = "1 report"
    if batch.size != 1:
        reports = f"{batch.size:,} reports"
    yield f"batch {batch.id.hex()}: {name}, {reports} of {width:,} bytes{epoch}"
    for number in range(min(batch.size, most_rows)):
        row = batch.rows[number * width : (number + 1) * width]
        yield f"  {_shorten(row)}  {_describe_envelope(envelope, row)}"
    if batch.size > most_rows:
        yield f"  and {batch.size - most_rows:,} more"


def describe_row(question: Question, row: bytes) -> str:
    """Describe a report to a question in words."""
    report = int.from_bytes(row, "little")
    layout = question.layout
    if len(row) != question.width:
        return f"no report to {question.name}, which has {question.width} bytes"
    columns = _columns(question)
    body = report >> 8 * layout.prefix_width
    prefix = report & (1 << 8 * layout.prefix_width) - 1
    if columns:
        column = prefix * (len(columns) // layout.cohorts) + body
        if prefix < layout.cohorts and column < len(columns):
            return _supports(question, columns[column])
        return "no report that this question can have"
    return f"{_describe_prefix(question, prefix)}{_body(question, body)}"


def _said_openly(envelope: Envelope, combination: int) -> str:
    """Describe the public attributes of the devices of a batch."""
    if combination >= size_of(envelope.attributes):
        return f", combination {combination} of attributes that it does not have"
    labels = labels_of(envelope.attributes, combination)
    pairs = zip(envelope.attributes, labels, strict=True)
    return "".join(f", {attribute.name} {label}" for attribute, label in pairs)


def _describe_envelope(envelope: Envelope | None, row: bytes) -> str:
    if envelope is None:
        return "(no survey here has this question)"
    if isinstance(envelope, Question):
        return describe_row(envelope, row)
    words = []
    for question in envelope.members:
        words.append(
            f"{question.name}: {describe_row(question, row[: question.width])}"
        )
        row = row[question.width :]
    return "; ".join(words)


def _decoded_payload(
    payload: bytes, surveys: Sequence[Survey], most_rows: int
) -> Iterator[str]:
    try:
        batch = decode_batch(payload)
    except WireError as error:
        yield f"no batch: {error}"
        return
    yield from decoded_batch(batch, surveys, most_rows)


def _envelope(fingerprint: bytes, surveys: Sequence[Survey]) -> Envelope | None:
    for survey in surveys:
        for envelope in survey.envelopes:
            if envelope.fingerprint == fingerprint:
                return envelope
    return None


@lru_cache(maxsize=16)
def _columns(question: Question) -> tuple[tuple[int, ...], ...]:
    """By report, the values under which it is likeliest; nothing where there are too
    many.
    """
    layout, size = question.layout, question.domain.size
    if size is None or layout.bits > _MOST_BITS or question.domain.most is not None:
        return ()
    if layout.modulus or layout.codewords or layout.places > 1:
        return ()
    bodies = layout.symbols or 1 << layout.bits
    if size * layout.cohorts * bodies > _MOST_CELLS or (
        question.memoizes and layout.cohorts > 1
    ):
        return ()
    rows = question.randomizer.channel().rows
    if len(rows) != size or len(rows[0]) != layout.cohorts * bodies:
        return ()
    return tuple(
        tuple(
            value
            for value, mass in enumerate(column)
            if mass == max(column) > min(column)
        )
        for column in zip(*rows, strict=True)
    )


def _supports(question: Question, values: Sequence[int]) -> str:
    """Which values, by their names, and of how many."""
    size = question.domain.size or 0
    if not values:
        return "supports no value more than another"
    named = question.domain.values or ()
    shown = [
        named[value] if value < len(named) else str(value)
        for value in values[:_MOST_VALUES]
    ]
    hidden = len(values) - _MOST_VALUES
    more = ""
    if hidden > 0:
        more = f" and {hidden:,} more"
    return f"supports {', '.join(shown)}{more} ({len(values):,} of {size:,} values)"


def _describe_prefix(question: Question, prefix: int) -> str:
    """Describe the prefix: the part that the device keeps, or that was drawn beside
    it.
    """
    layout = question.layout
    if layout.modulus or layout.codewords:
        return f"seed {prefix:016x}, "
    if layout.cohorts > 1:
        return f"cohort {prefix:,} of {layout.cohorts:,}, "
    return ""


def _body(question: Question, body: int) -> str:
    layout = question.layout
    if layout.bits:
        ones = [place for place in range(layout.bits) if body >> place & 1]
        if layout.bits == question.domain.size and layout.cohorts == 1:
            return _supports(question, ones)
        listed = ", ".join(map(str, ones[:_MOST_VALUES]))
        more = "..." if len(ones) > _MOST_VALUES else ""
        return f"{len(ones):,} of {layout.bits:,} bits are set: {listed}{more}"
    if layout.places > 1:
        return f"{layout.places:,} numbers, one for each value"
    if layout.symbols == question.domain.size and not layout.prefix_width:
        return _supports(question, [body])
    return f"symbol {body:,} of {layout.symbols:,}"


def _shorten(row: bytes) -> str:
    if len(row) <= _MOST_BITS:
        return row.hex()
    return f"{row[:_MOST_BITS].hex()}..."
