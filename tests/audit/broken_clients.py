"""Clients that are broken in one way each, as commands: `python broken_clients.py
NAME`.

Among them are published mistakes: bits that are only ever set, a truth drawn from all
values, a last bit that is not randomized.
"""

import json
import os
import random
import subprocess
import sys
import time
from io import BytesIO

from ldp.numbers.randomness import WORD, draw_bits, randbelow, system
from ldp.wire.wire import encode_frame, read_frames
from ldp_client import Client, report_bytes
from ldp_client.answering.reports import Report
from ldp_simulations.audit.python_client import AuditAdapter, serve


class _Rows(AuditAdapter):
    """A client that makes its rows by itself."""

    def reports_of(self, device, answers):
        for name, answer in answers.items():
            for report in super().reports_of(device, {name: answer}):
                question = self.survey[name]
                row = self.row(question, int(question.value(answer)), report)
                yield Report(report.fingerprint, row.to_bytes(question.width, "little"))


class OnlySet(_Rows):
    """Bits are only ever set."""

    def row(self, question, value, report):
        size, p, q, _ = question.randomizer
        others = draw_bits(0, size, q, if_other=q, random=system)
        return others | (randbelow(1 << WORD, system) < p) << value


class FromAll(_Rows):
    """The truth is among what is drawn in place of it."""

    def row(self, question, value, report):
        size, truth, other = question.randomizer
        is_true = randbelow(truth + (size - 1) * other, system) < truth
        return value if is_true else randbelow(size, system)


class LastClear(_Rows):
    """The last bit is not randomized."""

    def row(self, question, value, report):
        last = question.randomizer.size - 1
        drawn = int.from_bytes(report.row, "little") & ((1 << last) - 1)
        return drawn | (value == last) << last


class Constant(_Rows):
    """It says the same, whatever is answered."""

    def row(self, question, value, report):
        return 0


class Seeded(AuditAdapter):
    """Every process draws the same."""

    source = random.Random(1)

    def device(self):
        return Client(self.survey, random=self.source.randbytes)


class Inherits(AuditAdapter):
    """Every process draws otherwise, but for one that is forked from it."""

    source = random.Random(os.urandom(16))

    def device(self):
        return Client(self.survey, random=self.source.randbytes)


class Forgets(AuditAdapter):
    """A device that is asked again is another one."""

    def reports_of(self, device, answers):
        yield from super().reports_of(self.device(), answers)


class Silent(AuditAdapter):
    """One answer is never reported."""

    def reports_of(self, device, answers):
        return () if "v8" in answers.values() else super().reports_of(device, answers)


class NumbersIds(AuditAdapter):
    """The ids of its batches count up from 1."""

    count = 0

    def frame(self, report):
        self.count += 1
        return report_bytes(
            [report], random=lambda size: self.count.to_bytes(size, "little")
        )


class Tells(AuditAdapter):
    """It tells whether an answer is the last one, by something else than its report."""

    is_last = False

    def reports_of(self, device, answers):
        self.is_last = bool({"v8", True} & set(answers.values()))
        yield from super().reports_of(device, answers)

    def with_id(self, report, change):
        """A frame whose id is changed."""

        def drawn(size):
            number = int.from_bytes(os.urandom(size), "little")
            return change(number).to_bytes(size, "little")

        return report_bytes([report], random=drawn)


class OneClear(_Rows):
    """One value, neither the first nor the middle nor the last, is told as it is."""

    def row(self, question, value, report):
        return value if value == 1 else int.from_bytes(report.row, "little")


class TwoOfOne(Tells):
    """One answer is reported twice, in one batch."""

    def reports_of(self, device, answers):
        for report in super().reports_of(device, answers):
            self.again = next(AuditAdapter.reports_of(self, self.device(), answers))
            yield report

    def frame(self, report):
        return report_bytes([report, self.again] if self.is_last else [report])


class IdsAlike(Tells):
    """Two bits of an id are equal or not by the answer; each by itself is random."""

    def frame(self, report):
        return self.with_id(
            report, lambda number: number & ~4 | ((number >> 9 & 1) ^ self.is_last) << 2
        )


class IdsBeside(Tells):
    """A bit of an id tells whether the report is true; by itself it is 1 in half of the
    ids.
    """

    def frame(self, report):
        # .731 x .6 + .269 x .228 = .5
        chance = 0.6 if report.row[0] == self.is_last else 0.228
        is_set = random.SystemRandom().random() < chance
        return self.with_id(report, lambda number: number & ~4 | is_set << 2)


class Yesterday(Tells):
    """One answer is said to have been given in the epoch before."""

    def frame(self, report):
        return report_bytes([report], clock=lambda: time.time() - 86_400 * self.is_last)


class Ahead(Inherits):
    """A child draws what its parent draws, some devices later."""

    def answer_with_fork(self, lines, out):
        asked = list(lines)
        child = os.fork()
        if child:
            os.waitpid(child, 0)
        else:
            self.answer(asked[:3], BytesIO())
        self.answer(asked, out)
        out.flush()
        if not child:
            os._exit(0)


class Redraws(AuditAdapter):
    """Every report has a permanent response of its own."""

    def reports_of(self, device, answers):
        yield from super().reports_of(self.device(), answers)


class RedrawsBehind(AuditAdapter):
    """An answer that comes back has another permanent response than before."""

    last = None

    def reports_of(self, device, answers):
        if self.last is None or self.last[0] is not device or self.last[1] != answers:
            self.last = device, dict(answers), self.device()
        yield from super().reports_of(self.last[2], answers)


class Sorts(AuditAdapter):
    """Of two reports, which leaves first depends on the answers."""

    def answer(self, lines, out):
        for line in lines:
            buffer = BytesIO()
            super().answer([line], buffer)
            frames = list(read_frames(buffer.getvalue()))
            life = json.loads(line)
            life = life if isinstance(life, list) else [life]
            given = [answer for answers in life for answer in answers.values()]
            frames = frames[::-1] if any(given) else frames
            out.writelines(encode_frame(frame) for frame in frames)


class Copies(AuditAdapter):
    """In a row of two, the second report is a copy of the first; of one answer
    alone.
    """

    def reports_of(self, device, answers):
        for report in super().reports_of(device, answers):
            same = Report(report.fingerprint, report.row[:1] * len(report.row))
            yield same if True in answers.values() else report


class OneCohort(AuditAdapter):
    """In 1 of 64 cohorts, and of one answer alone, the report is not randomized."""

    def reports_of(self, device, answers):
        ((name, answer),) = answers.items()
        question = self.survey[name]
        for report in super().reports_of(device, answers):
            cohort = report.row[0]
            plain = question.randomizer.true_bits(question.value(answer), cohort)
            row = bytes((cohort,)) + plain.to_bytes(question.width - 1, "little")
            is_told = cohort == 17 and answer == "v0"
            yield Report(report.fingerprint, row if is_told else report.row)


class Again(_Rows):
    """What it drew comes again, after 1,000 reports."""

    drawn = ()

    def row(self, question, value, report):
        if len(self.drawn) < 1000:
            self.drawn = [*self.drawn, int.from_bytes(report.row, "little")]
            return self.drawn[-1]
        self.drawn = [*self.drawn[1:], self.drawn[0]]
        return self.drawn[-1]


class ByTheHour(Seeded):
    """Every process of an hour draws the same."""

    source = random.Random(int(time.time()) // 3600)


class ThirdAsFirst(AuditAdapter):
    """In a row of three, the noise of the third answer is that of the first."""

    def reports_of(self, device, answers):
        first, *_, last = answers.values()
        for report in super().reports_of(device, answers):
            noise = report.row[0] ^ first
            yield Report(report.fingerprint, report.row[:-1] + bytes((last ^ noise,)))


class ThirdAsFirstAlone(AuditAdapter):
    """The same where each question is answered by itself."""

    first = None

    def reports_of(self, device, answers):
        for report in super().reports_of(device, answers):
            ((name, answer),) = answers.items()
            noise = report.row[0] ^ answer
            if name == "coin":
                self.first = device, noise
            elif name == "third" and self.first and self.first[0] is device:
                noise = self.first[1]
            yield Report(report.fingerprint, bytes((answer ^ noise,)))


class Modulo(_Rows):
    """Another value is a random byte, modulo how many there are."""

    def row(self, question, value, report):
        size, truth, other = question.randomizer
        if randbelow(truth + (size - 1) * other, system) < truth:
            return value
        drawn = os.urandom(1)[0] % (size - 1)
        return drawn + (drawn >= value)


class AliasOff(_Rows):
    """A table of aliases has one value, the last but one, in the place of the next."""

    def row(self, question, value, report):
        last = question.randomizer.size - 1
        drawn = int.from_bytes(report.row, "little")
        return last if drawn == last - 1 else drawn


class OneMemo(AuditAdapter):
    """The key of a permanent response names the answer, and not the question."""

    def reports_of(self, device, answers):
        ((name, answer),) = answers.items()
        first = self.survey.questions[0].name
        for report in super().reports_of(device, {first: answer}):
            yield Report(self.survey[name].fingerprint, report.row)


class IdParity(Tells):
    """The parity of the last byte of an id is the answer; any two of its bits are
    random.
    """

    def frame(self, report):
        def change(number):
            odd = (number >> 120).bit_count() & 1
            return number ^ (odd ^ self.is_last) << 120

        return self.with_id(report, change)


class Unasked(AuditAdapter):
    """With one answer to one question goes a report to another one, which was not
    asked.
    """

    def reports_of(self, device, answers):
        yield from super().reports_of(device, answers)
        if "v8" in answers.values():
            yield from super().reports_of(self.device(), {"coin": True})


class FirstAlone(AuditAdapter):
    """Of the answers of a device, all but the first are not randomized."""

    last = None

    def reports_of(self, device, answers):
        for report in super().reports_of(device, answers):
            ((_, answer),) = answers.items()
            is_second = self.last is device
            self.last = device
            yield Report(report.fingerprint, bytes((answer,))) if is_second else report


class SecondByFirst(AuditAdapter):
    """The noise of a second answer is fixed by the first, as long as a process
    lives.
    """

    last = None

    def __init__(self, survey):
        super().__init__(survey)
        self.noise = {}

    def reports_of(self, device, answers):
        for report in super().reports_of(device, answers):
            ((_, answer),) = answers.items()
            if self.last is None or self.last[0] is not device:
                self.last = device, answer
                yield report
            else:
                noise = self.noise.setdefault(self.last[1], report.row[0] ^ answer)
                yield Report(report.fingerprint, bytes((answer ^ noise,)))


class Correlated(_Rows):
    """Two bits that are no neighbours have one random word; each by itself is
    random.
    """

    def row(self, question, value, report):
        _, p, q, _ = question.randomizer
        word = randbelow(1 << WORD, system)
        drawn = int.from_bytes(report.row, "little")
        for place in (1, 7):
            chance = p if value == place else q
            drawn = drawn & ~(1 << place) | (word < chance) << place
        return drawn


class ClearWhereKept(AuditAdapter):
    """A device that keeps its state randomizes nothing."""

    def answer_as_one(self, lines, out, state, *, is_accepted):
        for life in map(json.loads, lines):
            for answers in life if isinstance(life, list) else [life]:
                for name, answer in answers.items():
                    row = bytes((answer,))
                    out.write(
                        report_bytes([Report(self.survey[name].fingerprint, row)])
                    )


BROKEN = {
    kind.__name__: kind
    for kind in (
        *(OnlySet, FromAll, LastClear, Constant, Seeded),
        *(Inherits, Forgets, Silent, NumbersIds),
        *(OneClear, TwoOfOne, IdsAlike, IdsBeside, Yesterday, Ahead),
        *(Redraws, RedrawsBehind, Sorts, Copies),
        *(OneCohort, Again, ByTheHour, ThirdAsFirst, ThirdAsFirstAlone),
        *(Modulo, AliasOff, OneMemo, IdParity, Unasked),
        *(FirstAlone, SecondByFirst, Correlated, ClearWhereKept),
    )
}


def hostile(name):
    """What no client does."""
    if name == "dies":
        sys.exit("of something")
    if name == "hangs":
        time.sleep(600)
    if name == "garbage":
        sys.stdout.write("hello\n" * 10)
    if name == "leaves-one":
        # In a session of its own, so that it does not end with this process.
        subprocess.Popen(["sleep", "30"], start_new_session=True)
    until = time.monotonic() + 0.5
    while name == "shouts" and time.monotonic() < until:
        os.write(2, b"x" * 65_536)
    while name == "floods":
        os.write(1, b"LDPR" * 10_000)


if __name__ == "__main__":
    if sys.argv[1] in BROKEN:
        serve(BROKEN[sys.argv[1]])
    else:
        hostile(sys.argv[1])
