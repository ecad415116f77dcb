"""Surveys to measure with, and report files for them that are made without randomizing
anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from ldp import Question, Survey, parse_survey
from ldp.numbers.layout import COHORT_WIDTH
from ldp.wire.sealed import Sealed, encode_sealed_report, envelope_size
from ldp.wire.wire import Batch, encode_batch, encode_frame

QUESTION = "question"
TEXT_KEYS = (
    'type = "text"\nmechanism = "rappor"\nhashes = 2\ncohorts = 16\n'
    'p = "0.5"\nq = "0.75"\nf = "0.5"\n'
)
BLOCK = 1000
"""Distinct rows in a report file; counting takes the same time however often they come.
"""


def closed_survey(
    mechanism: str, size: int, epsilon: str = "1", keys: str = ""
) -> Survey:
    """One question with `size` values; `keys` are further lines of its table."""
    return survey_of(
        f'type = "category"\n{values(size)}mechanism = "{mechanism}"\nepsilon = '
        f'"{epsilon}"\n{keys}'
    )


def text_survey(bits: int) -> Survey:
    """One open question, answered through RAPPOR with two hash functions and 16
    cohorts.
    """
    return survey_of(f"{TEXT_KEYS}bloom_bits = {bits}\n")


def survey_of(keys: str) -> Survey:
    """One question with these lines in its table."""
    return parse_survey(survey_text(keys))


def survey_text(keys: str) -> str:
    """The same as a file."""
    return f'[survey]\nname = "benchmark"\n\n[[question]]\nname = "{QUESTION}"\n{keys}'


def values(size: int) -> str:
    """The line that lists n values."""
    listed = ", ".join(f'"v{index}"' for index in range(size))
    return f"values = [{listed}]\n"


def frames(survey: Survey, reports: int, batch_size: int) -> Iterator[bytes]:
    """The frames of a report file, one by one; every batch under an id of its own."""
    question = survey[QUESTION]
    block = _rows(question)
    most = BLOCK - batch_size
    for start in range(0, reports, batch_size):
        first = (start % (most + 1)) * question.width
        rows = block[first : first + batch_size * question.width]
        batch = Batch(question.fingerprint, os.urandom(16), batch_size, rows=rows)
        yield encode_frame(encode_batch(batch))


def sealed_frames(survey: Survey, reports: int) -> Iterator[bytes]:
    """Sealed reports as a relay sees them: random bytes of the right length, under
    ids.
    """
    question = survey[QUESTION]
    size = envelope_size(question.width)
    for _ in range(reports):
        sealed = Sealed(question.fingerprint, os.urandom(16), os.urandom(size))
        yield encode_frame(encode_sealed_report(sealed))


def _rows(question: Question) -> bytes:
    random = np.random.default_rng(1)
    layout = question.layout
    if layout.modulus:
        seeds = (
            random.integers(1, layout.modulus, (BLOCK, 2)).astype("<u4").view(np.uint8)
        )
        return np.hstack(
            [seeds, random.integers(0, layout.symbols, (BLOCK, 1), dtype=np.uint8)]
        ).tobytes()
    if layout.codewords:
        rows = random.integers(0, 256, (BLOCK, layout.width), dtype=np.uint8)
        rows[:, -1] %= layout.symbols
        return rows.tobytes()
    if layout.places > 1:
        return random.integers(
            0, layout.symbols, (BLOCK, layout.places), dtype=np.uint8
        ).tobytes()
    if not layout.bits:
        return (
            random.integers(0, layout.symbols, BLOCK)
            .astype(f"<u{layout.width}")
            .tobytes()
        )
    rows = random.integers(0, 256, (BLOCK, layout.width), dtype=np.uint8)
    if layout.cohorts > 1:
        cohorts = random.integers(0, layout.cohorts, (BLOCK, 1)).astype("<u2")
        rows[:, :COHORT_WIDTH] = cohorts.view(np.uint8)
    return rows.tobytes()
