"""Questions that are answered together: in the survey file, on the device, and on the
wire.
"""

import random

import pytest

from ldp import AlreadyAnsweredError, AnswerError, SurveyError, parse_survey
from ldp.numbers.randomness import Replay
from ldp_aggregator import Ingest
from ldp_client import Client, Report, report_bytes

MIRROR = 'p = "0"\nq = "1"\nf = "0.5"\n'
"""Reports show the permanent response as good as it is: see `surveys`."""

MANY = (
    f'type = "category"\nvalues = {[str(number) for number in range(3000)]}\n'
    'mechanism = "grr"\nepsilon = 1\n'
)

QUESTIONS = {
    "once": 'type = "boolean"\nmechanism = "grr"\nepsilon = 1\n',
    "bits": (
        'type = "category"\nvalues = ["x", "y", "z"]\nmechanism = "oue"\nepsilon = 2\n'
    ),
    "listed": (
        f'type = "category"\nvalues = {[str(number) for number in range(40)]}\n'
        f'mechanism = "rappor"\n{MIRROR}'
    ),
    "other": (
        f'type = "category"\nvalues = {[str(number) for number in range(40)]}\n'
        f'mechanism = "rappor"\n{MIRROR}'
    ),
    "told": (
        'type = "text"\nmechanism = "rappor"\nbloom_bits = 16\nhashes = 2\ncohorts = '
        f"4\n{MIRROR}"
    ),
    "hashed": 'type = "boolean"\nmechanism = "olh"\nepsilon = 1\n',
    "sketch": 'type = "boolean"\nmechanism = "cms"\nepsilon = 1\n',
    "sets": (
        'type = "multi"\nvalues = ["x", "y"]\nmost = 2\nmechanism = '
        '"auto"\nepsilon = 1\n'
    ),
    "long": MANY,
    "longer": MANY,
}


def survey_with(joint, *names):
    """A survey of some of the questions, under a `joint` that is written as in the
    file.
    """
    asked = "".join(
        f'[[question]]\nname = "{name}"\n{QUESTIONS[name]}' for name in names
    )
    return parse_survey(f'[survey]\nname = "s"\n{joint}\n{asked}')


LINKED = survey_with('joint = ["once", "listed"]', "once", "bits", "listed")
REPEATABLE = survey_with('joint = ["listed", "other"]', "listed", "other")


@pytest.mark.parametrize(
    ("joint", "said"),
    [
        ('joint = "once"', 'expected a list of names, such as ["a", "b"]'),
        ('joint = ["once", 3]', "a list of names"),
        ("joint = [[1]]", "a list of names"),
        ('joint = ["once"]', "2 to 3 questions in a group, got 1 of them"),
        ('joint = [["once", "bits"], []]', "got 0 of them"),
        ('joint = ["once", "bits", "listed", "other"]', "got 4 of them"),
        (
            'joint = ["once", "nowhere"]',
            "names of sound questions of the survey, got 'nowhere'",
        ),
        ('joint = ["once", "once"]', "each question at most once, got 'once' again"),
        ('joint = [["once", "bits"], ["bits", "listed"]]', "got 'bits' again"),
        ('joint = ["once", "hashed"]', "'hashed' (olh)"),
        ('joint = ["sketch", "once"]', "'sketch' (cms)"),
        ('joint = ["sets", "once"]', "'sets'"),
        (
            'joint = ["long", "longer"]',
            "at most 8,388,608 cells, got 9,000,000 for long and longer",
        ),
    ],
)
def test_bad_groups_are_explained(joint, said):
    """A group of too few, unknown, repeated or unfit questions is a problem at
    `survey.joint`.
    """
    with pytest.raises(SurveyError) as caught:
        survey_with(joint, *QUESTIONS)
    assert any(
        problem.place == "survey: survey.joint" and said in str(problem)
        for problem in caught.value.problems
    )


def test_groups_are_in_the_fingerprint_and_questions_stay_what_they_were():
    """A survey's fingerprint covers its groups and their order; a question's does
    not.
    """
    names = ("once", "bits", "listed")
    texts = (
        "",
        'joint = ["once", "bits"]',
        'joint = ["bits", "once"]',
        'joint = [["once", "bits", "listed"]]',
    )
    surveys = [survey_with(text, *names) for text in texts]
    assert len({survey.fingerprint for survey in surveys}) == len(surveys)
    assert (
        len({tuple(question.fingerprint for question in survey) for survey in surveys})
        == 1
    )
    assert survey_with("joint = []", *names).fingerprint == surveys[0].fingerprint
    assert surveys[3].groups[0].width == sum(question.width for question in surveys[0])


def test_a_report_of_a_group_is_the_reports_of_its_questions_end_to_end():
    """On the same tape, a group's row is what its questions would have sent by
    themselves.
    """
    apart = survey_with("", "once", "bits")
    together = survey_with('joint = ["bits", "once"]', "once", "bits")
    tape = random.Random(1).randbytes(1000)
    device = Client(apart, random=Replay(tape))
    rows = device.record("bits", "y").row + device.record("once", True).row
    report = Client(together, random=Replay(tape)).record_together(
        {"once": True, "bits": "y"}
    )
    assert report == Report(together.groups[0].fingerprint, rows)


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"once": True},
        {"once": True, "bits": "x"},
        {"once": True, "listed": "1", "bits": "x"},
    ],
)
def test_a_group_is_answered_as_a_whole(answers):
    """Answers to less or more than a group are refused, and nothing is spent."""
    client = Client(LINKED)
    with pytest.raises(AnswerError, match=r"all questions of a group \(once\+listed\)"):
        client.record_together(answers)
    client.record_together({"once": True, "listed": "1"})


@pytest.mark.parametrize("name", ["once", "listed"])
def test_a_question_of_a_group_is_not_answered_by_itself(name):
    """A single answer to a question of a group is refused, and its budget is left."""
    client = Client(LINKED)
    with pytest.raises(AnswerError, match="record_together"):
        client.record(name, True if name == "once" else "1")
    client.record_together({"once": True, "listed": "1"})


def test_one_report_spends_a_group_that_has_a_question_without_memory(tmp_path):
    """A group is answered once if one of its questions is, then no question without
    it.
    """
    answers = {"once": True, "listed": "7"}
    Client(LINKED, state=tmp_path / "state").record_together(answers)
    with pytest.raises(AlreadyAnsweredError, match="once"):
        Client(LINKED, state=tmp_path / "state").record_together(answers)
    with pytest.raises(AlreadyAnsweredError):
        Client(survey_with("", "once"), state=tmp_path / "state").record("once", True)


def test_a_group_with_permanent_responses_only_is_repeatable(tmp_path):
    """Each answer keeps its permanent response, whatever the other answer is."""
    rows = [
        Client(REPEATABLE, state=tmp_path / "state")
        .record_together({"listed": "7", "other": other})
        .row
        for other in ("1", "2", "1")
    ]
    width = REPEATABLE["listed"].width
    assert len({row[:width] for row in rows}) == 1
    assert rows[0][width:] == rows[2][width:] != rows[1][width:]


def test_a_bad_answer_spends_nothing_and_is_not_repeated():
    """All answers are checked before anything is drawn.

    The error names the question, not the answer.
    """
    client = Client(LINKED)
    with pytest.raises(AnswerError, match="listed") as caught:
        client.record_together({"once": True, "listed": "a telling answer"})
    assert "telling" not in str(caught.value)
    client.record_together({"once": True, "listed": "1"})


def test_no_answer_to_a_group_reaches_the_disk(tmp_path):
    """What a device keeps after a group's report does not contain the answer."""
    survey = survey_with('joint = ["once", "told"]', "once", "told")
    Client(survey, state=tmp_path / "state").record_together(
        {"once": True, "told": "a telling answer"}
    )
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert content
    assert b"a telling answer" not in content


def test_reports_of_groups_and_questions_share_a_file():
    """Linked reports and others are counted where they belong."""
    ingest = Ingest(LINKED)
    for number in range(20):
        client = Client(LINKED)
        reports = [
            client.record("bits", "x"),
            client.record_together({"once": True, "listed": str(number)}),
        ]
        ingest.feed(report_bytes(reports))
    ingest.end_of_stream()
    tally = ingest.tally
    assert [tally.reports(question.name) for question in LINKED] == [20, 20, 20]
    assert tally.counts["once+listed"].sum(axis=0)[0] == 20
    assert tally.intake.accepted == 40
