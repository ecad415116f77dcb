"""Whether reports look as if the survey's mechanism had drawn them: a table of checks
on a tally.

    cohorts    respondents draw their cohort uniformly, or by the law that the survey
               states: a chi-square of the cohort sizes
    rates      a bit is 1, or a value is supported (by reports in its block, if there
               are blocks), with a probability between that of a respondent who does not
               hold it and that of one who does, so no rate may lie beyond them by more
               than chance has it: the least of the exact binomial p-values, times their
               number (Bonferroni)
    payloads   the same of every symbol that can be sent, where rates are not those of
               symbols already: its probability lies between the least and the largest
               that any value gives it (the rows of `ldp_aggregator.decoders` say how
               likely)
    phantoms   values of projective-geometry response that no one can hold look like it;
               see `phantoms`
    dictionary the candidates of an open question explain the bit rates; see
    `bloom_regression`

What a tally cannot show: it counts bits one by one, so correlated bits of single
reports leave no trace but a misfit of the dictionary; and it counts payloads that came
twice under different batch ids twice, because many honest reports of a small domain are
equal. Batches that came twice are counted at intake.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Randomizer
from ldp.survey.survey import Question
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.moments.repeats import reports_of_each
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.output.checks import SUSPICIOUS, Check
from ldp_aggregator.tallies.counting.counting import total_reports


def health(
    question: Question,
    counts: Counts,
    candidates: Sequence[str] = (),
    reports_per_person: int = 1,
) -> tuple[Check, ...]:
    """The checks that apply to a question's counts (shape as in `tallies.counting`).

    None without the reports of a single respondent.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus"] * 500})
    >>> tally = ldp_aggregator.aggregate(survey, reports)
    >>> checks = ldp_aggregator.health(survey["mode"], tally.counts["mode"])
    >>> all(check.p_value > 1e-6 for check in checks)
    True
    """
    randomizer = question.randomizer
    repeats = reports_of_each(randomizer, reports_per_person)
    if total_reports(counts, question.layout) < repeats:
        return ()
    checks = [
        *_cohorts(randomizer, counts, repeats),
        *_rates(randomizer, counts, repeats),
        *_payloads(randomizer, counts),
        *_phantoms(randomizer, counts),
    ]
    if candidates:
        options = Options(reports_per_person=reports_per_person)
        checks += estimate_question(
            question, counts, options, candidates=candidates
        ).checks
    return tuple(checks)


def _cohorts(
    randomizer: Randomizer, counts: Counts, reports_per_person: int
) -> Iterator[Check]:
    from scipy.special import chdtrc

    layout = randomizer.layout
    if layout.cohorts < 2:
        return
    sizes = (
        counts[:, 0] if layout.counters else counts.sum(axis=1)
    ) / reports_per_person
    law = decoder_of(randomizer).report_law.cohort_shares(randomizer)
    expected = np.full(len(sizes), sizes.mean()) if law is None else law * sizes.sum()
    drawn = expected > 0
    away = sizes - expected
    statistic = float((away[drawn] ** 2 / expected[drawn]).sum())
    p_value = 1.0
    if drawn.sum() > 1:
        p_value = float(chdtrc(np.count_nonzero(drawn) - 1, statistic))
    # Where no device reports, one report is too many.
    never = bool((sizes[~drawn] > 0).any())
    beyond = int((np.abs(away) > 3 * np.sqrt(expected)).sum())
    where = "the share that the survey states"
    if law is None:
        where = f"{expected[0]:,.1f} respondents"
    how = "uniformly" if law is None else "by the survey's law"
    yield Check(
        "cohorts",
        beyond,
        0.0 if never else p_value,
        meaning=f"{beyond} of {len(counts)} cohorts are further than 3 standard errors "
        f"from {where}; a small p-value: cohorts were not drawn {how}, or reports of "
        "some were lost or made up",
    )


def _rates(
    randomizer: Randomizer, counts: Counts, reports_per_person: int
) -> Iterator[Check]:
    # As `binom` has them, which takes a second to import.
    from scipy.special import betainc, betaincc

    counted = decoder_of(randomizer).report_law.support_rates(randomizer, counts)
    if counted is None:
        return
    ones, trials, rates = counted
    low, high = sorted(float(rate) for rate in rates)
    # Reports of one permanent response are not independent: a rate is then as sure as
    # that of the respondents alone.
    shown, trials = ones / reports_per_person, trials // reports_per_person
    most, least = np.ceil(shown), np.floor(shown)
    few = betaincc(most + 1, np.maximum(trials - most, 1), low)
    many = betainc(np.maximum(least, 1), trials - least + 1, high)
    chances = np.minimum(
        np.where(most < trials, few, 1.0), np.where(least > 0, many, 1.0)
    )
    tests = 2 * chances.size
    beyond = int((chances * tests < SUSPICIOUS).sum())
    yield Check(
        "rates",
        beyond,
        min(1.0, float(chances.min()) * tests),
        meaning=f"{beyond} of {chances.size} rates lie outside [{low:.6g}, "
        f"{high:.6g}], surely; a small p-value: devices ran with other parameters or a "
        "broken source of randomness, or reports were made up",
    )


def _payloads(randomizer: Randomizer, counts: Counts) -> Iterator[Check]:
    bounds = decoder_of(randomizer).report_law.payload_chances(randomizer)
    if bounds is None:
        return
    from scipy.stats import binom

    low, high = bounds
    trials = counts.sum(axis=1)
    if low.ndim == 2:
        # Each cell by itself: rows of one symbol in one cohort.
        trials = np.repeat(trials, counts.shape[1])
        low, high, counts = low.ravel(), high.ravel(), counts.reshape(-1, 1)
    elif low.ndim:
        # Rows shall be symbols of one probability each; all places have as many
        # reports.
        counts, trials = counts.T, trials[0]
    chances = np.minimum(
        binom.cdf(counts.min(axis=1), trials, low),
        binom.sf(counts.max(axis=1) - 1, trials, high),
    )
    tests = 2 * counts.size
    line = SUSPICIOUS / tests
    rare, frequent = binom.ppf(line, trials, low), binom.isf(line, trials, high)
    by_symbol = counts.T
    beyond = int(((by_symbol < rare) | (by_symbol > frequent)).sum())
    yield Check(
        "payloads",
        beyond,
        min(1.0, float(chances.min()) * tests),
        meaning=f"{beyond} of {counts.size} possible payloads came more or less often "
        "than any answers give them, surely; a small p-value: reports repeat "
        "themselves, or were made up",
    )


def _phantoms(randomizer: Randomizer, counts: Counts) -> Iterator[Check]:
    response = decoder_of(randomizer).report_law.points(randomizer)
    if response is None:
        return
    from ldp_aggregator.analyses.health_checks.phantoms import phantom_score

    try:
        score = phantom_score(response, counts)
    except EstimateError:
        return
    yield Check(
        "phantoms",
        score.phantoms,
        score.p_value,
        meaning=f"the support of {score.phantoms} values that no one can hold varies "
        f"{score.mean_square:.3f} times as much as chance has it; a small p-value: "
        "reports repeat themselves, or were made up",
    )
