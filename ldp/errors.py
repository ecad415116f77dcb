"""Every error the framework raises on purpose.

Our own mistakes and the peer's bytes have different types: `WireError` is always about
bytes that someone else made, and carries a short machine-readable `reason` by which
they are counted. No message ever contains an answer.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

MOST_TOLD = 100
"""Problems of a survey that its error's message lists."""


_MOST_NAMES, _MOST_COMPARED, _LONGEST_NAME = 20, 10_000, 64


class LDPError(Exception):
    """Base of all errors raised by this framework.

    >>> import ldp
    >>> issubclass(ldp.SurveyError, ldp.LDPError)
    True
    """


class Problem(NamedTuple):
    """One thing wrong with a survey: where it stands, what was expected there, and what
    came.

    `SurveyError` has an example.
    """

    place: str
    expected: str
    came: str

    def __str__(self) -> str:
        return f"{self.place}: expected {self.expected}, got {self.came}"


class SurveyError(LDPError, ValueError):
    """A survey that cannot be used; `problems` lists everything wrong with it.

    >>> import ldp
    >>> try:
    ...     survey = ldp.survey("trip", ldp.question("mode", ["car"], epsilon="1"))
    ... except ldp.SurveyError as error:
    ...     print(len(error.problems))
    1
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        count = "1 problem"
        if len(problems) != 1:
            count = f"{len(problems)} problems"
        lines = [f"{count} in the survey:"]
        lines += [f"  {problem}" for problem in problems[:MOST_TOLD]]
        if len(problems) > MOST_TOLD:
            lines.append(f"  and {len(problems) - MOST_TOLD} more")
        super().__init__("\n".join(lines))


class AnswerError(LDPError, ValueError):
    """An answer that its question cannot take. The message names the question, never
    the answer.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> try:
    ...     report = ldp_client.Client(survey).record("mode", "boat")
    ... except ldp.AnswerError as error:
    ...     print("boat" in str(error))
    False
    """


class AlreadyAnsweredError(LDPError):
    """A second answer to a question whose whole privacy budget went into the first.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> client = ldp_client.Client(survey)
    >>> report = client.record("mode", "bus")
    >>> try:
    ...     client.record("mode", "car")
    ... except ldp.AlreadyAnsweredError:
    ...     print("asked before")
    asked before
    """


class NotDrawnError(LDPError):
    """An answer that was dropped: the device drew another question of the same draw.

    `draw` has an example.
    """


class BudgetError(LDPError):
    """An answer that would cost more than a device may spend over its lifetime.

    The survey sets a limit, or the app.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> try:
    ...     report = ldp_client.Client(survey, lifetime_cap="1/2").record("mode", "bus")
    ... except ldp.BudgetError:
    ...     print("the device may spend no more")
    the device may spend no more
    """


class RandomnessError(LDPError):
    """The source of randomness failed; nothing was reported.

    `BudgetError` has an example of catching such errors.
    """


class StateError(LDPError):
    """A device's state that cannot be read or written.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> try:
    ...     client = ldp_client.Client(survey, state="/dev/null/no/folder")
    ... except ldp.StateError:
    ...     print("no file can be kept there")
    no file can be kept there
    """


class WireError(LDPError, ValueError):
    """Bytes from a peer that are not what the format says.

    `reason` is in `ldp.wire.wire.REASONS`, or `snapshot-damaged`, or `stop-list`.

    >>> import ldp
    >>> from ldp.wire.wire import decode_batch
    >>> try:
    ...     batch = decode_batch(b"no batch")
    ... except ldp.WireError as error:
    ...     print(error.reason)
    not-a-batch
    """

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        super().__init__(f"{reason}: {detail}")


class MismatchError(LDPError, ValueError):
    """Two things that may not be pooled, because they were made under different
    parameters.

    >>> import ldp, ldp_aggregator
    >>> one, two = (
    ...     ldp.survey(name, ldp.question("mode", ["car", "bus"], epsilon="1")) for name in "ab"
    ... )
    >>> try:
    ...     ldp_aggregator.Tally.empty(one).merge(ldp_aggregator.Tally.empty(two))
    ... except ldp.MismatchError:
    ...     print("two surveys")
    two surveys
    """


class EstimateError(LDPError, ValueError):
    """An estimate that was asked for and cannot be given honestly; the message says
    what can.

    >>> import ldp, ldp_aggregator
    >>> try:
    ...     options = ldp_aggregator.Options(level=2)
    ... except ldp.EstimateError:
    ...     print("a level lies between 0 and 1")
    a level lies between 0 and 1
    """


class UnknownNameError(LDPError, KeyError):
    """A name that is not among those there are; the message lists them, or those most
    like it.

    >>> import ldp, ldp_aggregator
    >>> try:
    ...     design = ldp_aggregator.design("warnre p=.7")
    ... except ldp.UnknownNameError as error:
    ...     print("warner" in error.known)
    True
    """

    def __init__(self, name: object, known: Collection[str], what: str) -> None:
        self.name = name
        self.known = tuple(known)
        self._what = what
        super().__init__(name)

    def __str__(self) -> str:
        shown = ", ".join(self.known[:_MOST_NAMES])
        hidden = len(self.known) - _MOST_NAMES
        more = ""
        if hidden > 0:
            more = f" and {hidden:,} more"
        close = self._alike()
        hint = ""
        if close:
            hint = f"; did you mean {' or '.join(map(repr, close))}?"
        return (
            f"expected {self._what} ({shown or 'there is none'}{more}), got "
            f"{self.name!r}{hint}"
        )

    def _alike(self) -> list[str]:
        """The names that it resembles most, where comparing it with all of them is
        quick.
        """
        if not isinstance(self.name, str) or len(self.name) > _LONGEST_NAME:
            return []
        # Imported where it is needed: an app that asks for what there is should not pay
        # for it.
        from difflib import get_close_matches

        # Whatever the case: a column `Sleep` is the question `sleep`.
        known = {one.lower(): one for one in map(str, self.known[:_MOST_COMPARED])}
        return [known[one] for one in get_close_matches(self.name.lower(), known, 2)]
