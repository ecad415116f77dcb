"""Clients that are wrong in one way each, and the point that has to find it.

`python wrong_clients.py NUMBER` runs one of them.
"""

import hashlib
import random
import struct
import sys
import time

import xxhash
from small_client import SmallClient

from ldp.errors import AnswerError, BudgetError
from ldp.survey.survey_file import parse_survey
from ldp_simulations.conformance.serving import serve

COIN = random.Random(7)


def linger(client):
    """Rest where devices are killed: on a busy machine the kill comes later than it was
    meant to.

    Without it a client may be done by then, with what it does too late or too early.
    """
    if client.survey.name == "conform-many":
        time.sleep(0.5)


class SurveyUnread(SmallClient):
    """It takes a survey for what it says it is."""

    def read(self, form, text):
        return parse_survey(text)


class FingerprintOfNamesAlone(SmallClient):
    """Its fingerprints do not cover what they have to."""

    def fingerprint(self, question):
        return hashlib.blake2b(question.name.encode(), digest_size=16).hexdigest()


class TapeBackwards(SmallClient):
    """It reads integers with their highest byte first."""

    def drawn_from(self, source):
        return lambda size: source(size)[::-1]


class OneByteMore(SmallClient):
    """It draws more for the last value than for the others."""

    def randomize(self, question, answer, tape):
        done = super().randomize(question, answer, tape)
        more = (
            self.survey[question].value(answer) == self.survey[question].domain.size - 1
        )
        return done | {"used": done["used"] + more}


class NearestValue(SmallClient):
    """It takes whatever it does not know for the first value."""

    def value(self, question, answer):
        try:
            return super().value(question, answer)
        except AnswerError:
            return 0


class ChargeForMistakes(SmallClient):
    """It charges before it looks at the answer."""

    def value(self, question, answer):
        try:
            return super().value(question, answer)
        except AnswerError:
            self.charge(question)
            raise


class LengthByValue(SmallClient):
    """It leaves out a report of nothing but zeros."""

    def sample(self, question, answers):
        rows = super().sample(question, answers)["reports"]
        return {"reports": [row.lstrip("0") and row for row in rows]}


class BitUnprotected(SmallClient):
    """The bit of the true value is always set."""

    def report(self, question, value):
        report = super().report(question, value)
        return report | 1 << value if question.layout.bits else report


class BiasedCoin(SmallClient):
    """One report of two is not randomized."""

    def report(self, question, value):
        if question.mechanism == "grr" and COIN.random() < 0.5:
            return value
        return super().report(question, value)


class SeededRandomness(SmallClient):
    """Its randomness is that of a generator with a fixed seed."""

    def random(self, size):
        return COIN.randbytes(size)


class ChecksumWithoutSeed(SmallClient):
    """The length is no part of the checksum."""

    def frame(self, payload):
        checksum = xxhash.xxh64_intdigest(payload)
        return struct.pack("<4sIQ", b"LDPR", len(payload), checksum) + payload


class IdsWithoutEpochs(SmallClient):
    """Its ids do not begin with an epoch."""

    def id(self, epoch):
        return super().id(None)


class OnceForEachAnswer(SmallClient):
    """It refuses the same answer, and takes another one."""

    def answered(self, question, value):
        answers = self.state.setdefault("answers", {}).setdefault(
            question.fingerprint.hex(), []
        )
        if value is None:
            return super().answered(question, value)
        known = value in answers
        answers.append(value)
        return known


class FreshNoise(SmallClient):
    """It draws a permanent response anew for every third report."""

    reports = 0

    def response(self, question, value):
        self.reports += 1
        kept = super().response(question, value)
        anew = question.randomizer.permanent(value, 0, self.random)
        return kept if self.reports % 3 else anew


class NoLimits(SmallClient):
    """It knows of no lifetime epsilon and no cap."""

    def fits(self, ratio):
        return True


class NoCap(SmallClient):
    """It knows of no cap."""

    def fits(self, ratio):
        return self.spent(self.survey.name) * ratio <= self.agreed()


class AnewForVersions(SmallClient):
    """A later version of a survey may spend all that it asks for."""

    def spent(self, survey=None):
        whole = self.state["charges"]
        own = {question.fingerprint.hex() for question in self.survey}
        if survey is not None:
            self.state["charges"] = [charge for charge in whole if charge[2] in own]
        spent = super().spent(survey)
        self.state["charges"] = whole
        return spent


class SilenceThatTells(SmallClient):
    """Where no charge is left, a value that was not met before is refused."""

    def charge_value(self, question):
        if not super().charge_value(question):
            raise BudgetError("expected a value that was met before")
        return True


class NothingSetAside(SmallClient):
    """It sets nothing aside, so that other questions find more left if answers did not
    change.
    """

    def charge_value(self, question):
        charges = [
            charge for charge in self.state["charges"] if charge[1] == question.name
        ]
        if len(charges) == question.charges or (
            charges and not self.fits(question.price)
        ):
            return False
        self.set_aside(question, most=1)
        self.charge(question)
        return True


class NothingSpent(SmallClient):
    """It says that nothing was spent on what it was charged for."""

    def ledger(self):
        return super().ledger() | {"spent": "1"}


class SecondValueFree(SmallClient):
    """Its ledger has one charge for a question, however many responses it keeps."""

    def ledger(self):
        whole = super().ledger()
        return whole | {"charges": dict.fromkeys(whole["charges"], 1)}


class GroupsApart(SmallClient):
    """What is answered together leaves as a report of its own for each question."""

    def together(self, answers):
        done = super().together(answers)
        _, rows, epoch = self.state["waiting"].pop()
        for at, name in enumerate(sorted(answers)):
            row = bytes.fromhex(rows)[at : at + 1]
            self.state["waiting"].append(
                [self.survey[name].fingerprint.hex(), row.hex(), epoch]
            )
        self.keep()
        return done


class ChargedForOneOfAGroup(SmallClient):
    """Its ledger has the first question of a group alone."""

    def ledger(self):
        whole = super().ledger()
        others = {asked.name for group in self.groups for asked in group.members[1:]}
        left = {
            name: number
            for name, number in whole["charges"].items()
            if name not in others
        }
        return whole | {"charges": left}


class DrawnForEachQuestion(SmallClient):
    """It draws anew whenever it is asked a question of a draw."""

    def drawn(self, draw):
        return draw.draw_questions(self.random)


class RetryWithNewBytes(SmallClient):
    """It draws a new id for every try but the first."""

    tried = ""

    def hand_out(self, frame):
        payload = bytearray(bytes.fromhex(frame)[16:])
        if frame == self.tried:
            payload[22:38] = self.random(16)
        self.tried = frame
        super().hand_out(self.frame(bytes(payload)).hex())


class TurnedAwayForGood(SmallClient):
    """It drops what a token turns away, and whatever comes with a status of 400."""

    def pause_after(self, status, reason):
        return 0.0 if status in (400, 401) else super().pause_after(status, reason)


class LoginPageTaken(SmallClient):
    """It takes the page of a café's network for a collector that has accepted."""

    def pause_after(self, status, reason):
        return 0.0 if status == 200 else super().pause_after(status, reason)


class ResponsesForgotten(SmallClient):
    """The next process draws permanent responses anew."""

    def restored(self, state):
        return state | {"responses": {}, "last": {}}


class ChargeAfterReport(SmallClient):
    """It writes charges down once their reports have left."""

    known = ()
    path = None

    def hand_out(self, frame):
        super().hand_out(frame)
        if self.known != self.state["charges"]:
            linger(self)
        self.close()

    def written(self):
        return self.state | {"charges": self.known}

    def restored(self, state):
        self.known = state["charges"]
        return state

    def close(self):
        if self.path is not None:
            self.known = list(self.state["charges"])
            self.keep()


class ForgottenBeforeItLeaves(SmallClient):
    """It takes all that waits out of its state, and then lets it leave; if that is
    accepted.
    """

    leaving = False

    def send(self, verdict):
        self.leaving = verdict == "accepted" and self.address is None
        done = super().send(verdict)
        self.leaving = False
        return done

    def hand_out(self, frame):
        super().hand_out(frame)
        linger(self)

    def written(self):
        return (
            self.state | {"batch": None, "waiting": []} if self.leaving else self.state
        )


class AnswerKept(SmallClient):
    """Its state holds the answer."""

    def value(self, question, answer):
        if isinstance(answer, str):
            self.state["heard"] = answer
        return super().value(question, answer)


class AnswerSaid(SmallClient):
    """It complains about answers that do not fit by repeating them."""

    def value(self, question, answer):
        try:
            return super().value(question, answer)
        except AnswerError:
            sys.stderr.write(f"expected another answer than {answer}\n")
            raise


WRONG = (
    (SurveyUnread, "survey"),
    (FingerprintOfNamesAlone, "survey"),
    (TapeBackwards, "vectors"),
    (OneByteMore, "vectors"),
    (NearestValue, "answers"),
    (ChargeForMistakes, "answers"),
    (LengthByValue, "lengths"),
    (BitUnprotected, "law"),
    (BiasedCoin, "law"),
    (SeededRandomness, "fresh"),
    (ChecksumWithoutSeed, "wire"),
    (IdsWithoutEpochs, "wire"),
    (OnceForEachAnswer, "once"),
    (FreshNoise, "memo"),
    (NoLimits, "limits"),
    (NoCap, "limits"),
    (AnewForVersions, "limits"),
    (SilenceThatTells, "silence"),
    (NothingSetAside, "silence"),
    (NothingSpent, "ledger"),
    (SecondValueFree, "ledger"),
    (GroupsApart, "groups"),
    (ChargedForOneOfAGroup, "groups"),
    (DrawnForEachQuestion, "draws"),
    (RetryWithNewBytes, "retries"),
    (TurnedAwayForGood, "statuses"),
    (LoginPageTaken, "statuses"),
    (ResponsesForgotten, "restarts"),
    (ChargeAfterReport, "kills"),
    (ForgottenBeforeItLeaves, "kills"),
    (AnswerKept, "traces"),
    (AnswerSaid, "traces"),
)
"""Clients, and the one point that each of them fails."""

if __name__ == "__main__":
    client, _ = WRONG[int(sys.argv[1])]
    serve(client())
