"""Vectors of numbers, such as gradients and embeddings."""

from __future__ import annotations

from collections.abc import Iterable

from ldp.answers.balls import Ball, read_vector
from ldp.answers.domain import Domain
from ldp.numbers.exact import decimal_text


class VectorDomain(Domain):
    """The vectors of a ball."""

    __slots__ = ("_ball",)

    def __init__(self, ball: Ball) -> None:
        super().__init__("vector", None)
        self.ball = self._ball = ball
        self.is_open = False

    @property
    def _choice(self) -> str:
        return f"{self.type} {self._ball.summary}"

    def _own_parts(self) -> Iterable[str]:
        return self._ball.parts()

    @property
    def estimand(self) -> str:
        """Treatment of longer vectors before they are counted."""
        if self.per_device:
            return super().estimand
        return self._ball.estimand

    @property
    def _bounds(self) -> str:
        if self._ball.outside == "refuse":
            return ""
        return f"shortened to {decimal_text(self._ball.radius)}"

    def _value(self, answer: object) -> bytes:
        return self._ball.value(answer)

    def parse_record(self, cell: str) -> object:
        """Parse numbers with spaces between them; any other text stays as it is."""
        return read_vector(cell)
