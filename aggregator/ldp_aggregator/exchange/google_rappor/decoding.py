"""From the files of google/rappor to estimates, by our own estimator of Bloom
filters.
"""

from __future__ import annotations

import numpy as np

from ldp.answers.domain import Domain
from ldp.errors import EstimateError
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.contract import Declared
from ldp.survey.survey import Question
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.decoders.bloom.decoding import background_of
from ldp_aggregator.decoders.bloom.indistinguishable import (
    alike_together,
    dependent_together,
)
from ldp_aggregator.decoders.other_results import Candidates
from ldp_aggregator.exchange.google_rappor.booleans import TRUE, OneBit
from ldp_aggregator.exchange.google_rappor.dialects import Dialect
from ldp_aggregator.exchange.google_rappor.files import Parameters
from ldp_aggregator.exchange.google_rappor.privacy import declared_once
from ldp_aggregator.exchange.google_rappor.survey import equivalent_question
from ldp_aggregator.numerics.arrays import Counts

MECHANISM = "google/rappor"


def legacy_question(
    parameters: Parameters, dialect: Dialect | None, place: str
) -> Question:
    """The question that was asked, through the client that was used, if it is known.

    Else through one that draws what it is told.

    Its mechanism is none of ours, so that its fingerprint is not, either. Raises
    `SurveyError` or `EstimateError`, naming the `place` of the parameters, if nothing
    can be learned from them.
    """
    asked = parameters
    if parameters.boolean:
        # A bit is drawn as any other is; how many there are beside it makes no
        # difference to it.
        asked = parameters._replace(bits=2, hashes=1, cohorts=1)
    question = equivalent_question(asked, place)
    mechanism = MECHANISM
    randomizer = question.randomizer
    if dialect is not None:
        try:
            dialect.check(parameters)
        except EstimateError as error:
            raise EstimateError(f"{place}: {error}") from None
        mechanism = f"{MECHANISM} ({dialect.name} client)"
        randomizer = dialect.as_run(parameters)
        one, zero = randomizer.support
        if one == zero or {one, zero} & {0, 1}:
            raise EstimateError(
                f"{place}: expected p, q and f that leave signal and noise in each bit "
                f"once the {dialect.name} client has rounded them, got bits that are 1 "
                f"with probabilities {float(one)} and {float(zero)}"
            )
    domain, declared = question.domain, question.declared
    if parameters.boolean:
        assert isinstance(randomizer, Rappor)  # noqa: S101
        randomizer = OneBit.of(randomizer)
        domain = Domain("category", (TRUE,))
        declared = Declared.ratio(declared_once(parameters))
    return Question(
        question.name, domain, mechanism, randomizer=randomizer, declared=declared
    )


def counts_of_answers(counts: Counts, parameters: Parameters) -> Counts:
    """Counts as the question takes them: an answer of one bit has nothing to do with
    cohorts.
    """
    return counts.sum(axis=0, keepdims=True) if parameters.boolean else counts


def decode(
    question: Question, counts: Counts, candidates: Candidates | None, options: Options
) -> tuple[SurveyEstimates, tuple[tuple[str, ...], ...]]:
    """Estimates of the candidates' frequencies; of booleans, which have none, of
    `TRUE`.

    Candidates that cannot be told apart are one; their names, by group, come along.
    Raises `EstimateError` if nothing can be told of them. Basic RAPPOR has one cohort,
    one hash function and a bit for each value: then every bit is decoded by itself.
    """
    randomizer = question.randomizer
    assert isinstance(randomizer, Rappor)  # noqa: S101
    if candidates is None:
        return _alone(estimate_question(question, counts, options)), ()
    candidates, groups = alike_together(candidates, counts)
    design, names = candidates.design, candidates.names
    alone = (
        randomizer.cohorts == randomizer.hashes == 1 and len(names) <= randomizer.bits
    )
    if alone and design.sum(axis=1).max() == 1:
        # The bits in the order of the candidates, (1, 1 + candidates).
        counts = counts[:, [0, *(1 + design.tocsc().indices)]]
        one_hot = randomizer._replace(bits=len(names), hashes=0)
        question = Question(
            question.name,
            Domain("category", names),
            question.mechanism,
            randomizer=one_hot,
            declared=question.declared,
        )
        estimates = estimate_question(question, counts, options)
    else:
        try:
            estimates = estimate_question(
                question, counts, options, candidates=names, design=design
            )
        except EstimateError:
            background = background_of(randomizer)
            dependent = dependent_together(candidates, counts, background)
            if dependent is None:
                raise
            (names, design), more = dependent
            groups = (*groups, *more)
            estimates = estimate_question(
                question, counts, options, candidates=names, design=design
            )
    return _alone(estimates), groups


def is_turned_round(
    estimates: SurveyEstimates,
    counts: Counts,
    candidates: Candidates | None,
    options: Options,
) -> bool:
    """Whether reports that do not fit the candidates do so with the bits in opposite
    order.
    """
    (only,) = estimates
    if candidates is None or not _does_not_fit(only):
        return False
    turned = np.concatenate([counts[:, :1], counts[:, :0:-1]], axis=1)
    try:
        others, _ = decode(only.question, turned, candidates, options=options)
    except EstimateError:
        return False
    (other,) = others
    return bool(other.checks) and not _does_not_fit(other)


def _does_not_fit(estimates: QuestionEstimates) -> bool:
    return any(check.suspicious for check in estimates.checks)


def _alone(estimates: QuestionEstimates) -> SurveyEstimates:
    question = estimates.question
    return SurveyEstimates(
        question.name, question.fingerprint.hex(), {question.name: estimates}
    )
