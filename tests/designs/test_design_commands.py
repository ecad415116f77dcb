"""`--design` in commands: counts and rows in, shares by group and plans out; what is
refused.
"""

import json

import numpy as np
import pytest
from calling import ldp

from ldp import parse_survey
from ldp.errors import SurveyError
from ldp_aggregator import Tally, design, estimate, number_design
from ldp_aggregator.analyses.designs.sizes import size_of_slope

approx = pytest.approx
QUESTION = '[survey]\nname = "s"\n[[question]]\nname = "q"\ntype = "boolean"\n'


def record(line):
    """What the command writes for machines."""
    return json.loads(ldp(f"{line} --format json").stdout)


@pytest.fixture
def table(tmp_path):
    """Rows as people have them: codes and words, gaps, a sample by number."""
    path = tmp_path / "answers.csv"
    one, two = "warner p=.7", "forced yes=1/6 no=1/6"
    lines = ["z,sex,sample,same,anchor,number,words"]
    lines += [f"1,f,1,same,no,3,{one}"] * 30 + [f"0,f,1,different,no,4,{one}"] * 70
    lines += [f"1,m,2,same,yes,5,{two}"] * 60 + [f"0,m,2,different,yes,6,{two}"] * 40
    lines += [",m,2,,,,"]
    path.write_text("\n".join(lines))
    return path


def test_counts_and_rows_agree(table):
    """A table gives what its counts give, whole and by group; gaps are said."""
    counted = record("estimate --design 'warner p=.7' --counts yes=90,no=110")
    rows = f"estimate --design 'warner p=.7' --rows {table} --answer z"
    assert record(rows) == counted
    assert counted["estimates"][0]["estimate"] == approx((0.45 - 0.3) / 0.4)
    assert "population" in counted["estimand"]
    assert "1 no answer (row 201)" in ldp(rows).stderr
    groups = record(f"{rows} --by sex")["groups"]
    assert [one["group"] for one in groups] == [{}, {"sex": "f"}, {"sex": "m"}]
    assert [one["respondents"] for one in groups] == [200, 100, 100]
    assert groups[1]["estimates"][0]["estimate"] == approx(0)
    assert record(f"{rows} --where sex=f")["respondents"] == 100
    words = f"estimate --design 'crosswise p=.3' --rows {table} --answer same"
    assert record(words)["estimates"][0]["estimate"] == approx((0.45 - 0.7) / -0.4)


def test_samples_and_several_answers(table):
    """A column says the sample, and one answer may lie in two columns."""
    two = f"--rows {table} --answer z --arm sample"
    cheaters = record(f"estimate --design 'cheater yes=.25,.75' {two}")
    counts = "--counts yes=30,no=70 --counts yes=60,no=40"
    assert cheaters == record(f"estimate --design 'cheater yes=.25,.75' {counts}")
    pooled = record(f"estimate --design 'warner p=.7; forced yes=1/6 no=1/6' {two}")
    assert pooled["tests"][0]["degrees"] == 1
    by_row = record(f"estimate --design '{{words}}' --rows {table} --answer z")
    for name in ("estimate", "standard_error"):
        assert by_row["estimates"][0][name] == approx(pooled["estimates"][0][name])
    both = design("crosswise-anchor p=.2 anchor=.2").estimate_rows(
        table, ["same", "anchor"]
    )
    assert both.whole.respondents == 200
    mean = record(
        f"estimate --design 'additive mean=1' --rows {table} --answer number --by sex"
    )
    assert mean["groups"][0]["estimates"][0]["estimate"] == approx(
        number_design("additive mean=1")
        .estimate([3] * 30 + [4] * 70 + [5] * 60 + [6] * 40)["mean"]
        .estimate
    )


def test_plans():
    """How many it takes, and what so many tell."""
    line = "plan --design 'crosswise p=.16' --frequency .2"
    assert record(f"{line} --half-width .05")["respondents"] == 693
    tells = record(f"{line} --respondents 693")["detects"]
    assert design("crosswise p=.16").sample_size(tells, other=0.0) == approx(693, abs=1)
    plain = size_of_slope(0.25, 0.5, 1.5, non_followers=0.0, level=0.95, power=0.8)
    assert plain == 191  # (1.96 + .8416)^2 / (.25 log(1.5)^2), Hsieh et al. 1998
    slope = record(f"{line} --odds-ratio 1.5 --non-followers .1 --response-rate .6")
    many = 7.8489 / (
        (0.2 * 0.8 * 0.9 * 0.405465) ** 2 / design("crosswise p=.16").variance(0.2)
    )
    assert slope["respondents"] == approx(many, rel=1e-3)
    assert slope["to_ask"] == approx(slope["respondents"] / 0.6, abs=1)


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (
            "estimate --design 'warnr p=.7' --counts yes=1,no=2",
            1,
            "did you mean 'warner'",
        ),
        ("estimate --design 'warner p=.7' --counts yes=1,no=2 --top 3", 2, "no --top"),
        ("estimate --design 'warner p=.7'", 2, "--rows with --answer, or --counts"),
        ("estimate --design 'warner p=.7' --counts yes=1,maybe=2", 1, "'maybe'"),
        ("estimate --design 'cheater yes=.2,.8' --counts yes=1,no=2", 1, "2 samples"),
        ("estimate", 2, "--design WORDS"),
        ("plan --design 'warner p=.7'", 1, "one of respondents, half-width, detect"),
    ],
)
def test_what_is_refused(line, code, message):
    """With what to do."""
    assert message in ldp(line, code=code).output


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('mechanism = "warner"\np = 0.7', '.p: expected "truth"'),
        ('mechanism = "crosswise"\np = 0.2', '"warner", with truth'),
        ('mechanism = "triangular"', "ldp estimate --design"),
        ('mechanism = "forced"\nyes = "1/6"\nno = "1/6"', '"forced_true"'),
    ],
)
def test_survey_files_answer_the_words_of_papers(keys, message):
    """A key or mechanism by its name in the literature is answered with ours."""
    with pytest.raises(SurveyError, match=message):
        parse_survey(QUESTION + keys)


@pytest.mark.parametrize(("yes", "said"), [(0, True), (28, False)])
def test_surveys_say_who_may_not_follow(yes, said):
    """Far below zero a survey's estimates have the remark too; noise has not."""
    survey = parse_survey(f'{QUESTION}mechanism = "warner"\ntruth = "0.9"')
    tally = Tally.empty(survey)
    tally.counts["q"] += np.array([[300 - yes, yes]])
    result = estimate(tally)["q"]
    assert result.frequency[1] < 0
    assert ("not-followed" in [one.name for one in result.remarks]) is said
