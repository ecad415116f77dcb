"""The tables of a question with fields: one of all of them, or any few of many.

Of a question whose devices tell some of many fields (`sets.subsets`) the table of all
has more cells than anyone could fill. Any table of as many fields as a device tells is
estimated when it is asked for (`marginals.tables`), and then everything is as for one
whose reports tell all fields: shares, shares within groups, and dependence follow from
its cells and from how their scores go together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldp.answers.domain import Field
from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.analyses.association.crosstab import (
    Conditional,
    Crosstab,
    Measured,
    check_cells,
    place_of,
)
from ldp_aggregator.analyses.association.scores import joint_scores
from ldp_aggregator.answers.lines.answers import Share
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.bloom.regression import ChiSquare
from ldp_aggregator.decoders.marginals.marginals import tables_of
from ldp_aggregator.decoders.marginals.tables import Tables
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.tally import Tally

_DEFAULTS = Options()


@dataclass(frozen=True, eq=False)
class Crosstabs:
    """The tables of a question of which a device tells some of many fields.

    What is asked about some fields is asked of their table, which has the methods of a
    `Crosstab`.

    `crosstab` has an example.
    """

    question: Question
    tables: Tables
    options: Options

    @property
    def fields(self) -> tuple[Field, ...]:
        """The parts of an answer."""
        return self.question.domain.fields

    @property
    def reports(self) -> int:
        """How many there are, whichever fields they tell."""
        return self.tables.reports

    @property
    def together(self) -> int:
        """How many fields a device tells: as many as a table may have."""
        return self.tables.subsets.response.together

    def of(self, names: Sequence[str]) -> Crosstab:
        """The table of some fields, in the order of the question.

        Raises `UnknownNameError` for what is no field, and `EstimateError` for more
        fields than a device tells, for too many cells, and without reports.
        """
        places = sorted({place_of(self.fields, name) for name in names})
        place = f"question {self.question.name!r}"
        if not 1 <= len(places) <= self.together:
            raise EstimateError(
                f"{place}: expected one to {self.together} fields, which is how many a "
                f"device tells, got {len(places)}"
            )
        if not self.reports:
            raise EstimateError(f"{place}: expected reports, got none yet")
        fields = tuple(self.fields[place] for place in places)
        check_cells(self.question, fields)
        table = self.tables.table(tuple(places))
        return Crosstab(
            self.question,
            fields,
            self.reports,
            options=self.options,
            frequency=table.frequency,
            products=table.products,
        )

    def margin(self, *names: str) -> tuple[Share, ...]:
        """Return it as a `Crosstab` does."""
        return self.of(names).margin(*names)

    def share(self, **values: str) -> Share:
        """Return it as a `Crosstab` does."""
        return self.of([*values]).share(**values)

    def conditional(self, name: str, given: str) -> tuple[Conditional, ...]:
        """Return it as a `Crosstab` does."""
        return self.of([name, given]).conditional(name, given)

    def odds_ratio(self, first: str, second: str) -> Measured:
        """Return it as a `Crosstab` does."""
        return self.of([first, second]).odds_ratio(first, second)

    def correlation(self, first: str, second: str) -> Measured:
        """Return it as a `Crosstab` does."""
        return self.of([first, second]).correlation(first, second)

    def cramers_v(self, first: str, second: str) -> Measured:
        """Return it as a `Crosstab` does."""
        return self.of([first, second]).cramers_v(first, second)

    def mutual_information(self, first: str, second: str) -> Measured:
        """Return it as a `Crosstab` does."""
        return self.of([first, second]).mutual_information(first, second)

    def independence(self, first: str, second: str) -> ChiSquare:
        """Return it as a `Crosstab` does."""
        return self.of([first, second]).independence(first, second)


def crosstab(
    tally: Tally, name: str, options: Options = _DEFAULTS
) -> Crosstab | Crosstabs:
    """The table of the fields of a question called `name`; of many fields, any of their
    tables.

    Raises `EstimateError` for a question without fields, one without reports, and one
    with more cells than can be looked at pair by pair.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> fields = [ldp.field("smokes", type="boolean"), ldp.field("sex", ["f", "m"])]
    >>> habits = ldp.question("habits", type="table", fields=fields, epsilon="2")
    >>> survey = ldp.survey("health", habits)
    >>> people = {"smokes": [True, False] * 500, "sex": ["f", "m", "m", "f"] * 250}
    >>> tally = ldp_aggregator.aggregate(survey, ldp_simulations.randomize(survey, people))
    >>> table = ldp_aggregator.crosstab(tally, "habits")
    >>> len(table.margin("sex"))
    2
    """
    return crosstab_of(tally.survey[name], tally.counts[name], options)


def crosstab_of(
    question: Question, counts: Counts, options: Options
) -> Crosstab | Crosstabs:
    """Return the crosstab of the counts of a question."""
    fields = question.domain.fields
    place = f"question {question.name!r}"
    if not fields:
        raise EstimateError(
            f"{place}: expected one of type table, got one without fields"
        )
    if decoder_of(question.randomizer).gives == "places":
        raise EstimateError(
            f"{place}: expected one whose cells are told by themselves (`goal = "
            '"map"`), got one '
            "for rectangles, which has no margins or dependence"
        )
    if question.domain.collect:
        return Crosstabs(question, tables_of(question.randomizer, counts), options)
    check_cells(question, fields)
    sizes = [field.size for field in fields]
    scores = joint_scores(question, counts, question.domain.values or ())
    marks = counts.ravel().astype(np.float64)
    reports = round(float(scores.ones @ marks))
    if not reports:
        raise EstimateError(f"{place}: expected reports, got none yet")
    return Crosstab(
        question,
        fields,
        reports,
        options=options,
        frequency=(scores.scores @ marks / reports).reshape(sizes),
        products=scores.moments(marks) / reports,
    )
