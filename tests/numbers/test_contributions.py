"""Devices with many records: what they answer with is exact and bounded, however many
they are.
"""

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from calling import run
from hypothesis import given
from hypothesis import strategies as st

import ldp
import ldp_aggregator
import ldp_simulations
from ldp.answers.contributions import CHOOSING_BYTES, choose
from ldp.errors import AnswerError, SurveyError
from ldp.numbers.randomness import Replay
from ldp.privacy.certificate import certificate
from ldp.survey.compiled import compile_survey
from ldp_client import Client
from ldp_client.tools.codegen import module

HOURS = {"type": "number", "low": 0, "high": 60, "step": 1}
COUNT = {"type": "integer", "low": -3, "high": 9}


def asked(mode, mechanism="dithered", **keys):
    """A question of which a device has many records."""
    if "epsilon_first" not in keys:
        keys["epsilon"] = "1"
    question = ldp.question("x", mechanism=mechanism, per_device=mode, **keys)
    return ldp.survey("s", question)["x"]


def exactly(question, answer):
    """The number that an answer comes to on average over all draws, in steps,
    exactly.
    """
    places = question.places(answer)
    return sum(value + Fraction(rest, 1 << 64) for value, rest in places) / len(places)


NUMBERS = st.lists(
    st.fractions(-100, 200, max_denominator=1000), min_size=1, max_size=9
)


@given(NUMBERS)
def test_averages_are_of_clipped_numbers_and_exact(numbers):
    """Each number is clipped first; the average is rounded down by less than 2^-64 of a
    step.
    """
    expected = sum(min(max(number, 0), 60) for number in numbers) / len(numbers)
    came = exactly(asked("mean", outside="clip", **HOURS), numbers)
    assert 0 <= expected - came < Fraction(1, 1 << 64)


@given(NUMBERS)
def test_sums_are_clipped_afterwards(numbers):
    """The bound is that of the sum, not of a number."""
    expected = min(max(sum(numbers), 0), 60)
    came = exactly(asked("sum", outside="clip", **HOURS), numbers)
    assert 0 <= expected - came < Fraction(1, 1 << 64)


def test_others_are_replaced_or_refused():
    """`outside` as for one number: each of them, for an average; the sum, for a sum."""
    replaced = {
        mode: asked(mode, outside=12, **HOURS)
        for mode in ("mean", "sum", "last", "one")
    }
    assert exactly(replaced["mean"], [100, 14]) == 13
    assert exactly(replaced["sum"], [100, -90]) == 10
    assert exactly(replaced["sum"], [30, 31]) == 12
    assert exactly(replaced["last"], [3, 100]) == 12
    assert exactly(replaced["one"], [4, 100]) == 8
    refusing = {mode: asked(mode, **HOURS) for mode in replaced}
    assert exactly(refusing["sum"], [100, -90]) == 10
    for mode, answer in (("mean", [100, -90]), ("sum", [50, 50]), ("last", [3, 61])):
        with pytest.raises(AnswerError, match="from 0 to 60, got another"):
            refusing[mode].value(answer)
    # Whatever was drawn, a record that does not fit is refused.
    for last in (0, 255):
        with pytest.raises(AnswerError, match="from 0 to 60"):
            refusing["one"].value([3, 61], Replay(bytes([last] * 24)))
    assert refusing["last"].value([61, 3], Replay(bytes(8))) == 3


def test_whole_numbers():
    """An average of whole numbers lies between two; a sum has to lie in the range."""
    mean, total = asked("mean", **COUNT), asked("sum", **COUNT)
    assert mean.rounds
    assert not total.rounds
    assert mean.places([-3, -2, -2]) == ((0, (2 << 64) // 3),)
    assert total.places([20, -14, -9]) == ((0, 0),)
    for question, answer in (
        (mean, [10, 2]),
        (total, [9, 1]),
        (mean, [1.0]),
        (mean, [True]),
    ):
        with pytest.raises(AnswerError, match="expected a whole number"):
            question.value(answer)
    assert asked("mean", mechanism="grr", **COUNT).rounds


def test_cells_take_averages():
    """The average is counted in the cell that it lies in, without a draw."""
    question = asked("mean", mechanism="grr", type="number", edges=[0, 18, 65, 100])
    source = Replay(b"")
    assert question.value([17, 19.5], source) == 1
    assert question.value([100], source) == 2


@pytest.mark.parametrize(
    ("mode", "size"), [("mean", 8), ("sum", 8), ("last", 8), ("one", 24)]
)
def test_as_many_bytes_are_drawn_for_any_records(mode, size):
    """Neither the number of records nor what they are shows in what is drawn, or in the
    report.
    """
    question = asked(mode, outside="clip", **HOURS)
    widths = set()
    for answer in ([3], [3, 4.5], [0] * 1000, [100, 2.25], list(range(50))):
        source = Replay(bytes(100))
        question.value(answer, source)
        assert source.used == size
        widths.add(len(Client(ldp.survey("s", question)).record("x", answer).row))
    assert len(widths) == 1


@pytest.mark.parametrize("records", [1, 2, 3, 7, 10**6])
def test_each_record_is_as_likely_as_another(records):
    """To less than 2^-128: of all draws, so many take each."""
    draws = 1 << 8 * CHOOSING_BYTES
    for record in {0, 1, records // 2, records - 1} & set(range(records)):
        # Those u for which floor(records u / draws) is the record.
        first, after = (-(-draws * bound // records) for bound in (record, record + 1))
        assert abs(Fraction(after - first, draws) - Fraction(1, records)) < Fraction(
            1, draws
        )
        places = [(place, 0) for place in range(records)]
        for drawn in (first, after - 1):
            tape = Replay(drawn.to_bytes(CHOOSING_BYTES, "little"))
            assert choose(places, tape) == (record, 0)


@pytest.mark.parametrize("records", [[1, 2, 2], [0, 9], [5]])
def test_delivered_ratio_is_that_of_one_answer(records):
    """Averaged over draws and rounding, a device's reports differ from another's by at
    most R.
    """
    for mode in ("mean", "last", "one"):
        question = asked(mode, mechanism="grr", low=0, high=9, type="integer")
        rows = question.randomizer.channel().rows
        laws = []
        for answer in (records, [0] * 9, [9, 0]):
            law = [Fraction(0)] * 10
            places = question.places(answer)
            for (value, rest), column in product(places, range(10)):
                above = Fraction(rest, 1 << 64)
                upper = rows[min(value + 1, 9)][column]
                law[column] += (
                    (1 - above) * rows[value][column] + above * upper
                ) / len(places)
            laws.append(law)
        ratio = question.randomizer.ratio
        assert all(
            one <= ratio * other
            for law, against in product(laws, laws)
            for one, other in zip(law, against, strict=True)
        )


@pytest.mark.parametrize(
    "answer", [[], (), np.array([]), 3, "3", b"3", None, {3}, {3: 1}, iter([3])]
)
def test_what_is_no_sequence_of_records_is_refused(answer):
    """An empty one too; the message says nothing of what came but its type."""
    for mode in ("mean", "sum", "last", "one"):
        with pytest.raises(
            AnswerError, match=r"question 'x': expected (a sequence|at least one)"
        ):
            asked(mode, **HOURS).value(answer)


@pytest.mark.parametrize("record", [True, "3", None, float("nan"), [3]])
def test_records_that_do_not_fit_are_refused(record):
    """Wherever they stand, where all are taken."""
    for mode in ("mean", "sum", "one"):
        for answer in ([record, 5], [5, record]):
            with pytest.raises(AnswerError, match="'x': expected a number"):
                asked(mode, **HOURS).value(answer)


def test_columns_of_numpy_are_sequences():
    """Arrays, and the numbers in them."""
    assert exactly(asked("mean", **HOURS), np.array([1.5, 2.0])) == Fraction(7, 4)
    assert exactly(asked("mean", **COUNT), np.array([1, 2])) == Fraction(9, 2)


def test_texts_and_booleans():
    """The last, or one of them; in a Bloom filter too."""
    words = asked("last", mechanism="grr", values=["a", "b", "c"])
    assert words.value(["a", "c"]) == 2
    page = ldp.question("p", type="text", profile="rappor-paper", per_device="one")
    homepage = ldp.survey("s", page)["p"]
    assert homepage.value(["x", "y"], Replay(b"\xff" * 16)) == b"y"
    assert (
        asked("one", mechanism="warner", type="boolean").value(
            [True], Replay(bytes(16))
        )
        == 1
    )


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"values": ["a", "b"], "per_device": "mean"},
            "expected one of last, one, got 'mean'",
        ),
        ({"low": 0, "high": 3, "per_device": "median"}, 'expected "mean", got'),
        (
            {"values": ["a", "b"], "most": 1, "per_device": "one"},
            "per_device: expected nothing",
        ),
        (
            {"values": ["a|b", "c"], "per_device": "one"},
            "values: expected values without |",
        ),
        (
            {"low": 0, "high": 3, "per_device": 1},
            "expected one of mean, sum, last, one, got 1",
        ),
    ],
)
def test_bad_surveys(keys, message):
    """What cannot be made of many records is said."""
    with pytest.raises(SurveyError) as caught:
        ldp.survey("s", ldp.question("x", epsilon="1", **keys))
    assert message in str(caught.value)


def test_memoized_mechanisms_round_no_averages():
    """A permanent response is kept for a point; in cells, and for a last record, there
    is one.
    """
    twice = {"epsilon_first": "1", "epsilon_lifetime": "2"}
    with pytest.raises(SurveyError, match="a memoized mechanism rounds no averages"):
        asked("mean", mechanism="l-grr", low=0, high=3, **twice)
    in_cells = asked("mean", mechanism="l-grr", type="number", edges=[0, 1, 2], **twice)
    client = Client(ldp.survey("s", in_cells))
    reports = [client.record("x", answer) for answer in ([0.5, 0.7], [0.1], [1.5, 0])]
    assert client.ledger().epsilon() < 2.001
    assert len(reports) == 3
    assert asked("last", mechanism="l-grr", low=0, high=3, **twice).value([9, 2]) == 2


def test_fingerprints():
    """Each mode has its own; without one nothing has changed. A survey file says the
    same.
    """
    modes = (None, "mean", "sum", "last", "one")
    questions = [asked(mode, **HOURS) for mode in modes]
    assert len({question.fingerprint for question in questions}) == 5
    assert "per_device" not in json.dumps(compile_survey(ldp.survey("s", questions[0])))
    for question in questions:
        survey = ldp.survey("s", question)
        assert ldp.parse_survey(survey.to_toml()) == survey


def test_certificates_state_the_range():
    """One respondent changes the answer by no more than it is wide."""
    for keys, width in (
        (HOURS, "60"),
        (COUNT, "12"),
        ({"type": "number", "edges": [0, 1, 3]}, "3"),
    ):
        mechanism = "grr" if "edges" in keys else "dithered"
        question = asked("mean", mechanism=mechanism, **keys)
        (stated,) = certificate(ldp.survey("s", question))["questions"]
        assert stated["one_respondent_changes_it_by_at_most"] == width
    (stated,) = certificate(
        ldp.survey("s", asked("one", mechanism="grr", values=["a", "b"]))
    )["questions"]
    assert "one_respondent_changes_it_by_at_most" not in stated


def test_estimates_say_what_they_are_of():
    """The note names what each respondent counts by."""
    notes = {
        "mean": "of each respondent's average of what is clipped to [0, 60]",
        "sum": "of each respondent's sum, clipped to [0, 60]",
        "last": "of each respondent's last record, clipped to [0, 60]",
        "one": "of one record drawn from each respondent's, clipped to [0, 60]",
    }
    for mode, note in notes.items():
        survey = ldp.survey("s", asked(mode, outside="clip", **HOURS))
        reports = ldp_simulations.randomize(survey, {"x": [[1, 2], [70]]})
        assert note in ldp_aggregator.estimate(survey, reports)["x"].note
    assert asked("mean", **HOURS).domain.estimand.endswith("average of their numbers")
    assert (
        "counted as 7 outside [0, 60]"
        in asked("sum", outside=7, **HOURS).domain.estimand
    )


@pytest.mark.parametrize("mode", ["mean", "sum", "last", "one"])
@pytest.mark.parametrize("mechanism", ["dithered", "olh"])
def test_tables_of_records(mode, mechanism):
    """Lists, arrays, cells of a CSV file and single numbers: estimates are of what they
    come to.

    20,000 respondents; off by more than seven standard errors once in 10^11, and a mean
    that were over records, not respondents, would be off by 30.
    """
    keys = HOURS | {"outside": "clip"}
    survey = ldp.survey("s", asked(mode, mechanism=mechanism, **keys))
    generator = np.random.default_rng(5)
    few = [[40, 70.5]] * 10_000
    many = [[float(number) for number in range(10)]] * 10_000
    mean = {"mean": (50 + 4.5) / 2, "sum": (60 + 45) / 2, "last": (60 + 9) / 2}
    expected = mean.get(mode, (50 + 4.5) / 2)
    table = {"x": [*few, *many]}
    population = ldp_simulations.from_table(survey, table)
    assert population["x"].respondents == 20_000
    assert abs(population["x"].mean - expected) < 0.01
    generator.shuffle(table["x"])
    reports = ldp_simulations.randomize(survey, table, seed=1)
    mean = ldp_aggregator.estimate(survey, reports)["x"].mean
    assert abs(mean.estimate - expected) < 7 * mean.standard_error
    assert mean.standard_error < (0.5 if mechanism == "dithered" else 2.5)
    simulated = ldp_simulations.simulate(survey, population, way="reports", seed=2)
    assert simulated.first["x"].reports == 20_000


def test_cells_of_a_table(tmp_path):
    """Records stand between separators; a single one needs none, and none is no
    answer.
    """
    survey = ldp.survey("s", asked("mean", **HOURS))
    (tmp_path / "answers.csv").write_text("x\n1|2.5\n 7 \n\n")
    rows = ldp_simulations.from_table(survey, tmp_path / "answers.csv")["x"]
    assert rows.respondents == 2
    frame = {
        "x": ["1|2.5", 7, 7.0, 7.5, [7, 8.0], np.array([7.0]), None, float("nan"), ""]
    }
    assert ldp_simulations.from_table(survey, frame)["x"].respondents == 6
    whole = ldp.survey("s", asked("sum", **COUNT))
    assert (
        ldp_simulations.from_table(whole, {"x": [[1.0, 2], 3.0, "4|-1"]})["x"].mean == 3
    )
    with pytest.raises(ldp_simulations.AnswersError, match="row 1"):
        ldp_simulations.from_table(survey, {"x": ["1||2"]})


def test_from_the_command_line(tmp_path, monkeypatch):
    """The certificate and the words of `ldp explain`, a table, and typed code."""
    monkeypatch.chdir(tmp_path)
    survey = ldp.survey("s", asked("mean", unit="hours", outside="clip", **HOURS))
    (tmp_path / "s.toml").write_text(survey.to_toml())
    said = run("explain", "s.toml").stdout
    assert "the average of a device's numbers: it answers once" in said
    assert (
        "one respondent      changes the answer by at most 60 hours, however many"
        in said
    )
    (tmp_path / "answers.csv").write_text("x\n" + "1|2.5|99\n" * 100)
    run("randomize", "s.toml", "-i", "answers.csv", "-o", "reports", "-q")
    said = run("estimate", "s.toml", "reports", "--format", "json", "-q").stdout
    assert "average of what is clipped" in json.loads(said)["questions"]["x"]["note"]
    assert "value: Sequence[float]" in module(survey)
    assert "from collections.abc import Sequence" in module(survey)
    run("simulate", "s.toml", "--population", "answers.csv", "-q")
