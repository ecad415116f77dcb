"""Results: how estimates print, export, and say that there is nothing to say."""

import csv
import dataclasses
import html.parser
import io
import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from specimens import question
from surveys import COMMUTE_SURVEY

from ldp import Survey
from ldp_aggregator import Options, Tally, detected, estimate
from ldp_aggregator.counting import empty_counts
from ldp_aggregator.detection import adjusted_p_values
from ldp_aggregator.estimation import estimates_from, moments_of
from ldp_aggregator.manipulation import manipulation
from ldp_aggregator.tables import as_json, table

NASTY = ['<script>alert("x")</script>', "a & b", 'quote " and, comma', "[bold]red[/bold]", "line\nbreak", "=1+1", "ü"]
_KEYS = f'type = "category"\nvalues = {json.dumps(NASTY, ensure_ascii=False)}\nepsilon = 1'
NASTY_TALLY = Tally(Survey("<i>s</i>", (question("grr", _KEYS),)), {"x": np.array([[90, 80, 70, 60, 50, 40, 30]])})
EMPTY = Tally.empty(COMMUTE_SURVEY)
COLUMNS = ["question", "value", "count", "frequency", "standard_error", "low", "high"]


@pytest.fixture
def nasty():
    return estimate(NASTY_TALLY)


def test_results_are_frozen(nasty):
    """What was estimated is not changed by accident."""
    for record, field in ((nasty, "survey"), (nasty["x"], "reports"), (nasty["x"]["ü"], "frequency")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, field, 0)


def test_repr_shows_every_number_with_its_error(nasty):
    """The survey, the question, what the numbers are, and each value with error and interval."""
    shown = repr(nasty)
    assert NASTY_TALLY.survey.fingerprint.hex() in shown
    assert "x (grr, epsilon 1, 420 reports; 0.95 score intervals for the respondents)" in shown
    found = nasty["x"]["a & b"]
    assert f"a & b: {found.frequency:.4f} +- {found.standard_error:.4f} [{found.low:.4f}, {found.high:.4f}]" in shown


def test_counts_are_frequencies_times_reports(nasty):
    """One number, in two units; iterating, indexing and arrays agree."""
    for index, found in enumerate(nasty["x"]):
        assert found == nasty["x"][NASTY[index]]
        assert found.count == pytest.approx(420 * nasty["x"].frequency[index])
        assert 0 <= found.low <= found.high <= 1
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
    """Values, names and notes are text: no tag comes out but the table's own."""
    page = Reader(nasty._repr_html_())
    assert page.tags == {"table", "caption", "b", "thead", "tbody", "tr", "th", "td"}
    assert set(NASTY) <= set(page.texts)


def test_tables_show_markup_as_it_is(nasty):
    """A value that looks like markup of the table printer is printed, not obeyed."""
    shown = table(nasty)
    assert "[bold]red[/bold]" in shown
    assert '<script>alert("x")</script>' in shown
    assert "\x1b" not in shown


def test_dictionaries_are_json(nasty):
    """`to_dict` survives JSON unchanged, without NaN, also with a covariance."""
    for options in (Options(), Options(covariance=True, simultaneous="sidak", estimand="population", post="norm-sub")):
        told = estimate(NASTY_TALLY, options).to_dict()
        assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert json.loads(as_json(nasty)) == nasty.to_dict()


def test_csv_comes_back_as_it_was(nasty):
    """Every value, however awkward, is one record; numbers come back to the last bit."""
    records = list(csv.DictReader(io.StringIO(nasty.to_csv())))
    assert list(records[0]) == COLUMNS
    assert [record["value"] for record in records] == NASTY
    for record, found in zip(records, nasty["x"], strict=True):
        numbers = [float(record[column]) for column in COLUMNS[2:]]
        assert numbers == [found.count, found.frequency, found.standard_error, found.low, found.high]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_hold_the_records(library, nasty):
    """Both kinds of data frame have the columns of the CSV, text and floats; also where nothing was reported."""
    pytest.importorskip(library)
    frame = getattr(nasty, f"to_{library}")()
    assert list(frame.columns) == COLUMNS
    assert list(frame["value"]) == NASTY
    assert list(frame["frequency"]) == nasty["x"].frequency.tolist()
    empty = getattr(estimate(EMPTY), f"to_{library}")()
    assert list(empty.columns) == COLUMNS
    assert len(empty) == 6


@pytest.mark.filterwarnings("error")
def test_no_reports_are_no_numbers():
    """Before the first report a frequency is not a number, its interval is all of [0, 1], and a note says why."""
    found = estimate(EMPTY)
    for name in ("smoker", "transport"):
        for each in found[name]:
            assert all(math.isnan(number) for number in (each.count, each.frequency, each.standard_error))
            assert (each.low, each.high) == (0, 1)
        told = found[name].to_dict()
        assert told["note"] == "no reports yet"
        assert [(value["frequency"], value["interval"]) for value in told["values"]] == [(None, [0, 1])] * len(
            found[name]
        )
    json.dumps(found.to_dict(), allow_nan=False)
    for shown in (repr(found), found._repr_html_(), table(found)):
        assert "no reports yet" in shown


@pytest.mark.parametrize("candidates", [None, {}, {"homepage": ()}])
def test_open_questions_without_candidates_say_so(candidates):
    """Reports alone name no texts: there are no values, and the note says what to do."""
    counts = {each.name: empty_counts(each.layout) for each in COMMUTE_SURVEY}
    counts["homepage"][0] = 5
    found = estimate(Tally(COMMUTE_SURVEY, counts), candidates=candidates)["homepage"]
    assert (len(found), found.reports) == (0, 5)
    assert "candidates" in found.note
    assert found.to_dict()["values"] == []
    assert found.note in repr(found)


def test_detection_counts_its_values(nasty):
    """A value far above noise is found, a value at zero is not; both corrections have as many verdicts as values."""
    counts = {"x": np.array([[4000, 1000, 1000, 1000, 1000, 1000, 1000]])}
    found = estimate(Tally(NASTY_TALLY.survey, counts))["x"]
    for correction in ("bonferroni", "benjamini-hochberg"):
        assert detected(found, correction=correction).tolist() == [True] + [False] * 6


@pytest.mark.parametrize(
    ("correction", "adjusted", "found"),
    [("bonferroni", [0.04, 0.08, 0.12, 1.0], 1), ("benjamini-hochberg", [0.04, 0.04, 0.04, 0.5], 3)],
)
def test_corrections_by_hand(correction, adjusted, found):
    """Four chances, worked out by the formulas of Dunn, and of Benjamini and Hochberg; a level is inclusive."""
    estimates = SimpleNamespace(chances=np.array([0.01, 0.02, 0.03, 0.5]))
    assert adjusted_p_values(estimates, correction) == pytest.approx(adjusted)
    assert detected(estimates, 0.96 - 1e-12, correction).sum() == found
    assert detected(estimates, 0.97, correction).sum() == 0


def test_where_nothing_is_known_an_interval_is_everything():
    """Whatever the estimate is; the values of which something is known keep theirs."""
    asked = question("grr", 'type = "category"\nvalues = ["a", "b", "c"]\nepsilon = "1"')
    counts = np.array([[500, 300, 200]])
    moments = moments_of(asked.randomizer, counts, asked.domain.values)
    bound = manipulation(asked.randomizer, counts, with_mean=False)
    plain, marked = (
        estimates_from(each, asked, 1000, asked.domain.values, Options(), bound)
        for each in (moments, replace(moments, unknown=np.array([False, True, False])))
    )
    assert (marked.low[1], marked.high[1]) == (0, 1) != (plain.low[1], plain.high[1])
    assert list(marked.low[[0, 2]]) == list(plain.low[[0, 2]])
    assert list(marked.high[[0, 2]]) == list(plain.high[[0, 2]])
