"""Numbers on a scale, such as temperatures and hours."""

from __future__ import annotations

from collections.abc import Iterator

from ldp.answers.domain import MOST_LISTED, Domain, Placed
from ldp.answers.scales import Scale, read_number


class NumberDomain(Domain):
    """The points or cells of a scale."""

    __slots__ = ("_scale",)

    def __init__(self, scale: Scale) -> None:
        super().__init__("number", None)
        self.scale = self._scale = scale
        self.size = scale.size
        self.is_open, self.is_listed = False, scale.size <= MOST_LISTED
        self.ends = scale.low, scale.high
        self.unit = scale.unit
        if not scale.edges:
            self.spacing = scale.low, scale.step
        self.outside = scale.outside
        self.missing = scale.missing

    @property
    def has_between(self) -> bool:
        """Whether a number may lie between two points."""
        return not self._scale.edges

    @property
    def _choice(self) -> str:
        return f"{self.type} {self._scale.summary}"

    def iter_values(self) -> Iterator[str]:
        """Return the points or cells as texts, one by one."""
        return self._scale.iter_values()

    def _own_parts(self) -> Iterator[str]:
        return self._scale.parts()

    @property
    def _line(self) -> Scale:
        return self._scale

    def places(self, answer: object) -> tuple[Placed, ...]:
        """Return the place of a number; or of each, if one of several is drawn."""
        if self.per_device:
            return super().places(answer)
        return (self._scale.place(answer),)

    def place_record(self, record: object) -> Placed:
        """Return the place of one number."""
        return self._scale.place(record)

    def parse_record(self, cell: str) -> object:
        """Parse a number, or the name of a cell; any other text stays as it is."""
        number = read_number(cell.strip())
        place = None
        if number is None and self._scale.edges:
            place = self.index_of(cell)
        if place is not None:
            # A cell by its name: any number in it will do.
            return self._scale.edges[place]
        if number is None:
            return cell
        return number
