"""The four packages under one roof, for notebooks and scripts: `import ldpkit`.

    survey = ldpkit.survey("trip", ldpkit.question("mode", ["car", "bus"], epsilon="1"))
    reports = ldpkit.randomize(survey, {"mode": ["car", "bus", "bus"]})
    ldpkit.estimate(survey, reports)["mode"].plot()

Here are the names that most people need. Each package has all of its own: `ldp`,
`ldp_client`, `ldp_aggregator` and `ldp_simulations`. An app imports `ldp_client` alone.
"""

from ldp import (
    LDPError,
    Question,
    Survey,
    __version__,
    attribute,
    draw,
    field,
    parse_survey,
    question,
    survey,
)
from ldp_aggregator import (
    Options,
    Tally,
    aggregate,
    associate,
    compare,
    crosstab,
    design,
    estimate,
    follow,
    query,
    read_rows,
    read_survey,
    regress,
    synthesize,
    weigh,
)
from ldp_client import Client, EmbeddedClient, report_bytes
from ldp_simulations import attack, from_table, plan, randomize, simulate, synthetic

__all__ = [
    "Client",
    "EmbeddedClient",
    "LDPError",
    "Options",
    "Question",
    "Survey",
    "Tally",
    "__version__",
    "aggregate",
    "associate",
    "attack",
    "attribute",
    "compare",
    "crosstab",
    "design",
    "draw",
    "estimate",
    "field",
    "follow",
    "from_table",
    "parse_survey",
    "plan",
    "query",
    "question",
    "randomize",
    "read_rows",
    "read_survey",
    "regress",
    "report_bytes",
    "simulate",
    "survey",
    "synthesize",
    "synthetic",
    "weigh",
]


def __dir__() -> list[str]:
    return __all__
