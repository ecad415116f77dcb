"""What `auto` chooses: the least total error that short reports allow."""

import re
from fractions import Fraction
from importlib import import_module

import pytest
from specimens import question

from ldp import Survey, SurveyError
from ldp.answers.domain import Domain
from ldp.answers.keys import Keys
from ldp.mechanisms import AUTOMATIC, MECHANISMS
from ldp.mechanisms.auto import Considered, least_error, list_candidates, total_error
from ldp.mechanisms.values.optimum import efficiency
from ldp_aggregator.explanations.explanation import explanation

EPSILONS = (
    "0.05",
    "0.1",
    "0.2",
    "0.35",
    "0.5",
    "0.8",
    *(f"{tenths / 10}" for tenths in range(10, 81)),
)
SIZES = (
    2,
    3,
    5,
    10,
    30,
    100,
    500,
    1000,
    2048,
    2049,
    5000,
    10_000,
    22_000,
    100_000,
    300_000,
    500_000,
    1_000_000,
)


class Sized(Domain):
    """A domain of which only the size matters, so that a million values are not written
    down.
    """

    def __init__(self, size):
        super().__init__("category", ())
        self.size = size


def chosen(size, epsilon):
    """(name, randomizer) that `auto` settles on."""
    keys, domain = Keys("x", {"epsilon": epsilon}), Sized(size)
    able = tuple(
        row for name in AUTOMATIC if (row := MECHANISMS[name]).accepts(domain) is None
    )
    designs = {row.name: (row, row.design(keys, domain)[0]) for row in able}
    name = least_error(list_candidates(designs.values(), 1), 0).row.name
    return name, designs[name][1]


@pytest.mark.parametrize("size", SIZES)
def test_efficiency(size):
    """1.000 where `grr` or `ss` is chosen, at least .965 elsewhere, for epsilon from
    .05 to 8.
    """
    for epsilon in EPSILONS:
        name, randomizer = chosen(size, epsilon)
        reached = float(efficiency(randomizer))
        assert (
            reached == pytest.approx(1, abs=1e-6) if name == "ss" else reached >= 0.965
        ), (
            name,
            epsilon,
        )


def test_report_bytes():
    """A longer limit lets subset selection in.

    A limit that nothing keeps gives the shortest report.
    """
    many = (
        'type = "category"\nvalues = '
        f'{[str(number) for number in range(5000)]}\nepsilon = "1"'
    )
    assert question("auto", many).mechanism == "pgr"
    assert question("auto", f"{many}\nreport_bytes = 1000").mechanism == "ss"
    assert question("auto", f"{many}\nreport_bytes = 1").width == 2
    with pytest.raises(SurveyError, match="report_bytes"):
        question("auto", f"{many}\nreport_bytes = 0")


def test_open_questions_need_a_mechanism():
    """`auto` chooses for closed questions only, and says so."""
    with pytest.raises(SurveyError, match="a question with a list of values"):
        question("auto", 'type = "text"\nepsilon = "1"')


def test_the_choice_is_explained():
    """`ldp explain` shows what there was to choose from, the best first.

    Nothing where the survey chose.
    """
    values = 'type = "category"\nvalues = ["a", "b", "c"]\nepsilon = "1"'
    chosen_survey, named = (
        Survey("s", (question(mechanism, values),)) for mechanism in ("auto", "grr")
    )
    text = explanation(chosen_survey)
    assert re.search(
        r"chosen by auto +the least total error .*: grr 1\.000 \(1\), ss 1\.000 \(1\), pgr 0\.\d+ ",
        text,
    )
    assert "chosen by auto" not in explanation(named)


@pytest.mark.parametrize("keys", ['type = "category"', 'type = "multi"\nmost = 2'])
def test_each_candidate_is_designed_once(keys, monkeypatch):
    """The chosen one not once more: surveys may have a thousand questions, with a dozen
    each.
    """
    designed = []

    def counted(row):
        return row._replace(
            design=lambda *arguments: (
                designed.append(row.name) or row.design(*arguments)
            )
        )

    counted_rows = {name: counted(row) for name, row in MECHANISMS.items()}
    monkeypatch.setattr(
        import_module("ldp.survey.survey_file"), "MECHANISMS", counted_rows
    )
    values = [str(number) for number in range(20)]
    chosen = question("auto", f'{keys}\nvalues = {values}\nepsilon = "1.25"')
    assert chosen.mechanism in designed
    (own,) = (
        considered
        for considered in chosen.choice
        if considered.row.name == chosen.mechanism
    )
    assert own.error == total_error(chosen.randomizer, chosen.domain.most or 1)
    assert sorted(designed) == sorted(
        considered.row.name for considered in chosen.choice
    )


@pytest.mark.parametrize(
    ("limit", "found", "chosen"),
    [
        (10, {"a": (10, 2), "b": (5, 3)}, "a"),
        (10, {"a": (11, 1), "b": (10, 2)}, "b"),
        (10, {"a": (30, 1), "b": (20, 5)}, "b"),
        (10, {"a": (9, 2), "b": (5, 2)}, "a"),
        (0, {"a": (256, 1000), "b": (257, 965)}, "a"),
        (0, {"a": (256, 1000), "b": (257, 964)}, "b"),
        (0, {"a": (256, 1000), "b": (4096, 964), "c": (4097, 1)}, "b"),
        (0, {"a": (256, 1000), "b": (255, 1001), "c": (4097, 1)}, "a"),
    ],
)
def test_limits_are_inclusive(limit, found, chosen):
    """The least error within the limit; the shortest if none keeps to it; the first of
    equals.
    """
    listed = [
        Considered(name, width, Fraction(error))
        for name, (width, error) in found.items()
    ]
    assert least_error(tuple(listed), limit).row == chosen


def test_the_error_of_blocks():
    """The mean squares of all values, less those of the means: 1 for each value
    held.
    """
    asked = question(
        "hr",
        (
            'type = "category"\nvalues = '
            f"{[str(number) for number in range(9)]}\nepsilon "
            '= "1"'
        ),
    ).randomizer
    assert [total_error(asked, most) for most in (1, 2)] == [
        asked.squares - 1,
        asked.squares - 2,
    ]
