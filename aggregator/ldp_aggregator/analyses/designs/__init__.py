"""Survey designs: answers that a coin, a die, cards or a statement randomized before
they came.

What lives here, from below:

law             types of respondents, their answers, and the chances of these in each
                arm
words           designs and counts as people write them
table           the designs, a row each
matrix_file     designs that are in no table
likelihood      shares of types from counts, for every design alike
result          what is shown of them
estimation      shares with intervals, tests and remarks
rows            counts from tables of respondents
sizes           sample sizes and power
design_plan     the same as a sheet
numbers         scrambled numbers: means
survey_design   `design("warner p=.7")` and what can be asked of it

Imports: `rows`.
"""

from typing import TYPE_CHECKING

from ldp.lazy import lazily

if TYPE_CHECKING:
    from ldp_aggregator.analyses.designs.numbers import (
        NUMBERS,
        NumberDesign,
        number_design,
    )
    from ldp_aggregator.analyses.designs.survey_design import Design, design

__all__ = ["NUMBERS", "Design", "NumberDesign", "design", "number_design"]

_HOMES = {
    "NUMBERS": "numbers",
    "Design": "survey_design",
    "design": "survey_design",
    "NumberDesign": "numbers",
    "number_design": "numbers",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES, __all__)
