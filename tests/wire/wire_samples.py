"""A survey with every kind of report layout, and sound bytes for it."""

import hashlib
import json
from itertools import cycle, islice

from ldp import parse_survey
from ldp.numbers.epochs import ID_SIZE
from ldp.numbers.randomness import Replay, draw_bits, randbelow
from ldp.wire.wire import Batch, encode_batch, encode_frame
from ldp_aggregator import Ingest

FOUR = '["car", "bus", "bike", "walk"]'
TWENTY = json.dumps([f"value {number}" for number in range(20)])
MANY = json.dumps([f"value {number}" for number in range(300)])
CHROME = 'bloom_bits = 128\nhashes = 2\np = "0.5"\nq = "0.75"'

TEXT = '[survey]\nname = "example"\n' + "".join(
    f'\n[[question]]\nname = "{name}"\nmechanism = "{mechanism}"\n{keys}\n'
    for name, mechanism, keys in (
        ("symbol", "grr", f'type = "category"\nvalues = {FOUR}\nepsilon = "1"'),
        ("wide", "grr", f'type = "category"\nvalues = {MANY}\nepsilon = "1"'),
        ("bits", "oue", f'type = "category"\nvalues = {TWENTY}\nepsilon = "1"'),
        ("set", "ss", f'type = "category"\nvalues = {TWENTY}\nepsilon = "1"'),
        ("levels", "she", f'type = "category"\nvalues = {FOUR}\nepsilon = "4"'),
        ("hash", "olh", f'type = "category"\nvalues = {FOUR}\nepsilon = "1"'),
        ("filter", "rappor", f'type = "text"\ncohorts = 3\nf = "0.5"\n{CHROME}'),
    )
)
SURVEY = parse_survey(TEXT)
GROUPED_TEXT = f"""
[survey]
name = "grouped"
[[attribute]]
name = "platform"
values = ["android", "ios"]
[[question]]
name = "mode"
mechanism = "grr"
type = "category"
values = {FOUR}
epsilon = "1"
"""
"""Reports of it carry an attribute: the second format of batches, and of tallies."""
GROUPED = parse_survey(GROUPED_TEXT)


def stream(label, size=4096):
    """Bytes that look random and depend on the label alone."""
    return hashlib.shake_256(label.encode()).digest(size)


def rows_of(layout, count, label):
    """`count` possible reports of a layout, as bytes."""
    # Named as before layouts had codewords.
    shape = str(layout).replace(", codewords=0", "")
    draw = Replay(
        stream(f"{label} {shape}", 64 + 400 * count + count * layout.width * 64)
    )
    rows = []
    for prefix in islice(cycle(range(layout.cohorts)), count):
        if layout.ones:
            body = (1 << layout.ones) - 1 << randbelow(
                layout.bits - layout.ones + 1, draw
            )
        elif layout.bits:
            body = draw_bits(0, layout.bits, 0, if_other=1 << 62, random=draw)
        else:
            body = randbelow(layout.symbols, draw)
        for _ in range(1, layout.places):
            body = body << 8 * layout.symbol_width | randbelow(layout.symbols, draw)
        if layout.modulus:
            prefix = randbelow(layout.modulus, draw) << 32 | 1 + randbelow(
                layout.modulus - 1, draw
            )
        rows.append(layout.report(body, prefix).to_bytes(layout.width, "little"))
    return b"".join(rows)


def batch_of(name, count, label):
    """A sound batch of `count` reports to the question called `name`.

    Label and content go together.
    """
    question = SURVEY[name]
    batch_id = stream(f"{name} {count} {label}", ID_SIZE)
    return Batch(
        question.fingerprint,
        batch_id,
        count,
        rows=rows_of(question.layout, count, label),
    )


def grouped_of(combination, count, label):
    """The same of the survey with an attribute, from devices of one combination."""
    question = GROUPED["mode"]
    batch_id = stream(f"grouped {combination} {count} {label}", ID_SIZE)
    rows = rows_of(question.layout, count, label)
    return Batch(
        question.fingerprint, batch_id, count, rows=rows, combination=combination
    )


def file_of(*batches):
    """A file of frames, one for each batch."""
    return b"".join(encode_frame(encode_batch(batch)) for batch in batches)


def taken(*files, survey=SURVEY):
    """The tally of whole files, taken in by one ingest."""
    ingest = Ingest(survey)
    for file in files:
        ingest.feed(file)
        ingest.end_of_stream()
    return ingest.tally


BATCHES = {question.name: batch_of(question.name, 3, "sample") for question in SURVEY}
"""A sound batch of three reports for each question."""
GROUPS = tuple(grouped_of(combination, 3, "sample") for combination in range(3))
"""One of each combination: nothing is known, android, ios."""
