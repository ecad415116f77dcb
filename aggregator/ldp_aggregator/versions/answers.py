"""Answers before and after: values, ranges, parts of an answer, and words for them.

More values, a wider range, finer steps or further parts let more be learnt from an
answer, whatever the epsilon: they are worse. Fewer are better only where each of the
new answers was one before, or a union of such. What is neither is worse, as a machine
cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ldp.answers.balls import Ball
from ldp.answers.domain import Domain, Field
from ldp.answers.scales import Scale
from ldp.answers.texts import to_nfc
from ldp.numbers.exact import decimal_text
from ldp_aggregator.versions.change import (
    ANSWERS,
    BETTER,
    MOST,
    NOTHING,
    OUTSIDE,
    RECORDS,
    SAME,
    TYPE,
    WORDS,
    WORSE,
    Change,
    list_texts,
    shorten,
    verdict_of,
)

_REFUSE = "refuse"


def answer_changes(place: str, old: Domain, new: Domain) -> Iterator[Change]:
    """Yield the changes in the answers that a question, or a part of one, may have."""
    if old.type != new.type:
        yield Change(
            place,
            TYPE,
            old.summary,
            after=new.summary,
            verdict=WORSE,
            says="another kind of answer is asked for",
        )
        return
    if old.fields or new.fields:
        yield from _fields(place, old, new)
    elif old.ball is not None and new.ball is not None:
        yield from _ball(place, old.ball, new.ball)
    elif old.scale is not None and new.scale is not None:
        yield from _scale(place, old.scale, new.scale)
    elif old.numbers is not None and new.numbers is not None:
        yield from _range(place, old.numbers, new.numbers)
        if old.outside != new.outside:
            yield _outside(place, str(old.outside), str(new.outside))
    else:
        yield from _values(place, old.values or (), new.values or ())
        yield from _tree(place, old, new)
    if old.key_scale is not None and new.key_scale is not None:
        yield from _scale(place, old.key_scale, new.key_scale)
    if old.missing != new.missing:
        yield Change(
            place,
            ANSWERS,
            f"no answer: {list_texts(old.missing)}",
            after=f"no answer: {list_texts(new.missing)}",
            verdict=SAME,
            says="other texts stand for no answer, in tables of answers alone",
        )
    yield from _at_once(place, old.most, new.most)
    if old.per_device != new.per_device:
        yield Change(
            place,
            RECORDS,
            old.per_device or NOTHING,
            after=new.per_device or NOTHING,
            verdict=WORSE,
            says="something else is made of what a device has; a machine cannot tell "
            "which says more of its owner",
        )
    if old.circular != new.circular:
        yield Change(
            place,
            ANSWERS,
            "a circle" if old.circular else "a line",
            after="a circle" if new.circular else "a line",
            verdict=SAME,
            says="the same answers, in another order",
        )


def word_changes(place: str, old: str, new: str) -> Iterator[Change]:
    """Yield the changes in a text that people read."""
    if old == new:
        return
    verdict = WORSE
    says = "other words: only a person can tell whether the same is asked"
    if _plain(old) == _plain(new):
        verdict, says = SAME, "the same words, with other spaces"
    yield Change(
        place,
        WORDS,
        shorten(old) or NOTHING,
        after=shorten(new) or NOTHING,
        verdict=verdict,
        says=says,
    )


def _plain(text: str) -> list[str]:
    return to_nfc(text).split()


def _fields(place: str, old: Domain, new: Domain) -> Iterator[Change]:
    before = {field.name: field for field in old.fields}
    after = {field.name: field for field in new.fields}
    added = [name for name in after if name not in before]
    removed = [name for name in before if name not in after]
    if added:
        yield _more(place, "parts of an answer", added)
    if removed:
        yield _less(place, "parts of an answer", removed)
    for name, field in after.items():
        if name in before:
            yield from _field(f"{place}, {name}", before[name], field)
    common = [name for name in before if name in after]
    if common != [name for name in after if name in before]:
        yield _order_change(place, "parts of an answer")
    if old.collect != new.collect:
        verdict, says = verdict_of(
            not new.collect,
            "a report tells of all parts, and how they go together",
            "a report tells of some of the parts",
        )
        yield Change(
            place,
            ANSWERS,
            f"collect {old.collect or 'all parts'}",
            after=f"collect {new.collect or 'all parts'}",
            verdict=verdict,
            says=says,
        )


def _field(place: str, old: Field, new: Field) -> Iterator[Change]:
    yield from answer_changes(place, old.domain, new.domain)
    yield from word_changes(place, old.text, new.text)


def _values(place: str, old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[Change]:
    if old == new:
        return
    known, kept = set(old), set(new)
    added = [value for value in new if value not in known]
    removed = [value for value in old if value not in kept]
    if added:
        yield _more(place, "values", added)
    if removed:
        yield _less(place, "values", removed)
    if [value for value in old if value in kept] != [
        value for value in new if value in known
    ]:
        yield _order_change(place, "values")


def _more(place: str, what: str, added: list[str]) -> Change:
    return Change(
        place,
        ANSWERS,
        f"{what}: without them",
        after=f"{what}: with {list_texts(added)}",
        verdict=WORSE,
        says=f"new {what}: an answer can say more",
    )


def _less(place: str, what: str, removed: list[str]) -> Change:
    return Change(
        place,
        ANSWERS,
        f"{what}: with {list_texts(removed)}",
        after=f"{what}: without them",
        verdict=BETTER,
        says=f"fewer {what}: an answer can say less",
    )


def _order_change(place: str, what: str) -> Change:
    return Change(
        place,
        ANSWERS,
        f"{what}: in one order",
        after=f"{what}: in another",
        verdict=SAME,
        says=f"the same {what}, in another order",
    )


def _tree(place: str, old: Domain, new: Domain) -> Iterator[Change]:
    if old.taxonomy == new.taxonomy:
        return
    yield Change(
        place,
        ANSWERS,
        _tree_text(old),
        after=_tree_text(new),
        verdict=SAME,
        says="values are grouped otherwise; what can be answered is under values",
    )


def _tree_text(domain: Domain) -> str:
    tree = domain.taxonomy
    if tree is None:
        return "no tree"
    levels = ", ".join(tree.levels)
    return shorten(
        f"a tree of {len(tree.inner)} nodes in {len(tree.levels)} levels ({levels})"
    )


def _range(place: str, old: range, new: range) -> Iterator[Change]:
    if old == new:
        return
    is_part = old[0] <= new[0] and new[-1] <= old[-1]
    yield _ranges(
        place, f"{old[0]} to {old[-1]}", f"{new[0]} to {new[-1]}", is_coarser=is_part
    )


def _scale(place: str, old: Scale, new: Scale) -> Iterator[Change]:
    if old._replace(outside="", unit="", missing=()) != new._replace(
        outside="", unit="", missing=()
    ):
        yield _ranges(place, _cells(old), _cells(new), is_coarser=_is_coarser(old, new))
    if old.outside != new.outside:
        yield _outside(place, str(old.outside), str(new.outside))
    yield from word_changes(place, old.unit, new.unit)


def _cells(scale: Scale) -> str:
    if scale.edges:
        return shorten(f"cells {', '.join(map(decimal_text, scale.edges))}")
    low, high, step = map(decimal_text, (scale.low, scale.high, scale.step))
    return f"{low} to {high} in steps of {step}"


def _is_coarser(old: Scale, new: Scale) -> bool:
    """Whether each new point or edge was one before."""
    if old.edges or new.edges:
        return bool(old.edges) and bool(new.edges) and set(new.edges) <= set(old.edges)
    within = old.low <= new.low and new.high <= old.high
    return within and not any(
        Fraction(length, old.step).denominator > 1
        for length in (new.step, new.low - old.low)
    )


def _ranges(place: str, before: str, after: str, *, is_coarser: bool) -> Change:
    verdict, says = verdict_of(
        not is_coarser,
        "other numbers can be told apart than before",
        "a coarser or narrower range of answers",
    )
    return Change(place, ANSWERS, before, after=after, verdict=verdict, says=says)


def _outside(place: str, before: str, after: str) -> Change:
    verdict, says = SAME, "numbers outside the range are reported as another one"
    if before == _REFUSE:
        verdict = WORSE
        says = "devices with numbers outside the range report, and did not before"
    elif after == _REFUSE:
        verdict = BETTER
        says = "devices with numbers outside the range do not report any more"
    return Change(place, OUTSIDE, before, after=after, verdict=verdict, says=says)


def _ball(place: str, old: Ball, new: Ball) -> Iterator[Change]:
    sizes = (old.dimensions, old.radius), (new.dimensions, new.radius)
    if sizes[0] != sizes[1]:
        is_coarser = new.dimensions <= old.dimensions and new.radius <= old.radius
        before, after = (
            f"{dimensions} numbers of length {decimal_text(radius)}"
            for dimensions, radius in sizes
        )
        yield _ranges(place, before, after, is_coarser=is_coarser)
    if old.outside != new.outside:
        yield _outside(place, old.outside, new.outside)


def _at_once(place: str, old: int | None, new: int | None) -> Iterator[Change]:
    if old == new or old is None or new is None:
        return
    verdict, says = verdict_of(
        new > old,
        "more of them can be answered at once",
        "fewer can be answered at once",
    )
    yield Change(place, MOST, str(old), after=str(new), verdict=verdict, says=says)
