"""Privacy of an old collection, as it was promised and as it was, exactly.

declared    eps_1 and eps_inf of params.csv
delivered   the same of the probabilities that the client drew with; if the client is
            not known, of ours: multiples of 2^-64, rounded towards more noise
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ldp.mechanisms.contract import lifetime_ratio
from ldp.numbers.exact import log_text
from ldp.survey.survey import Question
from ldp_aggregator.exchange.google_rappor.booleans import of_one_bit
from ldp_aggregator.exchange.google_rappor.files import Parameters, ReportFile
from ldp_aggregator.explanations.explanation import shown_too_well


def explanation(question: Question, parameters: Parameters) -> str:
    """Both epsilons, declared and delivered."""
    return (
        f"{question.mechanism}, "
        f"k = {parameters.bits}, h = {parameters.hashes}, m = {parameters.cohorts}\n"
        "  eps_1   (one report)                     "
        f"declared {_epsilon(question.declared.bound)}, "
        f"delivered {_epsilon(question.randomizer.ratio)}\n"
        "  eps_inf (all reports, answer unchanged)  "
        f"declared {_epsilon(declared_lifetime(parameters))}, "
        f"delivered {_epsilon(lifetime_ratio(question.randomizer))}"
    )


def warnings(
    question: Question, parameters: Parameters, reports: ReportFile
) -> Iterator[str]:
    """Warn of wrong promises to respondents, and of an analyst's pitfalls."""
    lifetime = lifetime_ratio(question.randomizer)
    declared = declared_lifetime(parameters)
    if lifetime is None:
        yield (
            "eps_inf is INFINITE (no permanent response): every further report was "
            "fresh noise on the true answer"
        )
    over_one = question.randomizer.ratio > question.declared.bound
    over_lifetime = bool(lifetime and declared and lifetime > declared)
    if over_one or over_lifetime:
        yield (
            "this client rounds probabilities towards less noise: it delivered less "
            "privacy than was declared"
        )
    yield from shown_too_well(question)
    number = int(reports.counts[:, 0].sum())
    if reports.clients is not None and reports.clients < number:
        yield (
            f"{number:,} reports came from {reports.clients:,} clients: if theirs "
            "repeat one answer, say so with --reports-per-person; reports count as "
            "independent otherwise"
        )


def declared_lifetime(parameters: Parameters) -> Fraction | None:
    """e^eps_inf; None if infinite."""
    f = parameters.f
    bits = 1 if parameters.boolean else 2 * parameters.hashes
    if f:
        return ((2 - f) / f) ** bits
    return None


def declared_once(parameters: Parameters) -> Fraction:
    """e^eps_1 of a boolean."""
    p, q, f = parameters.p, parameters.q, parameters.f
    return of_one_bit((1 - f / 2) * q + f / 2 * p, f / 2 * q + (1 - f / 2) * p)


def _epsilon(ratio: Fraction | None) -> str:
    if ratio is None:
        return "INFINITE"
    return log_text(ratio, 6)
