"""The survey file: what is read, everything that is wrong with it, what fingerprints
cover.
"""

import contextlib
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from specimens import DESIGNS
from specimens import question as designed
from surveys import COMMUTE, COMMUTE_SURVEY

from ldp import AnswerError, Question, Survey, SurveyError, parse_survey
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.contract import Declared, integers
from ldp.mechanisms.numbers.arcs import Arcs
from ldp.numbers.exact import fraction, log
from ldp.privacy.certificate import certify
from ldp_aggregator.output.files import FileError, read_candidates, read_survey

HEAD = '[survey]\nname = "s"\n'
BASE = {
    "name": '"x"',
    "type": '"category"',
    "values": '["a", "b", "c"]',
    "mechanism": '"grr"',
    "epsilon": '"1"',
}


def written(keys):
    """A survey file of one question."""
    return f"{HEAD}[[question]]\n" + "".join(
        f"{key} = {value}\n" for key, value in keys.items()
    )


def problems(text):
    """What the parser says about a file, one line each."""
    with pytest.raises(SurveyError) as caught:
        parse_survey(text)
    return [str(problem) for problem in caught.value.problems]


def test_the_documented_survey_is_read_as_written():
    """Names, types, values, mechanisms and texts come out as they stand in the file."""
    smoker, transport, homepage = COMMUTE_SURVEY
    assert COMMUTE_SURVEY.name == "commute-2026"
    assert (smoker.name, smoker.text, smoker.mechanism) == (
        "smoker",
        "Do you smoke?",
        "warner",
    )
    assert smoker.domain.values == ("false", "true")
    assert transport.domain.values == ("car", "bus", "bike", "walk")
    assert (transport.mechanism, transport.width, transport.declared.text) == (
        "oue",
        1,
        "1",
    )
    assert (homepage.domain.values, homepage.candidates, homepage.width) == (
        None,
        "homepages.txt",
        18,
    )
    rappor = homepage.randomizer
    assert (rappor.bits, rappor.hashes, rappor.cohorts) == (128, 2, 16)
    assert [Fraction(number, 1 << 64) for number in rappor[3:6]] == [
        Fraction(1, 4),
        Fraction(3, 4),
        Fraction(1, 2),
    ]
    assert parse_survey(COMMUTE.encode()).fingerprint == COMMUTE_SURVEY.fingerprint


WHOLE = {"type": '"integer"', "values": None}
# What replaces or joins the keys of BASE (None: removed), and what must be said about
# it.
BAD_KEYS = [
    ({"name": None}, ["question 1.name", "text of 1 to 1000", "nothing"]),
    ({"name": '""'}, ["name", "text of 1 to 1000"]),
    ({"name": '"with space"'}, ["name", "up to 64 letters", "with space"]),
    ({"name": f'"{"n" * 65}"'}, ["name", "up to 64 letters"]),
    ({"name": "7"}, ["name", "got 7"]),
    (
        {"type": '"7"'},
        [
            "question 1 (x).type",
            "boolean, category, multi, integer, number, key-value, vector, text",
            "'7'",
        ],
    ),
    ({"type": None, "values": None}, ["type", "one of", "nothing"]),
    ({"type": '"boolean"'}, ["values", "only a question of type category"]),
    ({"values": None}, ["values", "list of texts", "nothing"]),
    ({"values": '["a"]'}, ["values", "2 to", "1 of them"]),
    ({"type": '"bool"', "values": '["a"]'}, ["values", "2 to", "1 of them"]),
    (WHOLE | {"low": "5", "high": "5"}, ["high", "from 6 to 65540,", "got 5"]),
    (WHOLE | {"low": "5", "high": "65541"}, ["high", "from 6 to 65540,", "got 65541"]),
    (
        {"mechanism": '"auto"', "report_bytes": "1048577"},
        ["report_bytes", "from 1 to 1048576,"],
    ),
    ({"values": '["a", ""]'}, ["values", "none of them empty"]),
    ({"values": '["a", 1]'}, ["values", "list of texts"]),
    ({"values": '["a", "b", "a"]'}, ["values", "all differ", "'a' twice"]),
    ({"values": f'["a", "{"v" * 1001}"]'}, ["values", "at most 1000 characters"]),
    ({"mechanism": '"gr"'}, ["mechanism", '"pgr" or "grr"', "'gr'"]),
    ({"mechanism": '"7"'}, ["mechanism", "one of", "grr", "'7'"]),
    ({"epsilon": None}, ["epsilon", "number", "nothing"]),
    ({"epsilon": '"0"'}, ["epsilon", "from 1/10000 to 40", "0"]),
    ({"epsilon": "-1"}, ["epsilon", "-1"]),
    ({"epsilon": "41"}, ["epsilon", "41"]),
    ({"epsilon": "nan"}, ["epsilon", "number such as", "nan"]),
    ({"epsilon": "inf"}, ["epsilon", "number such as", "inf"]),
    ({"epsilon": "true"}, ["epsilon", "number such as", "True"]),
    ({"epsilon": '"1/0"'}, ["epsilon", "number such as", "1/0"]),
    ({"epsilon": '"one"'}, ["epsilon", "number such as", "one"]),
    ({"epsilon": "[1]"}, ["epsilon", "number such as"]),
    ({"epsilon": "2026-01-01"}, ["epsilon", "number such as"]),
    ({"epsilon": '"1e9999999"'}, ["epsilon", "number such as"]),
    ({"epsilon": '"٣"'}, ["epsilon", "number such as"]),
    ({"epsilom": "1"}, ["epsilom", '"epsilon"', "unknown key"]),
    ({"valus": "1"}, ["valus", '"values"', "unknown key"]),
    ({"truth": '"3/4"'}, ["truth", "unknown key"]),
    ({"text": "5"}, ["text", "got 5"]),
    ({"candidates": '"c.txt"'}, ["candidates", "the values are listed"]),
    ({"mechanism": '"warner"'}, ["mechanism", "exactly two values", "3 values"]),
    ({"mechanism": '"matrix"', "epsilon": None}, ["matrix", "list of 3 rows"]),
    (
        {"type": '"text"', "values": None},
        ["mechanism", "with a list of values", "open one"],
    ),
    (
        {"type": '"text"', "values": None, "mechanism": '"auto"'},
        ["mechanism", "open one"],
    ),
]

RAPPOR = {
    "values": None,
    "epsilon": None,
    "type": '"text"',
    "mechanism": '"rappor"',
    "bloom_bits": "8",
} | {
    "p": '"0.5"',
    "q": '"0.75"',
    "f": '"0.5"',
}
YES_NO = {"type": '"boolean"', "values": None, "epsilon": None}
MATRIX = YES_NO | {"mechanism": '"matrix"'}
BAD_DESIGNS = [
    (RAPPOR | {"p": '"0.75"'}, ["p, q, f", "p different from q"]),
    (RAPPOR | {"f": '"1"'}, ["p, q, f", "f below 1"]),
    (RAPPOR | {"f": "0", "q": "1"}, ["p, q, f", "infinite epsilon"]),
    (RAPPOR | {"f": '"1.5"'}, ["f", "from 0 to 1"]),
    (RAPPOR | {"bloom_bits": "1"}, ["bloom_bits", "from 2 to 65536", "got 1"]),
    (RAPPOR | {"bloom_bits": "true"}, ["bloom_bits", "whole number"]),
    (RAPPOR | {"bloom_bits": "1.0"}, ["bloom_bits", "whole number"]),
    (RAPPOR | {"hashes": "9"}, ["hashes", "as many hashes as bits (8)"]),
    (RAPPOR | {"hashes": "0"}, ["hashes", "from 1 to 16"]),
    (RAPPOR | {"cohorts": "65537"}, ["cohorts", "from 1 to 65536"]),
    (RAPPOR | {"epsilon": "1"}, ["epsilon", "unknown key"]),
    (RAPPOR | {"memoized_values": "1001"}, ["memoized_values", "from 1 to 1000,"]),
    (RAPPOR | {"memoized_values": "0"}, ["memoized_values", "from 1 to 1000,"]),
    (
        YES_NO | {"mechanism": '"warner"', "truth": '"1/2"'},
        ["truth", "recovered", "singular"],
    ),
    (
        YES_NO | {"mechanism": '"warner"', "truth": "1"},
        ["truth", "infinite", "never gives"],
    ),
    (
        YES_NO | {"mechanism": '"warner"', "truth": '"0.7"', "epsilon": "1"},
        ["truth", "either epsilon or truth", "both"],
    ),
    (
        YES_NO
        | {"mechanism": '"forced"', "forced_true": '"0.5"', "forced_false": '"0.75"'},
        ["forced_true", "left for the truth", "= 5/4"],
    ),
    (
        YES_NO | {"mechanism": '"forced"', "forced_true": "0", "forced_false": '"0.5"'},
        ["forced_true", "infinite"],
    ),
    (
        YES_NO | {"mechanism": '"unrelated"', "truth": '"0.7"', "prevalence": "1"},
        ["prevalence", "infinite"],
    ),
    (MATRIX | {"matrix": '[["1/2", "1/2"]]'}, ["matrix", "2 rows", "1 of them"]),
    (
        MATRIX | {"matrix": '[["1/2", "1/2"], ["1"]]'},
        ["matrix row 2", "2 probabilities", "1 of them"],
    ),
    (
        MATRIX | {"matrix": '[["1/2", "1/2"], [0.3, 0.6]]'},
        ["matrix row 2", "sum to 1", "9/10"],
    ),
    (
        MATRIX | {"matrix": '[["3/2", "-1/2"], ["1/4", "3/4"]]'},
        ["matrix row 1", "no negative", "-1/2"],
    ),
    (
        MATRIX | {"matrix": '[["1/2", "1/2"], ["1/2", "1/2"]]'},
        ["matrix", "recovered", "singular"],
    ),
    (MATRIX | {"matrix": '[["1", "0"], ["1/2", "1/2"]]'}, ["matrix", "infinite"]),
    (
        MATRIX | {"matrix": '[["x", "0"], ["1/2", "1/2"]]'},
        ["matrix row 1", "number such as", "x"],
    ),
]

BAD_FILES = [
    ("[survey", ["survey", "a TOML file"]),
    (b'[survey]\nname = "\xff"', ["UTF-8", "position 17"]),
    (b"\x00\x01\x02", ["a TOML file"]),
    ("a = " + "[" * 5000, ["a TOML file"]),
    ("", ["survey.survey: expected a table [survey]", "nothing"]),
    (HEAD, ["question", "1 to 1000 [[question]] tables", "0 of them"]),
    ("survey = 3\nquestion = 3", ["survey", "a table [survey]", "got 3"]),
    ("question = [1]", ["tables [[question]]"]),
    (HEAD + "[[question]]\n" * 1001, ["1 to 1000", "1001 of them"]),
    (HEAD + "[questions]\n", ["survey.questions", '"question"', "unknown key"]),
    (
        written(BASE) + written(BASE).removeprefix(HEAD),
        ["names that all differ", "'x' more than once"],
    ),
    (
        written(BASE).replace('"s"', '"s"\nversion = 1'),
        ["survey.version", "unknown key"],
    ),
]


def replaced(keys):
    """The file of BASE with other keys."""
    return written(
        {key: value for key, value in (BASE | keys).items() if value is not None}
    )


BAD = [
    *((replaced(keys), said) for keys, said in (*BAD_KEYS, *BAD_DESIGNS)),
    *BAD_FILES,
]


@pytest.mark.parametrize(("text", "said"), BAD)
def test_every_kind_of_problem_is_explained(text, said):
    """A problem names its place, what was expected and what came, in one line of
    bounded length.
    """
    lines = problems(text)
    assert any(all(fragment in line for fragment in said) for line in lines), lines
    assert all(
        "expected" in line and "got" in line and len(line) < 1000 for line in lines
    )


def test_all_problems_are_reported_at_once():
    """Nothing stops at the first mistake: each question and key is checked."""
    text = (
        '[survey]\nname = "no good"\n'
        '[[question]]\nname = "a"\ntype = "boolean"\nmechanism = "warner"\nepsilon = '
        "0\ntruht = 1\n"
        '[[question]]\nname = "b"\ntype = "colour"\nmechanism = "warner"\nepsilon = '
        '"x"\n'
        '[[question]]\nname = "c"\ntype = "text"\n'
        'mechanism = "rappor"\np = 2\nq = 3\nbloom_bits = 1\n'
    )
    text_of_problems = "\n".join(problems(text))
    places = [
        "survey.name",
        "(a).epsilon",
        "(a).truht",
        "(b).type",
        "(c).p",
        "(c).q",
        "(c).f",
        "(c).bloom_bits",
    ]
    assert [place for place in places if place not in text_of_problems] == []


@pytest.mark.parametrize(
    ("keys", "came"),
    [
        ({"mechanism": '"warner"'}, "one of type category with 3 values"),
        (
            {"type": '"multi"', "most": "2"},
            "one of type multi with 3 values of which a respondent may hold 2",
        ),
        ({"type": '"text"', "values": None, "mechanism": '"auto"'}, "an open one"),
    ],
)
def test_what_a_mechanism_cannot_take_is_told(keys, came):
    """The question, and what the mechanism takes: of several, the first one."""
    (line,) = problems(replaced(keys))
    assert line.endswith(f", got {came}")
    assert " for grr, " in line or " for warner, " in line


def test_what_a_file_may_ask_for_grows_with_its_length():
    """Numbers of tables are counted for each mebibyte that it has begun."""
    table = BASE | {"mechanism": '"exponential"', "quality": f"[{[0] * 32_769}]"}
    (line,) = problems(written(table) + "#" * (1 << 20))
    assert "at most 32,768 numbers" in line
    assert "'32,769'" in line


def test_as_many_questions_as_there_may_be():
    """A thousand."""
    tables = "".join(
        (
            f'[[question]]\nname = "q{number}"\ntype = "boolean"\nmechanism = '
            '"grr"\nepsilon = "1"\n'
        )
        for number in range(1000)
    )
    assert len(parse_survey(HEAD + tables).questions) == 1000


def test_whole_numbers_are_counted_over_all_questions():
    """Half a million in a file of a mebibyte; two more are too many."""
    wide = (
        'type = "integer"\nlow = -32_768\nhigh = 32_767\nmechanism = "grr"\nepsilon '
        '= "1"\n'
    )
    full = HEAD + "".join(
        f'[[question]]\nname = "q{number}"\n{wide}' for number in range(8)
    )
    assert len(parse_survey(full).questions) == 8
    narrow = wide.replace("32_768", "1").replace("32_767", "0")
    (line,) = problems(f'{full}[[question]]\nname = "more"\n{narrow}')
    assert "at most 524,288 whole numbers" in line
    assert line.endswith("got '524,290'")


def test_a_range_that_is_too_wide_is_a_problem_of_its_own():
    """It counts for nothing where as many numbers as there may be are asked for
    besides.
    """
    wide = (
        'type = "integer"\nlow = -32_768\nhigh = 32_767\nmechanism = "grr"\nepsilon '
        '= "1"\n'
    )
    full = HEAD + "".join(
        f'[[question]]\nname = "q{number}"\n{wide}' for number in range(8)
    )
    too_wide = wide.replace("32_767", "32_768")
    (line,) = problems(f'{full}[[question]]\nname = "more"\n{too_wide}')
    assert line.startswith("survey: question 9 (more).")


@pytest.mark.parametrize(("length", "shown"), [(64, f" ({'n' * 64})"), (65, "")])
def test_a_place_has_the_name_of_its_question(length, shown):
    """Unless that is too long to be one."""
    lines = problems(written(BASE | {"name": f'"{"n" * length}"', "epsilon": '"0"'}))
    assert any(
        line.startswith(f"survey: question 1{shown}.epsilon: ") for line in lines
    ), lines


@pytest.mark.parametrize(("given", "charges"), [(None, 4), ("1", 1), ("1000", 1000)])
def test_how_many_values_have_responses_of_their_own(given, charges):
    """Four, unless the file says otherwise; a thousand at most."""
    asked = RAPPOR | {"name": '"x"', "memoized_values": given}
    assert parse_survey(replaced(asked))["x"].charges == charges


def test_what_a_question_has_without_a_file():
    """One charge, and no epochs; one that is made from a file of its keys is the
    same.
    """
    read = parse_survey(written(BASE))["x"]
    question = Question(
        "x",
        read.domain,
        "grr",
        randomizer=read.randomizer,
        declared=read.declared,
        survey="s",
    )
    assert (
        question.charges,
        question.epoch,
        question.candidates,
        question.profile,
    ) == (
        1,
        None,
        None,
        "",
    )
    assert question.fingerprint == read.fingerprint


@pytest.mark.parametrize(
    ("keys", "grace"),
    [("", 0), ('epoch = "1d"', 86_400), ('epoch = "1d"\ngrace = "2h"', 7200)],
)
def test_how_long_batches_are_taken_after_their_epoch(keys, grace):
    """As long as the file says, or as the epoch is; without epochs there is no
    after.
    """
    survey = parse_survey(written(BASE).replace(HEAD, f"{HEAD}{keys}\n"))
    assert survey.grace == grace


def test_a_range_ends_where_it_may():
    """The longest ranges are read, at the ends of what is exact; a value more is a
    problem.
    """
    furthest = 10**15
    for low in (-furthest, furthest - 65_535):
        whole = WHOLE | {
            "low": str(low),
            "high": str(low + 65_535),
            "mechanism": '"auto"',
        }
        assert parse_survey(replaced(whole))["x"].domain.size == 65_536
    assert problems(
        replaced(WHOLE | {"low": str(-furthest - 1), "high": str(-furthest)})
    )


def test_an_answer_that_is_refused_names_its_question():
    """And nothing else of it: not the answer, nor an error that has it."""
    with pytest.raises(
        AnswerError, match=r"^question 'transport': expected"
    ) as refused:
        COMMUTE_SURVEY["transport"].value("on foot")
    assert "on foot" not in str(refused.value)
    assert refused.value.__suppress_context__


def test_the_place_of_the_file_is_named():
    """The problems of a named file start with its name."""
    with pytest.raises(SurveyError, match=r"office\.toml: question 1 \(x\)\.epsilon"):
        parse_survey(written(BASE | {"epsilon": '"0"'}), "office.toml")


@pytest.mark.parametrize(
    "number",
    [
        "1" * 10**6,
        f"1/{'3' * 10**6}",
        f"0.{'1' * 10**6}",
        "1e999999999",
        "1E-999999999",
        f"1e{'9' * 10**6}",
    ],
    ids=lambda number: number[:8],
)
def test_enormous_numbers_are_refused_quickly(number):
    """A long number does not make the parser work: it is refused by its length."""
    start = time.thread_time()
    with pytest.raises(ValueError, match="number such as"):
        fraction(number)
    assert any(
        "epsilon" in line
        for line in problems(written(BASE | {"epsilon": f'"{number}"'}))
    )
    assert time.thread_time() - start < 2


@pytest.mark.parametrize(
    "literal", ["1" * 10**5, "1e999", "0x" + "f" * 10**5, f"[0x{'f' * 10**5}]"]
)
def test_enormous_literals_are_refused_quickly(literal):
    """The same for numbers that TOML itself reads."""
    start = time.thread_time()
    assert problems(written(BASE | {"epsilon": literal}))
    assert time.thread_time() - start < 2


@pytest.mark.parametrize(
    ("number", "exact"),
    [
        (0.1, Fraction(1, 10)),
        (0.30000000000000004, Fraction("0.30000000000000004")),
        (1e-05, Fraction(1, 100_000)),
        ("0.1", Fraction(1, 10)),
        (" 1/3 ", Fraction(1, 3)),
        (".5", Fraction(1, 2)),
        ("2.", Fraction(2)),
        ("1e-3", Fraction(1, 1000)),
        (3, Fraction(3)),
    ],
)
def test_numbers_mean_what_is_written(number, exact):
    """A float is its shortest decimal text, never its binary value; strings are
    exact.
    """
    assert fraction(number) == exact


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6))
def test_fractions_survive_being_written(numerator, denominator):
    """Any fraction and any float comes back exactly from its text."""
    number = Fraction(numerator, denominator)
    assert fraction(str(number)) == number
    assert fraction(numerator / 1024) == Fraction(numerator, 1024)


def fingerprint(keys):
    """The fingerprint of a question."""
    return parse_survey(written(keys))["x"].fingerprint


SAME = [
    {"text": '"Another wording"'},
    *(
        {"epsilon": spelling}
        for spelling in ('"1.0"', "1", "1.0", '"1/1"', '"100e-2"', '" 1 "', '"+1"')
    ),
]


@pytest.mark.parametrize("change", SAME)
def test_what_people_read_is_not_in_the_fingerprint(change):
    """Wording, and the way in which a number is written, leave the fingerprint
    alone.
    """
    assert fingerprint(BASE | change) == fingerprint(BASE)


def test_the_order_of_keys_and_candidates_are_not_in_the_fingerprint():
    """Neither where a key stands nor what the aggregator looks for changes a report."""
    assert fingerprint(dict(reversed(BASE.items()))) == fingerprint(BASE)
    assert (
        parse_survey(COMMUTE.replace("homepages.txt", "others.txt")).fingerprint
        == COMMUTE_SURVEY.fingerprint
    )
    assert (
        parse_survey(COMMUTE.replace('candidates = "homepages.txt"', "")).fingerprint
        == COMMUTE_SURVEY.fingerprint
    )


RAPPOR_BASE = {
    "name": '"x"',
    **{key: value for key, value in RAPPOR.items() if value is not None},
}
DIFFERENT = [
    BASE,
    BASE | {"name": '"y"'},
    BASE | {"values": '["a", "b", "d"]'},
    BASE | {"values": '["b", "a", "c"]'},
    BASE | {"values": '["a", "b"]'},
    BASE | {"values": '["a,b", "c"]'},
    BASE | {"values": '["a", "b,c"]'},
    BASE | {"values": '["ab", "c"]'},
    BASE | {"values": '["false", "true"]'},
    BASE | {"values": '["A", "b", "c"]'},
    BASE | {"mechanism": '"sue"'},
    BASE | {"mechanism": '"oue"'},
    BASE | {"epsilon": '"1.0001"'},
    {"name": '"x"', "type": '"boolean"', "mechanism": '"grr"', "epsilon": "1"},
    {"name": '"x"', "type": '"boolean"', "mechanism": '"warner"', "epsilon": "1"},
    {"name": '"x"', "type": '"boolean"', "mechanism": '"warner"', "truth": '"3/4"'},
    {
        "name": '"x"',
        "type": '"boolean"',
        "mechanism": '"forced"',
        "forced_true": '"1/4"',
        "forced_false": '"1/4"',
    },
    {
        "name": '"x"',
        "type": '"boolean"',
        "mechanism": '"matrix"',
        "matrix": '[["3/4", "1/4"], ["1/4", "3/4"]]',
    },
    {
        "name": '"x"',
        "type": '"boolean"',
        "mechanism": '"matrix"',
        "matrix": '[["1/4", "3/4"], ["3/4", "1/4"]]',
    },
    RAPPOR_BASE,
    *(
        RAPPOR_BASE | change
        for change in (
            {"bloom_bits": "16"},
            {"hashes": "3"},
            {"cohorts": "2"},
            {"p": '"0.4"'},
            {"q": '"0.8"'},
            {"f": '"0.6"'},
            {"p": '"0.75"', "q": '"0.5"'},
        )
    ),
]


def test_whatever_changes_a_report_is_in_the_fingerprint():
    """Questions that differ in any of what they mean are not pooled.

    Name, type, values and their order, mechanism and its numbers.
    """

    def key(keys):
        parsed = parse_survey(written(keys))
        return next(iter(parsed)).fingerprint

    assert len({key(keys) for keys in DIFFERENT}) == len(DIFFERENT)


def test_surveys_share_no_question_with_surveys_of_other_names():
    """The same question, or group, has another fingerprint in a survey of another
    name.
    """
    questions = [
        (
            f'[[question]]\nname = "{name}"\ntype = "boolean"\nmechanism = '
            '"grr"\nepsilon '
            '= "1"'
        )
        for name in "ab"
    ]
    here, there = (
        parse_survey(
            "\n".join(
                [f'[survey]\nname = "app-{name}"\njoint = ["a", "b"]', *questions]
            )
        )
        for name in ("eu", "us")
    )
    assert not {envelope.fingerprint for envelope in here.tally_parts} & {
        envelope.fingerprint for envelope in there.tally_parts
    }


def with_another(number):
    """A number, or the first entry of a table, plus 1."""
    if isinstance(number, int):
        return number + 1
    if not number[0]:
        return ((1,),)
    return ((number[0][0] + 1, *number[0][1:]), *number[1:])


OF_ONE_ROW = ("lengths", "parents", "law")
"""Integers that are a list in the randomizer, and a table of one row elsewhere."""

OF_TREES = {
    "parents": lambda rows: ((*rows[0][:-1], 0),),
    "spaces": lambda rows: ((2, 3, *rows[0][2:]), *rows[1:]),
}
"""Other trees, and other spaces: not any numbers make one."""


def with_integer(randomizer, name, number):
    """The randomizer with another integer, of its own or of one that it reports
    through.
    """
    if name in randomizer._fields:
        is_row = name in OF_ONE_ROW or (
            name == "weights" and isinstance(randomizer, Arcs)
        )
        return randomizer._replace(**{name: number[0] if is_row else number})
    name = "size" if name == "cells" else name
    part = "lasting" if "lasting" in randomizer._fields else "oracle"
    if name.startswith("fresh_"):
        part = "fresh"
    changed = getattr(randomizer, part)._replace(
        **{name.removeprefix("fresh_"): number}
    )
    return randomizer._replace(**{part: changed})


def test_every_integer_of_every_mechanism_is_in_the_fingerprint():
    """Adding one to any integer that a randomizer draws with gives another
    fingerprint.
    """
    for mechanism in MECHANISMS:
        asked = designed(mechanism, DESIGNS[mechanism][0])
        seen = {asked.fingerprint}
        for name, number in integers(asked.randomizer).items():
            changed = OF_TREES.get(name, with_another)(number)
            other = with_integer(asked.randomizer, name, changed)
            seen.add(
                Question(
                    asked.name,
                    asked.domain,
                    mechanism,
                    randomizer=other,
                    declared=asked.declared,
                ).fingerprint
            )
        assert len(seen) == 1 + len(integers(asked.randomizer)), mechanism


@pytest.mark.parametrize(
    ("size", "epsilon"),
    [(2, "1"), (3, "1"), (4, "3"), (8, "0.5"), (40, "1"), (40, "5")],
)
def test_auto_is_the_mechanism_that_it_chooses(size, epsilon):
    """`auto` leaves no trace: naming the chosen mechanism gives the same
    fingerprint.
    """
    values = ", ".join(f'"{index}"' for index in range(size))
    keys = f'type = "category"\nvalues = [{values}]\nepsilon = "{epsilon}"'
    chosen = designed("auto", keys)
    assert chosen.mechanism in ("grr", "ss", "pgr", "hr")
    assert designed(chosen.mechanism, keys).fingerprint == chosen.fingerprint


def test_a_goal_has_the_design_of_the_first_that_serves():
    """Of two that serve a distribution: as if its width and weights were written
    out.
    """
    keys = 'type = "number"\nlow = 0\nhigh = 9\nstep = 1\nepsilon = 1'
    chosen = designed("auto", f'{keys}\ngoal = "distribution"')
    arcs = chosen.randomizer
    written = f"{keys}\nwidth = {arcs.width}\nweights = {list(arcs.weights)}"
    assert chosen.fingerprint == designed("arcs", written).fingerprint
    assert chosen.fingerprint != designed("arcs", keys).fingerprint


def test_a_pair_of_one_key():
    """The fewest that a respondent may hold."""
    keys = (
        'type = "key-value"\nkeys = ["a", "b"]\nmost = 1\nlow = 0\nhigh = '
        "1\nepsilon = 1"
    )
    assert designed("auto", keys).domain.most == 1


def test_the_survey_fingerprint_covers_its_name_and_its_questions():
    """Another name, or another question, is another survey; the order of the questions
    is not.
    """
    questions = tuple(COMMUTE_SURVEY)
    assert (
        Survey(COMMUTE_SURVEY.name, questions[::-1]).fingerprint
        == COMMUTE_SURVEY.fingerprint
    )
    assert Survey("other", questions).fingerprint != COMMUTE_SURVEY.fingerprint
    assert (
        Survey(COMMUTE_SURVEY.name, questions[:2]).fingerprint
        != COMMUTE_SURVEY.fingerprint
    )


def survives(text):
    """Parsing ends in a survey or in a `SurveyError`."""
    with contextlib.suppress(SurveyError):
        assert isinstance(parse_survey(text), Survey)


@given(st.one_of(st.text(max_size=200), st.binary(max_size=200)))
def test_any_text_is_a_survey_or_a_survey_error(text):
    """Whatever the file holds, nothing else is raised."""
    survives(text)


_NUMBERS = st.sampled_from(
    [
        '"1"',
        '"0.5"',
        '"1/4"',
        "0.75",
        "0",
        "1",
        "-1",
        "nan",
        "1e400",
        '"1/0"',
        '"x"',
        "99999999",
    ]
)
_VALUES = st.one_of(
    _NUMBERS,
    st.sampled_from(
        [
            "true",
            "[]",
            "{}",
            "[[]]",
            '["a", "b"]',
            '["a", "b", "c"]',
            "[1, 2]",
            "1979-05-27",
            '""',
            '"x"',
        ]
    ),
    st.sampled_from(
        [f'"{name}"' for name in (*MECHANISMS, "auto", "boolean", "category", "text")]
    ),
    st.lists(
        st.lists(_NUMBERS, max_size=3).map(lambda row: f"[{', '.join(row)}]"),
        max_size=3,
    ).map(lambda rows: f"[{', '.join(rows)}]"),
)
_KEYS = sorted(
    {"name", "type", "values", "text", "candidates", "mechanism", "other"}.union(
        *(m.keys for m in MECHANISMS.values())
    )
)
_TYPES = st.sampled_from(['"boolean"', '"category"', '"text"'])
_KINDS = st.sampled_from([f'"{name}"' for name in (*MECHANISMS, "auto")])
_TABLES = st.builds(
    lambda drawn, kind, mechanism: {"type": kind, "mechanism": mechanism} | drawn,
    st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=9),
    _TYPES,
    _KINDS,
)


@settings(max_examples=600)
@given(st.lists(_TABLES, max_size=3))
def test_any_tables_are_a_survey_or_a_survey_error(tables):
    """The same for files that are TOML and have the right keys, with values of any
    kind.
    """
    survives(
        HEAD
        + "".join(
            written({"name": f'"q{number}"'} | table).removeprefix(HEAD)
            for number, table in enumerate(tables)
        )
    )


@pytest.fixture
def commute(tmp_path):
    path = tmp_path / "survey.toml"
    path.write_text(COMMUTE)
    return path


def test_candidates_are_the_lines_of_a_file_beside_the_survey(commute):
    """One candidate a line.

    Blank lines, spaces around, a byte order mark and repetitions do not count.
    """
    (commute.parent / "homepages.txt").write_bytes(
        "\ufeffb.org\r\n\n  a.org \nb.org\nü.org".encode()
    )
    assert read_candidates(read_survey(commute), commute) == {
        "homepage": ("b.org", "a.org", "ü.org")
    }


def test_candidates_that_are_missing_or_no_text_are_refused(commute):
    """The message names the file."""
    survey = read_survey(commute)
    with pytest.raises(FileError, match=r"homepages\.txt"):
        read_candidates(survey, commute)
    (commute.parent / "homepages.txt").write_bytes(b"ok\n\xff\xfe")
    with pytest.raises(FileError, match=r"homepages\.txt.*UTF-8.*position 3"):
        read_candidates(survey, commute)


def test_extreme_surveys_can_be_explained():
    """The longest numbers and largest sizes of surveys still print, epsilon as a
    decimal.
    """
    sizes = 'type = "text"\nbloom_bits = 64\nhashes = 16\ncohorts = 2'
    far = designed(
        "rappor", f'{sizes}\np = "0.{"3" * 30}"\nq = "0.{"7" * 30}"\nf = "0.{"1" * 30}"'
    )
    assert Fraction(certify(far)["one_report"]["declared"]) == pytest.approx(
        float(log(far.declared.bound)), abs=1e-9
    )


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (Fraction(3), "ln(3)"),
        (Fraction(1001, 3), "ln(1001/3)"),
        (Fraction(10**39), f"ln({10**39})"),
        (Fraction(10**40), "92.103403719762"),
        (Fraction(2**1000 + 1, 2**1000), "0.000000000001"),
    ],
)
def test_epsilons_that_follow_from_probabilities(ratio, text):
    """As logarithms, or as decimals rounded up where those are longer than 44
    characters.
    """
    assert Declared.ratio(ratio) == Declared(text, ratio)


@pytest.mark.parametrize(
    "keys", ['"vector"\ndimensions = 3', '"number"\nlow = 0\nhigh = 65536\nstep = 1']
)
def test_rappor_is_for_texts_and_few_values(keys):
    """Neither for vectors nor for more values than a report may have bits."""
    with pytest.raises(
        SurveyError, match="an open question, or one with at most 65536 values"
    ):
        designed("rappor", f'type = {keys}\np = "0.2"\nq = "0.8"\nf = "0"')


def test_a_probability_of_one_is_next_to_it():
    """By 2^-64, where the permanent response has noise enough."""
    for p, q in (("1", "0.5"), ("0.5", "1")):
        response = designed(
            "rappor", f'type = "boolean"\np = "{p}"\nq = "{q}"\nf = "0.5"'
        ).randomizer
        assert max(response.if_zero, response.if_one) == 2**64 - 1
        assert min(response.if_zero, response.if_one) == 2**63


def test_draws_are_numbered_from_one():
    """In what is said of them."""
    asked = (
        '[[question]]\nname = "x"\ntype = "boolean"\nmechanism = "grr"\nepsilon = 1\n'
    )
    with pytest.raises(SurveyError) as refused:
        parse_survey(f'[survey]\nname = "s"\n{asked}[[draw]]\nquestions = ["x"]\n')
    assert [problem.place for problem in refused.value.problems] == [
        "survey: draw 1.questions"
    ]


def test_probabilities_that_rounding_would_swap():
    """Closer than 2^-64, p and q are a problem: rounded, they would change places."""
    with pytest.raises(SurveyError, match="still differ"):
        designed(
            "rappor",
            f'type = "boolean"\nf = "0"\np = "0.{"3" * 29}1"\nq = "0.{"3" * 29}7"',
        )


def test_matrix_without_a_common_denominator():
    """A matrix without a common denominator of 256 bits is a problem, not an endless
    number.
    """
    whole = (10**29, 10**29 - 1, 10**29 - 3)
    rows = [[f"1/{number}", f"{number - 1}/{number}", "0"] for number in whole]
    with pytest.raises(SurveyError, match="common denominator of at most 256 bits"):
        designed(
            "matrix", f'type = "category"\nvalues = ["a", "b", "c"]\nmatrix = {rows}'
        )
