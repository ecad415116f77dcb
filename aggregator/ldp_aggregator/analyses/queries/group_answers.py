"""Queries by public attributes: what each group that may be shown answers to the same
texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldp_aggregator.analyses.groups.asking import GroupRequest
from ldp_aggregator.analyses.groups.estimation import divide
from ldp_aggregator.analyses.groups.parts import GroupTallies, Labels, suppressed_names
from ldp_aggregator.analyses.queries.answering import Answer, answers_of, query
from ldp_aggregator.analyses.queries.query_sheet import query_sheet
from ldp_aggregator.answers.options import Options
from ldp_aggregator.output.formats.formats import Rendered
from ldp_aggregator.output.sheet import Sheet
from ldp_aggregator.tallies.tally import Tally

DEFAULTS = Options()


@dataclass(frozen=True, eq=False, repr=False)
class GroupAnswers(Rendered):
    """Answers to queries for each visible group; iterating gives labels and answers.

    The first are those of everyone, or of who has the values of `where`, if that is
    shown.

    `query_groups` has an example.
    """

    parts: GroupTallies
    answers: tuple[tuple[Labels, tuple[Answer, ...]], ...]

    def __iter__(self) -> Iterator[tuple[Labels, tuple[Answer, ...]]]:
        return iter(self.answers)

    @property
    def suppressed(self) -> tuple[str, ...]:
        """The groups that are not shown, each as `question: values`."""
        return suppressed_names(self.parts.suppressions)

    def sheet(self) -> Sheet:
        """All that is shown (`ldp_aggregator.output.sheet`)."""
        sheets = [(labels, query_sheet(answers)) for labels, answers in self.answers]
        return self.parts.sheet("answers by group", sheets)

    def to_dict(self) -> Mapping[str, Any]:
        """Ready for JSON."""
        return self.sheet().record()


def query_groups(
    tally: Tally,
    *texts: str,
    by: Iterable[str] = (),
    where: Mapping[str, str] | None = None,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    least_group: int | None = None,
    earlier: Sequence[Tally] = (),
) -> GroupAnswers:
    """The answers of each group to queries, of the groups that are large enough to be
    shown.

    `by`, `where`, `least_group` and `earlier` are as for `estimate_groups`, the rest as
    for `query`. A query of several questions is answered of groups that are shown of
    all of them. One family are all answers of all groups. Raises the errors of both.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> platform = ldp.attribute("platform", ["android", "ios"])
    >>> mode = ldp.question("mode", ["car", "bus"], epsilon="1")
    >>> survey = ldp.survey("trip", mode, attributes=[platform])
    >>> people = {"mode": ["car", "bus"] * 500, "platform": ["ios"] * 500 + ["android"] * 500}
    >>> tally = ldp_aggregator.aggregate(survey, ldp_simulations.randomize(survey, people))
    >>> found = ldp_aggregator.query_groups(tally, "share(mode = bus)", by=["platform"])
    >>> len(list(found))  # everyone, and two platforms
    3
    """
    # What is asked of all has to be sound, before it is asked of groups; and it names
    # questions.
    of_text = {
        answer.query: {source.question for source in answer.sources}
        for answer in query(tally, *texts, options=options, candidates=candidates)
    }
    asked = GroupRequest.of(by, where or {})
    names = list(
        dict.fromkeys(name for sources in of_text.values() for name in sorted(sources))
    )
    parts = divide(tally, asked, names, least_group=least_group, earlier=earlier)
    for name in names:
        parts.with_question(name)
    wanted = [
        (part, some)
        for part in parts.parts
        if (some := [text for text in texts if of_text[text] <= set(part.questions)])
    ]
    family = sum(len(some) for _, some in wanted)
    answers = tuple(
        (
            part.labels,
            answers_of(part.tally, some, options, candidates=candidates, family=family),
        )
        for part, some in wanted
    )
    return GroupAnswers(parts, answers)
