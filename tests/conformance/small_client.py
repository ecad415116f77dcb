"""A client in as few lines as do: a JSON file for its state, and the core's own
randomizers.

It is what clients in other languages are held against (docs/conformance.md), and what
the wrong ones of `wrong_clients.py` differ from, each in one method. No model for an
app: it writes its whole state at every step.
"""

import hashlib
import json
import math
import os
import time
from fractions import Fraction
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from ldp.errors import (
    AlreadyAnsweredError,
    AnswerError,
    BudgetError,
    NotDrawnError,
    SurveyError,
)
from ldp.numbers.epochs import batch_id
from ldp.numbers.exact import exp_lower
from ldp.numbers.randomness import Replay, system
from ldp.survey.compiled import compile_survey
from ldp.survey.survey_file import parse_survey
from ldp.wire.wire import Batch, encode_batch, encode_frame
from ldp_simulations.conformance.serving import say, serve

DOES = (
    "randomize",
    "sample",
    "record",
    "together",
    "send",
    "http",
    "ledger",
    "state",
    "draw",
)
MECHANISMS = ("warner", "grr", "oue", "pgr", "rappor")
NEVER = {400: "empty", 413: "too-large", 415: "encoded"}
NOTHING = {
    "secret": "",
    "agreed": {},
    "charges": [],
    "aside": {},
    "responses": {},
    "last": {},
    "drawn": {},
    "waiting": [],
    "batch": None,
}


class SmallClient:
    """A device, one request after the other."""

    def hello(self):
        """What it does."""
        return {
            "client": "small",
            "mechanisms": MECHANISMS,
            "does": DOES,
            "reads": "compiled",
        }

    def open(self, survey, text, state, cap, *, collector, posts=False, **_):
        """Read the survey, which has to be what it says, and the state, if there is
        one.
        """
        self.close()
        self.address = urlsplit(collector).netloc if posts else None
        self.until = 0.0
        self.survey = self.read(survey, text)
        self.cap = exp_lower(Fraction(cap))
        self.path = None if state is None else Path(state)
        self.state = json.loads(json.dumps(NOTHING))
        if self.path is not None and self.path.exists():
            self.state = self.restored(json.loads(self.path.read_text()))
        fingerprints = {
            question.name: self.fingerprint(question) for question in self.survey
        }
        return {"fingerprints": fingerprints, "terms": self.survey.terms.hex()}

    def read(self, form, text):
        """The survey of a compiled form; the core only reads it from its text."""
        survey = parse_survey(text)
        if form != json.loads(json.dumps(compile_survey(survey))):
            raise SurveyError(())
        return survey

    def fingerprint(self, question):
        """That of a question."""
        return question.fingerprint.hex()

    def randomize(self, question, answer, tape):
        """The report that a tape makes."""
        asked, source = self.survey[question], Replay(bytes.fromhex(tape))
        report = asked.randomizer.randomize(
            asked.value(answer, source), self.drawn_from(source)
        )
        return {"report": self.row(asked, report).hex(), "used": source.used}

    def drawn_from(self, source):
        """How a tape is read: from its beginning."""
        return source

    def sample(self, question, answers):
        """Reports of devices that have not answered before."""
        asked = self.survey[question]
        rows = (
            self.row(asked, self.report(asked, asked.value(answer)))
            for answer in answers
        )
        return {"reports": [row.hex() for row in rows]}

    def random(self, size):
        """The operating system's randomness."""
        return system(size)

    def report(self, question, value):
        """A fresh one."""
        return question.randomizer.randomize(value, self.random)

    def row(self, question, report):
        """The bytes of a report, as many whatever was answered."""
        return report.to_bytes(question.width, "little")

    def record(self, question, answer):
        """Charge, draw and let it wait, all of which is on disk when this returns."""
        if (
            question
            not in {asked.name for asked in self.survey} - self.survey.group_of.keys()
        ):
            raise AnswerError("expected the name of a question that is answered alone")
        asked = self.survey[question]
        value = self.value(asked, answer)
        if asked.draw is not None and question not in self.drawn(asked.draw):
            raise NotDrawnError("expected an answer to the question that was drawn")
        if asked.memoizes:
            report = asked.randomizer.instantaneous(
                self.response(asked, value), 0, self.random
            )
        else:
            report = self.only_report(asked, value)
        self.wait(asked, self.row(asked, report))
        return {"recorded": True}

    def only_report(self, question, value):
        """The one report to a question, which is charged for."""
        if self.answered(question, value):
            raise AlreadyAnsweredError(
                "expected a question that was not answered before"
            )
        self.set_aside(question, most=1)
        self.charge(question)
        return self.report(question, value)

    def wait(self, envelope, row):
        """Let a row wait, with what was charged for it."""
        self.state["waiting"].append(
            [envelope.fingerprint.hex(), row.hex(), envelope.epoch]
        )
        self.keep()

    def together(self, answers):
        """The same for all questions of a group, of which each is answered once."""
        groups = {
            frozenset(asked.name for asked in group.members): group
            for group in self.groups
        }
        group = groups.get(frozenset(answers))
        if group is None:
            raise AnswerError("expected answers to all questions of a group")
        values = [self.value(asked, answers[asked.name]) for asked in group.members]
        rows = [
            self.row(asked, self.only_report(asked, value))
            for asked, value in zip(group.members, values, strict=True)
        ]
        self.wait(group, b"".join(rows))
        return {"recorded": True}

    @property
    def groups(self):
        """Questions that are answered together."""
        return self.survey.groups

    def drawn(self, draw):
        """Which questions of a draw the device answers, for good."""
        names = self.state["drawn"].setdefault(
            draw.text, draw.draw_questions(self.random)
        )
        self.keep()
        return names

    def value(self, question, answer):
        """That of an answer, which has to fit."""
        return question.value(answer)

    def answered(self, question, value):  # noqa: ARG002  # wrong clients ask
        """Whether the question was answered before."""
        return any(
            charge[2] == question.fingerprint.hex() for charge in self.state["charges"]
        )

    def response(self, question, value):
        """The permanent response to a value; the last one if no charge is left for
        another.
        """
        key = question.fingerprint.hex()
        self.state["secret"] = self.state["secret"] or self.random(32).hex()
        responses = self.state["responses"].setdefault(key, {})
        secret = bytes.fromhex(self.state["secret"])
        memo = hashlib.blake2b(b"%d" % value, key=secret, digest_size=16).hexdigest()
        if memo not in responses and self.charge_value(question):
            permanent = question.randomizer.permanent(value, 0, self.random)
            responses[memo] = permanent
        elif memo not in responses:
            memo = self.state["last"][key]
        self.state["last"][key] = memo
        return responses[memo]

    def charge_value(self, question):
        """Spend one of the charges that were set aside when the question was answered
        first.
        """
        aside = self.state["aside"]
        key = question.fingerprint.hex()
        if key not in aside:
            aside[key] = [
                self.set_aside(question, most=question.charges),
                str(question.price),
            ]
        if not aside[key][0]:
            return False
        aside[key][0] -= 1
        self.charge(question)
        return True

    def charge(self, question):
        """Write a charge into the ledger."""
        charge = [
            self.survey.name,
            question.name,
            question.fingerprint.hex(),
            str(question.price),
        ]
        self.state["charges"].append(charge)

    def set_aside(self, question, most):
        """How many charges the limits allow, with one for each question that was not
        answered.
        """
        others = [
            other.price
            for other in self.survey
            if other is not question and not self.answered(other, None)
        ]
        for number in range(most, 1, -1):
            if self.fits(question.price**number * math.prod(others, start=Fraction(1))):
                return number
        if not self.fits(question.price):
            raise BudgetError("expected to cost no more than is left")
        return 1

    def fits(self, ratio):
        """Whether a ratio may be spent as well."""
        own = self.spent(self.survey.name) * ratio
        return own <= self.agreed() and self.spent() * ratio <= self.cap

    def agreed(self):
        """What the survey may spend: all that its first version asked for."""
        asked = math.prod(
            (question.price**question.charges for question in self.survey),
            start=Fraction(1),
        )
        lifetime = self.survey.lifetime
        most = asked if lifetime is None else lifetime.bound
        return Fraction(self.state["agreed"].setdefault(self.survey.name, str(most)))

    def spent(self, survey=None):
        """The ratio of all charges and of what is set aside."""
        own = {question.fingerprint.hex() for question in self.survey}
        ratios = [
            Fraction(row[3])
            for row in self.state["charges"]
            if survey in (None, row[0])
        ]
        for key, (left, price) in self.state["aside"].items():
            if survey is None or key in own:
                ratios.append(Fraction(price) ** left)
        return math.prod(ratios, start=Fraction(1))

    def send(self, verdict):
        """Hand out batch after batch: each is on disk before it leaves, until it is
        accepted.
        """
        while (
            self.state["batch"] or self.state["waiting"]
        ) and time.monotonic() >= self.until:
            if self.state["batch"] is None:
                fingerprint, row, epoch = self.state["waiting"].pop()
                batch = Batch(
                    bytes.fromhex(fingerprint),
                    self.id(epoch),
                    1,
                    rows=bytes.fromhex(row),
                )
                self.state["batch"] = self.frame(encode_batch(batch)).hex()
                self.keep()
            if self.address is not None:
                self.until = time.monotonic() + self.posted(
                    bytes.fromhex(self.state["batch"])
                )
            else:
                self.hand_out(self.state["batch"])
            if verdict != "accepted" or time.monotonic() < self.until:
                break
            self.state["batch"] = None
            self.keep()
        if self.address is None:
            return {}
        waiting = len(self.state["waiting"]) + (self.state["batch"] is not None)
        return {"waiting": waiting, "pause": max(0.0, self.until - time.monotonic())}

    def posted(self, frame):
        """The seconds until a batch is sent again that was posted; 0 if it is decided
        about.
        """
        connection = HTTPConnection(self.address, timeout=10)
        try:
            connection.request("POST", "/v1/reports", frame)
            response = connection.getresponse()
            body, wait = response.read(), float(response.headers["Retry-After"] or 0)
        except (OSError, HTTPException):
            return 1.0
        finally:
            connection.close()
        try:
            reason = json.loads(body)["reason"]
        except (ValueError, KeyError):
            reason = None
        return max(wait, self.pause_after(response.status, reason))

    def pause_after(self, status, reason):
        """The seconds that a status asks for: none, some, or those that a person
        takes.
        """
        if status == 202 or (reason is not None and NEVER.get(status) == reason):
            return 0.0
        return 3600.0 if 400 <= status < 500 and status not in (408, 425, 429) else 1.0

    def hand_out(self, frame):
        """Let it leave."""
        say({"payload": frame})

    def id(self, epoch):
        """A new one."""
        return batch_id(self.random, epoch, time.time())

    def frame(self, payload):
        """A payload with its checksum."""
        return encode_frame(payload)

    def ledger(self):
        """What was charged, and the ratio of all that was spent."""
        names = [charge[1] for charge in self.state["charges"]]
        return {
            "charges": {name: names.count(name) for name in names},
            "spent": str(self.spent()),
        }

    def keep(self):
        """Write the state as a whole, in place of the one before."""
        if self.path is not None:
            beside = self.path.with_suffix(".new")
            with beside.open("w") as file:
                file.write(json.dumps(self.written()))
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self.path)

    def written(self):
        """What is written of the state."""
        return self.state

    def restored(self, state):
        """The state that was written."""
        return state

    def close(self):
        """Come to an end; nothing is left to do."""


if __name__ == "__main__":
    serve(SmallClient())
