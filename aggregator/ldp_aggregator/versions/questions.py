"""One question before and after: what its reports cost, what they show, how often it is
asked.

A question is one to devices as long as its fingerprint stays: who answered it is not
asked again. With another fingerprint it is another question, whatever its name, so that
its answers cost once more: a survey that changes a little with every version would be
answered with every version. Where the survey has a `lifetime_epsilon` that does not
rise, devices stop there all the same, and being asked again is within what was
promised.
"""

from __future__ import annotations

from collections.abc import Iterator

from ldp.mechanisms.chains.identifiers import Identifier, identifier
from ldp.mechanisms.contract import Declared, integers
from ldp.numbers.exact import decimal_text
from ldp.survey.survey import Question
from ldp_aggregator.versions.amounts import (
    compare_amounts,
    of_one_answer,
    of_questions,
    promised_amount,
)
from ldp_aggregator.versions.answers import answer_changes, word_changes
from ldp_aggregator.versions.change import (
    AGAIN,
    ANSWERS,
    CANDIDATES,
    DISTANCE,
    DRAWN,
    EPSILON,
    EVER,
    KEPT,
    LINKS,
    MECHANISM,
    NOTHING,
    PARAMETERS,
    SAME,
    WORSE,
    Change,
    shorten,
    verdict_of,
)
from ldp_aggregator.versions.pairs import pair_changes

_CLOSE = 1e-9
"""Bits that are no difference between two identifiers: they are floats, and no
epsilons.
"""


def place_of(question: Question) -> str:
    """How changes name a question."""
    return f"question {question.name}"


def question_changes(
    old: Question, new: Question, *, is_limited: bool
) -> Iterator[Change]:
    """Yield the changes in a question of one name, or of one that was renamed.

    `is_limited` says that a lifetime of the survey holds whatever is asked again.
    """
    place = place_of(new)
    yield from word_changes(place, old.text, new.text)
    yield from answer_changes(place, old.domain, new.domain)
    yield from _told_together(place, old, new)
    yield from _longest(place, old, new)
    yield from _epsilons(place, old, new)
    yield from pair_changes(place, old, new)
    yield from _memory(place, old, new)
    yield from _draw_changes(place, old, new)
    yield from _mechanism(place, old, new)
    if old.candidates != new.candidates:
        yield Change(
            place,
            CANDIDATES,
            shorten(old.candidates or NOTHING),
            after=shorten(new.candidates or NOTHING),
            verdict=SAME,
            says="the collector looks for other texts: reports tell no more by that",
        )
    if old.fingerprint != new.fingerprint and old.survey == new.survey:
        yield asked_again(place, old, new, is_limited=is_limited)


def asked_again(
    place: str, old: Question, new: Question, *, is_limited: bool
) -> Change:
    """That who answered a question before has another one to answer now, and what both
    cost.
    """
    both = of_questions((old, new)).text
    says = (
        f"who answered the older version is asked once more: both cost epsilon {both} "
        "at most"
    )
    if is_limited:
        says += ", within a lifetime that has not changed"
    return Change(
        place,
        AGAIN,
        old.fingerprint.hex(),
        after=new.fingerprint.hex(),
        verdict=SAME if is_limited else WORSE,
        says=says,
    )


def is_renamed(old: Question, new: Question) -> bool:
    """Whether two questions are one but for the name: words, answers and integers are
    the same.
    """
    return (
        old.text == new.text
        and old.mechanism == new.mechanism
        and old.domain.type == new.domain.type
        and list(old.domain.parts()) == list(new.domain.parts())
        and integers(old.randomizer) == integers(new.randomizer)
    )


def _told_together(place: str, old: Question, new: Question) -> Iterator[Change]:
    """Of how many parts of an answer a report tells, and how they go together."""
    before, after = (_in_a_report(question) for question in (old, new))
    if before is None or after is None or before == after:
        return
    verdict, says = verdict_of(
        after > before,
        "a report tells of more parts of an answer, and how they go together",
        "a report tells of fewer parts of an answer",
    )
    yield Change(
        place,
        ANSWERS,
        f"{before} parts in a report",
        after=f"{after} parts in a report",
        verdict=verdict,
        says=says,
    )


def _in_a_report(question: Question) -> int | None:
    together = integers(question.randomizer).get("together")
    if isinstance(together, int):
        return together
    return None


def _longest(place: str, old: Question, new: Question) -> Iterator[Change]:
    """How much of a text reports tell of, at most."""
    lengths = [integers(question.randomizer).get("lengths") for question in (old, new)]
    if not all(lengths):
        return
    # The last stage is one longer than the longest text.
    before, after = (stages[0][-1] - 1 for stages in lengths)  # type: ignore[index]
    if before == after:
        return
    verdict, says = verdict_of(
        after > before, "reports tell more of a text", "reports tell less of a text"
    )
    yield Change(
        place,
        ANSWERS,
        f"texts of up to {before} bytes",
        after=f"texts of up to {after} bytes",
        verdict=verdict,
        says=says,
    )


def _epsilons(place: str, old: Question, new: Question) -> Iterator[Change]:
    before, after = old.declared, new.declared
    direction = compare_amounts(promised_amount(after), promised_amount(before))
    if direction:
        verdict, says = verdict_of(
            direction > 0,
            "one report can tell more of an answer",
            "one report can tell less of an answer",
        )
        yield Change(
            place, EPSILON, before.text, after=after.text, verdict=verdict, says=says
        )
    if old.memoizes or new.memoizes:
        yield from _ever(place, old, new)
    yield from _by_distance(place, before, after)


def _ever(place: str, old: Question, new: Question) -> Iterator[Change]:
    before, after = of_one_answer(old), of_one_answer(new)
    if before is None or after is None:
        direction = (after is None) - (before is None)
    else:
        direction = compare_amounts(after, before)
    if not direction:
        return
    verdict, says = verdict_of(
        direction > 0,
        "all reports of an answer that does not change can tell more of it",
        "all reports of an answer that does not change can tell less of it",
    )
    texts = ["unbounded" if one is None else one.text for one in (before, after)]
    yield Change(place, EVER, texts[0], after=texts[1], verdict=verdict, says=says)


def _by_distance(place: str, old: Declared, new: Declared) -> Iterator[Change]:
    before, after = old.metric, new.metric
    if before == after:
        return
    is_worse = after is not None and (
        before is None or after.per_unit > before.per_unit or after.steps > before.steps
    )
    texts = [
        NOTHING if metric is None else f"{decimal_text(metric.per_unit)} for each unit"
        for metric in (before, after)
    ]
    verdict, says = verdict_of(
        is_worse,
        (
            "places that are far apart are told apart better than the epsilon says of "
            "those nearby"
        ),
        "places are told apart less well",
    )
    yield Change(place, DISTANCE, texts[0], after=texts[1], verdict=verdict, says=says)


def _memory(place: str, old: Question, new: Question) -> Iterator[Change]:
    if old.memoizes != new.memoizes:
        verdict, says = verdict_of(
            new.memoizes,
            "devices report again and again, so that their reports can be told to be "
            "theirs, and when an answer changed",
            (
                "devices report once, and keep nothing by which reports can be told to "
                "be theirs"
            ),
        )
        kept = [_charges(question) for question in (old, new)]
        yield Change(place, KEPT, kept[0], after=kept[1], verdict=verdict, says=says)
        return
    if old.charges != new.charges:
        verdict, says = verdict_of(
            new.charges > old.charges,
            "more answers of a device can each cost the whole epsilon",
            "fewer answers of a device can each cost the whole epsilon",
        )
        yield Change(
            place, KEPT, _charges(old), after=_charges(new), verdict=verdict, says=says
        )
    if old.memoizes:
        yield from _links(place, _identifier(old), _identifier(new))


def _charges(question: Question) -> str:
    if question.memoizes:
        return f"up to {question.charges}"
    return NOTHING


def _identifier(question: Question) -> Identifier:
    randomizer = question.randomizer
    return identifier(randomizer)  # type: ignore[arg-type]


def _links(place: str, old: Identifier, new: Identifier) -> Iterator[Change]:
    rises = [after > before + _CLOSE for before, after in zip(old, new, strict=True)]
    falls = [after < before - _CLOSE for before, after in zip(old, new, strict=True)]
    if not any(rises) and not any(falls):
        return
    verdict, says = verdict_of(
        any(rises),
        "the reports of a device can be told better to be its own",
        "the reports of a device can be told less well to be its own",
    )
    texts = [
        f"{one.between_two:.3f} bits by two reports, {one.over_time:.3f} over time"
        for one in (old, new)
    ]
    yield Change(place, LINKS, texts[0], after=texts[1], verdict=verdict, says=says)


def _draw_changes(place: str, old: Question, new: Question) -> Iterator[Change]:
    if old.draw == new.draw:
        return
    verdict, says = SAME, "the same share of the devices, drawn among other questions"
    if old.share != new.share:
        verdict, says = verdict_of(
            new.share > old.share, "more devices answer it", "fewer devices answer it"
        )
    texts = [_share(question) for question in (old, new)]
    yield Change(place, DRAWN, texts[0], after=texts[1], verdict=verdict, says=says)


def _share(question: Question) -> str:
    if question.draw is None:
        return "all devices"
    return shorten(f"a share of {question.share} ({question.draw.text})")


def _mechanism(place: str, old: Question, new: Question) -> Iterator[Change]:
    if old.mechanism != new.mechanism:
        yield Change(
            place,
            MECHANISM,
            old.mechanism,
            after=new.mechanism,
            verdict=SAME,
            says=(
                "another way to randomize: what it costs and what it shows is said "
                "beside"
            ),
        )
    elif integers(old.randomizer) != integers(new.randomizer):
        yield Change(
            place,
            PARAMETERS,
            _numbers(old),
            after=_numbers(new),
            verdict=SAME,
            says=(
                "the same way to randomize with other numbers: what they cost is said "
                "beside"
            ),
        )


def _numbers(question: Question) -> str:
    numbers = sorted(integers(question.randomizer).items())
    return shorten(", ".join(f"{name} {number}" for name, number in numbers))
