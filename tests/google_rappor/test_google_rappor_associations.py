"""`ldp rappor associate`: google/rappor's reports to several variables, joint answers
out.
"""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from calling import ldp
from places import DATA

from ldp import EstimateError
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.other_results import Candidates
from ldp_aggregator.exchange.google_rappor.associations import (
    JointReports,
    Variable,
    associate_variables,
    check_kinds,
    read_joint_reports,
)
from ldp_aggregator.exchange.google_rappor.dialects import DIALECTS
from ldp_aggregator.exchange.google_rappor.files import Parameters

PYTHON = DIALECTS["python"]
PARAMETERS = Parameters(8, 1, 16, p=Fraction(1, 4), q=Fraction(3, 4), f=Fraction(1, 2))
ONE, ZERO = Fraction(5, 8), Fraction(3, 8)
PARAMS = "k,h,m,p,q,f\n8,1,16,0.25,0.75,0.5\n"
SCHEMA = (
    "metric, var, var_type, "
    "params\nm,domain,string,m_params\nm,https,boolean,m_params\n"
)
STRING = Variable("domain", PARAMETERS, "m_params.csv")
BOOLEAN = Variable("https", PARAMETERS._replace(bits=1), "m_params.csv")
SHARES = {
    ("bing.com", 0): Fraction(1, 16),
    ("bing.com", 1): Fraction(3, 16),
    ("google.com", 0): Fraction(1, 16),
    ("google.com", 1): Fraction(7, 16),
    ("yahoo.com", 0): Fraction(2, 16),
    ("yahoo.com", 1): Fraction(2, 16),
}
TEXTS = ("bing.com", "google.com", "yahoo.com")
LINE = "--schema vars.csv --reports reports.csv --params-dir . --client python"
BOTH = f"{LINE} --var1 domain --var2 https --candidates words.txt"


def true_bits(text, parameters=PARAMETERS):
    """Which bits a text sets, (cohorts, bits)."""
    bits = np.zeros((parameters.cohorts, parameters.bits), dtype=int)
    for cohort in range(parameters.cohorts):
        hashes = parameters.hashes
        bits[
            cohort,
            PYTHON.positions(text.encode(), cohort, hashes, bits=parameters.bits),
        ] = 1
    return bits


def expected_reports(shares, each=16 * 64):
    """What reports add up to without chance: so many in each cohort, of strings and
    booleans.
    """
    table = np.zeros((PARAMETERS.cohorts, 9, 2), dtype=object)
    for (text, answer), share in shares.items():
        yes = ONE if answer else ZERO
        marks = true_bits(text)
        for cohort in range(PARAMETERS.cohorts):
            own = [Fraction(1), *(ONE if bit else ZERO for bit in marks[cohort])]
            for mark, chance in enumerate(own):
                table[cohort, mark, 1] += each * share * chance * yes
                table[cohort, mark, 0] += each * share * chance * (1 - yes)
    assert all(cell.denominator == 1 for cell in table.ravel())
    table = table.astype(np.int64)
    margins = [table.sum(axis=2), table[:, 0].sum(axis=0)[None]]
    return JointReports(table.reshape(-1, 2), margins, skipped=0)


def simulated(rows, parameters=PARAMETERS, seed=1):
    """Rows of a file of reports from (text, answer)."""
    generator = np.random.default_rng(seed)
    bits = {text: true_bits(text, parameters) for text, _ in rows}
    lines = ["client,cohort,domain,https"]
    for number, (text, answer) in enumerate(rows):
        cohort = int(generator.integers(parameters.cohorts))
        chances = np.where([*bits[text][cohort], answer], 0.625, 0.375)
        drawn = (generator.random(len(chances)) < chances).astype(int).tolist()
        vector = "".join(map(str, drawn[-2::-1]))
        lines.append(f"c{number},{cohort},{vector},{drawn[-1]}")
    return lines


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "vars.csv").write_text(SCHEMA)
    (tmp_path / "m_params.csv").write_text(PARAMS)
    (tmp_path / "words.txt").write_text("\n".join(TEXTS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_expected_reports_give_the_truth():
    """Reports without chance in them decode to the shares that they were made from."""
    known = PYTHON.candidates(TEXTS, PARAMETERS)
    reports = expected_reports(SHARES)
    association, groups = associate_variables(
        (STRING, BOOLEAN), reports, (known, None), dialect=PYTHON, options=Options()
    )
    assert not groups
    truth = np.array(
        [[float(SHARES[text, answer]) for answer in (0, 1)] for text in TEXTS]
    )
    assert association.frequency == pytest.approx(truth, abs=1e-9)
    share, low, high = association.conditional
    assert share == pytest.approx(truth / truth.sum(axis=1, keepdims=True), abs=1e-9)
    assert ((low < share) & (share < high)).all()
    # The other way round, a table on its side.
    turned = JointReports(reports.table.T, reports.margins[::-1], skipped=0)
    other, _ = associate_variables(
        (BOOLEAN, STRING), turned, (None, known), dialect=PYTHON, options=Options()
    )
    assert other.frequency == pytest.approx(truth.T, abs=1e-9)
    assert other.standard_error == pytest.approx(association.standard_error.T)


def test_texts_that_are_no_candidates_leave_no_bias():
    """Half of the respondents hold one: over 60 choices of hash functions others are
    right.

    The mean of 60 estimates has a standard error of their deviation over sqrt(60); five
    of these have a chance below 1e-6. Without a background the estimates are off by
    more than that.
    """
    shares = {("known", 1): Fraction(1, 2), ("missing", 0): Fraction(1, 2)}
    means = {}
    for background in (None, 0.0):
        estimates = []
        for number in range(60):
            names = (f"known {number}", f"other {number}")
            own = {
                (f"{text} {number}", answer): share
                for (text, answer), share in shares.items()
            }
            reports = expected_reports(own)
            known = PYTHON.candidates(names, PARAMETERS)
            with pytest.MonkeyPatch.context() as patch:
                if background is not None:
                    name = "ldp_aggregator.exchange.google_rappor.associations.background_of"
                    patch.setattr(name, lambda _: 0.0)
                association, _ = associate_variables(
                    (STRING, BOOLEAN),
                    reports,
                    (known, None),
                    dialect=PYTHON,
                    options=Options(),
                )
            estimates.append(association.frequency[1].sum())
        error = np.std(estimates) / math.sqrt(60)
        means[background] = abs(np.mean(estimates)) / error
    assert means[None] < 5 < means[0.0]


def test_reports_as_decode_assoc_takes_them(folder):
    """A file of 20,000 reports: cells within 5.5 standard errors of the truth, by every
    way in.
    """
    generator = np.random.default_rng(2)
    cells = list(SHARES)
    drawn = generator.choice(
        len(cells), 20_000, p=[float(share) for share in SHARES.values()]
    )
    rows = [cells[place] for place in drawn]
    (folder / "reports.csv").write_text("\n".join(simulated(rows)))
    record = json.loads(ldp(f"rappor associate {BOTH} --format json -q").stdout)
    assert record["reports"] == 20_000
    for cell in record["cells"]:
        text, answer = cell["values"]
        true = float(np.mean([row == (text, int(answer == "TRUE")) for row in rows]))
        assert abs(cell["frequency"] - true) < 5.5 * cell["standard_error"]
    assert record["independence"]["p_value"] < 1e-3
    design = PYTHON.candidates(TEXTS, PARAMETERS).design.tocsc()
    lines = [
        ",".join(
            [
                f'"{text}"',
                *(str(int(row) + 1) for row in design[:, [place]].tocoo().row),
            ]
        )
        for place, text in enumerate(TEXTS)
    ]
    (folder / "map.csv").write_text("\n".join(lines))
    line = (
        f"rappor associate {LINE} --var1 domain --var2 https --map map.csv --format "
        "json -q"
    )
    assert json.loads(ldp(line).stdout)["cells"] == record["cells"]
    messages = ldp(f"rappor associate {BOTH} --likelihood")
    assert "most likely (biased)" in messages.stdout
    assert (
        "domain: google/rappor (python client), k = 8, h = 1, m = 16" in messages.stderr
    )
    assert (
        "https: google/rappor (python client), k = 1, h = 1, m = 16" in messages.stderr
    )
    assert "declared 1.098613, delivered 1.098613" in messages.stderr


def test_two_booleans(folder):
    """The bits are the table: its de-biased cells are the estimates."""
    schema = f"{SCHEMA}m,mobile,boolean,m_params\nother,mobile,boolean,m_params\n"
    (folder / "vars.csv").write_text(schema)
    bits = [(0, 0)] * 30 + [(0, 1)] * 20 + [(1, 0)] * 10 + [(1, 1)] * 40
    rows = [f"{a},{number % 16},{b}" for number, (a, b) in enumerate(bits)]
    (folder / "reports.csv").write_text("https,cohort,mobile\n" + "\n".join(rows))
    line = f"rappor associate {LINE} --metric m --var1 https --var2 mobile"
    record = json.loads(ldp(f"{line} --format json -q").stdout)
    channel = np.array([[0.625, 0.375], [0.375, 0.625]])
    observed = np.array([[0.3, 0.2], [0.1, 0.4]])
    truth = np.linalg.inv(channel) @ observed @ np.linalg.inv(channel)
    frequencies = [cell["frequency"] for cell in record["cells"]]
    assert frequencies == pytest.approx(truth.ravel())
    assert [cell["values"] for cell in record["cells"]][1] == ["FALSE", "TRUE"]
    assert "for two booleans" in ldp(f"{line} --candidates words.txt", 2).stderr
    assert (
        "expected --metric to be one of m, other"
        in ldp(f"rappor associate {LINE} --var1 https --var2 mobile", 1).stderr
    )


def test_rows_with_a_blank_cell(folder):
    """They end the import, unless they are to be left out: then they are counted.

    NA, as R writes it, is blank.
    """
    rows = simulated([("google.com", 1)] * 50)
    blank = ["c0,0,10101010,NA", "c0,0,10101010,", "c0,0,,0"]
    (folder / "reports.csv").write_text("\n".join([*rows, *blank]))
    message = ldp(f"rappor associate {BOTH}", 1).stderr
    assert (
        "row 52, column 4: expected a report (--skip-blank leaves out rows without)"
        in message
    )
    assert "got 'NA'" in message
    assert (
        "3 rows with a blank cell left out"
        in ldp(f"rappor associate {BOTH} --skip-blank").stderr
    )
    (folder / "reports.csv").write_text("client,cohort,domain,https\nc0,0,,0\n")
    message = ldp(f"rappor associate {BOTH} --skip-blank", 1).stderr
    assert "expected reports, got 1 rows, each with a blank cell" in message


def test_candidates_that_are_one(folder):
    """Candidates with the same bits are a group here as well, and the others are as
    before.
    """
    design = PYTHON.candidates(TEXTS, PARAMETERS).design[:, [0, 1, 2, 1]]
    twice = Candidates((*TEXTS, "google.co.uk"), design)
    association, groups = associate_variables(
        (STRING, BOOLEAN),
        expected_reports(SHARES),
        (twice, None),
        dialect=PYTHON,
        options=Options(),
    )
    assert groups == (("google.com", "google.co.uk"),)
    assert association.values[0] == (
        "bing.com",
        "google.com or google.co.uk",
        "yahoo.com",
    )
    assert association.frequency[1] == pytest.approx([1 / 16, 7 / 16])


WRONG = {
    "no schema": (
        "vars.csv",
        "",
        "expected the columns metric, var, var_type, params, got",
    ),
    "columns": ("vars.csv", "metric,var\nm,domain\n", "got 'metric,var'"),
    "kind": (
        "vars.csv",
        SCHEMA.replace("string", "ngram"),
        "column 3: expected string or boolean",
    ),
    "variable": (
        "vars.csv",
        SCHEMA.replace("domain", "url"),
        "(url, https), got 'domain'",
    ),
    "twice": (
        "vars.csv",
        SCHEMA + SCHEMA.splitlines()[1],
        "variables whose names differ",
    ),
    "elsewhere": (
        "vars.csv",
        SCHEMA.replace("m_params", "../m_params"),
        "expected the name of a file in the folder, got '../m_params'",
    ),
    "no parameters": (
        "vars.csv",
        SCHEMA.replace("m_params", "q"),
        "No such file: q.csv",
    ),
    "empty": (
        "reports.csv",
        "",
        "expected the columns cohort, domain, https, got an empty file",
    ),
    "missing": ("reports.csv", "cohort,domain\n", "got 'cohort,domain'"),
    "same": (
        "reports.csv",
        "cohort,domain,https,domain\n",
        "got 'domain' of column 2 again",
    ),
    "digits": (
        "reports.csv",
        "cohort,domain,https\n0,0,1\n",
        "column 2: expected 8 digits 0 or 1",
    ),
    "bit": (
        "reports.csv",
        "cohort,domain,https\n0,00000000,2\n",
        "expected a digit 0 or 1",
    ),
    "cohort": (
        "reports.csv",
        "cohort,domain,https\n16,00000000,1\n",
        "from 0 to 15, got '16'",
    ),
    "width": (
        "reports.csv",
        "cohort,domain,https\n1,00000000\n",
        "row 2: expected 3 cells",
    ),
}


@pytest.mark.parametrize(("name", "text", "said"), WRONG.values(), ids=WRONG)
def test_bad_files(name, text, said, folder):
    """Each is a message with the file, the place, what was expected and what came."""
    (folder / "reports.csv").write_text("\n".join(simulated([("google.com", 1)] * 3)))
    (folder / name).write_text(text)
    assert said in ldp(f"rappor associate {BOTH}", 1).stderr


def test_two_strings_are_refused(folder):
    """Their cohort is one: their bits do not go together as those of two questions
    do.
    """
    with pytest.raises(EstimateError, match="got the strings 'domain' and 'url'"):
        check_kinds((STRING, STRING._replace(name="url")))
    check_kinds((BOOLEAN, BOOLEAN))
    assert (
        "expected two variables"
        in ldp(f"rappor associate {LINE} --var1 https --var2 https", 2).stderr
    )


@pytest.mark.needs("adult.data")
def test_a_census(folder):
    """Education and sex of 32,561 people: cells within 5.5 standard errors of the
    truth.
    """
    people = [
        line.split(", ")
        for line in (DATA / "adult.data").read_text().splitlines()
        if line
    ]
    rows = [(person[3], int(person[9] == "Female")) for person in people]
    texts = tuple(sorted({text for text, _ in rows}))
    parameters = PARAMETERS._replace(bits=32, hashes=2)
    path = folder / "reports.csv"
    path.write_text("\n".join(simulated(rows, parameters, seed=3)))
    variables = (STRING._replace(parameters=parameters), BOOLEAN)
    reports = read_joint_reports(path, variables, skip_blank=False)
    known = PYTHON.candidates(texts, parameters)
    association, _ = associate_variables(
        variables, reports, (known, None), dialect=PYTHON, options=Options()
    )
    true = np.array(
        [[rows.count((text, answer)) for answer in (0, 1)] for text in texts]
    )
    deviations = (association.frequency - true / len(rows)) / association.standard_error
    assert np.abs(deviations).max() < 5.5
    # A table that is one cell out would be noticed.
    shifted = np.roll(association.frequency, 1, axis=0) - true / len(rows)
    assert np.abs(shifted / association.standard_error).max() > 5.5
