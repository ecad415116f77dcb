"""Results: how estimates print, export, and say that there is nothing to say."""

import csv
import dataclasses
import html.parser
import io
import json
import math
from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest
from specimens import question
from surveys import COMMUTE_SURVEY

from ldp import EstimateError, Survey, __version__
from ldp_aggregator import Options, Tally, detected, estimate
from ldp_aggregator.answers.estimates import question_estimation
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.results import values as by_value
from ldp_aggregator.answers.results.manipulation import Manipulation, manipulation
from ldp_aggregator.answers.results.means import Mean
from ldp_aggregator.answers.results.question_estimates import text_table
from ldp_aggregator.answers.shares.detection import adjusted_p_values
from ldp_aggregator.answers.shares.frequencies import estimates_from, moments_of
from ldp_aggregator.answers.shares.share_estimates import ShareEstimates
from ldp_aggregator.answers.texts.room import UNALLOCATED, TextEstimates, unallocated_of
from ldp_aggregator.decoders.intervals.intervals import null_error
from ldp_aggregator.decoders.moments.moments import CandidateFit, Findings
from ldp_aggregator.decoders.moments.repeats import ONCE_EACH
from ldp_aggregator.decoders.numbers import noise as noise_moments
from ldp_aggregator.numerics.empirical_bayes import posterior_mean
from ldp_aggregator.numerics.postprocessing import base_cut, norm_sub
from ldp_aggregator.output.checks import Check, Remark
from ldp_aggregator.output.safe_cells import safe_cell
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

NASTY = [
    '<script>alert("x")</script>',
    "a & b",
    'quote " and, comma',
    "[bold]red[/bold]",
    "line\nbreak",
    "=1+1",
    "ü",
]
_KEYS = (
    f'type = "category"\nvalues = {json.dumps(NASTY, ensure_ascii=False)}\nepsilon = 1'
)
NASTY_TALLY = Tally(
    Survey("<i>s</i>", (question("grr", _KEYS),)),
    {"x": np.array([[90, 80, 70, 60, 50, 40, 30]])},
)
EMPTY = Tally.empty(COMMUTE_SURVEY)
COLUMNS = ["question", "value", "count", "frequency", "standard_error", "low", "high"]


@pytest.fixture
def nasty():
    return estimate(NASTY_TALLY)


def test_results_are_frozen(nasty):
    """What was estimated is not changed by accident."""
    for record, field in (
        (nasty, "survey"),
        (nasty["x"], "reports"),
        (nasty["x"]["ü"], "frequency"),
        (Mean(*(0.0 for _ in dataclasses.fields(Mean))), "estimate"),
        (Manipulation(None), "reach"),
        (moments_of(CLOSED.randomizer, NASTY_TALLY.counts["x"], NASTY), "reports"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, field, 0)


def test_estimates_are_equal_to_themselves_alone(nasty):
    """Arrays are not compared."""
    assert nasty["x"] == nasty["x"]
    assert nasty["x"] != estimate(NASTY_TALLY)["x"]
    assert nasty["x"] != replace(nasty["x"])
    assert nasty != replace(nasty)


def test_repr_shows_every_number_with_its_error(nasty):
    """The survey, the question, what the numbers are, and each value with error and
    interval.
    """
    shown = repr(nasty)
    assert NASTY_TALLY.survey.fingerprint.hex() in shown
    assert (
        "x: grr, epsilon 1, 420 reports; 0.95 score intervals for the population "
        "(sampling"
    ) in shown
    value = nasty["x"]["a & b"]
    (row,) = (line for line in shown.splitlines() if "a & b" in line)
    assert f"{value.frequency:.4f}   {value.standard_error:>14.4f}" in row
    assert row.endswith(f"[{value.low:.4f}, {value.high:.4f}]")


def test_counts_are_frequencies_times_reports(nasty):
    """One number, in two units; iterating, indexing and arrays agree."""
    for index, value in enumerate(nasty["x"]):
        assert value == nasty["x"][NASTY[index]]
        assert value.count == pytest.approx(420 * nasty["x"].frequency[index])
        assert 0 <= value.low <= value.high <= 1
        assert value.interval == (value.low, value.high)
    assert len(nasty["x"]) == len(NASTY)
    assert nasty["x"].frequency.sum() == pytest.approx(1)


class Reader(html.parser.HTMLParser):
    """Notes the tags and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts = set(), []
        self.feed(page)

    def handle_starttag(self, tag, _):
        """One more tag."""
        self.tags.add(tag)

    def handle_data(self, data):
        """One more text."""
        self.texts.append(data)


def test_html_escapes_what_people_wrote(nasty):
    """Values, names and notes are text: no tag comes out but the table's own, and a
    picture.
    """
    page = Reader(nasty._repr_html_())
    assert page.tags == {
        "table",
        "caption",
        "b",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "img",
    }
    assert set(NASTY) <= set(page.texts)


def test_tables_show_markup_as_it_is(nasty):
    """A value that looks like markup of the table printer is printed, not obeyed."""
    shown = nasty.rendered()
    assert "[bold]red[/bold]" in shown
    assert '<script>alert("x")</script>' in shown
    assert "\x1b" not in shown


def test_dictionaries_are_json(nasty):
    """`to_dict` survives JSON unchanged, without NaN, also with a covariance."""
    for options in (
        Options(),
        Options(
            covariance=True,
            simultaneous="sidak",
            estimand="population",
            post_process="norm-sub",
        ),
    ):
        record = estimate(NASTY_TALLY, options=options).to_dict()
        assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert json.loads(nasty.rendered("json")) == nasty.to_dict()


def test_csv_comes_back(nasty):
    """Every value, however awkward, is one record, and safe; numbers come back to the
    last bit.
    """
    records = list(csv.DictReader(io.StringIO(nasty.to_csv())))
    assert list(records[0]) == COLUMNS
    assert [record["value"] for record in records] == [
        safe_cell(value) for value in NASTY
    ]
    for record, value in zip(records, nasty["x"], strict=True):
        numbers = [float(record[column]) for column in COLUMNS[2:]]
        assert numbers == [
            value.count,
            value.frequency,
            value.standard_error,
            value.low,
            value.high,
        ]


def test_records_say_what_is_biased(nasty):
    """Only what was asked for by name."""
    view = estimate(NASTY_TALLY, options=Options(post_process="norm-sub"))
    assert [shown["x"].to_dict()["biased"] for shown in (nasty, view)] == [False, True]


def test_what_is_unallocated_is_in_the_record(nasty):
    """Like a value: its count, frequency, standard error and interval."""
    rest = replace(nasty["x"]["ü"], value=UNALLOCATED)
    known = {
        field.name: getattr(nasty["x"], field.name) for field in fields(nasty["x"])
    }
    record = TextEstimates(**known, unallocated=rest).to_dict()["unallocated"]
    assert record == {
        "count": rest.count,
        "frequency": rest.frequency,
        "standard_error": rest.standard_error,
        "interval": [rest.low, rest.high],
    }
    assert "unallocated" not in nasty["x"].to_dict()


@pytest.mark.parametrize(("most", "shown"), [(8, 7), (7, 7), (6, 6)])
def test_a_short_table_says_where_all_are(most, shown, nasty, monkeypatch):
    """Where there are more values than it has rows."""
    monkeypatch.setattr("ldp_aggregator.answers.results.values.MOST_ROWS", most)
    table = text_table(nasty["x"], in_full=False, elsewhere="All are elsewhere.")
    assert len(table.rows) == shown
    assert (table.remarks[-1:] == ["All are elsewhere."]) == (shown < 7)
    assert (nasty["x"].brief is nasty["x"]) == (shown == 7)
    assert len(text_table(nasty["x"], elsewhere="All are elsewhere.").rows) == 7
    (full,) = nasty.sheet().tables()
    (short,) = nasty.sheet(in_full=False).tables()
    assert (len(full.rows), len(short.rows)) == (7, shown)
    for brief in (repr(nasty["x"]), nasty["x"]._repr_html_()):
        assert ("ü" in brief) == (shown == 7)


@pytest.mark.parametrize(
    ("errors", "shown"),
    [
        ([0.0, 0.5], "0.2500"),
        ([0.0, 0.001], "0.2500"),
        ([0.0001, 0.5], "0.25000"),
        ([0, 0], "0.2500"),
    ],
)
def test_decimals(errors, shown, nasty):
    """Two digits of the least error, four at least; errors of 0 have no say."""
    estimates = replace(
        nasty["x"], standard_error=np.array([*errors, 0.5, 0.5, 0.5, 0.5, 0.5])
    )
    certain = replace(nasty["x"], standard_error=np.zeros(7))
    assert estimates.shown(0.25) == shown
    assert certain.shown(0.25) == "0.2500"


def test_pictures_mark_the_truth_where_it_is_known(nasty):
    """By the name of the question; others have none."""
    truth = [0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
    assert [bars.truth for bars in nasty.panels({"x": truth})] == [truth]
    assert [bars.truth for bars in nasty.panels({"y": truth})] == [None]
    assert [bars.truth for bars in nasty.panels()] == [None]


def test_forgers_move_a_mean_by_steps():
    """Of 10, 12, 14 an end is worth 1 / (p - q) steps of 2, and its device may hold the
    other.
    """
    keys = 'type = "number"\nlow = 10\nhigh = 14\nstep = 2\nepsilon = 1'
    asked = question("grr", keys)
    estimates = estimate_question(asked, np.array([[3, 4, 5]]), Options())
    p, q = (float(rate) for rate in asked.randomizer.support)
    assert estimates.manipulation.mean_reach == pytest.approx(2 * (1 / (p - q) + 1))


def test_pictures_of_a_mean():
    """Values have bars, also where they have a mean; a mean without values is a bar
    itself.

    No bar is longer than a share can be, or shorter. Beside a variance stands its root.
    """
    keys = 'type = "integer"\nlow = 0\nhigh = 2\nepsilon = 1'
    counts = np.array([[30, 40, 50]])
    asked = estimate_question(question("grr", keys), np.array([[90, 1, 0]]), Options())
    assert (asked.frequency < 0).any()
    bars = asked.panels()[0]
    assert bars.labels == ("0", "1", "2")
    assert bars.lengths.tolist() == asked.frequency.clip(0, 1).tolist()
    root = Mean(9.0, 1.2, -1.0, high=16.0).root
    assert (root.estimate, root.low, root.high) == (3.0, 0.0, 4.0)
    assert root.standard_error == pytest.approx(0.2)
    assert Mean(-1.0, 1.2, -2.0, high=0.5).root is None
    dithered = question("dithered", f"{keys}\nlevels = 3")
    record = estimate_question(
        dithered, np.array([[40, 10, 30], [20, 10, 40]]), Options()
    ).to_dict()
    assert record["standard_deviation"]["estimate"] ** 2 == pytest.approx(
        record["variance"]["estimate"]
    )
    alone = estimate_question(question("one-bit", keys), counts[:, :2], Options())
    bars, mean = alone.panels()[0], alone.mean
    assert bars.labels == ("mean",)
    assert [*bars.lengths, *bars.low, *bars.high] == [
        mean.estimate,
        mean.low,
        mean.high,
    ]
    values = estimate(NASTY_TALLY)["x"].panels()[0]
    assert values.labels == tuple(NASTY)


def test_what_is_said_of_numbers(nasty):
    """Whose they are, how they were chosen and made, and how far forgers could move
    them.
    """
    asked = nasty["x"]
    assert str(asked.manipulation) in asked.sentences
    assert str(asked.manipulation) not in replace(asked, manipulation=None).sentences
    assert not [line for line in asked.sentences if line.startswith("shown: ")]
    assert any(
        line.startswith("shown: the 3 highest of 7 estimates")
        for line in asked.top(3).sentences
    )
    described = asked.describe()
    assert "simultaneous" not in described
    assert "post-processed" not in described
    options = replace(asked.options, simultaneous="bonferroni", post_process="norm-sub")
    described = replace(asked, options=options).describe()
    assert (
        "for the population (sampling and randomization), simultaneous (bonferroni)"
        in described
    )
    assert "; frequencies post-processed by norm-sub: biased" in described
    assert by_value.MOST_ROWS == 100


def test_records_have_what_there_is(nasty):
    """Nothing stands for what there is none of: checks, remarks, values left out,
    repeats.
    """
    record = nasty.to_dict()
    assert record["format"] == 1
    assert record["version"] == __version__
    asked = replace(nasty["x"], checks=(), remarks=())
    record = asked.to_dict()
    assert not {"checks", "remarks", "left_out", "respondents"} & record.keys()
    assert record["simultaneous"] is False
    assert asked.top(3).to_dict()["left_out"] == 4
    options = replace(asked.options, simultaneous="bonferroni", reports_per_person=2)
    record = replace(asked, options=options, respondents=210).to_dict()
    assert (record["simultaneous"], record["respondents"]) == (True, 210)
    check = Check("payloads", 3, p_value=0.5, meaning="as many")
    record = replace(asked, checks=(check,), remarks=(Remark("few", "Few."),)).to_dict()
    assert record["checks"] == [check._asdict()]
    assert record["remarks"] == [{"name": "few", "text": "Few."}]


def test_a_survey_goes_with_reports_and_a_tally_alone():
    """The message says what is missing, or too much."""
    with pytest.raises(TypeError, match="got a survey alone"):
        estimate(NASTY_TALLY.survey)
    with pytest.raises(TypeError, match="expected a tally alone"):
        estimate(NASTY_TALLY, NASTY_TALLY)
    again = estimate(NASTY_TALLY.survey, NASTY_TALLY)
    assert (
        again["x"].frequency.tolist() == estimate(NASTY_TALLY)["x"].frequency.tolist()
    )


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_hold_the_records(library, nasty):
    """Both kinds of data frame have the columns of the CSV, text and floats.

    Also where nothing was reported.
    """
    frame = getattr(nasty, f"to_{library}")()
    assert list(frame.columns) == COLUMNS
    assert list(frame["value"]) == NASTY
    assert list(frame["frequency"]) == nasty["x"].frequency.tolist()
    empty = getattr(estimate(EMPTY), f"to_{library}")()
    assert list(empty.columns) == COLUMNS
    assert len(empty) == 6


@pytest.mark.filterwarnings("error")
def test_no_reports_are_no_numbers():
    """Before the first report frequencies are no numbers, intervals are [0, 1], a note
    says why.
    """
    estimates = estimate(EMPTY)
    for name in ("smoker", "transport"):
        for estimated in estimates[name]:
            assert all(
                math.isnan(number)
                for number in (
                    estimated.count,
                    estimated.frequency,
                    estimated.standard_error,
                )
            )
            assert (estimated.low, estimated.high) == (0, 1)
        record = estimates[name].to_dict()
        assert record["note"] == "no reports yet"
        assert [
            (value["frequency"], value["interval"]) for value in record["values"]
        ] == [(None, [0, 1])] * len(estimates[name])
    json.dumps(estimates.to_dict(), allow_nan=False)
    for shown in (repr(estimates), estimates._repr_html_(), estimates.rendered()):
        assert "no reports yet" in shown


@pytest.mark.parametrize("candidates", [None, {}, {"homepage": ()}])
def test_open_questions_without_candidates_say_so(candidates):
    """Reports alone name no texts: there are no values, and the note says what to
    do.
    """
    counts = {
        question.name: empty_counts(question.layout) for question in COMMUTE_SURVEY
    }
    counts["homepage"][0] = 5
    estimates = estimate(Tally(COMMUTE_SURVEY, counts), candidates=candidates)[
        "homepage"
    ]
    assert (len(estimates), estimates.reports) == (0, 5)
    assert "candidates" in estimates.note
    assert estimates.to_dict()["values"] == []
    assert estimates.note in repr(estimates)


def test_detection_counts_its_values(nasty):
    """A value far above noise is found, a value at zero is not.

    Both corrections have as many verdicts as values.
    """
    counts = {"x": np.array([[4000, 1000, 1000, 1000, 1000, 1000, 1000]])}
    question = estimate(Tally(NASTY_TALLY.survey, counts))["x"]
    for correction in ("bonferroni", "benjamini-hochberg"):
        assert (
            detected(question, correction=correction).tolist() == [True] + [False] * 6
        )


@pytest.mark.parametrize(
    ("correction", "adjusted", "found"),
    [
        ("bonferroni", [0.04, 0.08, 0.12, 1.0], 1),
        ("benjamini-hochberg", [0.04, 0.04, 0.04, 0.5], 3),
    ],
)
def test_corrections_by_hand(correction, adjusted, found):
    """Four chances, worked out by the formulas of Dunn, and of Benjamini and Hochberg.

    A level is inclusive.
    """
    estimates = SimpleNamespace(chances=np.array([0.01, 0.02, 0.03, 0.5]), left_out=0)
    assert adjusted_p_values(estimates, correction) == pytest.approx(adjusted)
    assert detected(estimates, 0.96 - 1e-12, correction).sum() == found
    assert detected(estimates, 0.97, correction).sum() == 0


def test_where_nothing_is_known_an_interval_is_everything():
    """Whatever the estimate is; the values of which something is known keep theirs."""
    asked = question(
        "grr", 'type = "category"\nvalues = ["a", "b", "c"]\nepsilon = "1"'
    )
    counts = np.array([[500, 300, 200]])
    moments = moments_of(asked.randomizer, counts, asked.domain.values)
    bound = manipulation(asked.randomizer, counts)
    unknown = np.array([False, True, False])
    plain, marked = (
        estimates_from(
            law,
            asked,
            1000,
            values=asked.domain.values,
            options=Options(),
            bound=bound,
            kind=ShareEstimates,
        )
        for law in (moments, replace(moments, findings=Findings(unknown=unknown)))
    )
    assert (marked.low[1], marked.high[1]) == (0, 1) != (plain.low[1], plain.high[1])
    assert list(marked.low[[0, 2]]) == list(plain.low[[0, 2]])
    assert list(marked.high[[0, 2]]) == list(plain.high[[0, 2]])


CLOSED = question("grr", _KEYS)
TEXT = (
    'type = "text"\np = "0.2"\nq = "0.8"\nf = "0"\nbloom_bits = 16\nhashes = '
    "2\ncohorts = 4"
)


@pytest.mark.parametrize("estimand", ["respondents", "population"])
@pytest.mark.parametrize(
    ("level", "others"), [(0.9, 0), (0.9, 1000), (0.99, 1000), (0.9, 2000)]
)
def test_those_without_a_candidate(estimand, level, others):
    """What the estimator says of them, for the population.

    Less what drawing them adds, for the respondents.

    Of 2,000 the rest hold another text; estimates are below 0 and above 1, too.
    """
    from scipy.stats import norm

    asked, values = question("rappor", TEXT), ("a", "b", "c")
    holders = np.array(
        [(2000 - others) // 2, (2000 - others) // 4, (2000 - others) // 4, others]
    )
    counts = sample_counts(
        asked, Holders((*values, "d"), holders), np.random.default_rng(2)
    )
    share, error = moments_of(asked.randomizer, counts, values).fit.unallocated
    rest = estimate_question(
        asked, counts, Options(estimand=estimand, level=level), candidates=values
    ).unallocated
    likely = min(max(share, 0), 1)
    variance = error**2 - (
        likely * (1 - likely) / 2000 if estimand == "respondents" else 0
    )
    assert (rest.value, rest.frequency) == (UNALLOCATED, share)
    assert rest.count == pytest.approx(2000 * share)
    assert rest.standard_error == pytest.approx(math.sqrt(variance))
    reach = norm.ppf((1 + level) / 2) * math.sqrt(variance)
    ends = [min(max(end, 0), 1) for end in (share - reach, share + reach)]
    assert [rest.low, rest.high] == pytest.approx(ends)


@pytest.mark.parametrize(
    ("share", "error", "variance"),
    [
        (0.5, 0.1, 0.01 - 0.25 / 100),
        (0.5, 0.04, 0.0),
        (1.5, 0.1, 0.01),
        (-0.5, 0.1, 0.01),
    ],
)
def test_those_without_a_candidate_at_the_edges(share, error, variance):
    """For respondents no variance is below 0, and what drawing adds is that of a
    share.
    """
    asked, counts = question("rappor", TEXT), np.full((4, 17), 12)
    moments = moments_of(asked.randomizer, counts, ("a", "b"))
    moments = replace(
        moments, reports=100, fit=CandidateFit(unallocated=(share, error))
    )
    rest = unallocated_of(moments, Options(estimand="respondents"))
    assert rest.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert 0 <= rest.low <= rest.high <= 1


def test_a_closed_question_has_all_its_candidates():
    """No one is without one, also where values share a Bloom filter."""
    closed = question(
        "rappor", TEXT.replace('"text"', '"category"\nvalues = ["a", "b", "c"]')
    )
    counts = np.full((4, 17), 12)
    assert (
        moments_of(closed.randomizer, counts, closed.domain.values).fit.unallocated
        is not None
    )
    assert "unallocated" not in estimate_question(closed, counts, Options()).to_dict()


@pytest.mark.parametrize(
    ("asked", "has_mean"),
    [
        (CLOSED, False),
        (question("grr", 'type = "integer"\nlow = 0\nhigh = 6\nepsilon = "1"'), True),
    ],
    ids=["category", "integer"],
)
def test_the_reach_of_a_mean_is_told_where_there_is_one(asked, has_mean):
    """And a category has none."""
    estimates = estimate_question(asked, np.array([[9, 8, 7, 6, 5, 4, 3]]), Options())
    assert (estimates.mean is not None) is has_mean
    assert (estimates.manipulation.mean_reach is not None) is has_mean


def test_only_what_is_asked_for():
    """Some questions by name; of an open one the candidates that are given."""
    counts = {
        question.name: empty_counts(question.layout) for question in COMMUTE_SURVEY
    }
    counts["homepage"][:] = 5
    tally = Tally(COMMUTE_SURVEY, counts)
    estimates = estimate(
        tally, candidates={"homepage": ("x.org", "y.org")}, names=["homepage"]
    )
    assert list(estimates.questions) == ["homepage"]
    assert estimates["homepage"].values == ("x.org", "y.org")
    assert list(estimate(tally).questions) == [
        question.name for question in COMMUTE_SURVEY
    ]
    assert (estimates.survey, estimates.fingerprint) == (
        "commute-2026",
        COMMUTE_SURVEY.fingerprint.hex(),
    )


def test_values_without_reports_have_no_errors():
    """A p-value is 1, and nothing is known."""
    estimates = estimate_question(CLOSED, np.zeros((1, 7), dtype=int), Options())
    assert estimates.low.tolist() == [0] * 7
    assert estimates.high.tolist() == estimates.chances.tolist() == [1] * 7
    for numbers in (
        estimates.frequency,
        estimates.unbiased,
        estimates.standard_error,
    ):
        assert np.isnan(numbers).all()
    assert (estimates.reports, estimates.note) == (0, "no reports yet")


def test_covariances_of_at_most_so_many_values(monkeypatch):
    """Of more it is refused, and the question is named; without being asked for it is
    not there.
    """
    counts = np.array([[9, 8, 7, 6, 5, 4, 3]])
    assert question_estimation.MOST_COVARIANCE == 10_000
    monkeypatch.setattr(question_estimation, "MOST_COVARIANCE", 7)
    estimates = estimate_question(CLOSED, counts, Options(covariance=True))
    assert estimates.covariance.shape == (7, 7)
    inside = estimates.frequency > 0
    spread = np.sqrt(np.diag(estimates.covariance))[inside]
    assert spread == pytest.approx(estimates.standard_error[inside], rel=0.02)
    assert estimate_question(CLOSED, counts, Options()).covariance is None
    monkeypatch.setattr(question_estimation, "MOST_COVARIANCE", 6)
    with pytest.raises(
        EstimateError, match=r"question 'x': expected at most 6 values for a covariance"
    ):
        estimate_question(CLOSED, counts, Options(covariance=True))
    assert len(estimate_question(CLOSED, counts, Options())) == 7


SETS = question(
    "pad-grr", 'type = "multi"\nvalues = ["a", "b", "c"]\nmost = 2\nepsilon = 2'
)


def test_shares_of_sets_need_not_sum_to_one():
    """So it is said, and the view in which they do is refused."""
    counts = np.full((1, SETS.layout.symbols), 40)
    assert "need not sum to 1" in estimate_question(SETS, counts, Options()).note
    with pytest.raises(
        EstimateError, match=r"question 'x': expected another view than norm-sub"
    ):
        estimate_question(SETS, counts, Options(post_process="norm-sub"))
    assert (
        estimate_question(CLOSED, np.array([[9, 8, 7, 6, 5, 4, 3]]), Options()).note
        == ""
    )


def test_several_reports_of_what_keeps_nothing():
    """They are counted one by one, as the note says.

    A memoized question says what its repeats are worth.
    """
    chain = question(
        "l-grr",
        (
            'type = "category"\nvalues = ["a", "b"]\nepsilon_first = '
            "1\nepsilon_lifetime = "
            "2"
        ),
    )
    counts = np.array([[9, 8, 7, 6, 5, 4, 3]])
    estimates = estimate_question(CLOSED, counts, Options(reports_per_person=3))
    assert estimates.note == ONCE_EACH
    assert estimates.respondents == 42
    twice = estimate_question(
        chain, np.array([[30, 12]]), Options(reports_per_person=2)
    )
    assert twice.respondents == 21
    with pytest.raises(
        EstimateError, match="question 'x': expected at least the 50 reports"
    ):
        estimate_question(chain, np.array([[30, 12]]), Options(reports_per_person=50))
    of_chain = estimate_question(
        chain, np.array([[30, 12]]), Options(reports_per_person=3)
    )
    assert "3 reports from each of 14 respondents" in of_chain.note
    assert ONCE_EACH not in of_chain.note
    assert (of_chain.reports, of_chain.respondents) == (42, 14)
    both = estimate_question(
        SETS, np.full((1, SETS.layout.symbols), 40), Options(reports_per_person=3)
    )
    assert both.note.endswith(f"; {ONCE_EACH}")
    assert both.note.startswith("a frequency")


def test_whatever_is_unknown_may_be_anything(monkeypatch):
    """Noisy numbers of which too few are expected to stay have [0, 1] and a p-value of
    1.
    """
    asked = question("geometric", 'type = "integer"\nlow = 0\nhigh = 9\nepsilon = 4')
    counts = np.array([[8, 1, 2, 4, 2, 1, 0, 0, 0, 2]])
    unknown = moments_of(asked.randomizer, counts, asked.domain.values).findings.unknown
    estimates = estimate_question(asked, counts, Options(frequencies=True))
    assert unknown.any()
    assert (estimates.low[unknown] == 0).all()
    assert (estimates.high[unknown] == 1).all()
    assert (estimates.chances[unknown] == 1).all()
    with monkeypatch.context() as changed:
        changed.setattr(noise_moments, "_FEWEST_AT_OWN", 10**6)
        doubted = estimate_question(asked, 10_000 * counts, Options(frequencies=True))
    assert (doubted.low == 0).all()
    assert (doubted.high == 1).all()
    many = estimate_question(asked, 10_000 * counts, Options(frequencies=True))
    assert (many.high - many.low < 1).all()
    assert many.mean is not None
    assert len(many.values) == 10
    alone = estimate_question(asked, 10_000 * counts, Options())
    assert (alone.values, len(alone.frequency), alone.respondents) == ((), 0, 200_000)
    assert alone.mean == many.mean


@pytest.mark.parametrize("post_process", ["norm-sub", "base-cut", "posterior-mean"])
def test_views_leave_what_is_unbiased(post_process):
    """Only the frequency is another; errors and intervals are those of the unbiased
    one.
    """
    counts = np.array([[400, 80, 70, 60, 50, 40, 30]])
    plain, viewed = (
        estimate_question(CLOSED, counts, Options(post_process=view))
        for view in (None, post_process)
    )
    assert not np.allclose(viewed.frequency, plain.frequency)
    for name in ("unbiased", "standard_error", "low", "high", "chances"):
        assert np.array_equal(getattr(viewed, name), getattr(plain, name))
    exact = {
        "norm-sub": norm_sub(plain.frequency),
        "base-cut": base_cut(plain.frequency, plain.chances, 0.95),
        "posterior-mean": posterior_mean(plain.frequency, null_error(plain.law)),
    }
    assert np.array_equal(viewed.frequency, exact[post_process])


def test_corrections_of_p_values():
    """Bonferroni multiplies by the number of values, up to 1.

    The other is Benjamini and Hochberg's, by hand.
    """
    chances = np.array([0.001, 0.3, 0.012, 0.02, 1.0, 0.004, 0.021])
    other = replace(
        estimate_question(CLOSED, np.array([[9, 8, 7, 6, 5, 4, 3]]), Options()),
        chances=chances,
    )
    assert np.allclose(
        adjusted_p_values(other, "bonferroni"), np.minimum(7 * chances, 1)
    )
    order = np.argsort(chances)
    raw = chances[order] * 7 / np.arange(1, 8)
    stepped = np.minimum(np.minimum.accumulate(raw[::-1])[::-1], 1)
    assert np.allclose(adjusted_p_values(other)[order], stepped)
    exactly = replace(other, chances=np.array([0.25 / 7, 0.5, 1, 1, 1, 1, 1]))
    assert (
        detected(exactly, level=0.75, correction="bonferroni").tolist()
        == [True] + [False] * 6
    )
    with pytest.raises(
        EstimateError,
        match=(
            "expected correction to be one of default, bonferroni, benjamini-hochberg, "
            "storey"
        ),
    ):
        adjusted_p_values(other, "x")


def test_the_top_of_a_question_is_not_tested_by_itself():
    """What is picked for being high would be found too often: all values are asked
    for.
    """
    counts = np.array([[90, 8, 7, 6, 5, 4, 3]])
    whole = estimate_question(CLOSED, counts, Options())
    top = whole.top(2)
    assert top.chances.tolist() == whole.chances[:2].tolist()
    with pytest.raises(
        EstimateError,
        match="expected the estimates of all values, got 2 and 5 left out",
    ):
        detected(top)
    assert detected(whole.top(7)).tolist() == detected(whole).tolist()
