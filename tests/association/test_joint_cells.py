"""What an association is made of, against sums over all reports that can come, or that came."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from associations import CANDIDATES, KEYS, candidates_of, law_of, survey_of
from scipy.stats import chi2_contingency, norm

from ldp import EstimateError, parse_survey
from ldp_aggregator import Options, Tally
from ldp_aggregator.association import association
from ldp_aggregator.association import scores as joint_scores
from ldp_aggregator.association.association import associate
from ldp_aggregator.association.jumps import joint_jumps
from ldp_aggregator.estimates.intervals import least_respondents
from ldp_aggregator.moments.moments import Moments
from ldp_aggregator.tallies.counting import count_rows

SHARES = np.array([0.5, 0.3, 0.2])


def marks_of(question):
    """The tally cells that each report of a question marks, (reports, cells), and the laws of the
    reports.
    """
    rows, laws = law_of(question)
    return np.array(
        [count_rows(row[None], question.layout).ravel() for row in rows], dtype=float
    ), laws


def asked(mechanism):
    """A question, its candidates or values, and its expected counts, for shares that differ."""
    question = survey_of(mechanism, "grr")["a"]
    marks, laws = marks_of(question)
    counts = (SHARES @ laws @ marks).reshape(
        count_rows(law_of(question)[0][:1], question.layout).shape
    )
    return question, question.domain.values or CANDIDATES, counts, marks, laws


def close(found, expected):
    return np.allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("mechanism", KEYS)
def test_what_a_report_is_worth(mechanism):
    """Scores, their squares and their products have the expectations that are stated, whatever is
    held.
    """
    question, values, counts, marks, laws = asked(mechanism)
    made = joint_scores.joint_scores(question, counts * 1e9, values)
    assert close(marks @ made.ones, 1)
    assert close(made.law(), laws @ marks)
    scores = marks @ made.scores.T
    assert close(laws @ scores, np.eye(3))
    exact = (laws @ scores**2).T
    assert close(marks_expected(made.squares, laws, marks), exact)
    assert close(made.own, np.diag(exact))
    for value in range(3):
        others = np.delete(exact[value], value)
        assert close(made.alike[value], others.max())
        assert close(made.least[value], others.min())
    pairs = np.einsum("v,vr,rx,rz->xz", SHARES, laws, scores, scores)
    assert close(made.moments(counts.ravel()), pairs)
    if mechanism == "bloom":
        assert made.powers is None
        return
    for value in range(3):
        others = np.where(np.arange(3) == value, 0, SHARES)
        for place, law in enumerate((laws[value], others @ laws / others.sum())):
            score = scores[:, value]
            expected = [
                law @ each for each in (score**2, score**3, score**4, np.sign(score) * score**4)
            ]
            assert np.allclose([each[value] for each in made.powers[place]], expected, rtol=1e-6)


@pytest.mark.parametrize("rates", ['p = "0.05"\nq = "0.7"', 'p = "0.4"\nq = "0.9"'])
def test_what_bits_with_uneven_noise_are_worth(rates, monkeypatch):
    """Also where bits that are set vary less, or more, than those that are not."""
    monkeypatch.setitem(KEYS, "bloom", KEYS["bloom"].replace('p = "0.2"\nq = "0.8"', rates))
    test_what_a_report_is_worth("bloom")


def marks_expected(functions, laws, marks):
    """The expectations of linear functions of marks: (functions, values)."""
    return (laws @ marks @ functions.T).T


def test_others_of_one_value():
    """A question with one candidate has nothing that it could be taken for.

    Equal estimates weigh alike.
    """
    question, _, counts, _, _ = asked("bloom")
    made = joint_scores.joint_scores(question, counts * 1e9, ("ant",))
    assert (made.alike.tolist(), made.least.tolist()) == ([0], [0])
    for texts in ((), ("ant", "ant")):
        with pytest.raises(
            EstimateError, match=r"question 'a': expected candidates that set different bits"
        ):
            joint_scores.joint_scores(question, counts, texts)
    question, values, _, marks, laws = asked("matrix")
    made = joint_scores.joint_scores(question, (laws[0] @ marks)[None] * 1e9, values)
    scores = marks @ made.scores.T
    expected = (laws[1] + laws[2]) / 2 @ scores[:, 0] ** 2
    assert np.isclose(made.powers[1].second[0], expected, rtol=1e-3)


def test_too_many_scores(monkeypatch):
    """As many as values times cells: so many are made, and one more is refused."""
    question, values, counts, _, _ = asked("oue")
    assert joint_scores.MOST_SCORES == 1 << 22
    monkeypatch.setattr(joint_scores, "MOST_SCORES", 12)
    joint_scores.joint_scores(question, counts, values)
    monkeypatch.setattr(joint_scores, "MOST_SCORES", 11)
    with pytest.raises(EstimateError, match=r"at most 11 scores .*, got 12"):
        joint_scores.joint_scores(question, counts, values)


class Collected:
    """Reports of some questions that were answered together: how many of each combination, and
    their scores.
    """

    def __init__(self, mechanisms, joint, size):
        self.survey = survey_of(*mechanisms)
        self.names = [question.name for question in self.survey]
        marks, laws = zip(*map(marks_of, self.survey), strict=True)
        often = joint
        for law in laws:
            often = np.tensordot(often, law, axes=(0, 0))
        self.often = np.round(often * size + np.arange(often.size).reshape(often.shape) % 3)
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
                question, self.tally.counts[question.name], question.domain.values or CANDIDATES
            )
            for question in self.survey
        ]

    def sums(self, factors):
        """The sum over respondents of products of a function of each report: (reports, functions)
        of each question.
        """
        found = self.often
        for factor in factors:
            found = np.tensordot(found, factor, axes=(0, 0))
        return found

    def mean(self, *names):
        """The mean products of these functions of the questions' scores."""
        functions = [getattr(each, name) for each, name in zip(self.scores, names, strict=True)]
        marked = [
            mark @ np.atleast_2d(each).T for mark, each in zip(self.marks, functions, strict=True)
        ]
        return self.sums(marked) / self.reports

    def associated(self, **options):
        """What is to be checked."""
        return associate(self.tally, self.names, Options(**options), candidates=self.candidates)

    def jumps(self):
        """Those of the cells, for the margins of the reports."""
        margins = [
            each.scores @ self.tally.counts[name].ravel() / self.reports
            for each, name in zip(self.scores, self.names, strict=True)
        ]
        return joint_jumps(margins, self.reports, self.scores)


def outer(*factors):
    """The products of one number of each, in an array with as many axes."""
    return np.multiply.outer(factors[0], outer(*factors[1:])) if len(factors) > 1 else factors[0]


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
    """Reports to two questions, whose answers go together: as many as are
    expected, or some more.
    """
    mechanisms, size = request.param
    return Collected(mechanisms, JOINT, size)


@pytest.mark.parametrize("estimand", ["respondents", "population"])
def test_cells(collected, estimand):
    """Mean products of scores; the mean squares that their errors go by; their covariance."""
    found = collected.associated(estimand=estimand, covariance=True)
    frequency = collected.mean("scores", "scores")
    assert found.reports == collected.reports
    assert close(found.frequency, frequency)
    one, other = collected.scores
    slope = outer(one.own - one.alike, other.own - other.alike)
    at_zero = np.maximum(
        collected.mean("squares", "squares") - slope * frequency, outer(one.least, other.least)
    )
    jumps = collected.jumps()
    if jumps is not None:
        at_zero = jumps.or_expected(at_zero.ravel()).reshape(at_zero.shape)
    held = np.clip(frequency, 0, 1)
    variance = held * np.maximum(at_zero + slope - 1, 0) + (1 - held) * at_zero
    if estimand == "population":
        variance = variance + held * (1 - held)
    assert close(found.standard_error, np.sqrt(variance / collected.reports))
    pairs = [
        np.stack([score.moments(unit) for unit in np.eye(len(score.ones))], axis=2).reshape(9, -1)
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
    assert close(found.covariance, (exact - np.diag(frequency.ravel())) / collected.reports)


@pytest.mark.parametrize("estimand", ["respondents", "population"])
@pytest.mark.parametrize("level", [0.95, 0.7])
def test_shares_of_those_who_hold(collected, estimand, level):
    """At an end, what is held by both is as far from that share of one as its error allows.

    Or all is possible.
    """
    share, low, high = collected.associated(estimand=estimand, level=level).conditional
    one, other = collected.scores
    both, those = collected.mean("scores", "scores"), collected.mean("scores", "ones")
    assert close(share, both / those)
    squares = [collected.mean("squares", name) for name in ("squares", "scores", "ones")]
    of_given = (one.own - one.alike)[:, None]
    slope = of_given * (other.own - other.alike)
    at_zero = np.maximum(squares[0] - slope * both, outer(one.least, other.least))
    jumps = collected.jumps()
    if jumps is not None:
        at_zero = jumps.or_expected(at_zero.ravel()).reshape(at_zero.shape)
    missing = (1 - level) / 2

    def off(ends):
        """The squared distance, less what it may be.

        Of the respondents, whose answers do not vary.
        """
        drawn = ends * (1 - ends) * those if estimand == "respondents" else 0
        mixed = squares[1] - of_given * both + of_given * ends * those
        variance = at_zero + slope * ends * those - 2 * ends * mixed + ends**2 * squares[2]
        return (both - ends * those) ** 2 - norm.isf(missing) ** 2 / collected.reports * (
            variance - drawn
        )

    # A quadratic function of the share, by three of its values.
    rest, one_off, two_off = (off(np.full(both.shape, float(at))) for at in range(3))
    square = (two_off - 2 * one_off + rest) / 2
    middle = -(one_off - rest - square) / 2
    bounded = square > 1e-12
    assert (bounded | (square < -1e-12)).all()
    reach = np.sqrt(np.maximum(middle**2 - square * rest, 0))
    for ends, root, end in ((low, middle - reach, 0), (high, middle + reach, 1)):
        expected = np.where(
            bounded, np.clip(np.divide(root, square, where=bounded, out=0 * root), 0, 1), end
        )
        assert np.allclose(ends, expected, atol=1e-6)


def test_the_test_of_independence(collected):
    """It is n times the squared correlations of contrasts: of whichever ones, as long as they span
    them.
    """
    found = collected.associated().independence
    spreads, means, contrast = [], [], np.array([[1.0, -1, 0], [0, 1, -1]])
    for each, name in zip(collected.scores, collected.names, strict=True):
        counts = collected.tally.counts[name].ravel()
        mean = each.scores @ counts / collected.reports
        means.append(mean)
        spreads.append(
            contrast
            @ (each.moments(counts) / collected.reports - np.outer(mean, mean))
            @ contrast.T
        )
    between = contrast @ (collected.mean("scores", "scores") - np.outer(*means)) @ contrast.T
    inverse = [np.linalg.inv(spread) for spread in spreads]
    expected = collected.reports * np.trace(inverse[0] @ between @ inverse[1] @ between.T)
    assert found.statistic == pytest.approx(expected, rel=1e-6)
    assert found.freedom == 4
    if not any(question.layout.bits for question in collected.survey) and collected.often.shape == (
        3,
        3,
    ):
        assert found.statistic == pytest.approx(
            chi2_contingency(collected.often).statistic, rel=1e-6
        )


def test_cells_that_only_the_normal_law_is_there_for(monkeypatch):
    """Their reports are n V over the squared worth of one, the product of those of its parts.

    If all have one.
    """
    bounds = {"grr": 2.0, "oue": 3.0, "hr": None}
    monkeypatch.setattr(
        association, "manipulation", lambda made, _: SimpleNamespace(reach=bounds[made])
    )

    def told(third=None, mechanisms=("grr", "oue"), reports=90):
        questions = [SimpleNamespace(randomizer=mechanism) for mechanism in mechanisms]
        known = SimpleNamespace(third=third, reports=reports, other=np.array([1.9, 2.0, 4.0]))
        return [count.text[:6] for count in association._on_counts(questions, [None] * 2, known)]

    assert told() == ["1 of 3"]
    assert told(reports=89) == ["2 of 3"]
    assert told(reports=95) == []
    assert told(third=1) == told(mechanisms=("grr", "hr")) == []


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
        with pytest.raises(EstimateError, match=r"asks together \(a\+b, c\+d; joint in"):
            associate(Tally.empty(survey), names)
    with pytest.raises(EstimateError, match=r"this survey has none"):
        associate(
            Tally.empty(parse_survey(f'[survey]\nname = "s"\n[[question]]\nname = "a"\n{keys}')),
            ["a"],
        )


def test_one_report_has_no_test():
    """Nor have any, as long as they are all the same.

    And most likely frequencies are for those who ask.
    """
    made = Collected(("grr", "oue"), JOINT, 300)
    found = made.associated()
    assert found.likely is None
    assert "few-counts" not in [remark.name for remark in found.remarks]
    likely = associate(made.tally, made.names, likelihood=True).likely
    assert likely.sum() == pytest.approx(1)
    tally = Tally.empty(made.survey)
    rows = np.tile(np.concatenate([law_of(question)[0][0] for question in made.survey]), (5, 1))
    tally.add(made.survey.groups[0], rows)
    assert associate(tally, made.names).independence is None
    # Two of three symbols are not enough either.
    symbols, bits = (law_of(question)[0] for question in made.survey)
    tally.add(
        made.survey.groups[0], np.array([[*symbols[x], *row] for x in (0, 1) for row in bits])
    )
    assert associate(tally, made.names).independence is None
    few = Collected(("grr", "oue"), JOINT, 1).associated()
    assert "few-counts" not in [remark.name for remark in few.remarks]
    assert "few-reports" in [remark.name for remark in few.remarks]


def test_three_questions():
    """All of it goes on to three: cells, shares of the last among those who hold the others, and 20
    degrees.
    """
    made = Collected(("grr", "matrix", "oue"), np.multiply.outer(JOINT, SHARES), 5000)
    found = made.associated(covariance=True)
    frequency = made.mean("scores", "scores", "scores")
    assert close(found.frequency, frequency)
    assert close(found.conditional[0], frequency / made.mean("scores", "scores", "ones"))
    assert found.independence.freedom == 20
    assert found.covariance.shape == (27, 27)
    assert close(found.covariance, found.covariance.T)
    diagonal = made.mean(*["squares"] * 3).ravel() - frequency.ravel()
    assert close(np.diag(found.covariance), diagonal / made.reports)


def test_how_much_covariance_there_is(monkeypatch):
    """Of as many cells as are allowed, and of values whose pairs are not too many."""
    made = Collected(("grr", "oue"), JOINT, 100)
    assert (association.MOST_COVARIANCE, association._MOST_PAIRS) == (2000, 1 << 24)
    for name, most in (("MOST_COVARIANCE", 9), ("_MOST_PAIRS", 36)):
        with monkeypatch.context() as changed:
            changed.setattr(association, name, most)
            assert made.associated(covariance=True).covariance.shape == (9, 9)
            changed.setattr(association, name, most - 1)
            assert made.associated().covariance is None
            with pytest.raises(EstimateError, match="cells, and fewer values, for a covariance"):
                made.associated(covariance=True)


def test_families_of_cells():
    """All intervals together are those of each at a higher level."""
    made = Collected(("grr", "oue"), JOINT, 300)
    family, single = made.associated(simultaneous="bonferroni"), made.associated(level=1 - 0.05 / 9)
    assert close(family.low, single.low)
    assert close(family.high, single.high)
    assert (family.low <= family.frequency).all()
    assert (family.frequency <= family.high).all()
    assert close(family.conditional, single.conditional)


def test_remarks_on_cells():
    """Respondents that are too few, by the moments.

    Few reports of cells that go by the normal law alone.
    """
    made = Collected(("grr", "bloom"), JOINT, 100)
    found = made.associated()
    one, other = made.scores
    at_zero = np.maximum(
        made.mean("squares", "squares")
        - outer(one.own - one.alike, other.own - other.alike) * found.frequency,
        outer(one.least, other.least),
    ).ravel()
    slope = outer(one.own - one.alike, other.own - other.alike).ravel()
    known = Moments(
        made.reports,
        found.frequency.ravel(),
        np.maximum(at_zero + slope - 1, 0),
        other=at_zero,
        covariance=lambda: np.eye(9),
    )
    few = made.reports < least_respondents(known, 0.05)
    assert ("few-respondents" in [remark.name for remark in found.remarks]) == few


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
        (["a", "b"], {"post": "norm-sub"}, "no post-processing"),
        (["a", "b"], {"reports_each": 2}, "one report each"),
        (["a", "b"], {}, r"expected reports to a\+b, got none yet"),
    ],
)
def test_what_is_refused(names, options, said):
    """With what can be had."""
    with pytest.raises(EstimateError, match=said):
        associate(Tally.empty(survey_of("grr", "oue")), names, Options(**options))
