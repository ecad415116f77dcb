"""Trees in survey files: by names, from a file, and what is said of what is no tree."""

import json

import pytest
from calling import run
from random_trees import REGIONS, survey_of

import ldp
from ldp.survey.compiled import compile_survey
from ldp_aggregator.output.files import FileError, read_source, read_survey

HEAD = '[survey]\nname = "tree"\n\n[[question]]\nname = "home"\ntype = "category"\n'
TAIL = 'mechanism = "auto"\nepsilon = "1"\n'


def written(folder, rows, keys=""):
    """The path of a survey whose tree is in a file of these rows."""
    (folder / "places.csv").write_text("\n".join(rows), encoding="utf-8")
    path = folder / "survey.toml"
    path.write_text(f'{HEAD}file = "places.csv"\n{keys}{TAIL}', encoding="utf-8")
    return path


def test_a_tree_by_names():
    """Values are those that are no parents; nodes have numbers level by level."""
    survey = survey_of(REGIONS, levels=["part", "country", "city"])
    question = survey["home"]
    assert question.mechanism == "taxonomy"
    assert question.domain.values == ("Cork", "Dublin", "Lyon", "Nice", "Paris", "Bern")
    taxonomy = question.domain.taxonomy
    assert taxonomy.inner == ("union", "Switzerland", "Ireland", "France")
    assert taxonomy.parents == (0, 0, 1, 1, 3, 3, 4, 4, 4, 2)
    assert taxonomy.levels == ("part", "country", "city")
    assert question.domain.summary == "category of 6 values under 4 nodes"


def test_the_text_of_a_survey_has_its_tree():
    """And parses to an equal one."""
    survey = survey_of(
        REGIONS, shares=["1/10", "1/5"], levels=["part", "country", "city"]
    )
    again = ldp.parse_survey(survey.to_toml())
    assert again == survey
    assert again["home"].domain.taxonomy == survey["home"].domain.taxonomy


def test_names_of_nodes_and_their_order_change_no_report():
    """Fingerprints cover values, the tree and the law; not what nodes and levels are
    called.
    """
    survey = survey_of(REGIONS)
    called = {name: name.upper() for name in REGIONS.values()}
    renamed = {
        called.get(child, child): called[parent] for child, parent in REGIONS.items()
    }
    values = list(survey["home"].domain.values)
    backwards = dict(reversed(renamed.items()))
    assert survey_of(backwards, values=values, levels=["a", "b", "c"]) == survey
    assert survey_of({**REGIONS, "Bern": "union"}) != survey
    assert survey_of(REGIONS, shares=["0.2", "0.3"]) != survey


def test_a_root_is_left_out():
    """A node that holds all values is known: its share is 1."""
    with_root = {
        **REGIONS,
        "union": "Europe",
        "Switzerland": "Europe",
        "Europe": "world",
    }
    assert survey_of(with_root) == survey_of(REGIONS)
    nearly = {"a": "x", "b": "x"}
    assert (
        len(survey_of(nearly, values=["a", "b", "c"])["home"].domain.taxonomy.inner)
        == 1
    )


@pytest.mark.parametrize(
    ("parents", "said"),
    [
        ({"a": "x", "b": "x"}, "two nodes or more at the top, got only one"),
        ({"a": "a", "b": "x"}, "got a circle: 'a' is above itself"),
        ({"a": "x", "x": "y", "y": "x", "b": "z"}, "got a circle: 'x' is above itself"),
        ({"a": "x", "b": "y", "p": "q", "q": "p"}, "got a circle: 'p' is above itself"),
        ({"a": 3}, "the names of nodes"),
        ({"a": 3, "b": 4}, 'such as { "Cook" = "Illinois" }, got 3'),
        ({"a": ""}, "the names of nodes"),
        ("x", "a table [parents]"),
        (
            {f"{depth}": f"{depth + 1}" for depth in range(20)} | {"a": "b"},
            "at most 16 levels",
        ),
    ],
)
def test_what_is_no_tree_is_said(parents, said):
    """With the name that is wrong."""
    with pytest.raises(ldp.SurveyError) as error:
        survey_of(parents)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            ["Cork", "Ireland"],
            "values without children, since an answer is a leaf, got 'Ireland'",
        ),
        (
            ["Cork", "Dublin"],
            "children that are values or parents of others, got 'Lyon'",
        ),
        (["Cork", "Cork"], "values that all differ"),
    ],
)
def test_values_have_to_be_the_leaves(values, said):
    """All of them, and nothing else, but for those that sit at the top."""
    with pytest.raises(ldp.SurveyError) as error:
        survey_of(REGIONS, values=values)
    assert said in str(error.value)


@pytest.mark.parametrize(
    "shares", [["0.5"], ["0.5", "0.5"], ["-0.1", "0.3"], ["x", "0"], "0.1"]
)
def test_shares_are_of_the_upper_levels(shares):
    """As many numbers as there are such levels, from 0, that leave something to the
    values.
    """
    with pytest.raises(ldp.SurveyError, match="shares"):
        survey_of(REGIONS, shares=shares)


def test_levels_have_names_that_differ():
    """One for each level."""
    with pytest.raises(
        ldp.SurveyError, match="levels: expected 3 to 3 values, got 2 of them"
    ):
        survey_of(REGIONS, levels=["country", "city"])


def test_no_other_mechanism_takes_a_tree():
    """And `taxonomy` takes nothing else."""
    with pytest.raises(ldp.SurveyError, match="that have parents"):
        survey_of(REGIONS, mechanism="grr")
    with pytest.raises(ldp.SurveyError, match="values have parents"):
        ldp.survey("s", ldp.question("x", ["a", "b"], mechanism="taxonomy", epsilon=1))


def test_a_tree_from_a_file(tmp_path):
    """Of child and parent, with a header or without, relative to the survey."""
    rows = [
        "child,parent",
        *(f"{child},{parent}" for child, parent in REGIONS.items()),
        "",
    ]
    path = written(tmp_path, rows)
    assert read_survey(path) == survey_of(REGIONS)
    assert ldp.parse_survey(read_source(path)[1]) == survey_of(REGIONS)
    assert read_survey(written(tmp_path, rows[1:])) == survey_of(REGIONS)
    assert "home (taxonomy)" in run("check", path).output


def test_a_row_without_a_parent_is_at_the_top(tmp_path):
    """A value of its own, if it has no children."""
    rows = ['"Cork, County",Ireland', "Bern,", "Ireland,"]
    assert read_survey(written(tmp_path, rows))["home"].domain.values == (
        "Cork, County",
        "Bern",
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            ["Orange,California", "Orange,Florida"],
            "row 2: expected one parent for 'Orange'",
        ),
        (["a,b,c"], "row 1: expected a child and its parent"),
        ([",b"], "row 1: expected a child and its parent"),
    ],
)
def test_rows_that_are_wrong_are_said(tmp_path, rows, said):
    """By their number. Twice the same is no harm."""
    with pytest.raises(ldp.SurveyError) as error:
        read_survey(written(tmp_path, rows))
    assert said in str(error.value)


def test_a_file_needs_a_place(tmp_path):
    """Devices that are handed a text have no files beside it; nor is one that is
    absent.
    """
    path = written(tmp_path, ["a,x", "b,y"])
    with pytest.raises(ldp.SurveyError, match="to_toml writes them"):
        ldp.parse_survey(path.read_text())
    (tmp_path / "places.csv").unlink()
    with pytest.raises(FileError, match="places"):
        read_survey(path)


def test_the_compiled_form_has_the_tree_for_menus():
    """By names, beside the integers that reports depend on, which are whole without
    them.
    """
    survey = survey_of(REGIONS)
    (question,) = json.loads(json.dumps(compile_survey(survey)))["questions"]
    assert question["parents"] == REGIONS
    assert question["integers"]["parents"] == [
        ["0", "0", "1", "1", "3", "3", "4", "4", "4", "2"]
    ]
    assert question["integers"]["law"] == [["1", "1", "3"]]


def test_a_large_tree_is_cheap():
    """Of 3,000 values in 50 nodes a device keeps 3,050 small integers."""
    survey = survey_of(
        {f"county {place}": f"state {place % 50}" for place in range(3000)}
    )
    assert survey["home"].width == 4
    assert len(json.dumps(compile_survey(survey))) < 250_000
