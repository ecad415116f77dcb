"""`ldp rappor import` and `ldp rappor survey`: google/rappor's files in, estimates
out.
"""

import csv
import io
import json
from fractions import Fraction

import numpy as np
import pytest
from calling import ldp
from google_rappor_files import (
    CELLS,
    PARAMETERS,
    REPORTS,
    SHARES,
    counts_text,
    lines,
    map_cells,
    map_text,
    params_text,
    write_collection,
)
from places import DATA

from ldp import parse_survey
from ldp_aggregator.analyses.health_checks.report_checks import health
from ldp_aggregator.exchange.google_rappor.decoding import legacy_question
from ldp_aggregator.exchange.google_rappor.dialects import DIALECTS
from ldp_aggregator.exchange.google_rappor.files import read_counts, read_reports
from ldp_aggregator.output.files import read_lines

FILES = "--params params.csv --counts counts.csv --map map.csv"
EXAMPLE = DATA / "rappor-example"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def frequencies(line):
    """The frequencies that an import reports, by candidate."""
    record = json.loads(ldp(f"rappor import {line} --format json -q").stdout)
    return {
        value["value"]: value["frequency"]
        for value in record["questions"]["rappor"]["values"]
    }


ODD = PARAMETERS._replace(bits=12)
BASIC = PARAMETERS._replace(bits=4, hashes=1, cohorts=1)
COLLECTIONS = {
    "bloom": (PARAMETERS, CELLS),
    "k no power of two, where positions are not equally likely": (ODD, map_cells(ODD)),
    "basic, one bit a value": (
        BASIC,
        {name: [bit] for bit, name in enumerate(SHARES, 1)},
    ),
    "basic, in any order": (
        BASIC._replace(bits=6),
        dict(zip(SHARES, ([3], [1], [6], [2]), strict=True)),
    ),
}


@pytest.mark.parametrize(("parameters", "cells"), COLLECTIONS.values(), ids=COLLECTIONS)
def test_expected_counts_give_the_truth(parameters, cells, folder):
    """Counts without chance in them decode to the shares that they were made from."""
    write_collection(folder, parameters, cells)
    assert frequencies(FILES) == pytest.approx(
        {name: float(share) for name, share in SHARES.items()}, abs=1e-9
    )


def test_quotes_spaces_and_r_numbers(folder):
    """Quotes, spaces, a byte order mark, blank lines, 6.4e+03 and gaps change nothing.

    A line of spaces is as blank as one without.
    """
    plain = frequencies(FILES)
    (folder / "params.csv").write_text(
        '\ufeff"k", "h" ,"m","p","q","f"\n\n 16, 2, "4", .25, 0.750, 5e-1 \n'
    )
    (folder / "counts.csv").write_text(
        counts_text(PARAMETERS, CELLS).replace(f"{REPORTS},", ' "6.4e+03" , ')
        + " \t \n"
    )
    rows = []
    for name, cells in CELLS.items():
        # R leaves a gap where both hash functions chose the same bit.
        distinct = sorted(set(cells), reverse=True)
        gaps = ["", "NA"] * len(cells)
        rows.append(
            [f'"{name}"', *map(str, distinct), *gaps[: len(cells) - len(distinct)]]
        )
    (folder / "map.csv").write_text("\n".join(" , ".join(row) for row in rows))
    assert frequencies(FILES) == plain
    (folder / "map.csv").write_text(map_text(CELLS).replace("\n", "\n   \n\n"))
    assert frequencies(FILES) == plain


def test_candidates_need_no_map(folder):
    """Candidates that are hashed as the client did give what their map gives."""
    (folder / "words.txt").write_text("\n".join(CELLS) + "\n")
    hashed = frequencies(
        "--params params.csv --counts counts.csv --candidates words.txt --client python"
    )
    assert hashed == frequencies(f"{FILES} --client python")
    other = frequencies(
        "--params params.csv --counts counts.csv --candidates words.txt --client java"
    )
    assert abs(other["red"] - 0.5) > 0.1


@pytest.mark.parametrize(
    ("client", "explained"), [("python", True), ("cpp", True), ("java", False)]
)
def test_another_clients_bits_do_not_explain_the_reports(client, explained, folder):
    """Candidates that were hashed like those of another client fail the check of the
    dictionary.
    """
    (folder / "words.txt").write_text("\n".join(CELLS) + "\n")
    line = "--params params.csv --counts counts.csv --candidates words.txt "
    line += f"--client {client} --format json -q"
    (check,) = json.loads(ldp(f"rappor import {line}").stdout)["questions"]["rappor"][
        "checks"
    ]
    assert check["name"] == "dictionary"
    assert (check["p_value"] > 0.001) == explained


def test_reports_are_counted_from_their_highest_bit(folder):
    """A report's first digit is its highest bit, in binary and in hexadecimal.

    Clients are counted, and columns that hold answers are not read.
    """
    rows = [
        "client,cohort,bloom,prr,irr",
        'c1,0,?,?,"1000000000000001"',
        "c1,3,?,?,0002",
    ]
    (folder / "reports.csv").write_text("\n".join(rows))
    counts, clients = read_reports(folder / "reports.csv", PARAMETERS)
    assert clients == 1
    assert [tuple(cell) for cell in np.argwhere(counts)] == [
        (0, 0),
        (0, 1),
        (0, 16),
        (3, 0),
        (3, 2),
    ]
    assert counts.sum() == 5


@pytest.mark.parametrize("name", ["irr", "rappor"])
def test_reports_have_one_of_two_names(name, folder):
    """That which the client writes, or that which its documentation says."""
    rows = [f"prr, {name} ,cohort", "?,1000000000000001,2"]
    (folder / "reports.csv").write_text("\n".join(rows))
    counts, _ = read_reports(folder / "reports.csv", PARAMETERS)
    assert np.argwhere(counts).tolist() == [[2, 0], [2, 1], [2, 16]]


def test_reports_decode_like_their_counts(folder):
    """A file of reports gives what its counts give, and warns of clients that came
    twice.
    """
    noise = np.random.default_rng(3)
    bits = noise.random((400, 16)) < np.where(np.arange(16) < 4, 0.6, 0.4)
    reports = [
        (
            f"c{number % 100}",
            number % 4,
            "".join("01"[bit] for bit in row[::-1].astype(int)),
        )
        for number, row in enumerate(bits)
    ]
    (folder / "reports.csv").write_text("client,cohort,irr\n" + lines(reports))
    counts = [[100, *bits[cohort::4].sum(axis=0)] for cohort in range(4)]
    (folder / "counts.csv").write_text(lines(counts))
    line = "--params params.csv --reports reports.csv --map map.csv"
    assert frequencies(line) == frequencies(FILES)
    assert "400 reports came from 100 clients" in ldp(f"rappor import {line}").stderr
    assert (
        "100 respondents" in ldp(f"rappor import {line} --reports-per-person 4").stdout
    )


def test_both_epsilons_are_told(folder):
    """Declared and delivered, for one report and for all.

    A client that delivers less than was declared is told of.
    """
    messages = ldp(f"rappor import {FILES}").stderr
    assert "declared 2.043303, delivered 2.043303" in messages
    assert "declared 4.394450, delivered 4.394450" in messages
    (folder / "params.csv").write_text("k,h,m,p,q,f\n16,2,4,0.25,0.75,0.3\n")
    assert (
        "less privacy than was declared"
        in ldp(f"rappor import {FILES} --client java").stderr
    )
    assert (
        "less privacy than was declared"
        not in ldp(f"rappor import {FILES} --client python").stderr
    )
    (folder / "params.csv").write_text("k,h,m,p,q,f\n16,2,4,0.25,0.75,0\n")
    assert "eps_inf is INFINITE" in ldp(f"rappor import {FILES}").stderr
    assert ldp(f"rappor import {FILES} -q").stderr == ""


def test_a_client_is_decoded_with_what_it_drew(folder):
    """For the C++ client p = .34 is .3359375 and q = .41 is .40625: else estimates are
    biased.
    """
    drawn = PARAMETERS._replace(p=Fraction("0.34"), q=Fraction("0.41"))
    (folder / "params.csv").write_text(params_text(drawn))
    counts = counts_text(
        drawn, CELLS, 2**20, dialect=DIALECTS["cpp"], shares={"red": 1}
    )
    (folder / "counts.csv").write_text(counts)
    assert frequencies(f"{FILES} --client cpp")["red"] == pytest.approx(1, abs=1e-9)
    assert abs(frequencies(FILES)["red"] - 1) > 0.01


def test_rates_that_no_client_can_have_are_told(folder):
    """Bits that are set more often than any answer sets them are no answer, but a
    warning.
    """
    (folder / "counts.csv").write_text(lines([[REPORTS] * 17] * 4))
    messages = ldp(f"rappor import {FILES}").stderr
    assert "warning: question 'rappor': rates" in messages
    assert "64 of 64 rates lie outside [0.375, 0.625]" in messages


def test_options_and_writers_are_those_of_estimate(folder):
    """Level, estimand, JSON, pictures and post-processing, as for `ldp estimate`."""
    ldp(
        f"rappor import {FILES} --level 0.9 --estimand population --format json -o "
        "out.json --plot out.svg -q"
    )
    question = json.loads((folder / "out.json").read_text())["questions"]["rappor"]
    assert (question["mechanism"], question["reports"], question["level"]) == (
        "google/rappor",
        4 * REPORTS,
        0.9,
    )
    assert (folder / "out.svg").read_text().startswith("<svg")
    assert "biased" in ldp(f"rappor import {FILES} --post-process norm-sub").stdout


def test_export_has_the_columns_of_its_decoder(folder):
    """What is found, the most frequent first, in its seven columns, whatever view is
    printed.
    """
    ldp(f"rappor import {FILES} --export results.csv --post-process base-cut -q")
    rows = list(csv.DictReader(io.StringIO((folder / "results.csv").read_text())))
    columns = [
        "string",
        "estimate",
        "std_error",
        "proportion",
        "prop_std_error",
        "prop_low_95",
        "prop_high_95",
    ]
    assert list(rows[0]) == columns
    assert [row["string"] for row in rows] == ["red", "green", "blue"]
    for row in rows:
        share = float(SHARES[row["string"]])
        assert float(row["estimate"]) == pytest.approx(4 * REPORTS * share)
        assert float(row["prop_low_95"]) < share < float(row["prop_high_95"])
        assert float(row["std_error"]) == pytest.approx(
            4 * REPORTS * float(row["prop_std_error"])
        )
    assert (
        "expected level 0.95"
        in ldp(f"rappor import {FILES} --level 0.9 --export results.csv", 1).stderr
    )


@pytest.mark.parametrize("option", ["--export", "--output", "--plot", "--cells"])
def test_what_cannot_be_written_is_refused_before_decoding(option, folder, monkeypatch):
    """A folder that is not there, and a path that is one; nothing has been decoded by
    then.
    """
    monkeypatch.setattr("ldp_aggregator.exchange.google_rappor.decoding.decode", None)
    line = f"rappor import {FILES} {option}"
    message = ldp(f"{line} none/results.svg", 1).stderr
    assert (
        "expected to write none/results.svg, got No such file or directory" in message
    )
    assert (
        f"expected to write {folder}, got Is a directory"
        in ldp(f"{line} {folder}", 1).stderr
    )
    assert not (folder / "none").exists()


def test_survey_for_new_collections(folder):
    """The survey file that goes on has the same numbers under our names, or is refused.

    It is refused where they teach nothing.
    """
    ldp("rappor survey --params params.csv --name colour -o colour.toml")
    randomizer = parse_survey((folder / "colour.toml").read_text())["colour"].randomizer
    assert (randomizer.bits, randomizer.hashes, randomizer.cohorts) == PARAMETERS[:3]
    assert randomizer.support == DIALECTS["python"].as_run(PARAMETERS).support
    assert (
        "unless h = m = 1"
        in ldp("rappor survey --params params.csv --map map.csv", 2).stderr
    )
    (folder / "params.csv").write_text("k,h,m,p,q,f\n16,2,4,0.25,0.25,0.5\n")
    assert (
        "params.csv: question 1 (rappor).p, q, f"
        in ldp("rappor survey --params params.csv", 1).stderr
    )


def test_basic_survey_for_new_collections(folder):
    """One bit for each value, which have to be named: in one cohort, hashed ones
    collide.
    """
    (folder / "params.csv").write_text("k,h,m,p,q,f\n4,1,1,0.25,0.75,0.5\n")
    line = "rappor survey --params params.csv --name mode -o mode.toml"
    assert "name its values by --map or --values" in ldp(line, 2).stderr
    (folder / "map.csv").write_text("bus,2\nfoot,3\ncar,1\n")
    ldp(f"{line} --map map.csv")
    asked = parse_survey((folder / "mode.toml").read_text())["mode"]
    assert asked.domain.values == ("car", "bus", "foot")
    assert asked.randomizer[:3] == (3, 0, 1)
    (folder / "values.txt").write_text("bus\ncar\n")
    ldp(f"{line} --values values.txt")
    values = parse_survey((folder / "mode.toml").read_text())["mode"].domain.values
    assert values == ("bus", "car")
    for options, status, message in (
        ("--values values.txt --map map.csv", 2, "either --map or --values"),
        ("--map twice.csv", 1, "got one bit for two"),
        (
            "--values many.txt",
            1,
            "expected at most 4 values, one for each bit (k), got 5",
        ),
    ):
        (folder / "twice.csv").write_text("bus,2\ncar,2\n")
        (folder / "many.txt").write_text("a\nb\nc\nd\ne\n")
        assert message in ldp(f"{line} {options}", status).stderr


def test_bits_in_opposite_order_are_named(folder):
    """The reports of one who wrote the lowest bit first: the cause, and not texts in no
    list.
    """
    rows = [row.split(",") for row in COUNTS.splitlines()]
    (folder / "counts.csv").write_text(lines([row[0], *row[:0:-1]] for row in rows))
    line = "rappor import --params params.csv --counts counts.csv --map map.csv"
    assert "they were written lowest bit first" in ldp(line).stderr
    (folder / "counts.csv").write_text(COUNTS)
    assert "lowest bit first" not in ldp(line).stderr


MAP, COUNTS = map_text(CELLS), counts_text(PARAMETERS, CELLS)
FIRST = COUNTS.splitlines()[0]
BAD = {
    "params-missing": ("params.csv", None, "No such file: params.csv"),
    "params-short": (
        "params.csv",
        "k,h,m,p,q,f\n",
        "params.csv: expected a header k,h,m,p,q,f and one row of numbers",
    ),
    "params-header": (
        "params.csv",
        "k,h,m,q,f\n1,2,3,4,5\n",
        "params.csv: row 1: expected the header k,h,m,p,q,f",
    ),
    "params-twice": (
        "params.csv",
        "k,h,m,p,q,f,k\n16,2,4,.25,.75,.5,8\n",
        (
            "row 1, column 7: expected columns whose names differ, got 'k' of column 1 "
            "again"
        ),
    ),
    "params-width": (
        "params.csv",
        "k,h,m,p,q,f\n16,2,4\n",
        "params.csv: row 2: expected 6 cells",
    ),
    "params-k": (
        "params.csv",
        "k,h,m,p,q,f\n1.5,2,4,0,1,.5\n",
        "row 2, column 1: expected a whole number from 1 to",
    ),
    "params-h": (
        "params.csv",
        "k,h,m,p,q,f\n16,17,4,0,1,.5\n",
        "column 2: expected a whole number from 1 to 16",
    ),
    "params-size": (
        "params.csv",
        "k,h,m,p,q,f\n65536,2,65536,0,1,.5\n",
        "column 3: expected a whole number from 1 to 256",
    ),
    "params-p": (
        "params.csv",
        "k,h,m,p,q,f\n16,2,4,nan,1,.5\n",
        "column 4: expected a probability from 0 to 1",
    ),
    "params-q": (
        "params.csv",
        "k,h,m,p,q,f\n16,2,4,0,1.01,.5\n",
        "column 5: expected a probability from 0 to 1",
    ),
    "no-signal": (
        "params.csv",
        "k,h,m,p,q,f\n16,2,4,.2,.7,1\n",
        "p different from q, and f below 1",
    ),
    "no-noise": ("params.csv", "k,h,m,p,q,f\n16,2,4,0,1,0\n", "noise on every bit"),
    "counts-missing": ("counts.csv", None, "No such file: counts.csv"),
    "counts-empty": (
        "counts.csv",
        "",
        "counts.csv: expected 4 rows, one for each cohort, got 0",
    ),
    "counts-cohorts": (
        "counts.csv",
        COUNTS + FIRST,
        "counts.csv: expected 4 rows, one for each cohort, got 5",
    ),
    "counts-width": (
        "counts.csv",
        COUNTS.replace(FIRST, FIRST + ",1"),
        "row 1: expected 17 cells",
    ),
    "counts-text": (
        "counts.csv",
        COUNTS.replace("6400,", "many,", 1),
        "row 1, column 1: expected a whole number",
    ),
    "counts-negative": (
        "counts.csv",
        COUNTS.replace("6400,", "-1,", 1),
        "row 1, column 1: expected a whole number",
    ),
    "counts-impossible": (
        "counts.csv",
        COUNTS.replace("6400,", "100,", 1),
        "from 0 to 100 (the reports of the cohort)",
    ),
    "counts-sum": (
        "counts.csv",
        lines([[2**51] * 17] * 3 + [[2**51 + 2**51 + 1] + [0] * 16]),
        "row 4: expected at most 9007199254740992 reports in all cohorts together, got "
        f"{5 * 2**51 + 1} up to here",
    ),
    "map-empty": (
        "map.csv",
        "\n",
        "map.csv: expected one row for each candidate, got none",
    ),
    "map-twice": (
        "map.csv",
        MAP + MAP,
        "map.csv: row 5, column 1: expected names that all differ, got that of row 1",
    ),
    "map-zero": (
        "map.csv",
        "red,0,1,17,18,33,34,49,50",
        "row 1, column 2: expected a whole number from 1 to 64, got '0'",
    ),
    "map-large": (
        "map.csv",
        "red,1,2,17,18,33,34,49,65",
        "row 1, column 9: expected a whole number from 1 to 64",
    ),
    "map-cohort": (
        "map.csv",
        "red,1,2,3,18,33,34,49,50",
        "1 to 2 bits in each cohort (those of cohort 0 are 1 to 16)",
    ),
    "map-short": ("map.csv", "red,1,2", "got 0 in cohort 1"),
    "map-bytes": (
        "map.csv",
        b"\xff\xfe",
        "map.csv: expected UTF-8 text, got the byte 0xff after row 0",
    ),
    "map-cell": (
        "map.csv",
        "red," + "1" * 200_000,
        "map.csv: row 1: expected comma-separated cells",
    ),
}


@pytest.mark.parametrize(("name", "content", "told"), BAD.values(), ids=BAD)
def test_bad_files(name, content, told, folder):
    """Every malformed file is a message with the file, the place, what was expected and
    what came.

    And exit code 1.
    """
    path = folder / name
    path.unlink()
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert told in ldp(f"rappor import {FILES}", 1).stderr


BAD_REPORTS = {
    "empty": ("", "the columns cohort and irr (or rappor), got an empty file"),
    "header": (
        "client,value\n",
        "the columns cohort and irr (or rappor), got 'client,value'",
    ),
    "counts": ("6400,7,7\n", "the columns cohort and irr (or rappor), got '6400,7,7'"),
    "cohort twice": (
        "cohort,irr,cohort\n",
        (
            "row 1, column 3: expected columns whose names differ, got 'cohort' of "
            "column 1 again"
        ),
    ),
    "irr twice": (
        f"cohort,irr,irr\n1,{'0' * 16},{'1' * 16}\n",
        "got 'irr' of column 2 again",
    ),
    "both": (
        "cohort,rappor,irr\n",
        "row 1: expected one column of reports, irr or rappor, got",
    ),
    "width": ("cohort,irr\n1\n", "row 2: expected 2 cells"),
    "cohort": (
        f"cohort,irr\n4,{'0' * 16}\n",
        "row 2, column 1: expected a whole number from 0 to 3, got '4'",
    ),
    "digits": (
        f"cohort,irr\n1,{'0' * 15}2\n",
        "row 2, column 2: expected 16 digits 0 or 1",
    ),
    "length": (
        f"cohort,irr\n1,{'0' * 15}\n",
        "row 2, column 2: expected 16 digits 0 or 1",
    ),
}


@pytest.mark.parametrize(("content", "told"), BAD_REPORTS.values(), ids=BAD_REPORTS)
def test_bad_reports(content, told, folder):
    """The same for files of reports; a cohort out of range stops nothing but the
    import.
    """
    (folder / "reports.csv").write_text(content)
    assert (
        told
        in ldp(
            "rappor import --params params.csv --reports reports.csv --map map.csv", 1
        ).stderr
    )


@pytest.mark.parametrize(
    "line",
    [
        "--params params.csv --map map.csv",
        "--params params.csv --counts counts.csv",
        f"{FILES} --reports counts.csv",
        f"{FILES} --candidates map.csv",
        "--params params.csv --counts counts.csv --candidates map.csv",
        f"{FILES} --client rust",
        f"{FILES} --plot picture.gif",
    ],
)
def test_wrong_calls(line, folder):
    """Calls that cannot be understood end with exit code 2."""
    ldp(f"rappor import {line}", 2)


def test_no_candidates(folder):
    """An empty file of candidates is told of, too."""
    (folder / "words.txt").write_text("\n")
    line = (
        "--params params.csv --counts counts.csv --candidates words.txt --client java"
    )
    assert (
        "words.txt: expected one line for each candidate, got none"
        in ldp(f"rappor import {line}", 1).stderr
    )


def test_only_line_ends_end_lines(folder):
    r"""A candidate may have a form feed or U+2028 in it: lines end at \n, \r\n and \r
    alone.
    """
    (folder / "words.txt").write_bytes(
        "red\u2028x\r\ngreen\x0cy\rblue \n\x85z\n\n".encode()
    )
    assert read_lines(folder / "words.txt") == (
        "red\u2028x",
        "green\x0cy",
        "blue",
        "\x85z",
    )


def test_more_reports_each_than_reports(folder):
    """Of no respondent's whole reports there is nothing to check, and nothing to
    estimate.
    """
    question = legacy_question(PARAMETERS, None, "params.csv")
    counts = read_counts(folder / "counts.csv", PARAMETERS)
    assert health(question, counts, reports_per_person=4 * REPORTS)
    assert health(question, counts, reports_per_person=1 << 63) == ()
    read = (
        "expected at least the 1000000000 reports that a respondent sent, got "
        f"{4 * REPORTS}"
    )
    assert (
        read in ldp(f"rappor import {FILES} --reports-per-person 1000000000", 1).stderr
    )
    ldp(f"rappor import {FILES} --reports-per-person {1 << 63}", 2)


def test_no_reports(folder):
    """Without reports there are candidates without numbers, and nothing is found."""
    (folder / "counts.csv").write_text(lines([[0] * 17] * 4))
    assert "no reports yet" in ldp(f"rappor import {FILES} --export results.csv").stdout
    assert len((folder / "results.csv").read_text().splitlines()) == 1


def test_signal_lost_in_rounding(folder):
    """Parameters that a client rounds to pure noise, or none, are refused with what it
    draws.
    """
    (folder / "params.csv").write_text("k,h,m,p,q,f\n16,2,4,0.5,0.501,0.5\n")
    assert (
        "params.csv: expected p, q and f that leave signal"
        in ldp(f"rappor import {FILES} --client cpp", 1).stderr
    )


@pytest.mark.needs("rappor-example")
def test_published_example(tmp_path):
    """Of 300 strings and 10,000,000 reports, 100 to 130 are found, with most of the
    mass.
    """
    files = " ".join(
        f"--{name} {EXAMPLE / name}.csv" for name in ("params", "counts", "map")
    )
    ldp(
        f"rappor import {files} -q --export {tmp_path}/r.csv --plot {tmp_path}/p.svg "
        f"-o {tmp_path}/table.txt"
    )
    rows = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text())))
    assert 100 <= len(rows) <= 130
    assert rows[0]["string"] == "V_1"
    assert 0.9 <= sum(float(row["proportion"]) for row in rows) <= 1.02
    assert "10,000,000 reports" in (tmp_path / "table.txt").read_text()
    assert (tmp_path / "p.svg").stat().st_size > 10_000
