"""Privacy cost of a survey to its respondents, in plain words and exact numbers.

What is particular to a kind of mechanism, its decoder says (`explain`, `warnings`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from math import prod

from ldp.answers.domain import Domain
from ldp.mechanisms.chains.identifiers import MOST_SHOWN, identifier, shown_states
from ldp.mechanisms.contract import Memoized, is_memoized, lifetime_ratio
from ldp.mechanisms.values.optimum import efficiency
from ldp.numbers.accounting import posterior, posterior_of
from ldp.numbers.exact import log, log_text, percent_below, text_upper
from ldp.privacy.certificate import exact_ratios, totals
from ldp.survey.attributes import size_of
from ldp.survey.profiles import PROFILES
from ldp.survey.survey import Group, Question, Survey, chargeable
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.explanations.metric_explanation import metric_lines
from ldp_aggregator.explanations.scale_explanation import (
    contribution_lines,
    scale_lines,
)

_ALL_BUT = 0.999
_MOST_NAMES = 6
_REPEATED = (2, 5, 10, 50)


def explanation(survey: Survey, names: Collection[str] = ()) -> str:
    """Return the total for one respondent, each question, each group, and all totals.

    names  the questions that are shown; all unless given
    """
    sums = totals(survey)
    parts = [
        f"survey {survey.name}: "
        f"{_everything(sums['all_reports'], sums['all_charges'])}\n"
        f"  fingerprint         {survey.fingerprint.hex()}\n"
        f"  terms               {survey.terms.hex()} (for apps that pin them)",
        *(
            _question(question)
            for question in survey
            if not names or question.name in names
        ),
    ]
    parts += [_group(group) for group in survey.groups]
    if survey.attributes:
        parts.append("\n".join(_openly(survey)))
    total = {
        name: "UNBOUNDED" if sum_ is None else text_upper(sum_, 6)
        for name, sum_ in sums.items()
    }
    stops = ""
    if survey.lifetime is not None:
        stops = f", and it stops at {survey.lifetime.text} (lifetime_epsilon)"
    parts.append(
        f"total for one respondent who answers every question once: epsilon "
        f"{total['one_report_each']}\n"
        f"total over all reports a respondent ever sends, answers unchanged: epsilon "
        f"{total['all_reports']}\n"
        "most that a device ever charges, whatever changes: epsilon "
        f"{total['all_charges']}{stops}"
    )
    return "\n\n".join(parts)


def _everything(unchanged: float | None, most: float | None) -> str:
    """Return what all reports of a respondent can reveal together, also if answers
    change.
    """
    if unchanged is None or most is None:
        return (
            "epsilon UNBOUNDED in total. More reports to one question would reveal its "
            "answer."
        )
    percent = percent_below(posterior_of(Fraction(most)))
    less = ""
    if unchanged < most:
        less = f" ({text_upper(unchanged, 3)} while your answers stay as they are)"
    return (
        f"epsilon {text_upper(most, 3)} in total{less}. Someone who thought it 50 % "
        f"likely that you gave certain answers may come to think it {percent}% likely, "
        "at most, from all your reports."
    )


def _openly(survey: Survey) -> Iterator[str]:
    """Yield the parts of reports beside those that epsilon covers."""
    yield "said openly, and not randomized"
    for attribute in survey.attributes:
        names = ", ".join(attribute.questions) or "all questions"
        values = ", ".join(attribute.values)
        yield f"  {attribute.name:19} {values}, or unknown; with reports to {names}"
    combinations = size_of(survey.attributes)
    yield (
        f"  combinations        {combinations:,}: the fewer people share one, the more "
        "it says of them, and links what they send; epsilon does not cover it"
    )
    yield (
        f"  least group         {survey.least_group:,} reports; smaller groups are not "
        "shown"
    )


def _charges(survey: Survey) -> Fraction:
    """Everything that a device may charge while nothing but its questions limits it."""
    charged = chargeable(survey)
    return prod(
        (question.price**question.charges for question in charged), start=Fraction(1)
    )


def warnings(survey: Survey) -> list[str]:
    """Warn a designer of doubtful choices."""
    lines = []
    if survey.lifetime is not None and _charges(survey) > survey.lifetime.bound:
        lines.append(
            f"survey {survey.name!r}: lifetime_epsilon {survey.lifetime.text} is less "
            f"than its questions can cost ({log_text(_charges(survey), 6)}): some "
            "answers will not be reported, which may show that they changed"
        )
    for question in survey:
        randomizer = question.randomizer
        if question.profile and PROFILES[question.profile].tests_only:
            lines.append(
                f"question {question.name!r}: profile {question.profile} is for tests "
                "only: it gives no privacy"
            )
        lines += shown_too_well(question)
        if lifetime_ratio(randomizer) is None:
            lines.append(
                f"question {question.name!r}: eps_inf is INFINITE (f = 0, no permanent "
                "response): every further report would be fresh noise on the true "
                "answer, so a device answers only once"
            )
        lines += [
            f"question {question.name!r}: {warning}"
            for warning in decoder_of(randomizer).warnings(randomizer)
        ]
    return lines


def shown_too_well(question: Question) -> list[str]:
    """A warning, where so few devices keep and show the same that reports are as good
    as signed.
    """
    states = 1
    if question.memoizes:
        states = shown_states(question.layout)
    if states <= MOST_SHOWN:
        return []
    return [
        f"question {question.name!r}: every report shows what its device keeps, one of "
        f"{states:,} (cohort, window or hash function; {math.log2(states):.1f} bits): "
        f"with more than {MOST_SHOWN}, few devices share it, and reports can be told "
        "to be one device's; fewer cohorts, or l-grr, which shows nothing, do without"
    ]


def _question(question: Question) -> str:
    ratio, _ = exact_ratios(question)
    randomizer = question.randomizer
    size = question.domain.size
    lines = [
        f"{question.name}: {question.mechanism}, {_values(question.domain)}",
        f"  declared epsilon    {question.declared.text}",
        f"  delivered epsilon   {log_text(ratio, 12)} = ln({_short(ratio)})",
    ]
    if log(ratio) < _ALL_BUT * log(question.declared.bound):
        lines.append(
            "  the rest            is not used: no report tells values apart as well "
            "as was declared"
        )
    if question.declared.metric is not None:
        lines += metric_lines(question, question.declared.metric)
    if is_memoized(randomizer):
        lines += _permanent_lines(question, randomizer)
    if question.domain.most is not None:
        with_numbers = ""
        if question.domain.key_scale is not None:
            with_numbers = " of keys and numbers"
        lines.append(
            f"  epsilon covers      the whole set{with_numbers}: any that may be held, "
            "against any other"
        )
    if question.draw is not None:
        draw = question.draw
        number = "one"
        if draw.answers != 1:
            number = f"{draw.answers}"
        largest = "epsilon"
        if draw.answers != 1:
            largest = f"{draw.answers} epsilons"
        lines.append(
            f"  drawn               by a share of {question.share} of the devices, "
            f"each of which answers {number} of {_few_names(draw.names)}, whatever the "
            f"answers are; the totals count the largest {largest} of these"
        )
    lines += scale_lines(question) + contribution_lines(question)
    lines += decoder_of(randomizer).explain(question)
    efficient = efficiency(randomizer)
    if efficient is not None:
        lines.append(
            f"  efficiency          {float(efficient):.3f} of what is possible with "
            f"{size} values at the delivered epsilon (least total error, minimax)"
        )
    if question.profile:
        profile = PROFILES[question.profile]
        lines += [
            f"  profile             {question.profile}, from {profile.source}",
            f"  it gives            {profile.gives}",
            f"  it was criticised   {profile.criticised}",
        ]
    if question.choice:
        lines.append(f"  chosen by auto      {_comparison(question)}")
    lines += [
        (
            f"  report              {randomizer.layout.width} bytes, the same for "
            "every answer"
        ),
        "  what one report can reveal: anyone who thought a certain answer 50 % likely "
        f"may come to think it {percent_below(posterior(ratio))}% likely, at most",
        f"  certificate         delivered {_short(ratio)} <= declared "
        f"{_short(question.declared.bound)} (e^epsilon), fingerprint "
        f"{question.fingerprint.hex()}",
    ]
    return "\n".join(lines)


def _permanent_lines(question: Question, randomizer: Memoized) -> list[str]:
    """Explain one report, several and all about one value, and the cost of changing
    it.
    """
    lifetime, declared = randomizer.lifetime_ratio, question.declared.lifetime
    ever = "INFINITE: no permanent response (f = 0)"
    if lifetime is not None:
        ever = log_text(lifetime, 6)
    repeated = ", ".join(
        f"{log_text(randomizer.ratio_after(reports), 4)} after {reports}"
        for reports in _REPEATED
    )
    lines = [
        f"  eps_1   (one report)                     {log_text(randomizer.ratio, 6)}",
        f"  eps_t   (t reports, answer unchanged)    {repeated}",
        f"  eps_inf (all reports, answer unchanged)  {ever}"
        + (f", declared {declared.text}" if declared else ""),
    ]
    if lifetime is not None:
        responses = question.charges
        lines += [
            "  answers that change cost eps_inf each time a device needs another "
            f"response; it keeps at most {responses}: "
            f"{log_text(lifetime**responses, 6)}",
            "  when an answer changed may show in what is sent; what it was and what "
            "it became is what eps_inf bounds",
        ]
    if question.memoizes:
        lines += _linkage_lines(randomizer)
    return lines


def _linkage_lines(randomizer: Memoized) -> list[str]:
    """Explain the links between reports of a device, whatever it answers
    (`chains.identifiers`).
    """
    shown, between_two, over_time = identifier(randomizer)
    states = shown_states(randomizer.layout)
    clear = ""
    if states > 1:
        clear = (
            f"what the device keeps and each report shows in clear, one of {states:,}; "
            "and "
        )
    return [
        (
            f"  linked by           {clear}the permanent response, which differs from "
            "device to device"
        ),
        f"  lasting identifier  {shown:.2f} bits in clear, {between_two:.2f} bits "
        f"between two reports, {over_time:.2f} bits over time, answer unchanged (a "
        "thousand devices take 10 bits to be told apart, a billion 30)",
    ]


def _group(group: Group) -> str:
    ratio = prod(
        (question.randomizer.ratio for question in group.members), start=Fraction(1)
    )
    return "\n".join(
        [
            f"{group.name}: answered together, {len(group.members)} questions",
            "  linked              the reports of one respondent travel in one "
            "envelope: anyone who receives it can tell that these answers are one "
            "person's",
            f"  delivered epsilon   {log_text(ratio, 6)} for all of them, the sum: "
            "linking spends no more than sending them apart",
            f"  report              {group.width} bytes, the same for all answers",
            "  what one report can reveal: anyone who thought a certain combination of "
            "answers 50 % likely may come to think it "
            f"{percent_below(posterior(ratio))}% likely, at most",
            (
                "  certificate         those of its questions, fingerprint "
                f"{group.fingerprint.hex()}"
            ),
        ]
    )


def _comparison(question: Question) -> str:
    """Each mechanism considered: the share of respondents with which the best errs as
    little.
    """
    least = min(considered.error for considered in question.choice)
    ordered = sorted(question.choice, key=lambda considered: considered.error)
    shown = ", ".join(
        (
            f"{considered.row.name} {float(least / considered.error):.3f} "
            f"({considered.report_bytes:,})"
        )
        for considered in ordered
    )
    rule = "the least total error while reports stay short"
    return f"{rule}; relative efficiency (report bytes): {shown}"


def _values(domain: Domain) -> str:
    circle = ", on a circle" if domain.circular else ""
    if domain.scale is not None:
        return f"numbers {domain.scale.summary}{circle}"
    if domain.ball is not None:
        return f"vectors {domain.ball.summary}"
    if domain.size is None:
        return "open vocabulary"
    upper = ""
    if domain.most is not None:
        upper = f"up to {domain.most} of "
    what = "values" if domain.key_scale is None else "keys with numbers"
    return f"{upper}{domain.size} {what}{circle}"


def _short(ratio: Fraction) -> str:
    text = str(ratio)
    if len(text) <= 60:
        return text
    return f"{float(ratio):.15g}..."


def _few_names(names: Sequence[str]) -> str:
    """All names, or the ends of a long list, such as the weeks of a panel."""
    if len(names) <= _MOST_NAMES:
        return ", ".join(names)
    return f"{names[0]}, {names[1]} to {names[-1]} ({len(names)} questions)"
