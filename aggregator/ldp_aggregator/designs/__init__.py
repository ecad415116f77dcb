"""Survey designs whose answers a coin, a die or a statement has randomized: Warner, crosswise, ...

    law          types of respondents, their answers, and the chances of these in each arm
    table        the designs, a row each
    words        designs and counts as people write them
    likelihood   shares of types from counts, for every design alike
    estimation   shares with intervals, tests and remarks
    result       what is shown of them
    sizes        sample sizes and power
    survey_design  `design("warner p=.7")` and what can be asked of it
    numbers      scrambled numbers: means
"""

from typing import TYPE_CHECKING

from ldp.lazy import lazily

if TYPE_CHECKING:
    from ldp_aggregator.designs.survey_design import Design, design

__all__ = ["Design", "design"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(
        __name__, {"Design": "survey_design", "design": "survey_design"}, __all__
    )
