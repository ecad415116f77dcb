"""Two versions of a survey, those before them, and all that changed for who is asked.

    compare_versions(new, old)                  the step from one version to the next
    compare_versions(new, old, earlier=[...])   which also knows what was asked before that

Questions are told by their names. One that is gone while another has come with the same
words, answers and integers was renamed; one that is new and stood in an earlier version
comes back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cmp_to_key
from typing import Any

from ldp.survey.survey import Question, Survey, survey_table
from ldp_aggregator.output.formats.formats import Rendered
from ldp_aggregator.output.sheet import Sheet, TextTable
from ldp_aggregator.versions.amounts import (
    Amount,
    compare_amounts,
    of_questions,
    of_survey,
    of_versions,
    promised_amount,
    survey_limit,
)
from ldp_aggregator.versions.change import (
    ATTRIBUTE,
    DRAWN,
    LIFETIME,
    NAME,
    NOTHING,
    ORDER,
    QUESTION,
    SAME,
    TOTAL,
    VERDICTS,
    WORSE,
    Change,
    shorten,
    verdict_of,
)
from ldp_aggregator.versions.crowd import crowd_changes
from ldp_aggregator.versions.keys import OF_QUESTION, OF_SURVEY
from ldp_aggregator.versions.pages import Page, page_changes
from ldp_aggregator.versions.questions import (
    asked_again,
    is_renamed,
    place_of,
    question_changes,
)

FORMAT = 1
_SURVEY = "survey"
_PARTS = ("field", "x", "y")
"""Keys whose tables have places of their own among the changes."""


@dataclass(frozen=True, repr=False)
class VersionChanges(Rendered):
    """Changes from one version of a survey to the next, the worse first.

    `compare_versions` has an example.
    """

    old: Survey
    new: Survey
    changes: tuple[Change, ...]
    earlier: tuple[Survey, ...] = ()
    """Versions before the old one, the oldest first."""

    @property
    def worse(self) -> tuple[Change, ...]:
        """Changes by which respondents can lose."""
        return tuple(change for change in self.changes if change.verdict == WORSE)

    def with_pages(self, new: Page, old: Page) -> VersionChanges:
        """And what changed in the page files beside them: words, translations, ways to
        refuse.
        """
        return replace(self, changes=_sort([*self.changes, *page_changes(new, old)]))

    def sheet(self) -> Sheet:
        """The changes as a table, one a row, with what they come to."""
        return Sheet(
            title=f"{self.new.name}: what changes for those who are asked",
            lead=self._lead(),
            tables=lambda: [self._table()] if self.changes else [],
            record=self.to_dict,
            columns=("verdict", "place", "aspect", "before", "after", "says"),
            rows=lambda: (
                (
                    change.verdict,
                    change.place,
                    change.aspect,
                    change.before,
                    change.after,
                    change.says,
                )
                for change in self.changes
            ),
        )

    def plain(self) -> str:
        """The changes in lines of text, each with what it means."""
        lines = list(self._lead())
        for change in self.changes:
            lines += ["", f"{change.verdict:8}{change.line}", f"{'':8}{change.says}"]
        return "\n".join(lines) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """A record ready for JSON."""
        return {
            "format": FORMAT,
            "survey": self.new.name,
            "old": self.old.fingerprint.hex(),
            "new": self.new.fingerprint.hex(),
            "old_terms": self.old.terms.hex(),
            "new_terms": self.new.terms.hex(),
            "worse": len(self.worse),
            "changes": [change._asdict() for change in self.changes],
            "all_reports_epsilon": {
                "old": survey_limit(self.old).text,
                "new": survey_limit(self.new).text,
                "all_versions": self._all_versions().text,
            },
        }

    def _all_versions(self) -> Amount:
        return of_versions((*self.earlier, self.old, self.new))

    def _lead(self) -> list[str]:
        if not self.changes:
            return [f"{self.new.name}: nothing changed"]
        counts = (
            f"{sum(change.verdict == verdict for change in self.changes)} {verdict}"
            for verdict in VERDICTS
        )
        versions = len(self.earlier) + 2
        every = "both versions"
        if versions != 2:
            every = f"all {versions} versions"
        limit = ""
        if self.new.lifetime is not None:
            limit = f"; devices stop at {self.new.lifetime.text}, the survey's lifetime"
        return [
            f"{self.new.name}: {', '.join(counts)}",
            f"Who answers {every} in full, and agrees each time, spends epsilon "
            f"{self._all_versions().text} at most{limit}.",
        ]

    def _table(self) -> TextTable:
        return TextTable(
            title="",
            caption="",
            headings=("for respondents", "where", "what", "before", "after", "that is"),
            rows=[
                (
                    change.verdict,
                    change.place,
                    change.aspect,
                    change.before,
                    change.after,
                    change.says,
                )
                for change in self.changes
            ],
        )


def compare_versions(
    new: Survey, old: Survey, earlier: Sequence[Survey] = ()
) -> VersionChanges:
    """Compare an old version of a survey with a new one, for respondents.

    new, old  the versions
    earlier   those before the old one, the oldest first: questions that come back are
              known by them

    Epsilons are compared as fractions. Raises `ValueError` for surveys that were not
    read from a file, nor made by `ldp.survey`.

    >>> import ldp, ldp_aggregator
    >>> one, two = (
    ...     ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon=epsilon))
    ...     for epsilon in ("1", "1.5")
    ... )
    >>> print(ldp_aggregator.compare_versions(two, one).worse[0].line)
    survey: epsilon of all reports: 1.000000 -> 1.500000
    """
    tables = survey_table(old), survey_table(new)
    changes = [
        *_of_survey(old, new, earlier),
        *crowd_changes(old, new),
        *_of_questions(old, new, earlier),
    ]
    changes += _otherwise(tables, new, changes)
    return VersionChanges(old, new, _sort(changes), earlier=tuple(earlier))


def _sort(changes: Sequence[Change]) -> tuple[Change, ...]:
    return tuple(sorted(changes, key=lambda change: VERDICTS.index(change.verdict)))


def _of_survey(old: Survey, new: Survey, earlier: Sequence[Survey]) -> Iterator[Change]:
    if old.name != new.name:
        yield Change(
            _SURVEY,
            NAME,
            old.name,
            after=new.name,
            verdict=WORSE,
            says="another survey to devices: whoever answered is asked everything "
            "again, and what was spent on the old one does not count",
        )
    before, after = survey_limit(old), survey_limit(new)
    direction = compare_amounts(after, before)
    if direction:
        verdict, says = verdict_of(
            direction > 0,
            "all that a device may ever send can tell more",
            "all that a device may ever send can tell less",
        )
        yield Change(
            _SURVEY, TOTAL, before.text, after=after.text, verdict=verdict, says=says
        )
    yield from _lifetime(old, new, earlier)


def _lifetime(old: Survey, new: Survey, earlier: Sequence[Survey]) -> Iterator[Change]:
    before, after = old.lifetime, new.lifetime
    direction = _lifetime_rises(old, new)
    if not direction:
        return
    verdict, says = verdict_of(
        direction > 0,
        "devices may spend more on all versions together",
        "devices stop earlier, over all versions together",
    )
    if before is None and after is not None:
        # Within a lifetime, being asked again does not count as worse: one that has
        # room for that is no gain, but the place where it is agreed to.
        asked = max(
            of_versions([*earlier, old]),
            of_survey(new),
            key=cmp_to_key(compare_amounts),
        )
        if compare_amounts(promised_amount(after), asked) > 0:
            verdict = WORSE
            says = (
                f"devices stop there, but only {asked.text} has been asked for so far: "
                "up to it later versions may ask everything again, and need no reason "
                "for that"
            )
    texts = [NOTHING if limit is None else limit.text for limit in (before, after)]
    yield Change(
        _SURVEY, LIFETIME, texts[0], after=texts[1], verdict=verdict, says=says
    )


def _lifetime_rises(old: Survey, new: Survey) -> int:
    """1 if more may be spent than before, -1 if less, 0 if as much."""
    if old.lifetime is None or new.lifetime is None:
        return (new.lifetime is None) - (old.lifetime is None)
    return compare_amounts(promised_amount(new.lifetime), promised_amount(old.lifetime))


def _is_limited(old: Survey, new: Survey) -> bool:
    """Whether a lifetime was promised that holds on."""
    has_both = old.lifetime is not None and new.lifetime is not None
    return has_both and old.name == new.name and _lifetime_rises(old, new) <= 0


def _of_questions(
    old: Survey, new: Survey, earlier: Sequence[Survey]
) -> Iterator[Change]:
    is_limited = _is_limited(old, new)
    before = {question.name: question for question in old}
    after = {question.name: question for question in new}
    gone = [question for name, question in before.items() if name not in after]
    for name, question in after.items():
        if name in before:
            yield from question_changes(before[name], question, is_limited=is_limited)
            continue
        former = next((other for other in gone if is_renamed(other, question)), None)
        if former is None:
            yield _addition(question, earlier)
            continue
        gone.remove(former)
        yield from _rename_changes(former, question, is_limited=is_limited)
    for question in gone:
        yield Change(
            place_of(question),
            QUESTION,
            _question_text(question),
            after="not asked",
            verdict="better",
            says="it is not asked any more; who answered it keeps what that cost",
        )
    if [name for name in before if name in after] != [
        name for name in after if name in before
    ]:
        yield Change(
            _SURVEY,
            ORDER,
            "questions in one order",
            after="in another",
            verdict=SAME,
            says="the same questions, in another order",
        )


def _question_text(question: Question) -> str:
    return shorten(f"{question.text or question.name} ({question.declared.text})")


def _rename_changes(
    old: Question, new: Question, *, is_limited: bool
) -> Iterator[Change]:
    verdict, says = SAME, "the same words, answers and cost under another name"
    if not new.text:
        verdict = WORSE
        says = "the same answers and cost under another name, which is what is read"
    yield Change(
        place_of(new),
        QUESTION,
        f"called {old.name}",
        after=f"called {new.name}",
        verdict=verdict,
        says=says,
    )
    yield from question_changes(old, new, is_limited=is_limited)


def _addition(question: Question, earlier: Sequence[Survey]) -> Change:
    """That a question is asked that the old version had not; what is known of it from
    before.
    """
    cost = of_questions([question]).text
    says = f"a new question, for epsilon {cost} at most"
    for number, survey in reversed(list(enumerate(earlier, 1))):
        if question.name not in (other.name for other in survey):
            continue
        former = survey[question.name]
        if former.fingerprint == question.fingerprint:
            says = (
                f"it comes back as it was in version {number}: who answered it then is "
                f"not asked again, everyone else is, for epsilon {cost} at most"
            )
        else:
            again = asked_again(place_of(question), former, question, is_limited=False)
            says = f"it comes back otherwise than in version {number}: {again.says}"
        break
    return Change(
        place_of(question),
        QUESTION,
        "not asked",
        after=_question_text(question),
        verdict=WORSE,
        says=says,
    )


def _otherwise(
    tables: tuple[Mapping[str, Any], Mapping[str, Any]],
    new: Survey,
    changes: Sequence[Change],
) -> Iterator[Change]:
    """Yield other differences in a file, which change nothing of their aspect."""
    spoken = {(change.place, change.aspect) for change in changes}
    before, after = tables
    both = before["survey"], after["survey"]
    yield from _keys(_SURVEY, OF_SURVEY, both, spoken=spoken)
    aspects = {aspect for _, aspect in spoken}
    for key, aspect in (("draw", DRAWN), ("attribute", ATTRIBUTE)):
        if before.get(key) != after.get(key) and aspect not in aspects:
            yield _wording_change(
                _SURVEY, aspect, before.get(key), after=after.get(key)
            )
    by_name = {table["name"]: table for table in before["question"]}
    for table in after["question"]:
        if table["name"] in by_name:
            place = place_of(new[table["name"]])
            yield from _keys(
                place, OF_QUESTION, (by_name[table["name"]], table), spoken=spoken
            )


def _keys(
    place: str,
    known: Mapping[str, str],
    tables: tuple[Mapping[str, Any], Mapping[str, Any]],
    spoken: set[tuple[str, str]],
) -> Iterator[Change]:
    before, after = tables
    for key in dict.fromkeys((*before, *after)):
        if before.get(key) == after.get(key):
            continue
        aspect = known.get(key)
        if aspect is None:
            yield Change(
                place,
                key,
                _text(before.get(key)),
                after=_text(after.get(key)),
                verdict=WORSE,
                says="a key that comparisons do not know yet, which may mean anything",
            )
        elif not _is_spoken(key, place, aspect, spoken=spoken):
            yield _wording_change(
                place, f"{aspect} ({key})", before.get(key), after=after.get(key)
            )


def _is_spoken(
    key: str, place: str, aspect: str, *, spoken: set[tuple[str, str]]
) -> bool:
    """Whether a change says already what a key does; of parts, any change of one of
    them.
    """
    if (place, aspect) in spoken:
        return True
    within = [what for where, what in spoken if where.startswith(f"{place}, ")]
    if key in _PARTS:
        return bool(within)
    return aspect in within


def _wording_change(place: str, aspect: str, before: object, after: object) -> Change:
    return Change(
        place,
        aspect,
        _text(before),
        after=_text(after),
        verdict=SAME,
        says=(
            "written otherwise, with no effect of its own on what is asked, sent or "
            "spent"
        ),
    )


def _text(value: object) -> str:
    if value is None:
        return NOTHING
    return shorten(str(value))
