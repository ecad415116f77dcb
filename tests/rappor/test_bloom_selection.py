"""More candidates than reports can bear: what is shown of each holds all the same.

Collections of 300 candidates for 256 bit rates, 20 of them held, drawn anew with fixed
seeds.
"""

import numpy as np
import pytest
from bloom_draws import Shape, draw_counts, draw_design, falling

from ldp import EstimateError
from ldp_aggregator.decoders.bloom import selection
from ldp_aggregator.decoders.bloom.regression import centred_rates, regress
from ldp_aggregator.decoders.bloom.selection import choose, decode, one_by_one

CANDIDATES, HELD, COLLECTIONS, RESPONDENTS = 300, 20, 100, 400_000
SHAPE = Shape(16, 2, 16, p=0.4, q=0.6, f=0.25)


@pytest.fixture
def halves(monkeypatch):
    """As if there were too many candidates for a joint fit."""
    monkeypatch.setattr(selection, "MOST_JOINT", 0)


@pytest.fixture(scope="module", params=["jointly", "in halves"])
def collections(request):
    """(decoded, truth) of each collection; held texts come first."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "in halves":
            patch.setattr(selection, "MOST_JOINT", 0)
            return drawn_and_decoded(COLLECTIONS)
        return drawn_and_decoded(COLLECTIONS // 2)


def drawn_and_decoded(number):
    """So many collections, decoded as they are by default."""
    generator = np.random.default_rng(17)
    holders = np.concatenate(
        [falling(HELD, RESPONDENTS), np.zeros(CANDIDATES - HELD, dtype=np.int64)]
    )
    fits = []
    for _ in range(number):
        design = draw_design(SHAPE, CANDIDATES, generator)
        counts = draw_counts(SHAPE, design, holders, generator=generator)
        fits.append(decode(counts, design, SHAPE.noise(), background=SHAPE.background))
    return fits, holders / holders.sum()


def test_coverage_after_choosing(collections):
    """95 % of the 1,000 intervals or more of held texts hold (error .007), and of
    14,000 others.
    """
    fits, truth = collections
    covered = np.stack(
        [np.abs(fit.frequency - truth) <= 1.96 * np.sqrt(fit.variance) for fit in fits]
    )
    assert 0.925 <= covered[:, :HELD].mean() <= 0.98
    assert 0.94 <= covered[:, HELD:].mean() <= 0.96


def test_discoveries_after_choosing(collections):
    """Benjamini-Hochberg at 5 % finds over a third of the held texts, one wrong in 20
    at most.
    """
    from scipy.special import ndtr
    from scipy.stats import false_discovery_control

    fits, _ = collections
    chances = np.stack([ndtr(-fit.frequency / np.sqrt(fit.variance)) for fit in fits])
    detected = false_discovery_control(chances, axis=1) <= 0.05
    wrong = detected[:, HELD:].sum(axis=1) / np.maximum(detected.sum(axis=1), 1)
    # The mean of 50 shares of wrong ones or more, whose standard error is below .01.
    assert wrong.mean() <= 0.05 + 0.03
    assert detected[:, :HELD].mean() >= 1 / 3


def test_purposes_are_told(collections):
    """The note names how many reports chose, and how many were estimated from, if any
    chose.

    No share is told of texts that are no candidates.
    """
    fits, _ = collections
    assert fits[0].unallocated is None
    with pytest.raises(EstimateError, match="fewer candidates for a covariance"):
        fits[0].covariance()
    if "chose" not in fits[0].note:
        assert "from what the others leave" in fits[0].note
        return
    reports = [
        int(word.replace(",", ""))
        for word in fits[0].note.split()
        if word.replace(",", "").isdigit()
    ]
    assert sum(number for number in reports if number > 1_000) == fits[0].respondents
    assert "8 cohorts at even places chose" in fits[0].note


def test_chosen_ones_are_regressed_together():
    """With few candidates, nothing is chosen: it is one regression on all reports."""
    generator = np.random.default_rng(19)
    design = draw_design(SHAPE, HELD, generator)
    counts = draw_counts(SHAPE, design, falling(HELD, RESPONDENTS), generator=generator)
    counts[3] = 0
    decoded = decode(counts, design, SHAPE.noise(), background=SHAPE.background)
    alone = regress(counts, design, SHAPE.noise(), background=SHAPE.background)
    assert decoded.note == ""
    assert decoded.residual == alone.residual
    np.testing.assert_array_equal(decoded.frequency, alone.frequency)


def test_half_as_many_candidates_as_rates_are_not_crowded():
    """They are regressed together, and with one more some are chosen."""
    generator = np.random.default_rng(29)
    design = draw_design(SHAPE, 129, generator)
    counts = draw_counts(SHAPE, design, falling(129, RESPONDENTS), generator=generator)
    arguments = SHAPE.noise(), SHAPE.background
    alone = regress(counts, design[:, :128], *arguments)
    together = decode(counts, design[:, :128], *arguments)
    assert together.frequency.tolist() == alone.frequency.tolist()
    np.testing.assert_array_equal(together.covariance(), alone.covariance)
    assert "more candidates than" in decode(counts, design, *arguments).note


def test_both_halves_written_out(halves):
    """What each half chooses is regressed on the other; of two estimates the mean is
    shown.
    """
    generator = np.random.default_rng(31)
    design = draw_design(SHAPE, CANDIDATES, generator)
    holders = np.concatenate(
        [falling(HELD, RESPONDENTS), np.zeros(CANDIDATES - HELD, dtype=np.int64)]
    )
    counts = draw_counts(SHAPE, design, holders, generator=generator)
    noise, background = SHAPE.noise(), SHAPE.background
    rows = np.arange(16 * 16) // 16 % 2
    halves = [(counts[first::2], design[rows == first]) for first in (0, 1)]
    frequency, shares, variance = np.zeros((3, CANDIDATES))
    sizes, numbers = [], []
    for own, other in (halves, halves[::-1]):
        chosen = choose(*other, noise, background)
        numbers.append(len(chosen))
        fit = regress(own[0], own[1][:, chosen], noise, background=background)
        estimates, variances = one_by_one(own[1], chosen, fit, background=background)
        frequency += estimates / 2
        shares[chosen] += fit.shares / 2
        variance += variances / 4
        sizes.append(own[0][:, 0].sum())
    decoded = decode(counts, design, noise, background=background)
    np.testing.assert_allclose(decoded.frequency, frequency, rtol=1e-9)
    np.testing.assert_allclose(decoded.shares, shares, rtol=1e-9)
    np.testing.assert_allclose(decoded.variance, variance, rtol=1e-9)
    assert decoded.respondents == sum(sizes) == holders.sum()
    assert decoded.unallocated is None
    assert decoded.residual is None
    even, odd = (f"{size:,} reports of 8 cohorts" for size in sizes)
    assert (
        f"{even} at even places chose {numbers[1]:,} of them, with which {odd} at odd "
        f"places were estimated; those chose {numbers[0]:,} for the former"
    ) in decoded.note


def test_each_candidate_is_regressed_with_the_chosen_ones():
    """As if it were one of them, with the precision and the dispersion of theirs."""
    from scipy.sparse import csr_array

    generator = np.random.default_rng(37)
    design = draw_design(SHAPE, 30, generator)
    counts = draw_counts(SHAPE, design, falling(30, 20_000), generator=generator)
    noise, background, chosen = SHAPE.noise(), SHAPE.background, np.arange(0, 30, 3)
    fit = regress(counts, design[:, chosen], noise, background=background)
    assert fit.inverse.deflation.shape[0] > 0
    assert fit.dispersion > 1
    frequency, variance = one_by_one(design, chosen, fit, background=background)
    assert frequency[chosen].tolist() == fit.frequency.tolist()
    assert variance[chosen].tolist() == fit.variance.tolist()
    rates, _ = centred_rates(counts, noise, background)
    deflation = fit.inverse.deflation.toarray()
    inverse = np.diag(fit.inverse.weights) - deflation.T @ deflation
    dense = design.toarray() - background
    for candidate in np.setdiff1d(np.arange(30), chosen):
        together = dense[:, [*chosen, candidate]]
        covariance = np.linalg.inv(together.T @ inverse @ together)
        solved = covariance @ together.T @ inverse @ rates
        assert frequency[candidate] == pytest.approx(solved[-1], rel=1e-6)
        assert variance[candidate] == pytest.approx(
            fit.dispersion * covariance[-1, -1], rel=1e-6
        )
    twice = csr_array(np.column_stack([design.toarray(), design.toarray()[:, 3]]))
    with pytest.raises(EstimateError, match="some that are combinations of others"):
        one_by_one(twice, chosen, fit, background=background)


def test_choosing_among_equals():
    """Two equal candidates that no one holds do not hinder.

    In one cohort nothing can be chosen, and it says so.
    """
    generator = np.random.default_rng(23)
    design = draw_design(SHAPE, CANDIDATES, generator)
    holders = np.concatenate(
        [falling(HELD, RESPONDENTS), np.zeros(CANDIDATES - HELD, dtype=np.int64)]
    )
    counts = draw_counts(SHAPE, design, holders, generator=generator)
    twice = design[:, [*range(CANDIDATES), CANDIDATES - 1]]
    decoded = decode(counts, twice, SHAPE.noise(), background=SHAPE.background)
    with pytest.raises(
        EstimateError, match=r"combinations of others|cannot be told apart"
    ):
        decode(
            counts,
            design[:, [*range(CANDIDATES), 0]],
            SHAPE.noise(),
            background=SHAPE.background,
        )
    assert decoded.frequency[-1] == pytest.approx(decoded.frequency[-2])
    with pytest.raises(EstimateError, match="at most 16 candidates"):
        decode(counts[:1], design[:16], SHAPE.noise(), background=SHAPE.background)


def crowded(shape, candidates, seed=71):
    """Half of the candidates held; (counts, design, true frequencies)."""
    generator = np.random.default_rng(seed)
    design = draw_design(shape, candidates, generator)
    holders = np.zeros(candidates, dtype=np.int64)
    holders[: candidates // 2] = falling(candidates // 2, RESPONDENTS)
    counts = draw_counts(shape, design, holders, generator=generator)
    return counts, design, holders / holders.sum()


@pytest.mark.parametrize(
    ("bits", "cohorts", "few"),
    [(64, 2, True), (64, 3, True), (16, 4, False), (16, 16, False)],
)
def test_few_cohorts_are_told(bits, cohorts, few):
    """Of two or three cohorts a candidate may share one with another; the note says
    what it does.

    Where candidates are few as well there is nothing to be told of.
    """
    shape = SHAPE._replace(bits=bits, cohorts=cohorts)
    counts, design, _ = crowded(shape, bits * cohorts * 3 // 4)
    note = decode(counts, design, SHAPE.noise(), background=shape.background).note
    assert ("so few cohorts" in note) is few
    counts, design, _ = crowded(shape, bits * cohorts // 4)
    note = decode(counts, design, SHAPE.noise(), background=shape.background).note
    assert note == ""


def test_halves_of_few_bits_are_told(halves):
    """Two halves of 128 bit rates have nothing to say, two of 64 have."""
    for cohorts, few in ((16, False), (8, True)):
        shape = SHAPE._replace(cohorts=cohorts)
        counts, design, _ = crowded(shape, 150)
        note = decode(counts, design, SHAPE.noise(), background=shape.background).note
        assert "places chose" in note
        assert ("so few cohorts" in note) is few


def test_what_half_of_the_cohorts_cannot_tell_apart_all_of_them_may(halves):
    """Two candidates that are the same at even places differ at odd ones: one
    regression on all.

    Its intervals hold the truth, which is 0.125 for both, and so are wide; where there
    are more candidates than bit rates, the two are refused.
    """
    from scipy.sparse import csr_array

    shape = SHAPE._replace(cohorts=8)
    for candidates in (80, 150):
        generator = np.random.default_rng(73)
        dense = draw_design(shape, candidates, generator).toarray()
        even = np.arange(len(dense)) // shape.bits % 2 == 0
        dense[even, 1] = dense[even, 0]
        design, holders = csr_array(dense), np.zeros(candidates, dtype=np.int64)
        holders[:8] = RESPONDENTS // 8
        counts = draw_counts(shape, design, holders, generator=generator)
        if candidates > len(dense):
            with pytest.raises(
                EstimateError, match=r"combinations of others|told apart"
            ):
                decode(counts, design, SHAPE.noise(), background=shape.background)
            continue
        decoded = decode(counts, design, SHAPE.noise(), background=shape.background)
        misses = np.abs(decoded.frequency - holders / RESPONDENTS) / np.sqrt(
            decoded.variance
        )
        assert decoded.note == ""
        assert misses.max() < 5
