"""What is said of two versions: key by key, in both directions, and never by rounded
numbers.
"""

from fractions import Fraction

import pytest
from version_cases import CASES, GRR, MODE, SECOND, asked, file_of, with_second

from ldp import parse_survey
from ldp.mechanisms.contract import Declared
from ldp_aggregator import compare_versions
from ldp_aggregator.versions.amounts import Amount, compare_amounts, promised_amount
from ldp_aggregator.versions.change import shorten


def changes_of(before, after, *earlier):
    """What changed from one survey file to another."""
    surveys = [parse_survey(text) for text in (after, before)]
    return compare_versions(*surveys, [parse_survey(text) for text in earlier])


@pytest.mark.parametrize("key", dict.fromkeys(case.key for case in CASES))
def test_every_key(key):
    """Its aspect is among what is said, and the worst of that is as it should be.

    Surveys that differ in anything have a change; and the same survey has none.
    """
    for case in CASES:
        if case.key == key:
            comparison = changes_of(case.before, case.after)
            said = {}
            for change in comparison.changes:  # the worse first
                said.setdefault(change.aspect.partition(" (")[0], change.verdict)
            assert said, case
            assert said.get(case.aspect.partition(" (")[0]) == case.verdict, (
                comparison.changes
            )
            assert changes_of(case.after, case.after).changes == (), case


def test_worse_first():
    """And each of them in a line of its own."""
    comparison = changes_of(file_of(), file_of(MODE.replace('"1"', '"2"')))
    verdicts = [change.verdict for change in comparison.changes]
    assert verdicts == sorted(verdicts, key=["worse", "better", "same"].index)
    assert [change.line for change in comparison.worse[:2]] == [
        "survey: epsilon of all reports: 1.000000 -> 2.000000",
        "question mode: epsilon of a report: 1 -> 2",
    ]
    assert comparison.to_dict()["all_reports_epsilon"]["all_versions"] == "3.000000"
    assert "Who answers both versions in full" in comparison.plain()
    assert "spends epsilon 3.000000 at most" in comparison.rendered("markdown")


def test_comments_spaces_and_spellings():
    """What parses to the same is the same; an epsilon of 1.0 is one of 1, and is said
    to be.
    """
    spaced = file_of().replace("epsilon = ", "# privacy\n\n  epsilon   =   ")
    assert changes_of(file_of(), spaced).changes == ()
    (written,) = changes_of(file_of(), file_of(MODE.replace('"1"', '"1.0"'))).changes
    assert (written.verdict, written.aspect) == (
        "same",
        "epsilon of a report (epsilon)",
    )


def test_asked_again():
    """A changed question costs once more, unless a lifetime was promised that holds."""
    other = MODE.replace('"bike"', '"bike", "walk"')
    comparison = changes_of(file_of(), file_of(other))
    (again,) = (
        change for change in comparison.changes if change.aspect == "asked again"
    )
    assert again.verdict == "worse"
    assert "both cost epsilon 2.000000" in again.says
    limit = 'lifetime_epsilon = "1"'
    comparison = changes_of(file_of(survey=limit), file_of(other, survey=limit))
    (again,) = (
        change for change in comparison.changes if change.aspect == "asked again"
    )
    assert again.verdict == "same"
    raised = changes_of(
        file_of(survey=limit), file_of(other, survey='lifetime_epsilon = "1.1"')
    )
    assert {change.aspect for change in raised.worse} >= {"asked again", "lifetime"}


def test_longer_texts_are_worse_within_a_lifetime():
    """Reports tell more of a text, though what they cost is within what was
    promised.
    """
    limit = 'lifetime_epsilon = "2"'
    text = 'name = "word"\ntype = "text"\nmechanism = "heavy-hitters"\nepsilon = "1"\n'
    short, long = (
        file_of(f"{text}longest = {longest}\n", survey=limit) for longest in (4, 32)
    )
    (change,) = changes_of(short, long).worse
    assert change.says == "reports tell more of a text"
    assert (change.before, change.after) == (
        "texts of up to 4 bytes",
        "texts of up to 32 bytes",
    )
    assert not changes_of(long, short).worse


def test_a_lifetime_with_room_is_no_way_around():
    """A roomy lifetime would let every later version ask again: it is worse when it
    comes.
    """
    plain, other = file_of(), file_of(MODE.replace("grr", "oue"))
    roomy = 'lifetime_epsilon = "1000"'
    (limit,) = changes_of(plain, file_of(survey=roomy)).worse
    assert limit.line == "survey: lifetime: none -> 1000"
    assert "only 1.000000 has been asked for so far" in limit.says
    # As much as the two versions before it have asked for leaves no room.
    both = file_of(MODE.replace("grr", "oue"), survey='lifetime_epsilon = "2"')
    assert [change.aspect for change in changes_of(other, both).worse] == ["lifetime"]
    assert changes_of(other, both, plain).worse == ()


def test_a_lower_epsilon_is_better_and_asked_again():
    """Nothing is weighed against anything: the report gains, and who answered answers
    again.
    """
    comparison = changes_of(file_of(), file_of(MODE.replace('"1"', '"0.5"')))
    verdicts = {change.aspect: change.verdict for change in comparison.changes}
    assert verdicts["epsilon of a report"] == "better"
    assert verdicts["asked again"] == "worse"


def test_questions_that_come_back():
    """One that was removed and comes back as it was is not asked of who answered it;
    else it is.
    """
    comparison = changes_of(file_of(), with_second(), with_second())
    (back,) = (
        change for change in comparison.changes if change.place == "question again"
    )
    assert back.verdict == "worse"
    assert "comes back as it was in version 1" in back.says
    dearer = with_second().replace(SECOND, SECOND.replace('"1"', '"2"'))
    comparison = changes_of(file_of(), dearer, with_second())
    (back,) = (
        change for change in comparison.changes if change.place == "question again"
    )
    assert "comes back otherwise than in version 1" in back.says
    assert "both cost epsilon 3.000000" in back.says
    assert comparison.to_dict()["all_reports_epsilon"]["all_versions"] == "4.000000"


FORCED = 'type = "boolean"\nmechanism = "forced"\n'
YES, NO = (
    f'{FORCED}forced_true = "{true}"\nforced_false = "{false}"'
    for true, false in (("1/4", "1/8"), ("1/8", "1/4"))
)
THREE = 'type = "category"\nvalues = ["a", "b", "c"]\n'
HIDDEN, EVEN = (
    f'{THREE}mechanism = "matrix"\nmatrix = {rows}'
    for rows in (
        '[["0.4", "0.3", "0.3"], ["0.3", "0.4", "0.3"], ["0.3", "0.2", "0.5"]]',
        '[["0.5", "0.25", "0.25"], ["0.25", "0.5", "0.25"], ["0.25", "0.25", "0.5"]]',
    )
)
RANGE = 'type = "integer"\nlow = 0\nhigh = 9\nepsilon = "1"\nmechanism = '


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (HIDDEN, EVEN, ["a from b: 0.287683 -> 0.693148"]),
        (YES, NO, ["true from false: 1.252763 -> 1.791760"]),
        (f'{RANGE}"geometric"', f'{RANGE}"grr"', ["0 from 1: 0.111112 -> 1.000000"]),
        (f'{RANGE}"grr"', f'{RANGE}"geometric"', []),
        (YES, YES, []),
        (f'{FORCED}forced_true = "1/4"\nforced_false = "1/4"', YES, None),
    ],
)
def test_one_answer_is_told_better(before, after, lines):
    """Though the largest epsilon, over all answers, is what it was, and a lifetime
    holds.
    """
    limit = 'lifetime_epsilon = "9"'
    worse = changes_of(
        *(file_of(f'name = "q"\n{keys}', survey=limit) for keys in (before, after))
    )
    changes = [
        change.line for change in worse.worse if change.aspect == "epsilon by answers"
    ]
    if lines is None:
        assert changes
    else:
        assert changes == [f"question q: epsilon by answers: {line}" for line in lines]


def test_renamed_questions():
    """The same words, answers and cost: said to be so, and asked again all the same."""
    comparison = changes_of(file_of(), file_of(MODE.replace('"mode"', '"means"')))
    assert [(change.aspect, change.verdict) for change in comparison.changes] == [
        ("asked again", "worse"),
        ("question", "same"),
    ]
    other = MODE.replace('"mode"', '"means"').replace("How?", "Why?")
    comparison = changes_of(file_of(), file_of(other))
    assert [change.before for change in comparison.worse] == ["not asked"]
    bare = ('type = "boolean"', GRR)
    comparison = changes_of(asked(*bare), asked(*bare).replace('"q"', '"hiv"'))
    assert {change.aspect for change in comparison.worse} == {"question", "asked again"}


def test_another_order():
    """Of questions: the same surveys to devices."""
    one, two = with_second(), file_of(SECOND.removeprefix("[[question]]\n"))
    comparison = changes_of(one, f"{two}[[question]]\n{MODE}")
    assert [(change.aspect, change.verdict) for change in comparison.changes] == [
        ("order", "same")
    ]


def test_epsilons_are_compared_exactly():
    """Sums that differ in the last of thirty digits differ; those that are equal are
    equal.
    """
    one, two, three = (Amount(Fraction(number)) for number in (1, 2, 3))
    assert [
        compare_amounts(two, one),
        compare_amounts(one, two),
        compare_amounts(one, one),
    ] == [
        1,
        -1,
        0,
    ]
    tiny = Fraction(1, 10**30)
    assert compare_amounts(Amount(1 + tiny), one) == 1
    logs = [Amount(ratios=((Fraction(ratio), 1),)) for ratio in (2, 3, 6)]
    product = Amount(ratios=(*logs[0].ratios, *logs[1].ratios))
    assert compare_amounts(product, logs[2]) == 0
    assert compare_amounts(Amount(tiny, product.ratios), logs[2]) == 1
    assert compare_amounts(Amount(-tiny, product.ratios), logs[2]) == -1
    # ln 3 to forty digits, from below: closer to it than any float.
    close = Amount(Fraction("1.0986122886681096913952452369225257046474"))
    assert compare_amounts(close, logs[1]) == -1
    assert compare_amounts(Amount(close.epsilon + Fraction(1, 10**40)), logs[1]) == 1
    assert promised_amount(Declared.epsilon(Fraction(3))) == three
    assert promised_amount(Declared.ratio(Fraction(3))) == logs[1]
    assert (one.text, logs[1].text, Amount().text) == (
        "1.000000",
        "1.098613",
        "0.000000",
    )


def test_long_texts_stay_in_a_line():
    """They are cut, and told apart by what was cut off."""
    one, other = shorten("x" * 500), shorten("x" * 499 + "y")
    assert len(one) < 200
    assert one != other
    assert shorten("a\nb\x1b[31m") == r"a\nb\x1b[31m"
