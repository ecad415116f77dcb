"""The manipulation bound: no report that exists moves an estimate further, and one moves it as far.

Exact: scores are worked out in `written_out`, apart from the code under test, for every report of
small configurations. What makes the bound one of whole tallies is that an estimate is the mean of
scores, and that is tested as well.
"""

import json
from fractions import Fraction

import numpy as np
import pytest
from specimens import DESIGNED, SMALL, abridged, question
from surveys import COMMUTE_SURVEY
from written_out import counts_of, prefix_cell, reports_of, scores, supported

from ldp_aggregator import Options, Tally, estimate
from ldp_aggregator.estimates.estimation import estimate_question
from ldp_aggregator.estimates.manipulation import (
    Manipulation,
    decoded_reports,
    frequency_reach,
    manipulation,
    mean_reach,
)
from ldp_aggregator.tallies.counting import empty_counts

SPECIMENS = {each.name: each for each in (*map(abridged, DESIGNED), *SMALL)}
SCORED = {
    name: each
    for name, each in SPECIMENS.items()
    if each.randomizer.kind not in ("bloom", "search", "mean")
}
SEARCHES = {name: item for name, item in SPECIMENS.items() if item.randomizer.kind == "search"}
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
    found = furthest([score for _, each in admitted(specimen.randomizer) for score in each])
    exact = specimen.randomizer.kind in EXACT
    agree = reach == found if exact else float(reach) == pytest.approx(float(found), rel=1e-9)
    return (
        [] if agree else [f"{specimen.name}: states {float(reach)}, a report moves {float(found)}"]
    )


@pytest.mark.parametrize("specimen", SCORED.values(), ids=SCORED)
def test_no_report_moves_a_frequency_further(specimen):
    """The reach is the largest distance between a score and 0 or 1, over all reports and values.

    Some report has it.
    """
    assert bound_violations(specimen, frequency_reach(specimen.randomizer)) == []


def test_broken_bounds_are_caught():
    """A reach that is 1 % off, or has p and q the wrong way round, or thinks of adding but not of
    hiding a value.
    """
    for specimen in SCORED.values():
        reach = frequency_reach(specimen.randomizer)
        assert bound_violations(specimen, reach * Fraction(99, 100))
        assert bound_violations(specimen, reach * Fraction(101, 100))
    for name in ("oue-1", "ss-1", "olh-1", "sketch-2", "rappor-2-word-3", "padded-symbols"):
        specimen = SCORED[name]
        p, q = getattr(specimen.randomizer, "support", None) or specimen.randomizer.within
        assert bound_violations(specimen, (1 - p) / (p - q)), name
    often = SCORED["bits-2-word-5"]
    p, q = often.randomizer.support
    assert bound_violations(often, (1 - q) / (p - q))


@pytest.mark.parametrize("specimen", SEARCHES.values(), ids=SEARCHES)
def test_no_report_moves_a_text_further(specimen):
    """Of a search, scores are those of the reports held out: forged ones may all be there, so the
    reach grows.
    """
    randomizer = specimen.randomizer
    p, q = randomizer.oracle.support
    q += (p - q) / randomizer.oracle.size
    cohort = randomizer.stages
    worths = [
        (int(prefix_cell(randomizer, text, cohort) in supported(randomizer.oracle, symbol)) - q)
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
        return not hasattr(randomizer, "most") and randomizer.joint_support() is not None
    return randomizer.kind not in ("sketch", "blocks")


AVERAGED = {
    name: each
    for name, each in SPECIMENS.items()
    if each.randomizer.kind == "mean" or (name in SCORED and has_mean(each.randomizer))
}


def mean_violations(specimen, reach):
    """What is wrong with a stated reach of the mean: the aggregator's own mean, of every report by
    itself.
    """
    randomizer = specimen.randomizer
    half = (len(randomizer.channel().rows) - 1) / 2
    values = np.arange(-half, half + 1)
    worths = []
    reports = reports_of(randomizer)
    if randomizer.kind != "mean":
        reports = [report for report, _ in admitted(randomizer)]
    for report in reports:
        counts = counts_of(randomizer, {report: 1})
        moments = specimen.decode and specimen.decode(randomizer, counts)
        worths.append(specimen.average(randomizer, moments, counts, values).estimate)
    found = furthest(worths, -half, half)
    if float(reach) == pytest.approx(found, rel=1e-9):
        return []
    return [f"states {float(reach)}, a report moves {found}"]


@pytest.mark.parametrize("specimen", AVERAGED.values(), ids=AVERAGED)
def test_no_report_moves_a_mean_further(specimen):
    """The reach of the mean is the largest distance between what a report is worth and either end
    of the range.
    """
    reach = mean_reach(specimen.randomizer)
    assert mean_violations(specimen, reach) == []
    assert mean_violations(specimen, reach * Fraction(99, 100))


@pytest.mark.parametrize(
    "specimen", [*SCORED.values(), *SEARCHES.values()], ids=[*SCORED, *SEARCHES]
)
def test_estimates_are_means_of_scores(specimen):
    """Reports that are added move an estimate to the weighted mean of both: what the proof of the
    bound rests on.
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
        given = (
            ([text.decode() for text in specimen.values],) if randomizer.kind == "search" else ()
        )
        return specimen.decode(randomizer, counts, *given).frequency

    mixed = (7 * estimated(honest) + 5 * estimated(forged)) / 12
    assert estimated(honest + forged) == pytest.approx(mixed, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["bloom-2", "bloom-4-two-hashes"])
def test_bloom_filters_have_no_bound(name):
    """None is given for least squares, and said why.

    Of a bit there is one, as of any value that reports support.
    """
    randomizer = SPECIMENS[name].randomizer
    p, q = randomizer.support
    told = manipulation(
        randomizer, np.ones((randomizer.cohorts, 1 + randomizer.bits), dtype=np.int64)
    )
    assert told.reach is told.mean_reach is None
    bit = furthest([-q / (p - q), (1 - q) / (p - q)])
    assert f"moves by at most {float(bit):.3g} times" in told.reason
    assert json.loads(json.dumps(told.to_dict())) == {"reach": None, "note": told.reason}


def test_published_figures():
    """What 1 % forged reports can do at epsilon 1, in words: 3.16 % with `oue`, 58.6 % with `grr`
    of 100 values.
    """
    values = [str(value) for value in range(100)]
    for mechanism, shift in (("oue", "0.0316"), ("grr", "0.586"), ("olh", "0.0333")):
        asked = question(mechanism, f'type = "category"\nvalues = {values}\nepsilon = 1')
        found = estimate_question(asked, empty_counts(asked.layout) + 10, Options())
        assert f"1 % forged reports can move a frequency by at most {shift}." in repr(found)


def test_estimates_carry_their_bound():
    """Table, notebook and JSON say it; without reports there is nothing to be moved."""
    counts = {name: empty + 3 for name, empty in Tally.empty(COMMUTE_SURVEY).counts.items()}
    found = estimate(Tally(COMMUTE_SURVEY, counts))
    for name in ("smoker", "transport"):
        told = found[name].manipulation
        assert isinstance(told, Manipulation)
        assert json.loads(json.dumps(found[name].to_dict()))["manipulation"] == {
            "reach": told.reach
        }
        assert str(told) in found.rendered()
        assert str(told) in found[name]._repr_html_()
    assert estimate(Tally.empty(COMMUTE_SURVEY))["smoker"].manipulation is None
    assert "manipulation" not in estimate(Tally.empty(COMMUTE_SURVEY))["smoker"].to_dict()


def test_means_carry_their_bound():
    """An integer question says how far its mean moves; mechanisms without a mean do not."""
    steps = 'type = "integer"\nlow = 0\nhigh = 10\nepsilon = 1'
    for mechanism, has in (("geometric", True), ("grr", True), ("hr", False)):
        asked = question(mechanism, steps)
        found = estimate_question(asked, empty_counts(asked.layout) + 10, Options()).manipulation
        assert (found.mean_reach is not None) == has
        assert ("the mean by at most" in str(found)) == has
        assert ("mean_reach" in found.to_dict()) == has
