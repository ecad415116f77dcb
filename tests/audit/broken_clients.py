"""Clients that are broken in one way each, as commands: `python broken_clients.py NAME`.

Among them are published mistakes: bits that are only ever set, a truth drawn from all values, a
last bit that is not randomized.
"""

import os
import random
import sys
import time

from ldp.randomness import WORD, draw_bits, randbelow, system
from ldp_client import Client
from ldp_client.reports import Report
from ldp_simulations.audit.python_client import Adapter, serve


class _Rows(Adapter):
    """A client that makes its rows by itself."""

    def recorded(self, device, answers):
        for name, answer in answers.items():
            for report in super().recorded(device, {name: answer}):
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


class Seeded(Adapter):
    """Every process draws the same."""

    source = random.Random(1)

    def device(self):
        return Client(self.survey, random=self.source.randbytes)


class Inherits(Adapter):
    """Every process draws otherwise, but for one that is forked from it."""

    source = random.Random(os.urandom(16))

    def device(self):
        return Client(self.survey, random=self.source.randbytes)


class Forgets(Adapter):
    """A device that is asked again is another one."""

    def recorded(self, device, answers):
        yield from super().recorded(self.device(), answers)


class Silent(Adapter):
    """One answer is never reported."""

    def recorded(self, device, answers):
        return () if "v8" in answers.values() else super().recorded(device, answers)


class NumbersIds(Adapter):
    """The ids of its batches count up from 1."""

    count = 0

    def framed(self, report):
        from ldp_client import report_bytes

        self.count += 1
        return report_bytes([report], random=lambda size: self.count.to_bytes(size, "little"))


BROKEN = {
    kind.__name__: kind
    for kind in (
        *(OnlySet, FromAll, LastClear, Constant, Seeded),
        *(Inherits, Forgets, Silent, NumbersIds),
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
    while name == "floods":
        os.write(1, b"LDPR" * 10_000)


if __name__ == "__main__":
    if sys.argv[1] in BROKEN:
        serve(BROKEN[sys.argv[1]])
    else:
        hostile(sys.argv[1])
