"""Which nodes are shown: levels, the finest that are sure enough, crowds; also by
command.
"""

import json

import numpy as np
import pytest
from calling import run
from random_trees import REGIONS, random_parents, survey_of

import ldp
from ldp.answers.taxonomies import Taxonomy
from ldp.errors import EstimateError
from ldp_aggregator import Options, encode_tally
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.decoders.taxonomies.selection import crowds, finest, nodes_of_level
from ldp_aggregator.tallies.tally import Tally
from ldp_simulations import randomize
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

SURVEY = survey_of(REGIONS, "3", levels=["part", "country", "city"])
HELD = np.array([400, 1600, 9000, 3000, 5980, 20])


def tally():
    """Of 20,000 people, 20 of them in Bern."""
    filled = Tally.empty(SURVEY)
    question = SURVEY["home"]
    filled.counts["home"] = sample_counts(
        question, Holders((), HELD), np.random.default_rng(6)
    )
    return filled


def estimates():
    return estimate_question(SURVEY["home"], tally().counts["home"], Options())


def test_every_node_has_an_estimate():
    """Inner ones too, by name, and parents are the sums of their children."""
    home = estimates()
    assert home.values[:4] == ("union", "Switzerland", "Ireland", "France")
    both = home["Cork"].frequency + home["Dublin"].frequency
    assert home["Ireland"].frequency == pytest.approx(both)
    assert home["union"].frequency + home["Switzerland"].frequency == pytest.approx(1)
    assert abs(home["France"].frequency - 0.899) < 5 * home["France"].standard_error


def test_a_level():
    """By its name or number, with the values that sit higher."""
    home = estimates()
    assert home.nodes("part").values == ("union", "Switzerland")
    assert home.nodes(2).values == ("Ireland", "France", "Bern")
    assert home.nodes("city").frequency.sum() == pytest.approx(1)
    with pytest.raises(EstimateError, match="one of the levels part, country, city"):
        home.nodes("village")


def test_the_finest_level_that_is_sure_enough():
    """As narrow as asked for, and no finer than that allows: all, some, or the top
    alone.
    """
    home = estimates()
    assert home.nodes(width=1.0).values == home.nodes("city").values
    # One of the cities is too wide, so that its country stands for it and for its
    # neighbours.
    widest = home._widths[4:9].argmax()
    shown = home.nodes(width=np.sort(home._widths[4:9])[-2:].mean())
    country = "Ireland" if widest < 2 else "France"
    assert home.values[4 + widest] not in shown.values
    assert country in shown.values or "union" in shown.values
    assert shown.frequency.sum() == pytest.approx(1)
    assert home.nodes(width=1e-9).values == ("union", "Switzerland")
    assert "no wider than 1e-09" in home.nodes(width=1e-9).note
    with pytest.raises(EstimateError, match="a level or a width"):
        home.nodes("city", width=0.1)


@pytest.mark.parametrize("seed", range(30))
def test_the_finest_nodes_are_a_cover(seed):
    """On random trees: every value has one of them above it, and none has another above
    it.

    Where a node stands for its children, one of these, or below one of these, is too
    wide.
    """
    generator = np.random.default_rng(seed)
    parents = random_parents(generator, inner=5, values=14)
    taxonomy = Taxonomy(tuple("abcde"), parents, ())
    widths = generator.random(len(parents))
    chosen = finest(taxonomy, widths, 0.6)
    for value in range(5, len(parents)):
        assert len(set(taxonomy.path(value)) & set(chosen)) == 1
    narrow = widths <= 0.6
    for node in chosen:
        assert narrow[node] or parents[node] == 0
        if node < 5:
            below = [
                value
                for value in range(5, len(parents))
                if node in taxonomy.path(value)
            ]
            assert not all(narrow[value] for value in below)


def test_crowds():
    """Nodes that may have fewer people are merged into the next above that has not."""
    taxonomy = SURVEY["home"].domain.taxonomy
    cities = nodes_of_level(taxonomy, "city")
    sure = np.array([True, False, True, True, False, True, True, True, True, False])
    names = (*taxonomy.inner, *SURVEY["home"].domain.values)
    assert [names[node] for node in crowds(taxonomy, cities, sure)] == [
        *("Ireland", "Dublin", "Lyon", "Nice", "Paris")
    ]
    home = estimates()
    shown = home.nodes(crowd=500)
    assert "Bern" not in shown.values
    assert "Switzerland" not in shown.values
    assert {"union", "France", "Lyon"} <= set(shown.values)
    assert (shown.low * shown.respondents > 500).all()
    assert "no more than 500 people" in shown.note


def test_nodes_are_of_whole_trees():
    """There are none where nodes were left out."""
    with pytest.raises(EstimateError, match="all nodes of a tree"):
        estimates().top(3).nodes("city")


def test_views_that_would_break_the_tree_are_refused():
    """What is done to single values keeps no parent the sum of its children."""
    for post_process in ("norm-sub", "base-cut", "posterior-mean"):
        with pytest.raises(EstimateError, match="no parent the sum of its children"):
            estimate_question(
                SURVEY["home"],
                tally().counts["home"],
                Options(post_process=post_process),
            )


def test_the_command(tmp_path):
    """`--at`, `--finest` and `--crowd` choose nodes; formats show them."""
    survey, counted = tmp_path / "survey.toml", tmp_path / "home.tally"
    survey.write_text(SURVEY.to_toml())
    counted.write_bytes(encode_tally(tally()))

    def values(*words):
        record = json.loads(
            run("estimate", survey, counted, "-q", "--format", "json", *words).stdout
        )
        return [shown["value"] for shown in record["questions"]["home"]["values"]]

    assert len(values()) == 10
    assert values("--at", "country") == ["Ireland", "France", "Bern"]
    assert values("--at", "1") == ["union", "Switzerland"]
    assert values("--finest", "0.000001") == ["union", "Switzerland"]
    assert "Bern" not in values("--crowd", "500")
    assert (
        "--at or --finest"
        in run(
            "estimate", survey, counted, "--at", "1", "--finest", "0.1", code=2
        ).output
    )
    assert (
        "one of the levels"
        in run("estimate", survey, counted, "--at", "x", code=1).output
    )


def test_the_command_needs_a_tree(tmp_path):
    """Of other questions alone nothing can be chosen."""
    survey = ldp.survey("s", ldp.question("x", ["a", "b"], epsilon=1))
    (tmp_path / "s.toml").write_text(survey.to_toml())
    (tmp_path / "r.ldp").write_bytes(bytes(randomize(survey, {"x": ["a", "b"] * 50})))
    said = run(
        "estimate", tmp_path / "s.toml", tmp_path / "r.ldp", "--at", "1", code=1
    ).output
    assert "whose values have parents" in said
