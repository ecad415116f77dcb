"""The manipulation bound: no report that exists moves an estimate further, and one
moves it as far.

Exact: scores are worked out in `written_out`, apart from the code under test, for every
report of small configurations. What makes the bound one of whole tallies is that an
estimate is the mean of scores, and that is tested as well.
"""

import json
from fractions import Fraction

import numpy as np
import pytest
from specimens import DESIGNED, MEANS, SMALL, abridged, question
from surveys import COMMUTE_SURVEY
from written_out import counts_of, prefix_cell, reports_of, scores, supported

from ldp_aggregator import Options, Tally, estimate
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.results.manipulation import (
    Manipulation,
    decoded_reports,
    frequency_reach,
    manipulation,
    mean_reach,
)
from ldp_aggregator.tallies.counting.counting import empty_counts

SPECIMENS = {specimen.name: specimen for specimen in (*map(abridged, DESIGNED), *SMALL)}
SCORED = {
    name: specimen
    for name, specimen in SPECIMENS.items()
    if specimen.randomizer.kind not in ("bloom", "search", *MEANS)
}
SEARCHES = {
    name: item for name, item in SPECIMENS.items() if item.randomizer.kind == "search"
}
LONG = ("pyramid-5", "she-0", "she-2", "she-3", "stripes-4")
"""Specimens that take a while."""
EXACT = ("pure", "sketch", "sum", "sampled")
"""Kinds whose scores are fractions in the code under test too.

The others have them from an inverse in floats.
"""


def admitted(randomizer):
    """(report, its score for each value), for every report that a device can send."""
    columns = zip(*randomizer.channel().rows, strict=True)
    every = zip(reports_of(randomizer), scores(randomizer), columns, strict=True)
    return [(report, score) for report, score, column in every if max(column)]


def furthest(worths, low=0, high=1):
    """How far what reports are worth lies from what their devices may hold, at most."""
    return max(max(worths) - low, high - min(worths))


def bound_violations(specimen, reach):
    """What is wrong with a stated reach of a frequency."""
    moved = furthest(
        [score for _, column in admitted(specimen.randomizer) for score in column]
    )
    exact = specimen.randomizer.kind in EXACT
    near = float(reach) == pytest.approx(float(moved), rel=1e-9)
    agree = reach == moved if exact else near
    problem = f"{specimen.name}: states {float(reach)}, a report moves {float(moved)}"
    return [] if agree else [problem]


def in_families(specimens):
    """A test for the specimens of each first word, and for each that takes long by
    itself.
    """
    families = {}
    for specimen in specimens:
        word = (
            specimen.name if specimen.name in LONG else specimen.name.partition("-")[0]
        )
        families.setdefault(word, []).append(specimen)
    return pytest.mark.parametrize("family", families.values(), ids=families)


@in_families(SCORED.values())
def test_no_report_moves_a_frequency_further(family):
    """The reach is the largest distance between a score and 0 or 1, over all reports
    and values.

    Some report has it.
    """
    for specimen in family:
        assert bound_violations(specimen, frequency_reach(specimen.randomizer)) == []


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (
            Manipulation(2.5),
            "1 % forged reports can move a frequency by at most 0.025.",
        ),
        (
            Manipulation(2.5, 300.0),
            (
                "1 % forged reports can move a frequency by at most 0.025, and the "
                "mean by at most 3."
            ),
        ),
        (
            Manipulation(None, 300.0),
            "1 % forged reports can move the mean by at most 3.",
        ),
        (
            Manipulation(None, reason="as it is"),
            (
                "Forged reports can move a frequency without a bound that is known: as "
                "it is."
            ),
        ),
    ],
)
def test_bounds_in_words(bound, said):
    """Of one report in a hundred, whatever is known."""
    assert str(bound) == said


def test_broken_bounds_are_caught():
    """A reach 1 % off, with p and q the wrong way round, or of adding but not of hiding
    a value.
    """
    for specimen in SCORED.values():
        reach = frequency_reach(specimen.randomizer)
        assert bound_violations(specimen, reach * Fraction(99, 100))
        assert bound_violations(specimen, reach * Fraction(101, 100))
    for name in (
        "oue-1",
        "ss-1",
        "olh-1",
        "sketch-2",
        "rappor-2-word-3",
        "padded-symbols",
    ):
        specimen = SCORED[name]
        p, q = (
            getattr(specimen.randomizer, "support", None) or specimen.randomizer.within
        )
        assert bound_violations(specimen, (1 - p) / (p - q)), name
    often = SCORED["bits-2-word-5"]
    p, q = often.randomizer.support
    assert bound_violations(often, (1 - q) / (p - q))


@pytest.mark.parametrize("specimen", SEARCHES.values(), ids=SEARCHES)
def test_no_report_moves_a_text_further(specimen):
    """Of a search, scores are those of the reports held out, where all forged ones may
    be.
    """
    randomizer = specimen.randomizer
    p, q = randomizer.oracle.support
    q += (p - q) / randomizer.oracle.size
    cohort = randomizer.stages
    worths = [
        (
            int(
                prefix_cell(randomizer, text, cohort)
                in supported(randomizer.oracle, symbol)
            )
            - q
        )
        / (p - q)
        for text in specimen.values
        for symbol in range(randomizer.oracle.size)
    ]
    counts = np.full((randomizer.cohorts, randomizer.layout.symbols), 3)
    counts[0] = 5
    share = Fraction(int(counts.sum()), int(counts[cohort:].sum()))
    assert decoded_reports(randomizer, counts) == counts[cohort:].sum()
    assert manipulation(randomizer, counts).reach == pytest.approx(
        float(share * furthest(worths)), rel=1e-12
    )


def has_mean(randomizer):
    """Whether an integer question through it would have a mean."""
    if randomizer.kind == "pure":
        return (
            not hasattr(randomizer, "most") and randomizer.joint_support() is not None
        )
    without = ("sketch", "blocks", "views", "signed", "pyramid", "stripes", "marginals")
    return randomizer.kind not in without


AVERAGED = {
    name: specimen
    for name, specimen in SPECIMENS.items()
    if specimen.randomizer.kind in MEANS
    or (name in SCORED and has_mean(specimen.randomizer))
    # Of a vector, whose words are not all tried: see `test_codebook.py`.
    if specimen.randomizer.kind != "codebook"
}


def mean_violations(specimen, reach):
    """What is wrong with a stated reach of the mean: by the mean of every report by
    itself.
    """
    randomizer = specimen.randomizer
    half = (len(randomizer.channel().rows) - 1) / 2
    worths = []
    reports = reports_of(randomizer)
    if randomizer.kind not in MEANS:
        reports = [report for report, _ in admitted(randomizer)]
    for report in reports:
        counts = counts_of(randomizer, {report: 1})
        moments = specimen.decode and specimen.decode(randomizer, counts)
        worths.append(specimen.average(randomizer, moments, counts).estimate)
    furthest_mean = furthest(worths, -half, half)
    if float(reach) == pytest.approx(furthest_mean, rel=1e-9):
        return []
    return [f"{specimen.name}: states {float(reach)}, a report moves {furthest_mean}"]


@in_families(AVERAGED.values())
def test_no_report_moves_a_mean_further(family):
    """The mean's reach is the largest distance from a report's worth to either end of
    the range.
    """
    for specimen in family:
        reach = mean_reach(specimen.randomizer)
        assert mean_violations(specimen, reach) == []
        assert mean_violations(specimen, reach * Fraction(99, 100)), specimen.name


def mean_and_estimate(specimen):
    """The weighted mean of the estimates of seven reports and of five, and that of all
    twelve.
    """
    randomizer, generator = specimen.randomizer, np.random.default_rng(5)
    # Held-out cohorts come last.
    chosen = [int(place) for place in generator.integers(0, 10**6, 12)]
    reports = reports_of(randomizer)
    if randomizer.kind == "search":
        reports = [report for report in reports if report % 2**16 >= randomizer.stages]
    elif randomizer.layout.ones:
        reports = [report for report, _ in admitted(randomizer)]
    honest, forged = (
        sum(counts_of(randomizer, {reports[place % len(reports)]: 1}) for place in part)
        for part in (chosen[:7], chosen[7:])
    )

    def estimated(counts):
        arguments = ()
        if randomizer.kind == "search":
            arguments = ([text.decode() for text in specimen.values],)
        return specimen.decode(randomizer, counts, *arguments).frequency

    mixed = (7 * estimated(honest) + 5 * estimated(forged)) / 12
    return mixed, estimated(honest + forged)


@in_families([*SCORED.values(), *SEARCHES.values()])
def test_estimates_are_means_of_scores(family):
    """Added reports move an estimate to the weighted mean of both: what the bound rests
    on.
    """
    for specimen in family:
        mixed, joined = mean_and_estimate(specimen)
        assert joined == pytest.approx(mixed, rel=1e-9, abs=1e-9), specimen.name


@pytest.mark.parametrize("name", ["bloom-2", "bloom-4-two-hashes"])
def test_bloom_filters_have_no_bound(name):
    """None is given for least squares, and said why.

    Of a bit there is one, as of any value that reports support.
    """
    randomizer = SPECIMENS[name].randomizer
    p, q = randomizer.support
    bound = manipulation(
        randomizer, np.ones((randomizer.cohorts, 1 + randomizer.bits), dtype=np.int64)
    )
    assert bound.reach is bound.mean_reach is None
    bit = furthest([-q / (p - q), (1 - q) / (p - q)])
    assert f"moves by at most {float(bit):.3g} times" in bound.reason
    assert json.loads(json.dumps(bound.to_dict())) == {
        "reach": None,
        "note": bound.reason,
    }


def test_published_figures():
    """What 1 % forged reports can do at epsilon 1: 3.16 % with `oue`, 58.6 % with `grr`
    of 100.
    """
    values = [str(value) for value in range(100)]
    for mechanism, shift in (("oue", "0.0316"), ("grr", "0.586"), ("olh", "0.0333")):
        asked = question(
            mechanism, f'type = "category"\nvalues = {values}\nepsilon = 1'
        )
        estimates = estimate_question(asked, empty_counts(asked.layout) + 10, Options())
        assert f"1 % forged reports can move a frequency by at most {shift}." in repr(
            estimates
        )


def test_estimates_carry_their_bound():
    """Table, notebook and JSON say it; without reports there is nothing to be moved."""
    counts = {
        name: empty + 3 for name, empty in Tally.empty(COMMUTE_SURVEY).counts.items()
    }
    estimates = estimate(Tally(COMMUTE_SURVEY, counts))
    for name in ("smoker", "transport"):
        bound = estimates[name].manipulation
        assert isinstance(bound, Manipulation)
        assert json.loads(json.dumps(estimates[name].to_dict()))["manipulation"] == {
            "reach": bound.reach
        }
        assert str(bound) in estimates.rendered()
        assert str(bound) in estimates[name]._repr_html_()
    assert estimate(Tally.empty(COMMUTE_SURVEY))["smoker"].manipulation is None
    assert (
        "manipulation" not in estimate(Tally.empty(COMMUTE_SURVEY))["smoker"].to_dict()
    )


def test_means_carry_their_bound():
    """An integer question says how far its mean moves; mechanisms without a mean do
    not.
    """
    steps = 'type = "integer"\nlow = 0\nhigh = 10\nepsilon = 1'
    has_bound = {
        "geometric": True,
        "grr": True,
        "hr": False,
        "cms": False,
        "hcms": False,
    }
    for mechanism, has in has_bound.items():
        asked = question(mechanism, steps)
        bound = estimate_question(
            asked, empty_counts(asked.layout) + 10, Options()
        ).manipulation
        assert (bound.mean_reach is not None) == has
        assert ("the mean by at most" in str(bound)) == has
        assert ("mean_reach" in bound.to_dict()) == has
