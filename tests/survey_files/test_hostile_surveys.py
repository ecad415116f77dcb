"""Surveys as attacks: any file of up to a mebibyte is read or refused, with little
work.
"""

import random
import resource
import subprocess
import sys
from fractions import Fraction

import pytest

from lab.benchmarks.hostile_surveys import (
    ATTACKS,
    HEAD,
    KEYS,
    LARGEST,
    SYNTAX,
    VALUES,
    asked,
    filled,
    listed,
    one,
)
from ldp import SurveyError, parse_survey
from ldp.answers.keys import MOST_NOTED
from ldp.answers.scales import EvenPoints
from ldp.errors import MOST_TOLD
from ldp_aggregator.output.files import FileError, read_survey
from ldp_client.answering.terms import read_survey as read_on_device

SECONDS, MEBIBYTES = 20, 640
"""Far above the target of one second and 64 MiB, which a benchmark holds, and far below
what these files once took.
"""

_SMALL = 'type = "boolean"\nmechanism = "grr"\nepsilon = 1'

_READ = """
import contextlib, sys
from ldp import SurveyError, parse_survey
from lab.benchmarks.hostile_surveys import ATTACKS, LARGEST
for name in sys.argv[1:]:
    text = ATTACKS[name]().encode()
    assert len(text) <= LARGEST, name
    print(name, flush=True)
    with contextlib.suppress(SurveyError):
        parse_survey(text)
"""

HARD = (
    "a dotted key",
    "a dotted key of texts",
    "a dotted header",
    "a long header above many keys",
    "dotted keys of two parts",
    "headers",
    "keys of lists",
    "joint names",
    "joint groups of questions",
    "values, the last one twice",
    "a thousand wide ranges",
    "a thousand noisy ranges",
    "dense matrices",
    "qualities",
    "a thousand qualities of two",
)
"""Those that took minutes or gigabytes, one by one."""


def limited():
    """Limits of a process that reads one file."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEBIBYTES << 20, MEBIBYTES << 20))


@pytest.mark.needs("linux")
@pytest.mark.parametrize("name", HARD)
def test_costly_files_are_read_or_refused_within_limits(name, request):
    """A process with a limit on its processor time and memory comes to an end by
    itself.
    """
    command = [sys.executable, "-c", _READ, name]
    done = subprocess.run(
        command,
        cwd=request.config.rootpath,
        preexec_fn=limited,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (name, done.stderr[-500:])


def calls(work):
    """How many calls of functions a piece of work makes, those of C among them."""
    number = 0

    def count(_frame, event, _argument):
        nonlocal number
        number += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return number


def outcome(text):
    """The survey, or what is wrong with it; any other exception is a failure."""
    try:
        return parse_survey(text)
    except SurveyError as error:
        return error


GROWING = {
    "unknown keys": lambda size: filled(
        one(_SMALL), lambda at: f"a{at} = 1\n", most=size
    ),
    "values, the last one twice": lambda size: one(
        f'type = "category"\nvalues = {listed([*map(str, range(size)), "0"])}\n'
        'mechanism = "grr"\nepsilon = 1'
    ),
    "a joint group": lambda size: (
        f"{HEAD}joint = {listed(['q0'] * size)}\n" + asked(_SMALL, 2)[len(HEAD) :]
    ),
    "joint groups": lambda size: (
        f"{HEAD}joint = ["
        + '["x", "y"],' * size
        + "]\n"
        + asked(_SMALL, 2)[len(HEAD) :]
    ),
    "a dotted key": lambda size: f"a{'.a' * size} = 1",
}


@pytest.mark.parametrize("name", GROWING)
def test_work_grows_with_the_file_and_not_with_its_square(name):
    """Eight times as much in a file makes for ten times the calls at most, not
    sixty-four.
    """
    outcome(GROWING[name](1000))
    few, many = (
        calls(lambda size=size: outcome(GROWING[name](size))) for size in (1000, 8000)
    )
    assert many < 10 * few


@pytest.mark.parametrize("name", [*SYNTAX, *KEYS])
def test_messages_stay_short(name):
    """However much is wrong, some pages say it: a hundred problems, twenty of one
    table.
    """
    text = ATTACKS[name]()
    assert len(text.encode()) <= LARGEST
    error = outcome(text)
    if isinstance(error, SurveyError):
        lines = str(error).splitlines()
        assert len(lines) <= MOST_TOLD + 2
        assert max(map(len, lines)) < 2000
        assert all(line.isprintable() for line in lines)


def test_further_problems_are_counted():
    """A table tells twenty problems and how many more it has.

    An error tells a hundred and how many more there are.
    """
    keys = "\n".join(f"odd{at} = 1" for at in range(30))
    with pytest.raises(SurveyError) as caught:
        parse_survey(asked(f"{_SMALL}\n{keys}", 7))
    of_first = [
        problem for problem in caught.value.problems if "question 1 " in problem.place
    ]
    assert len(of_first) == MOST_NOTED + 1
    assert str(of_first[-1]).endswith("expected no more problems, got 10 of them")
    assert (
        str(caught.value).splitlines()[-1]
        == f"  and {7 * (MOST_NOTED + 1) - MOST_TOLD} more"
    )


BAD_GROUPS = [
    '[["z", "q0"], ["z", "q0"]]',
    '[["q0", "q0"], ["q0", "q0"]]',
    listed(["q0"] * 5000),
    "[[], []]",
]


@pytest.mark.parametrize("groups", BAD_GROUPS, ids=lambda groups: groups[:30])
def test_bad_groups_are_survey_errors(groups):
    """Groups that are wrong twice in one way, or have more cells than can be
    written.
    """
    error = outcome(f"{HEAD}joint = {groups}\n" + asked(_SMALL, 2)[len(HEAD) :])
    assert isinstance(error, SurveyError)
    assert any("joint" in problem.place for problem in error.problems)


LIMITS = {
    "a dotted key": "one dot at most",
    "nested lists": "at most 8 deep",
    "a number of a million digits": "at most 1,000 characters",
    "numbers": "at most 32,768 names and numbers",
    "equals signs": "at most 16,384 keys",
    "lists": "at most 16,384 opening brackets",
    "inline tables": "at most 2,048 inline tables",
    "a thousand wide ranges": "at most 524,288 whole numbers",
    "a thousand questions of many bins": "at most 524,288 whole numbers",
    "bins of fields": "at most 524,288 whole numbers",
    "ranges of fields": "at most 524,288 whole numbers",
    "a thousand maps": "at most 524,288 whole numbers",
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_are_told(name):
    """A file that a limit keeps out is told which, and what it may have."""
    with pytest.raises(SurveyError, match=LIMITS[name]):
        parse_survey(ATTACKS[name]())


def test_what_costs_more_than_its_text_is_limited_together():
    """Matrices, and distributions that are searched for, of which alike ones count
    once.
    """
    values = listed(map(str, range(64)))
    rows = ",".join("[" + ",".join(['"1/64"'] * 64) + "]" for _ in range(64))
    keys = (
        f'type = "category"\nvalues = {values}\nmechanism = "matrix"\nmatrix = [{rows}]'
    )
    with pytest.raises(
        SurveyError, match="at most 16,384 numbers in `matrix` and `quality` in all"
    ):
        parse_survey(asked(keys, 5))
    with pytest.raises(SurveyError, match="singular"):
        parse_survey(asked(keys, 4))
    keys = (
        'type = "number"\nlow = 0\nmechanism = "auto"\ngoal = '
        '"distribution"\nepsilon = 1\n'
    )
    alike = asked(f"{keys}high = 2\nbins = 40", 200)
    assert len(parse_survey(alike)) == 200
    text = alike + "".join(
        f'\n[[question]]\nname = "d{size}"\n{keys}high = {size}\nstep = 1'
        for size in range(1000, 1005)
    )
    with pytest.raises(
        SurveyError, match="at most 4,096 values of distributions that differ"
    ):
        parse_survey(text)


DOTS = [
    one(f'text = """{"a.b." * 100}"""\n{_SMALL}'),
    one(f'text = """a""b.c.d"e\n.f.g"""\n{_SMALL}'),
    one(f'text = """ends with two""" # "a.b.c.d\n{_SMALL}'),
    one(f'text = """a.b.c"""""\n{_SMALL}'),
    one(f"text = '''a.b.c'''''\n{_SMALL}"),
    one(f"text = 'a.b.c' # [[[[[[[[[\n{_SMALL}"),
    one(f'text = "a\\".b.c[[[[[[[[[[" # {{\n{_SMALL}'),
    'survey.name = "s"\n'
    'question = [{name = "q", type = "boolean", mechanism = "grr", epsilon = 0.5}]\n',
]


@pytest.mark.parametrize("text", DOTS)
def test_what_strings_and_comments_hold_is_not_counted(text):
    """Dots and brackets count where they are TOML's, and nowhere else."""
    assert parse_survey(text).questions


def test_large_files_are_refused_unless_they_are_allowed(tmp_path, monkeypatch):
    """A limit on the bytes of a file, which a caller or the environment can raise."""
    text = one(f"{_SMALL} # {'x' * 2000}").encode()
    with pytest.raises(SurveyError, match=r"at most 1,000 bytes .*got 2,\d{3} bytes"):
        parse_survey(text, largest=1000)
    assert parse_survey(text, largest=len(text))
    path = tmp_path / "survey.toml"
    path.write_bytes(text)
    assert read_survey(path)
    monkeypatch.setenv("LDPKIT_LARGEST_SURVEY", "1000")
    with pytest.raises(
        SurveyError,
        match=r"at most 1,000 bytes \(set LDPKIT_LARGEST_SURVEY to allow more",
    ):
        read_survey(path)
    monkeypatch.setenv("LDPKIT_LARGEST_SURVEY", "much")
    with pytest.raises(FileError, match="number of bytes, got 'much'"):
        read_survey(path)


@pytest.mark.needs("linux")
@pytest.mark.parametrize("read", [read_survey, read_on_device])
def test_files_without_an_end_are_not_read_to_it(read):
    """Only as many bytes are read as a survey may have."""
    from pathlib import Path

    with pytest.raises(SurveyError, match="at most 16,777,216 bytes"):
        read(Path("/dev/zero"))


def test_a_large_survey_may_have_more_of_everything():
    """Limits are for each mebibyte: two of text may have twice as many numbers."""
    rows = ",".join("[" + ",".join(["1", *["0"] * 255]) + "]" for _ in range(64))
    keys = (
        f'type = "category"\nvalues = {listed(map(str, range(64)))}\n'
        'mechanism = "exponential"\nepsilon = 1\n'
    )
    text = asked(f"{keys}quality = [{rows}]", 2)
    with pytest.raises(
        SurveyError, match=r"numbers in `matrix` and `quality`|names and numbers"
    ):
        parse_survey(text)
    with pytest.raises(SurveyError, match="better for some values"):
        parse_survey(text + "#" * LARGEST)


def mutated(text, drawn):
    """A survey with some of its pieces doubled, dropped, exchanged, or replaced by
    others.
    """
    pieces = [text[at : at + 8] for at in range(0, len(text), 8)]
    others = [
        "[",
        "]",
        '"',
        "'''",
        '"""',
        "{",
        "}",
        "=",
        ".",
        "\n",
        "\\",
        "\0",
        "é",
        "9" * 30,
        "1/0",
        "1e99",
        "#",
        ",",
    ]
    for _ in range(drawn.randrange(1, 6)):
        at = drawn.randrange(len(pieces))
        pieces[at] = drawn.choice(
            [*others, "", pieces[at] * 2, drawn.choice(pieces), pieces[at] * 500]
        )
    return "".join(pieces)


def seeds():
    """Small surveys of every kind."""
    from specimens import DESIGNS

    return [
        f'{HEAD}[[question]]\nname = "x"\nmechanism = "{name}"\n{keys[0]}\n'
        for name, keys in DESIGNS.items()
    ]


def test_mutated_surveys_are_surveys_or_survey_errors():
    """3,000 mutations of surveys raise nothing else, and no message steers a
    terminal.
    """
    drawn = random.Random(20)
    texts = seeds()
    for _ in range(3000):
        error = outcome(mutated(drawn.choice(texts), drawn))
        assert all(
            line.isprintable() for line in str(error).splitlines()
        ) or not isinstance(error, SurveyError)


def test_files_of_values_are_read_whole():
    """Hostile as it looks, a list of as many short values as go into a file is a
    survey.
    """
    survey = parse_survey(VALUES["as many values as there may be"]())
    assert survey.questions[0].domain.size == 174_000


def test_ranges_keep_no_texts():
    """A range of whole numbers is as wide as it says, its texts made only when asked
    for.
    """
    domain = parse_survey(
        one('type = "integer"\nlow = -5\nhigh = 65000\nmechanism = "grr"\nepsilon = 1')
    )["q"].domain
    assert (domain.size, domain.value(-5), domain.value(65000)) == (65_006, 0, 65_005)
    assert domain._listed is None
    assert domain.values[:2] == ("-5", "-4")


def test_bins_keep_no_edges():
    """Each edge is worked out when it is asked for, the same one by one and in a
    row.
    """
    keys = (
        'type = "number"\nlow = "-1/3"\nhigh = "2.5"\nbins = 6\nmechanism = '
        '"grr"\nepsilon = 1'
    )
    edges = parse_survey(one(keys))["q"].domain.scale.edges
    assert isinstance(edges, EvenPoints)
    assert list(edges) == [
        Fraction(-1, 3) + Fraction(17, 36) * place for place in range(7)
    ]
    assert list(edges) == [edges[place] for place in range(7)] == list(edges[:])
