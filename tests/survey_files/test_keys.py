"""Reading one table: what each reader takes, what it says of anything else, and how
that reads.
"""

from fractions import Fraction

import pytest

import ldp
from ldp.answers.keys import MOST_NOTED, Keys, written_name
from ldp.errors import MOST_TOLD, Problem, SurveyError, UnknownNameError
from ldp_client.answering.terms import bound

PLACE = "question 1 (x)"
ENORMOUS = 10**5000


def said(read, **table):
    """What is told of a table once something was read from it."""
    keys = Keys(PLACE, table)
    read(keys)
    return keys.report_problems()


def came(read, **table):
    """What came in place of what was expected, by the one problem."""
    (problem,) = said(read, **table)
    return problem.came


@pytest.mark.parametrize("unknown", [MOST_NOTED, MOST_NOTED + 1, MOST_NOTED + 5])
def test_further_problems_are_counted(unknown):
    """Twenty are told one by one, and how many there are besides."""
    problems = said(
        lambda keys: [
            keys.problem(f"key{number}", "nothing", 1) for number in range(unknown)
        ]
    )
    assert [problem.place for problem in problems[:MOST_NOTED]] == [
        f"{PLACE}.key{number}" for number in range(MOST_NOTED)
    ]
    more = unknown - MOST_NOTED
    assert problems[MOST_NOTED:] == (
        [Problem(PLACE, "no more problems", f"{more} of them")] if more else []
    )


def test_a_problem_is_counted_once():
    """Mechanisms that are tried one after the other ask for the same keys."""
    problems = said(
        lambda keys: [keys.problem("p", "nothing", 1) for _ in range(MOST_NOTED + 1)],
        p=1,
    )
    assert problems == [Problem(f"{PLACE}.p", "nothing", "1")]


def test_what_a_profile_gives_is_not_given_again():
    """Only the keys that both have are problems, and all of them."""
    keys = Keys(PLACE, {"p": "0.5", "f": "0.5", "name": "x"})
    more = keys.with_keys({"p": "0.1", "q": "0.9", "f": "0"}, "profile")
    expected = "nothing: profile gives it"
    assert more.report_problems() == [
        Problem(f"{PLACE}.p", expected, "'0.5'"),
        Problem(f"{PLACE}.f", expected, "'0.5'"),
    ]
    assert more.text("q") == "0.9"


def test_the_first_repeated_value_is_named():
    """Not one that stands there once."""
    values = ["a", "b", "c", "b", "c"]
    assert (
        came(lambda keys: keys.texts("values", least=2, most=9), values=values)
        == "'b' twice"
    )


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (lambda keys: keys.text("t"), "\ud800"),
        (lambda keys: keys.texts("t", 1, 2), ["a", "\ud800"]),
    ],
    ids=["text", "list"],
)
def test_texts_that_have_no_bytes_are_problems(read, value):
    """Lone surrogates, which some parsers let through."""
    assert [problem.place for problem in said(read, t=value)] == [f"{PLACE}.t"]


@pytest.mark.parametrize(
    ("given", "read", "expected"),
    [
        ("clip", "clip", ()),
        ("1/3", Fraction(1, 3), ()),
        (2, Fraction(2), ()),
        ("half", "clip", ("clip, refuse or a number",)),
        (None, "clip", ("clip, refuse or a number",)),
        (["clip"], "clip", ("clip, refuse or a number",)),
    ],
)
def test_a_word_or_a_number(given, read, expected):
    """One of the words as it is, else the exact number; the first word stands in for
    others.
    """
    keys = Keys(PLACE, {} if given is None else {"outside": given})
    assert keys.word_or_fraction("outside", ("clip", "refuse")) == read
    assert tuple(problem.expected for problem in keys.report_problems()) == expected


def test_a_length_of_time_that_is_none_is_a_problem():
    """As `ldp.numbers.epochs` says it, without a traceback."""
    (problem,) = said(lambda keys: keys.length("epoch"), epoch="soon")
    assert problem.place == f"{PLACE}.epoch"
    assert not problem.expected.startswith("expected")


def test_every_bad_row_of_a_table_is_told():
    """One row that is too short does not hide the next."""
    table = [["1"], ["0", "1", "0"], ["0", "0", "1"], "row"]
    problems = said(lambda keys: keys.rows("matrix", 4), matrix=table)
    assert [(problem.place, problem.came) for problem in problems] == [
        (f"{PLACE}.matrix row 1", "1 of them"),
        (f"{PLACE}.matrix row 2", "3 of them"),
        (f"{PLACE}.matrix row 3", "3 of them"),
        (f"{PLACE}.matrix row 4", "'row'"),
    ]


@pytest.mark.parametrize("given", ["0", "1", "2", "-1", "many", None])
def test_what_stands_in_for_a_number_is_between_its_bounds(given):
    """The bounds themselves excluded where they are no values."""
    table = {} if given is None else {"share": given}
    least, most = Fraction(0), Fraction(1)
    stand_in = Keys(PLACE, table).fraction("share", least, most, open_ends=True)
    assert least < stand_in < most


def test_enormous_integers_are_told_as_such():
    """Python refuses to write them out."""
    assert (
        came(lambda keys: keys.integer("n", 0, 9), n=ENORMOUS) == "an enormous number"
    )
    assert (
        came(lambda keys: keys.texts("n", 1, 9), n=[ENORMOUS]) == "an enormous number"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x " * 40, "x " * 40),
        ("x " * 40 + "y", "x " * 38 + "x..."),
        ("x" * 78, f"'{'x' * 78}'"),
        ("x" * 79, f"'{'x' * 76}..."),
        ("a\n b", r"'a\n b'"),
    ],
)
def test_long_texts_are_cut_off(text, shown):
    """After eighty characters, with dots for the last three."""
    assert came(lambda keys: keys.integer("n", 0, 9), n=text) == shown


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a" * 64, "a" * 64),
        ("a" * 65, f"'{'a' * 64}...'"),
        ("\n" * 64, "'" + r"\n" * 64 + "'"),
        ("\n" * 65, "'" + r"\n" * 64 + "...'"),
    ],
    ids=["long", "too long", "long and steering", "too long and steering"],
)
def test_names_are_written_in_one_line(name, written):
    """Those of sixty-four characters whole, without what would steer a terminal."""
    assert written_name(name) == written


def test_an_unknown_key_is_taken_for_the_closest():
    """However long its name may be within reason."""
    close, far = "k" * 63 + "q", "k" * 64 + "q"
    assert [problem.expected for problem in said(_one_long_key, **{close: 1})] == [
        f'"{"k" * 64}"'
    ]
    assert [problem.expected for problem in said(_one_long_key, **{far: 1})] == [
        f"one of {'k' * 64}"
    ]


def _one_long_key(keys):
    """Ask for a key whose name has sixty-four letters, and for no other."""
    assert "k" * 64 not in keys
    keys.finish()


@pytest.mark.parametrize("number", [1, 2, MOST_TOLD, MOST_TOLD + 1, MOST_TOLD + 7])
def test_an_error_counts_its_problems(number):
    """In its first line all; below it a hundred, and how many more there are."""
    error = SurveyError(tuple(Problem("s", f"{index}", "x") for index in range(number)))
    first, *others = str(error).splitlines()
    problems = "1 problem" if number == 1 else f"{number} problems"
    assert first == f"{problems} in the survey:"
    lines = [f"  s: expected {index}, got x" for index in range(min(number, MOST_TOLD))]
    more = number - MOST_TOLD
    assert others == lines + ([f"  and {more} more"] if more > 0 else [])


@pytest.mark.parametrize(("length", "taken"), [(1, True), (1000, True), (1001, False)])
def test_texts_have_a_thousand_characters(length, taken):
    """One at least."""
    assert (said(lambda keys: keys.text("t"), t="t" * length) == []) is taken
    values = ["a", "t" * (length - 1) + "b"]
    assert (said(lambda keys: keys.texts("t", 2, 2), t=values) == []) is taken


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["a", "b"], (("a", "b"),)),
        ([["a", "b"], ["c"]], (("a", "b"), ("c",))),
        ([], ()),
    ],
)
def test_names_are_one_list_or_several(given, names):
    """One list of texts stands for a list of it."""
    keys = Keys(PLACE, {"joint": given})
    assert keys.names("joint") == names
    assert keys.report_problems() == []


@pytest.mark.parametrize(
    "given", ["a", 1, ["a", 1], [["a"], "b"], [["a", 1]], [["a"], [["b"]]]]
)
def test_names_are_texts(given):
    """Whatever else stands among them is a problem."""
    keys = Keys(PLACE, {"joint": given})
    assert keys.names("joint") == ()
    assert [problem.place for problem in keys.report_problems()] == [f"{PLACE}.joint"]


@pytest.mark.parametrize(
    ("columns", "most", "wanted"),
    [
        ((2, 2), None, None),
        ((2, 3), None, "2 probabilities, one for each value"),
        ((3, 3), None, "2 probabilities, one for each value"),
        ((3, 3), 4, None),
        ((4, 4), 4, None),
        ((3, 4), 4, "3 numbers, one for each output"),
        ((5, 5), 4, "2 numbers, one for each output"),
        ((1, 1), 4, "2 numbers, one for each output"),
    ],
)
def test_tables_are_square_or_as_wide_as_their_first_row(columns, most, wanted):
    """The latter where more outputs than values are allowed, up to as many as that."""
    table = [["1"] * number for number in columns]
    problems = said(lambda keys: keys.rows("matrix", 2, most), matrix=table)
    assert {problem.expected for problem in problems} == ({wanted} if wanted else set())


@pytest.mark.parametrize("most", [None, 4])
def test_a_first_row_that_is_none_makes_a_table_no_wider(most):
    """A text has a length, too, and a number has none."""
    for row in ("abc", 3):
        problems = said(
            lambda keys: keys.rows("matrix", 2, most), matrix=[row, ["0", "1"]]
        )
        assert [(problem.place, problem.expected[:9]) for problem in problems] == [
            (f"{PLACE}.matrix row 1", "2 numbers" if most else "2 probabi")
        ]


def test_a_table_that_is_refused_has_a_stand_in():
    """The identity, so that what comes after has something to go on."""
    keys = Keys(PLACE, {"matrix": [["1", "x"], ["0", "1"]]})
    assert keys.rows("matrix", 2) == ((1, 0), (0, 1))
    assert keys.report_problems()


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ([1, 9], (1, 9)),
        ([2, 3], (2, 3)),
        *(
            (other, None)
            for other in (
                [0, 1],
                [1, 10],
                [1],
                [1, 1, 1],
                [1, True],
                [1, 2.0],
                "12",
                {1: 2, 3: 4},
            )
        ),
    ],
)
def test_lists_of_whole_numbers(given, read):
    """As many as there have to be, from 1 to the most; ones stand in for others."""
    keys = Keys(PLACE, {"weights": given})
    assert keys.integers("weights", 2, 9) == (read or (1, 1))
    assert len(keys.report_problems()) == (read is None)


def test_without_a_list_all_are_one():
    """And that is no problem."""
    keys = Keys(PLACE, {})
    assert keys.integers("weights", 3, 9) == (1, 1, 1)
    assert not keys.report_problems()


@pytest.mark.parametrize(
    ("given", "but"),
    [
        ([-5, 5], None),
        (["-5", "0.5", 4], None),
        ([-6, 5], "one beyond"),
        ([0, 6], "one beyond"),
        ([0], "1 of them"),
        ([0, 1, 2, 3], "4 of them"),
        ("01", "'01'"),
        (3, "3"),
    ],
)
def test_lists_of_numbers(given, but):
    """Two or three exact ones, up to 5 from 0 and that included; 0 and 1 stand in for
    others.
    """
    keys = Keys(PLACE, {"edges": given})
    numbers = keys.fractions("edges", 2, 3, furthest=Fraction(5))
    assert [problem.came for problem in keys.report_problems()] == (
        [] if but is None else [but]
    )
    assert numbers == ((0, 1) if but else tuple(map(Fraction, given)))


@pytest.mark.parametrize(
    ("known", "more"), [(20, ""), (21, " and 1 more"), (30, " and 10 more")]
)
def test_an_unknown_name_is_told_with_those_there_are(known, more):
    """Twenty of them, how many there are besides, and which it is most like."""
    names = [f"name {number:02}" for number in range(known)]
    said = str(UnknownNameError("name 01x", names, "a name"))
    assert said.startswith(
        f"expected a name ({', '.join(names[:20])}{more}), got 'name 01x'"
    )
    assert "did you mean 'name 01'" in said
    assert str(UnknownNameError("other", [], "a name")) == (
        "expected a name (there is none), got 'other'"
    )


def test_an_epsilon_is_a_logarithm_where_one_is_printed():
    """In a survey it is never exceeded; as a ceiling it is the ratio itself."""
    coin = ldp.question("x", type="boolean", epsilon="ln(3)", mechanism="warner")
    survey = ldp.survey("s", coin)
    assert survey["x"].declared.bound <= 3
    assert ldp.parse_survey(survey.to_toml()) == survey
    assert bound("ln(3)") == 3
    forced = {"mechanism": "forced", "forced_true": "1/4", "forced_false": "1/4"}
    once = ldp.survey(
        "s", ldp.question("x", type="boolean", **forced), lifetime_epsilon="ln(3)"
    )
    assert once["x"].declared == ("ln(3)", 3, None, None)
    assert once.lifetime.text == "1.098612288669"
    assert 3 <= once.lifetime.bound < 3 + Fraction(1, 10**11)
    place = {"x": (0, 1), "y": (0, 1), "cells": 2, "mechanism": "metric"}
    visit = ldp.survey("s", ldp.question("x", **place, epsilon_per_unit="ln(3)"))
    assert visit["x"].declared.metric.per_unit == Fraction("1.098612288668")
    with pytest.raises(
        ldp.SurveyError, match="epsilon: expected the logarithm of a ratio above 1"
    ):
        ldp.survey("s", coin | {"epsilon": "ln(1)"})


def test_what_stands_for_no_answer_is_no_value():
    """Nor part of what devices have."""
    coin = ldp.question("x", type="boolean", epsilon=1)
    with pytest.raises(
        ldp.SurveyError, match="missing: expected texts that are no values"
    ):
        ldp.survey("s", coin | {"missing": ["NA", "true"]})
    with_missing = ldp.survey("s", coin | {"missing": ["NA"]})
    assert with_missing.fingerprint == ldp.survey("s", coin).fingerprint
    assert ldp.parse_survey(with_missing.to_toml())["x"].domain.missing == ("NA",)
