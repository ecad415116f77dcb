"""Trees: shares of leaves and of the nodes above them, of which any cut can be
shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ldp.errors import EstimateError
from ldp_aggregator.answers.maps.region_estimates import RegionEstimates
from ldp_aggregator.answers.results.room import AnswerKind, CountedQuestion
from ldp_aggregator.answers.shares.room import numbers_of, shares_of
from ldp_aggregator.decoders.intervals.intervals import miss
from ldp_aggregator.numerics.arrays import Floats


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TreeEstimates(RegionEstimates):
    """Shares of the nodes of a tree."""

    def nodes(
        self,
        level: str | int | None = None,
        *,
        width: float | None = None,
        crowd: float = 0,
    ) -> TreeEstimates:
        """Some nodes of a question whose values are the leaves of a tree.

        level  those of a level, by its name or its number from the top
        width  or for each branch the finest whose intervals (before they are cut to [0,
               1]) are no wider than this
        crowd  of these, nodes whose interval lies above so many people; others are
               merged into the next such node above

        Raises `EstimateError` where some of the nodes have been left out.
        """
        from ldp_aggregator.decoders.taxonomies.selection import chosen_nodes

        taxonomy = self.question.domain.taxonomy
        if taxonomy is None or len(self) != len(taxonomy.parents):
            raise EstimateError(
                f"question {self.name!r}: expected all nodes of a tree to choose from, "
                "as a question with parents has them"
            )
        crowded = None
        if crowd:
            crowded = self.low * self.respondents > crowd
        places = chosen_nodes(
            taxonomy, level, widths=self._widths, width=width, crowd=crowded
        )
        said = [self.note]
        if level is not None:
            said.append(f"shown: level {level}")
        if width is not None:
            said.append(
                f"shown: the finest nodes with intervals no wider than {width:g}"
            )
        if crowd:
            said.append(
                f"nodes that may have no more than {crowd:,.0f} people are merged into "
                "those above; the others, for having been chosen, are too high on "
                "average"
            )
        return replace(self.only(places), note="; ".join(filter(None, said)))

    @property
    def _widths(self) -> Floats:
        """Widths of intervals before they are cut, by normal theory."""
        from scipy.special import ndtri  # slow to import

        missing = miss(self.options.level, len(self), self.options.simultaneous)
        widths: Floats = -2 * float(ndtri(missing / 2)) * self.standard_error
        return widths


def estimate(counted: CountedQuestion) -> TreeEstimates:
    """The shares of all nodes of a question with reports."""
    post = counted.options.post_process
    if post is not None:
        raise EstimateError(
            f"expected no post-processing by {post}, which would keep no parent the "
            "sum of its children; parts of a tree are chosen by --at, --finest and "
            "--crowd (nodes() in Python)"
        )
    numbers = numbers_of(counted, counted.values)
    return shares_of(counted, numbers, counted.values, kind=TreeEstimates)


ROOM = AnswerKind(TreeEstimates, estimate)
