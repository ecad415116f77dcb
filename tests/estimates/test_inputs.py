"""Estimates from what an analyst has at hand, and what is said where it is something
else.

Bytes, paths, tallies, and several of these.
"""

from functools import cache

import numpy as np
import pytest

import ldp
import ldp_aggregator
import ldp_simulations
from ldp.wire.wire import encode_frame
from ldp_aggregator import FileError, Ingest, Options, Tally, encode_tally, estimate

SURVEY = ldp.survey(
    "trip",
    ldp.question("mode", ["car", "bus", "bike"], mechanism="grr", epsilon="3"),
    ldp.question("homepage", candidates="homepages.txt", profile="rappor-paper"),
    ldp.question("age", low=0, high=9, mechanism="grr", epsilon="3"),
)
OTHER = ldp.survey("other", *SURVEY)
TABLE = {
    "mode": ["car", "bus"] * 50,
    "homepage": ["a.org"] * 100,
    "age": list(range(10)) * 10,
}


@cache
def first_reports():
    """A hundred reports."""
    return ldp_simulations.randomize(SURVEY, TABLE, seed=1)


@cache
def more_reports():
    """A hundred other reports."""
    return ldp_simulations.randomize(SURVEY, TABLE, seed=2)


def tally_of(*files):
    """The tally that an ingest makes of report files."""
    ingest = Ingest(SURVEY)
    for file in files:
        ingest.feed(file)
        ingest.end_of_stream()
    return ingest.tally


def shown(estimates):
    """All numbers of some estimates."""
    return estimates.to_dict()


WAYS = {
    "bytes": lambda _: first_reports() + more_reports(),
    "bytearray": lambda _: bytearray(first_reports() + more_reports()),
    "list of bytes": lambda _: [first_reports(), memoryview(more_reports())],
    "path": lambda folder: folder / "both",
    "text of a path": lambda folder: str(folder / "both"),
    "paths": lambda folder: [folder / "one", str(folder / "two")],
    "generator": lambda folder: (folder / name for name in ("one", "two")),
    "tally": lambda _: tally_of(first_reports(), more_reports()),
    "tally file": lambda folder: folder / "tally",
    "bytes of a tally": lambda _: encode_tally(
        tally_of(first_reports(), more_reports())
    ),
    "one of each": lambda folder: [tally_of(first_reports()), folder / "two"],
    "one of them twice": lambda folder: [first_reports(), folder / "both"],
}


@pytest.fixture
def folder(tmp_path):
    """Report files and a tally file."""
    (tmp_path / "one").write_bytes(first_reports())
    (tmp_path / "two").write_bytes(more_reports())
    (tmp_path / "both").write_bytes(first_reports() + more_reports())
    (tmp_path / "tally").write_bytes(
        encode_tally(tally_of(first_reports(), more_reports()))
    )
    return tmp_path


@pytest.mark.parametrize("way", WAYS)
def test_reports_come_as_people_have_them(way, folder):
    """Whatever holds the reports, the estimates are those of the tally of all."""
    options = Options(level=0.9)
    candidates = {"homepage": ["a.org", "b.org"]}
    wanted = estimate(
        tally_of(first_reports(), more_reports()),
        options=options,
        candidates=candidates,
    )
    estimates = estimate(
        SURVEY, WAYS[way](folder), options=options, candidates=candidates
    )
    assert shown(estimates) == shown(wanted)
    assert estimates["mode"].reports == 200


def test_aggregating_gives_the_tally():
    """The step between reports and estimates, its intake included."""
    assert ldp_aggregator.aggregate(
        SURVEY, [first_reports(), first_reports()]
    ) == tally_of(first_reports(), first_reports())


def test_what_holds_no_reports_is_refused():
    """With the place of what is wrong, and nothing estimated."""
    equal = [tally_of(first_reports())] * 2
    for reports, error, words in (
        (7, TypeError, "of type int"),
        ([first_reports(), None], TypeError, "of type NoneType"),
        ("no-such-file", FileError, "No such file: no-such-file"),
        (ldp_simulations.randomize(OTHER, TABLE), FileError, "fingerprint"),
        (Tally.empty(OTHER), FileError, "source 1: this tally is of survey "),
        ([b"", b"LDPT damaged"], FileError, "source 2: snapshot-damaged"),
        (equal, FileError, "source 2: expected tallies of different batches"),
    ):
        with pytest.raises(error, match=words):
            estimate(SURVEY, reports)


def test_equal_tallies_count_where_they_are_allowed():
    """Two tallies of equal counts may be of different reports, if somebody says so."""
    both = ldp_aggregator.aggregate(
        SURVEY, [tally_of(first_reports())] * 2, allow_equal=True
    )
    assert both.reports("mode") == 200


def test_rejected_batches_are_warned_about():
    """What was left out is said, and the rest estimated."""
    strange = ldp_simulations.randomize(OTHER, TABLE)
    with pytest.warns(
        UserWarning, match=r"3 of 6 batches were rejected: 3 fingerprint"
    ):
        assert estimate(SURVEY, [first_reports(), strange])["mode"].reports == 100
    with pytest.raises(FileError, match="damaged"):
        estimate(SURVEY, encode_frame(b"")[:-1])


def test_a_tally_needs_no_reports_and_a_survey_does():
    """What is missing, or one too many, is said in the words of the call."""
    with pytest.raises(TypeError, match="got a survey alone"):
        estimate(SURVEY)
    with pytest.raises(TypeError, match="options=, candidates= and names="):
        estimate(Tally.empty(SURVEY), Options())


def test_unknown_questions_are_not_passed_over():
    """A name that is mistyped does not silently give nothing."""
    for asked in ({"names": ["mod"]}, {"candidates": {"mod": ["a.org"]}}):
        with pytest.raises(
            ldp.UnknownNameError, match=r"\(mode, homepage, age\), got 'mod'"
        ):
            estimate(SURVEY, first_reports(), **asked)


@cache
def estimates():
    """Estimates of all questions."""
    return estimate(SURVEY, first_reports(), candidates={"homepage": ["a.org"]})


def test_unknown_names_say_what_there_is():
    """A question or a value that is not there: a KeyError that lists those that are."""
    with pytest.raises(KeyError) as caught:
        estimates()["mod"]
    assert str(caught.value) == (
        "expected one of the questions estimated (mode, homepage, age), got 'mod'; did "
        "you mean 'mode'?"
    )
    with pytest.raises(ldp.UnknownNameError) as caught:
        estimates()["mode"]["tram"]
    assert str(caught.value) == (
        "expected one of the values of question 'mode' (car, bus, bike), got 'tram'"
    )
    with pytest.raises(KeyError, match="got True"):
        estimates()["mode"][True]


def test_of_many_names_some_are_shown():
    """A message stays short whatever there is, and finds what is alike."""
    known = [f"value {number}" for number in range(1000)]
    message = str(ldp.UnknownNameError("value 99x", known, "one of the values"))
    assert "value 19 and 980 more)" in message
    assert "did you mean 'value 99" in message
    assert "(there is none)" in str(ldp.UnknownNameError("x", [], "a name"))
    assert "did you mean" not in str(
        ldp.UnknownNameError("x" * 65, ["x" * 64], "a name")
    )


def test_values_are_looked_up_by_name():
    """The estimate of a value is the one at its place, its interval the ends of
    that.
    """
    question = estimates()["mode"]
    assert [question[value] for value in question.values] == list(question)
    assert question["bus"].interval == (question.low[1], question.high[1])
    assert question["bus"].count == 100 * question["bus"].frequency
    top = question.top(1)
    assert [top[value] for value in top.values] == list(top)


def test_looking_up_a_value_does_not_search():
    """A hundred thousand look-ups among twice as many values are done in a moment."""
    values = [str(number) for number in range(200_000)]
    survey = ldp.survey("s", ldp.question("x", values, mechanism="grr", epsilon=1))
    counts = {"x": np.ones((1, len(values)), dtype=np.int64)}
    question = estimate(Tally(survey, counts))["x"]
    # By search this would make ten billion comparisons.
    assert all(question[value].value == value for value in values[::2])


def test_one_question_as_a_table():
    """The rows of a question, its mean among them, for pandas and polars."""
    import pandas
    import polars

    frame = estimates()["age"].to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    whole = estimates().to_pandas()
    of_age = whole[whole["question"] == "age"].reset_index(drop=True)
    pandas.testing.assert_frame_equal(frame, of_age)
    assert list(frame["value"]) == [*map(str, range(10)), "mean"]
    assert isinstance(estimates()["mode"].to_polars(), polars.DataFrame)
    assert estimates()["mode"].to_polars()["value"].to_list() == ["car", "bus", "bike"]


def test_plots_are_figures():
    """A figure of matplotlib with the bars, and the truth where it is given."""
    from matplotlib.figure import Figure

    figure = estimates()["mode"].plot()
    assert isinstance(figure, Figure)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "car",
        "bus",
        "bike",
    ]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(
        estimates()["mode"].frequency
    )
    assert axes.get_legend() is None
    assert (
        estimates()["mode"].plot(truth=[0.5, 0.5, 0]).axes[0].get_legend() is not None
    )
    assert len(estimates().plot(truth={"mode": [0.5, 0.5, 0]}).axes) == 3
