"""Privacy cost of a survey's questions if a relay mixes the reports: always both
figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from ldp.numbers.exact import decimal_text
from ldp.privacy.batches import BatchPrivacy, batch_privacy
from ldp.survey.survey import Envelope, Question
from ldp_aggregator.explanations.trusted_curator import curator_error, rare_count_error

_TRAPS = (
    "of one message: what travels together, such as the questions of a row, is one; "
    "and of one\n"
    "    batch: whoever answers every week adds up weeks",
    "as long as nothing tells messages apart: no address, time, id, order, version, "
    "and no public\n"
    "    attribute; if they carry one, the reports that share it are the batch",
    (
        "of honest respondents: what colluders and forgers send is no cover "
        "(--colluding-share)"
    ),
)


def shuffled_explanation(
    messages: Iterable[Envelope],
    reports: int,
    delta: Fraction,
    colluding: Fraction = Fraction(0),
) -> str:
    """Messages of a survey, in batches of so many reports, and what must hold for
    that.
    """
    parts = [
        f"in batches of {reports:,} reports, mixed by a relay"
        + (
            f", a share of {decimal_text(colluding)} of them no cover"
            if colluding
            else ""
        )
    ]
    for envelope in messages:
        batch = batch_privacy(envelope, reports, delta, colluding=colluding)
        parts.append("\n".join(_message(envelope, batch)))
    parts.append("\n".join(["this holds", *(f"  - {trap}" for trap in _TRAPS)]))
    return "\n\n".join(parts)


def _message(envelope: Envelope, batch: BatchPrivacy) -> Iterator[str]:
    mechanisms = ", ".join(question.mechanism for question in envelope.members)
    yield f"{envelope.name}: {mechanisms}"
    if len(envelope.members) > 1:
        yield (
            f"  one message         of {len(envelope.members)} questions, answered "
            "together"
        )
    yield f"  batch               {batch.text}"
    if batch.first_only:
        yield (
            "  later reports       are drawn from what the device keeps, and no relay "
            "hides them: what all of them reveal is the lifetime's epsilon"
        )
    if isinstance(envelope, Question) and batch.amplifies:
        yield from _errors(envelope, batch)


def _errors(question: Question, batch: BatchPrivacy) -> Iterator[str]:
    error = rare_count_error(question.randomizer, batch.reports)
    size = question.domain.size
    if error is None or size is None or question.domain.most is not None:
        return
    curator = curator_error(float(batch.epsilon), float(batch.delta), size)
    yield (
        f"  error of a count    {error:,.1f} reports, of a value that few hold; a "
        f"trusted curator who gives the same (epsilon, delta) has {curator:,.1f}"
    )
