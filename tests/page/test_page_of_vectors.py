"""The page of a service shows mean vectors: bars on either side of zero, with their
intervals.
"""

import re

import numpy as np
from test_page_of_distributions import Unasked

import ldp
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_service.page.document import render
from ldp_service.page.views.question import QuestionView
from ldp_simulations.sampling.table import sample_counts
from ldp_simulations.vector_holders import VectorHolders


def test_the_section_of_a_mean_vector():
    """It has every coordinate with its mean and interval, in a picture and in a
    table.
    """
    asked = ldp.survey("s", ldp.question("x", dimensions=3, radius=2, epsilon=4))["x"]
    everyone = VectorHolders.of(asked.domain.ball, {asked.value([1.5, -1, 0]): 4_000})
    counts = sample_counts(asked, everyone, np.random.default_rng(15))
    question = estimate_question(asked, counts, Options())
    text = str(
        render("question", "x", view=QuestionView.of(question), asked=Unasked, notes=())
    )
    for estimate in question:
        _, _, mean, error, _ = question.row(estimate)
        assert f">{mean}<" in text
        assert f">{error}<" in text
        for end in estimate.interval:
            assert question.shown(end) in text
    assert "coordinate" in text
    # Two of the three are beyond what noise explains: their bars are sure.
    assert len(re.findall(r'class="bar"', text)) == 2
    assert len(re.findall(r'class="bar unsure"', text)) == 1
