"""Tables in files: CSV and Parquet say the same."""

import math

import pytest
from calling import run

import ldp
from ldp_simulations import AnswersError
from ldp_simulations.table_files import table_rows
from ldp_simulations.tables import columns_of

SURVEY = ldp.survey(
    "trips",
    ldp.question("mode", ["car", "bus"], epsilon=1, mechanism="grr"),
    ldp.question("daily", type="boolean", epsilon=1),
    ldp.question("kids", type="integer", low=0, high=5, epsilon=1, mechanism="grr"),
)
ROWS = {
    "mode": ["car", None, "bus"],
    "daily": [True, False, None],
    "kids": [2.0, math.nan, 3.0],
}


@pytest.fixture
def parquet(tmp_path):
    """The rows as a file of Parquet."""
    import pyarrow
    from pyarrow.parquet import write_table

    path = tmp_path / "answers.parquet"
    write_table(pyarrow.table(ROWS), path)
    return path


@pytest.mark.needs("pyarrow")
def test_parquet_is_read_as_csv_is(parquet, tmp_path):
    """Missing values are empty, and whole floats are whole."""
    csv = tmp_path / "answers.csv"
    csv.write_text("mode,daily,kids\ncar,true,2\n,false,\nbus,,3\n", encoding="utf-8")
    tables = []
    for path in (parquet, csv):
        with table_rows(path) as rows:
            tables.append(list(rows))
    assert tables[0] == tables[1]
    by_file = [columns_of(SURVEY, path) for path in (parquet, csv)]
    for name in ROWS:
        one, other = (columns[name] for columns in by_file)
        assert one.codes.tolist() == other.codes.tolist()
        assert one.answers == other.answers


@pytest.mark.needs("pyarrow")
def test_commands_read_parquet(parquet, tmp_path):
    """A survey is randomized and simulated from it."""
    survey = tmp_path / "s.toml"
    survey.write_text(SURVEY.to_toml(), encoding="utf-8")
    run("randomize", survey, "-i", parquet, "-o", tmp_path / "r.reports", "-q")
    assert (tmp_path / "r.reports").stat().st_size > 0
    assert "mode" in run("simulate", survey, "--population", parquet, "-q").stdout


@pytest.mark.needs("pyarrow")
def test_what_is_no_parquet_is_refused(tmp_path):
    """Without quoting what it holds."""
    path = tmp_path / "answers.parquet"
    path.write_bytes(b"PAR1 the answer is bus PAR1")
    with pytest.raises(AnswersError, match="expected a Parquet file") as caught:
        columns_of(SURVEY, path)
    assert "bus" not in str(caught.value)
