"""One instance of a case: a population, its reports from their exact law, and how the
decoder did.

    found   by default, at 5 %: by Storey's correction where the check on the candidates
            finds none missing, or else by Benjamini and Hochberg's. Beside it, at the
            false-positive rate of google/rappor's own decoder, where that is known:
            every candidate whose p-value is at most that rate
    fpr     false positives / spurious candidates
    fnr     missed values / values among the candidates
    tv      half the sum of |true - estimated frequency| over all names, with 0 for what
            is not found, of the unbiased estimates; and as it is printed of all
            candidates, found or not, by the views posterior and posterior-mean
    am      allocated mass: the sum of the estimated frequencies of what is found
    fdr     false positives / found

A candidate that no one happens to hold is spurious. Coverage and width are of the 95 %
intervals of all candidates that somebody holds, found or not; beside it stands the
coverage of the false-coverage-rate intervals of what is found, held or not, as they are
exported. The clock runs from counts and the bits of the candidates to estimates and
detections.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from lab.rappor_suite.cases import Case
from lab.rappor_suite.published import PUBLISHED, rate_of_r
from ldp.mechanisms.chains.rappor import Rappor
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.shares.detection import find, p_values
from ldp_aggregator.answers.shares.frequencies import view_frequencies
from ldp_aggregator.answers.shares.share_estimates import Found
from ldp_aggregator.decoders.bloom.decoding import design_matrix
from ldp_aggregator.decoders.intervals.intervals import null_error
from ldp_aggregator.numerics.arrays import Counts, Flags, Floats
from ldp_simulations.sampling.chains.bloom import bloom_counts, repeated_counts

Scores = dict[str, float | None]

MOST_POINTS = 100


def measure(cases: Sequence[Case], instance: int) -> list[dict[str, Any]]:
    """One instance of each case, which share their texts' bits.

    They differ in nothing but the distribution.

    `scores`; `matched` scores at the published false-positive rate, or None; and, of
    the first instance, a `curve`: true and found frequencies of up to 100 groups of
    neighbouring values.
    """
    randomizer, size = _randomizer(cases[0]), cases[0].values + cases[0].spurious
    # Other texts in each instance, and so other hash functions.
    names = [f"{instance}/v{number}" for number in range(1, size + 1)]
    bits = design_matrix(randomizer, names).tocsc()
    return [_measured(case, instance, names, bits=bits) for case in cases]


def _measured(
    case: Case, instance: int, names: Sequence[str], bits: Any
) -> dict[str, Any]:
    generator = np.random.default_rng([instance, *case.name.encode()])
    holders, counts = _collected(case, bits[:, : case.values], generator)
    candidates = case.candidates
    texts, design = [names[place] for place in candidates], bits[:, candidates].tocsr()
    start = perf_counter()
    estimates = estimate_question(
        case.parameters.question,
        counts,
        Options(estimand="respondents"),
        candidates=texts,
        design=design,
    )
    chosen = find(estimates)
    seconds = perf_counter() - start
    truth = np.pad(holders, (0, case.spurious)) / holders.sum()
    true = truth[candidates]
    real = true > 0
    detections = chosen.found
    scores = _scores(truth, candidates, estimates, detections=detections) | {
        "found coverage": _coverage_of_found(chosen, true),
        "coverage": float(
            ((estimates.low <= true) & (true <= estimates.high))[real].mean()
        ),
        "width": float((estimates.high - estimates.low)[real].mean()),
        "seconds": seconds,
    }
    published = PUBLISHED.get(case.name)
    matched = None
    if published is not None:
        passing = p_values(estimates) <= rate_of_r(case.name)
        matched = _scores(truth, candidates, estimates, detections=passing)
    curve = None
    if instance == 0:
        shown = _placed(
            np.where(detections, estimates.unbiased, 0.0), candidates, len(truth)
        )
        curve = [_grouped(frequency[: case.values]) for frequency in (truth, shown)]
    return {"scores": scores, "matched": matched, "curve": curve}


def _collected(
    case: Case, design: Any, generator: np.random.Generator
) -> tuple[Counts, Counts]:
    """How many answers each value has, and the counts of the reports."""
    randomizer = _randomizer(case)
    if case.answers_each == 1:
        holders = generator.multinomial(case.clients, case.shares)
        return holders, bloom_counts(randomizer, holders, design, generator=generator)
    answers = generator.choice(
        case.values, (case.clients, case.answers_each), p=case.shares
    )
    holders = np.bincount(answers.ravel(), minlength=case.values)
    return holders, repeated_counts(randomizer, answers, design, generator=generator)


def _scores(
    truth: Floats,
    candidates: list[int],
    estimates: QuestionEstimates,
    detections: Flags,
) -> Scores:
    real = truth[candidates] > 0
    false = int((detections & ~real).sum())
    unbiased = _placed(
        np.where(detections, estimates.unbiased, 0.0), candidates, len(truth)
    )
    posterior, mean = (
        _view(estimates, post) for post in ("posterior", "posterior-mean")
    )
    return {
        "actual": int((truth > 0).sum()),
        "found": int(detections.sum()),
        "fpr": _ratio(false, int((~real).sum())),
        "fnr": _ratio(int((real & ~detections).sum()), int(real.sum())),
        "tv": _distance(truth, unbiased),
        "posterior tv": _distance(truth, _placed(posterior, candidates, len(truth))),
        "mean tv": _distance(truth, _placed(mean, candidates, len(truth))),
        "am": float(unbiased.sum()),
        "fdr": false / max(1, int(detections.sum())),
    }


def _view(estimates: QuestionEstimates, post: str) -> Floats:
    """All frequencies as the view prints them."""
    law = estimates.law
    assert law is not None
    options = replace(estimates.options, post_process=post)
    return view_frequencies(law, null_error(law), estimates.chances, options=options)


def _coverage_of_found(chosen: Found, true: Floats) -> float | None:
    """How many of the intervals of what is found hold; None if nothing is."""
    covered = (chosen.low <= true) & (true <= chosen.high)
    return float(covered[chosen.found].mean()) if chosen.found.any() else None


def _placed(frequency: Floats, candidates: list[int], size: int) -> Floats:
    """Frequencies of candidates among those of all names."""
    placed = np.zeros(size)
    placed[candidates] = frequency
    return placed


def _distance(truth: Floats, shown: Floats) -> float:
    return float(np.abs(truth - shown).sum() / 2)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _grouped(frequency: Floats) -> list[float]:
    """Sums over neighbours, to six digits."""
    return [
        float(f"{part.sum():.6g}")
        for part in np.array_split(frequency, min(MOST_POINTS, len(frequency)))
    ]


def _randomizer(case: Case) -> Rappor:
    randomizer = case.parameters.question.randomizer
    assert isinstance(randomizer, Rappor)
    return randomizer
