"""Randomized response on paper: the law of the mechanism to the last digit, or a
refusal.
"""

import re
from collections import Counter
from fractions import Fraction

import pytest
from places import ROOT

from ldp import parse_survey
from ldp_aggregator import estimate
from ldp_service.respondents.paper import PaperError, rule_of
from ldp_service.respondents.paper_counts import paper_reports
from ldp_service.respondents.paper_sheet import paper_sheet
from ldp_service.respondents.presentation import PageError, parse_presentation

HEAD = '[survey]\nname = "paper"\n[[question]]\nname = "q"\n'
YES_NO = 'type = "boolean"\n'
QUARTERS = YES_NO + 'mechanism = "forced"\nforced_true = "1/4"\nforced_false = "1/4"'
SIXTHS = YES_NO + 'mechanism = "forced"\nforced_true = "1/6"\nforced_false = "1/6"'
THIRTY_SIXTHS = (
    YES_NO + 'mechanism = "forced"\nforced_true = "5/36"\nforced_false = "1/9"'
)
WARNER = YES_NO + 'mechanism = "warner"\ntruth = "2/3"'
MATRIX = (
    'type = "category"\nvalues = ["a", "b", "c"]\nmechanism = "matrix"\n'
    'matrix = [["0.55", "0.25", "0.2"], ["0.2", "0.6", "0.2"], ["0.1", "0.3", "0.6"]]'
)


@pytest.mark.parametrize(
    ("keys", "device"),
    [
        (QUARTERS, ("coins", 2)),
        (SIXTHS, ("dice", 1)),
        (THIRTY_SIXTHS, ("dice", 2)),
        (WARNER, ("dice", 1)),
        (MATRIX, ("slips", 20)),
    ],
)
def test_a_toss_has_the_law_of_the_mechanism(keys, device):
    """Counted over all outcomes, as fractions: no difference at all."""
    question = parse_survey(HEAD + keys)["q"]
    rule = rule_of(question)
    assert rule[:2] == device
    assert len(rule.outcomes) == len(rule.written) == len(set(rule.outcomes))
    for value, row in enumerate(question.randomizer.channel().rows):
        counts = Counter(written[value] for written in rule.written)
        assert (
            tuple(Fraction(counts[y], len(rule.written)) for y in range(len(row)))
            == row
        )


@pytest.mark.parametrize(
    "keys",
    [
        YES_NO + 'mechanism = "warner"\nepsilon = "1"',
        'type = "category"\nvalues = ["a", "b", "c"]\nmechanism = "oue"\nepsilon = "1"',
        'type = "integer"\nlow = 0\nhigh = 9\nmechanism = "dithered"\nepsilon = "1"',
        f'{QUARTERS}\n[[question]]\nname = "r"\n{QUARTERS}\n'
        '[[draw]]\nquestions = ["q", "r"]\nanswers = 1',
    ],
)
def test_what_no_toss_has_is_refused(keys):
    """By the name of the question, and what would do."""
    with pytest.raises(
        PaperError, match="question q cannot be asked on paper: expected"
    ):
        rule_of(parse_survey(HEAD + keys)["q"])


def test_a_sheet_says_what_to_write_down():
    """The classic one: two coins, and in half of all cases the truth."""
    survey = parse_survey(HEAD + 'text = "Do you <i>cheat</i>?"\n' + QUARTERS)
    sheet = paper_sheet(survey, parse_presentation(survey, {}))
    assert "Toss a coin 2 times" in sheet
    assert "<td>HH, HT</td><td>what is true</td>" in sheet
    assert "<i>" not in sheet
    assert "75.0\N{NO-BREAK SPACE}%" in sheet


def test_the_coin_has_one_rule():
    """Heads, the truth; tails, toss again, and yes for heads: on the sheet as on every
    page.
    """
    survey = parse_survey(HEAD + QUARTERS)
    sheet = paper_sheet(survey, parse_presentation(survey, {}))
    rows = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td></tr>", sheet)
    assert [shown for shown, _ in rows] == ["HH, HT", "TH", "TT"]
    assert [re.findall("true|Yes|No", said)[0] for _, said in rows] == [
        "true",
        "Yes",
        "No",
    ]
    tutorial = (ROOT / "docs" / "tutorials" / "coins.md").read_text(encoding="utf-8")
    rule = (
        "Heads: say the truth. Tails: toss again, and say yes for heads, no for tails."
    )
    assert rule in " ".join(tutorial.split())
    places = [
        ROOT / "docs" / "index.md",
        *(ROOT / "examples").glob("*.toml"),
        ROOT / "README.md",
    ]
    for path in places:
        text = " ".join(path.read_text(encoding="utf-8").split()).lower()
        for after in re.findall(r"heads[:,] (\w+ \w+)", text):
            assert after in ("say the", "have you"), path


def test_what_a_sheet_promises_is_true_of_any_epsilon():
    """The words of certainty stood beside 99 %."""
    survey = parse_survey(HEAD + SIXTHS.replace("1/6", "1/60"))
    sheet = paper_sheet(survey, parse_presentation(survey, {}))
    assert "may come to think it 98.4\N{NO-BREAK SPACE}% likely, at most" in sheet
    assert "obody can" not in sheet


def test_a_sheet_speaks_the_languages_of_the_page():
    """Its words, the labels of values, the sides of a coin, and the direction."""
    survey = parse_survey(HEAD + 'text = "Do you cheat?"\n' + QUARTERS)
    german = {"title": "Ehrlich", "question": {"q": {"text": "Mogeln Sie?"}}}
    page = {
        "page": {"title": "Honestly", "asked_by": "A class"},
        "question": {
            "q": {"help": "In exams.", "labels": {"true": "I do", "false": "Never"}}
        },
        "language": {"de": german, "ar": {}},
    }
    shown = parse_presentation(survey, page)
    sheet = paper_sheet(survey, shown, "de")
    for words in (
        "Ehrlich",
        "Mogeln Sie?",
        "In exams.",
        "2-mal eine Münze",
        "Es fragt: A class",
    ):
        assert words in sheet
    assert "<td>KK, KZ</td><td>was wahr ist</td>" in sheet
    assert "„I do“, was immer wahr ist" in sheet
    assert 'dir="rtl"' in paper_sheet(survey, shown, "ar")
    with pytest.raises(PageError, match=r"--language: expected one of en, de, ar"):
        paper_sheet(survey, shown, "fr")


def test_slips_are_listed_in_their_order():
    """By the first of those that lead to the same; and yes stands before no."""
    survey = parse_survey(HEAD + MATRIX)
    shown = parse_presentation(survey, {})
    first = re.findall(r"<tr><td>(\d+)", paper_sheet(survey, shown))
    assert first == sorted(first, key=int)
    assert "3, 4, 5, 6, 7, 8, 9" in paper_sheet(survey, shown)
    survey = parse_survey(HEAD + QUARTERS)
    sheet = paper_sheet(survey, parse_presentation(survey, {}))
    assert sheet.index("<bdi>Yes</bdi>") < sheet.index("<bdi>No</bdi>")


def test_counts_from_paper_are_reports_like_others():
    """Estimated as those of devices: 0.4 = (0.45 - 1/4) / (1/2)."""
    survey = parse_survey(HEAD + QUARTERS)
    reports = paper_reports(survey, "question,value,count\nq,true,1350\nq,No,1650\n")
    values = estimate(survey, reports)["q"]
    assert [row["frequency"] for row in values.to_dict()["values"]] == pytest.approx(
        [0.6, 0.4]
    )
    for wrong in ("q,maybe,3", "r,true,3", "q,true,-1", "q,true,"):
        with pytest.raises(PaperError, match="line 2: expected"):
            paper_reports(survey, f"question,value,count\n{wrong}\n")
