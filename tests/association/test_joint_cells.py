"""What an association is made of, against sums over all reports that can come, or that
came.
"""

from dataclasses import FrozenInstanceError, replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from associations import CANDIDATES, KEYS, candidates_of, law_of, survey_of

from ldp import EstimateError, parse_survey
from ldp.numbers.layout import Layout
from ldp_aggregator import Options, Tally
from ldp_aggregator.analyses.association import association
from ldp_aggregator.analyses.association import scores as joint_scores
from ldp_aggregator.analyses.association.association import associate
from ldp_aggregator.analyses.association.jumps import joint_jumps
from ldp_aggregator.decoders.intervals.intervals import least_respondents
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.tallies.counting import joint_counting
from ldp_aggregator.tallies.counting.counting import count_rows

SHARES = np.array([0.5, 0.3, 0.2])


def marks_of(question):
    """The tally cells that each report marks, (reports, cells), and the laws of the
    reports.
    """
    rows, laws = law_of(question)
    return np.array(
        [count_rows(row[None], question.layout).ravel() for row in rows], dtype=float
    ), laws


def asked(mechanism):
    """A question, its candidates or values, and its expected counts, for shares that
    differ.
    """
    question = survey_of(mechanism, "grr")["a"]
    marks, laws = marks_of(question)
    counts = (SHARES @ laws @ marks).reshape(
        count_rows(law_of(question)[0][:1], question.layout).shape
    )
    return question, question.domain.values or CANDIDATES, counts, marks, laws


def close(found, expected):
    return np.allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_scores_go_by_shares_of_cohorts():
    """A few reports give the scores of a million of them in the same cohorts; none give
    none.
    """
    question, values, counts, *_ = asked("bloom")
    few = np.zeros_like(counts)
    few[0, 0] = 1
    one, many = (
        joint_scores.joint_scores(question, few * size, values) for size in (1, 10**6)
    )
    assert close(one.scores, many.scores)
    assert close(one.own, many.own)
    with pytest.raises(EstimateError, match="candidates that set different bits"):
        joint_scores.joint_scores(question, few * 0, values)


def test_scores_are_not_compared():
    """Those of one question are equal to themselves alone, as arrays are not
    compared.
    """
    question, values, counts, *_ = asked("grr")
    functions = joint_scores.joint_scores(question, counts * 1e9, values)
    assert functions == functions
    assert functions != replace(functions)


@pytest.mark.parametrize("mechanism", KEYS)
def test_what_a_report_is_worth(mechanism):
    """Scores, their squares and products have the stated expectations, whatever is
    held.
    """
    question, values, counts, marks, laws = asked(mechanism)
    functions = joint_scores.joint_scores(question, counts * 1e9, values)
    assert close(marks @ functions.ones, 1)
    assert close(functions.law(), laws @ marks)
    scores = marks @ functions.scores.T
    assert close(laws @ scores, np.eye(3))
    exact = (laws @ scores**2).T
    assert close(marks_expected(functions.squares, laws, marks), exact)
    assert close(functions.own, np.diag(exact))
    for value in range(3):
        others = np.delete(exact[value], value)
        assert close(functions.alike[value], others.max())
        assert close(functions.least[value], others.min())
    pairs = np.einsum("v,vr,rx,rz->xz", SHARES, laws, scores, scores)
    assert close(functions.moments(counts.ravel()), pairs)
    if mechanism == "bloom":
        assert functions.powers is None
        return
    for value in range(3):
        others = np.where(np.arange(3) == value, 0, SHARES)
        for place, law in enumerate((laws[value], others @ laws / others.sum())):
            score = scores[:, value]
            expected = [
                law @ function
                for function in (
                    score**2,
                    score**3,
                    score**4,
                    np.sign(score) * score**4,
                )
            ]
            assert np.allclose(
                [power[value] for power in functions.powers[place]], expected, rtol=1e-6
            )


def test_functions_stay_as_they_are():
    """No field of the functions can be set."""
    question, values, counts, _, _ = asked("grr")
    with pytest.raises(FrozenInstanceError):
        joint_scores.joint_scores(question, counts, values).own = counts


@pytest.mark.parametrize(
    "layout",
    [
        Layout(symbols=5),
        Layout(symbols=300),
        Layout(cohorts=4, symbols=5),
        Layout(symbols=5, places=3),
        Layout(bits=11),
        Layout(cohorts=4, bits=11),
    ],
)
def test_marks_of_reports(layout):
    """Each report marks the cells that it adds to its question's tally, whatever its
    form.
    """
    generator, size = np.random.default_rng(2), 50
    prefix = np.zeros((size, layout.prefix_width), dtype=np.uint8)
    if layout.cohorts > 1:
        prefix[:, 0] = generator.integers(0, layout.cohorts, size)
    if layout.bits:
        body = np.packbits(
            generator.integers(0, 2, (size, layout.bits)), axis=1, bitorder="little"
        )
    else:
        symbols = generator.integers(0, layout.symbols, (size, layout.places))
        body = symbols.astype(f"<u{layout.symbol_width}").view(np.uint8)
    rows = np.concatenate([prefix, body], axis=1)
    cells, reports = joint_counting.marks_of(rows, layout)
    table = np.zeros((size, layout.cells), dtype=int)
    np.add.at(table, (reports, cells), 1)
    expected = [count_rows(row[None], layout).ravel() for row in rows]
    np.testing.assert_array_equal(table, expected)
    often = table[:, joint_counting.marked_once(layout)].sum(axis=1)
    assert set(often.tolist()) == {1}


@pytest.mark.parametrize("rates", ['p = "0.05"\nq = "0.7"', 'p = "0.4"\nq = "0.9"'])
def test_what_bits_with_uneven_noise_are_worth(rates, monkeypatch):
    """Also where bits that are set vary less, or more, than those that are not."""
    monkeypatch.setitem(
        KEYS, "bloom", KEYS["bloom"].replace('p = "0.2"\nq = "0.8"', rates)
    )
    test_what_a_report_is_worth("bloom")


def marks_expected(functions, laws, marks):
    """The expectations of linear functions of marks: (functions, values)."""
    return (laws @ marks @ functions.T).T


def test_others_of_one_value():
    """A question with one candidate has nothing that it could be taken for.

    Equal estimates weigh alike.
    """
    question, _, counts, _, _ = asked("bloom")
    functions = joint_scores.joint_scores(question, counts * 1e9, ("ant",))
    assert (functions.alike.tolist(), functions.least.tolist()) == ([0], [0])
    for texts in ((), ("ant", "ant")):
        with pytest.raises(
            EstimateError,
            match=r"question 'a': expected candidates that set different bits",
        ):
            joint_scores.joint_scores(question, counts, texts)
    question, values, _, marks, laws = asked("matrix")
    functions = joint_scores.joint_scores(
        question, (laws[0] @ marks)[None] * 1e9, values
    )
    scores = marks @ functions.scores.T
    expected = (laws[1] + laws[2]) / 2 @ scores[:, 0] ** 2
    assert np.isclose(functions.powers[1].second[0], expected, rtol=1e-3)


def test_too_many_scores(monkeypatch):
    """As many as values times cells: that number is made, and one more is refused."""
    question, values, counts, _, _ = asked("oue")
    assert joint_scores.MOST_SCORES == 1 << 22
    monkeypatch.setattr(joint_scores, "MOST_SCORES", 12)
    joint_scores.joint_scores(question, counts, values)
    monkeypatch.setattr(joint_scores, "MOST_SCORES", 11)
    with pytest.raises(EstimateError, match=r"at most 11 scores .*, got 12"):
        joint_scores.joint_scores(question, counts, values)


class Collected:
    """Reports of questions answered together: how many of each combination, and their
    scores.
    """

    def __init__(self, mechanisms, joint, size):
        self.survey = survey_of(*mechanisms)
        self.names = [question.name for question in self.survey]
        marks, laws = zip(*map(marks_of, self.survey), strict=True)
        often = joint
        for law in laws:
            often = np.tensordot(often, law, axes=(0, 0))
        self.often = np.round(
            often * size + np.arange(often.size).reshape(often.shape) % 3
        )
        self.reports = int(self.often.sum())
        self.tally = Tally.empty(self.survey)
        self.marks = marks
        [group] = self.survey.groups
        self.tally.counts[group.name] += (
            self.sums(marks).reshape(self.tally.counts[group.name].shape).astype(int)
        )
        for place, question in enumerate(self.survey):
            alone = self.often.sum(
                axis=tuple(other for other in range(len(marks)) if other != place)
            )
            counts = self.tally.counts[question.name]
            counts += (alone @ marks[place]).reshape(counts.shape).astype(int)
        self.candidates = candidates_of(self.survey)
        self.scores = [
            joint_scores.joint_scores(
                question,
                self.tally.counts[question.name],
                question.domain.values or CANDIDATES,
            )
            for question in self.survey
        ]

    def sums(self, factors):
        """The sum over respondents of products of functions of reports: (reports,
        functions).
        """
        total = self.often
        for factor in factors:
            total = np.tensordot(total, factor, axes=(0, 0))
        return total

    def mean(self, *names):
        """The mean products of these functions of the questions' scores."""
        functions = [
            getattr(score, name) for score, name in zip(self.scores, names, strict=True)
        ]
        marked = [
            mark @ np.atleast_2d(function).T
            for mark, function in zip(self.marks, functions, strict=True)
        ]
        return self.sums(marked) / self.reports

    def associated(self, **options):
        """What is to be checked."""
        return associate(
            self.tally, self.names, Options(**options), candidates=self.candidates
        )

    def jumps(self):
        """Those of the cells, for the margins of the reports."""
        margins = [
            score.scores @ self.tally.counts[name].ravel() / self.reports
            for score, name in zip(self.scores, self.names, strict=True)
        ]
        return joint_jumps(margins, self.reports, self.scores)


def outer(*factors):
    """The products of one number of each, in an array with as many axes."""
    if len(factors) > 1:
        return np.multiply.outer(factors[0], outer(*factors[1:]))
    return factors[0]


JOINT = np.array([[0.3, 0.1, 0.1], [0.05, 0.2, 0.05], [0.1, 0.0, 0.1]])
PAIRS = (
    ("grr", "oue"),
    ("matrix", "ss"),
    ("hr", "exponential"),
    ("grr", "bloom"),
    ("matrix", "matrix"),
)


@pytest.fixture(
    params=[
        *((pair, 400) for pair in PAIRS),
        (PAIRS[0], 30),
        (PAIRS[1], 20_000),
        (("she", "hr"), 40),
    ],
    ids=str,
)
def collected(request):
    """Reports to two questions whose answers go together: as many as are expected, or
    some more.
    """
    mechanisms, size = request.param
    return Collected(mechanisms, JOINT, size)


@pytest.mark.parametrize("estimand", ["respondents", "population"])
def test_cells(collected, estimand):
    """Mean products of scores; the mean squares that their errors go by; their
    covariance.
    """
    association = collected.associated(estimand=estimand, covariance=True)
    frequency = collected.mean("scores", "scores")
    assert association.reports == collected.reports
    assert close(association.frequency, frequency)
    one, other = collected.scores
    slope = outer(one.own - one.alike, other.own - other.alike)
    at_zero = np.maximum(
        collected.mean("squares", "squares") - slope * frequency,
        outer(one.least, other.least),
    )
    jumps = collected.jumps()
    if jumps is not None:
        at_zero = jumps.or_expectation(at_zero.ravel()).reshape(at_zero.shape)
    shares = np.clip(frequency, 0, 1)
    variance = shares * np.maximum(at_zero + slope - 1, 0) + (1 - shares) * at_zero
    if estimand == "population":
        variance = variance + shares * (1 - shares)
    assert close(association.standard_error, np.sqrt(variance / collected.reports))
    pairs = [
        np.stack(
            [score.moments(unit) for unit in np.eye(len(score.ones))], axis=2
        ).reshape(9, -1)
        for score in collected.scores
    ]
    marked = [mark @ pair.T for mark, pair in zip(collected.marks, pairs, strict=True)]
    mean = (collected.sums(marked) / collected.reports).reshape(3, 3, 3, 3)
    exact = np.array(
        [
            [mean[x, u, z, v] for u, v in product(range(3), repeat=2)]
            for x, z in product(range(3), repeat=2)
        ]
    )
    flat = frequency.ravel()
    less = np.diag(flat) if estimand == "respondents" else np.outer(flat, flat)
    assert close(association.covariance, (exact - less) / collected.reports)


@pytest.mark.parametrize("estimand", ["respondents", "population"])
@pytest.mark.parametrize("level", [0.95, 0.7])
def test_shares_of_those_who_hold(collected, estimand, level):
    """At an end, what is held by both is as far from that share of one as its error
    allows.

    Or all is possible.
    """
    from scipy.stats import norm

    share, low, high = collected.associated(estimand=estimand, level=level).conditional
    one, other = collected.scores
    both, those = collected.mean("scores", "scores"), collected.mean("scores", "ones")
    squares = [
        collected.mean("squares", name) for name in ("squares", "scores", "ones")
    ]
    of_given = (one.own - one.alike)[:, None]
    slope = of_given * (other.own - other.alike)
    at_zero = np.maximum(squares[0] - slope * both, outer(one.least, other.least))
    jumps = collected.jumps()
    if jumps is not None:
        at_zero = jumps.or_expectation(at_zero.ravel()).reshape(at_zero.shape)
    missing = (1 - level) / 2

    def off(ends):
        """The squared distance, less what it may be.

        Of the respondents, whose answers do not vary.
        """
        drawn = ends * (1 - ends) * those if estimand == "respondents" else 0
        mixed = squares[1] - of_given * both + of_given * ends * those
        variance = (
            at_zero + slope * ends * those - 2 * ends * mixed + ends**2 * squares[2]
        )
        return (both - ends * those) ** 2 - norm.isf(
            missing
        ) ** 2 / collected.reports * (variance - drawn)

    # A quadratic function of the share, by three of its values.
    rest, one_off, two_off = (off(np.full(both.shape, float(at))) for at in range(3))
    square = (two_off - 2 * one_off + rest) / 2
    middle = -(one_off - rest - square) / 2
    bounded = square > 1e-12
    assert (bounded | (square < -1e-12)).all()
    bounded &= those > 0
    # Of those who may be nobody no share is given.
    assert np.array_equal(np.isfinite(share), bounded)
    assert close(share[bounded], (both / those)[bounded])
    reach = np.sqrt(np.maximum(middle**2 - square * rest, 0))
    for ends, root, end in ((low, middle - reach, 0), (high, middle + reach, 1)):
        expected = np.where(
            bounded,
            np.clip(np.divide(root, square, where=bounded, out=0 * root), 0, 1),
            end,
        )
        assert np.allclose(ends, expected, atol=1e-6)


def test_the_test_of_independence(collected):
    """It is n times the squared correlations of contrasts, whichever ones span them."""
    from scipy.stats import chi2_contingency

    test = collected.associated().independence
    spreads, means, contrast = [], [], np.array([[1.0, -1, 0], [0, 1, -1]])
    for score, name in zip(collected.scores, collected.names, strict=True):
        counts = collected.tally.counts[name].ravel()
        mean = score.scores @ counts / collected.reports
        means.append(mean)
        spreads.append(
            contrast
            @ (score.moments(counts) / collected.reports - np.outer(mean, mean))
            @ contrast.T
        )
    between = (
        contrast @ (collected.mean("scores", "scores") - np.outer(*means)) @ contrast.T
    )
    inverse = [np.linalg.inv(spread) for spread in spreads]
    expected = collected.reports * np.trace(
        inverse[0] @ between @ inverse[1] @ between.T
    )
    assert test.statistic == pytest.approx(expected, rel=1e-6)
    assert test.freedom == 4
    if not any(
        question.layout.bits for question in collected.survey
    ) and collected.often.shape == (
        3,
        3,
    ):
        assert test.statistic == pytest.approx(
            chi2_contingency(collected.often).statistic, rel=1e-6
        )


def test_cells_that_only_the_normal_law_is_there_for(monkeypatch):
    """Their reports are n V over the squared worth of one, the product of those of its
    parts.

    If all have one.
    """
    bounds = {"grr": 2.0, "oue": 3.0, "hr": None}
    monkeypatch.setattr(
        association, "manipulation", lambda made, _: SimpleNamespace(reach=bounds[made])
    )

    def counted(jumps=None, mechanisms=("grr", "oue"), reports=90):
        questions = [SimpleNamespace(randomizer=mechanism) for mechanism in mechanisms]
        known = SimpleNamespace(
            jumps=jumps, reports=reports, variance_if_not=np.array([1.9, 2.0, 4.0])
        )
        return [
            count.text[:6]
            for count in association._on_counts(questions, [None] * 2, known)
        ]

    assert counted() == ["1 of 3"]
    assert counted(reports=89) == ["2 of 3"]
    assert counted(reports=95) == []
    assert counted(jumps=1) == counted(mechanisms=("grr", "hr")) == []


def test_groups_of_questions():
    """Any two of a group will do.

    Of questions in different groups, or in none, what is asked together is told.
    """
    head = '[survey]\nname = "s"\njoint = [["a", "b"], ["c", "d"]]\n'
    keys = 'type = "boolean"\nmechanism = "grr"\nepsilon = 1\n'
    survey = parse_survey(
        head + "".join(f'[[question]]\nname = "{name}"\n{keys}' for name in "abcde")
    )
    for names in (["a", "c"], ["a", "e"], ["e", "a"], ["e", "d"], ["a", "b", "c"]):
        with pytest.raises(
            EstimateError, match=r"asks together \(a\+b, c\+d; joint in"
        ):
            associate(Tally.empty(survey), names)
    with pytest.raises(EstimateError, match=r"this survey has none"):
        associate(
            Tally.empty(
                parse_survey(f'[survey]\nname = "s"\n[[question]]\nname = "a"\n{keys}')
            ),
            ["a"],
        )


def test_one_report_has_no_test():
    """Nor have any, as long as they are all the same.

    And most likely frequencies are for those who ask.
    """
    collected = Collected(("grr", "oue"), JOINT, 300)
    association = collected.associated()
    assert association.likely is None
    assert "few-counts" not in [remark.name for remark in association.remarks]
    likely = associate(collected.tally, collected.names, likelihood=True).likely
    assert likely.sum() == pytest.approx(1)
    tally = Tally.empty(collected.survey)
    rows = np.tile(
        np.concatenate([law_of(question)[0][0] for question in collected.survey]),
        (5, 1),
    )
    tally.add(collected.survey.groups[0], rows)
    assert associate(tally, collected.names).independence is None
    # Two of three symbols are not enough either.
    symbols, bits = (law_of(question)[0] for question in collected.survey)
    tally.add(
        collected.survey.groups[0],
        np.array([[*symbols[x], *row] for x in (0, 1) for row in bits]),
    )
    assert associate(tally, collected.names).independence is None
    few = Collected(("grr", "oue"), JOINT, 1).associated()
    assert "few-counts" not in [remark.name for remark in few.remarks]
    assert "few-reports" in [remark.name for remark in few.remarks]


def test_three_questions():
    """All of it goes on to three: cells, shares given the other answers, and 20
    degrees.
    """
    collected = Collected(
        ("grr", "matrix", "oue"), np.multiply.outer(JOINT, SHARES), 5000
    )
    association = collected.associated(covariance=True, estimand="respondents")
    frequency = collected.mean("scores", "scores", "scores")
    assert close(association.frequency, frequency)
    share, low, high = association.conditional
    known = (low > 0) | (high < 1)
    assert known.any()
    assert np.isfinite(share[known]).all()
    given = np.isfinite(share)
    assert close(
        share[given], (frequency / collected.mean("scores", "scores", "ones"))[given]
    )
    assert association.independence.freedom == 20
    assert association.covariance.shape == (27, 27)
    assert close(association.covariance, association.covariance.T)
    diagonal = collected.mean(*["squares"] * 3).ravel() - frequency.ravel()
    assert close(np.diag(association.covariance), diagonal / collected.reports)


def test_how_much_covariance_there_is(monkeypatch):
    """Of as many cells as are allowed, and of values whose pairs are not too many."""
    collected = Collected(("grr", "oue"), JOINT, 100)
    assert (association.MOST_COVARIANCE, association._MOST_PAIRS) == (2000, 1 << 24)
    for name, most in (("MOST_COVARIANCE", 9), ("_MOST_PAIRS", 36)):
        with monkeypatch.context() as changed:
            changed.setattr(association, name, most)
            assert collected.associated(covariance=True).covariance.shape == (9, 9)
            changed.setattr(association, name, most - 1)
            assert collected.associated().covariance is None
            with pytest.raises(
                EstimateError, match="cells, and fewer values, for a covariance"
            ):
                collected.associated(covariance=True)


def test_families_of_cells():
    """All intervals together are those of each at a higher level."""
    collected = Collected(("grr", "oue"), JOINT, 300)
    family = collected.associated(simultaneous="bonferroni")
    single = collected.associated(level=1 - 0.05 / 9)
    assert close(family.low, single.low)
    assert close(family.high, single.high)
    assert (family.low <= family.frequency).all()
    assert (family.frequency <= family.high).all()
    assert close(family.conditional, single.conditional)


def test_remarks_on_cells():
    """Respondents that are too few, by the moments.

    Few reports of cells that go by the normal law alone.
    """
    collected = Collected(("grr", "bloom"), JOINT, 100)
    association = collected.associated()
    one, if_not = collected.scores
    at_zero = np.maximum(
        collected.mean("squares", "squares")
        - outer(one.own - one.alike, if_not.own - if_not.alike) * association.frequency,
        outer(one.least, if_not.least),
    ).ravel()
    slope = outer(one.own - one.alike, if_not.own - if_not.alike).ravel()
    known = Moments(
        collected.reports,
        association.frequency.ravel(),
        np.maximum(at_zero + slope - 1, 0),
        variance_if_not=at_zero,
        covariance=lambda: np.eye(9),
    )
    few = collected.reports < least_respondents(known, 0.05)
    assert ("few-respondents" in [remark.name for remark in association.remarks]) == few


@pytest.mark.parametrize(
    ("names", "options", "said"),
    [
        (["a"], {}, "two or three different questions"),
        ([], {}, r"\(a\+b; joint in \[survey\]\), got none"),
        (["a", "a"], {}, "got a, a"),
        (
            ["a", "b"],
            {"interval": "clopper-pearson"},
            "score intervals, no post-processing and one report each",
        ),
        (["a", "b"], {"post_process": "norm-sub"}, "no post-processing"),
        (["a", "b"], {"reports_per_person": 2}, "one report each"),
        (["a", "b"], {}, r"expected reports to a\+b, got none yet"),
    ],
)
def test_what_is_refused(names, options, said):
    """With what can be had."""
    with pytest.raises(EstimateError, match=said):
        associate(Tally.empty(survey_of("grr", "oue")), names, Options(**options))
