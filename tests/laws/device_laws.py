"""The laws of what surrounds a mechanism: draws, randomness, the client, the automatic
choice.

Like the laws of mechanisms they take a subject and return the violations they find.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

from broken_stores import records_of
from children import in_child
from surveys import DEVICE_SURVEY
from written_out import taylor_exp

from ldp import AlreadyAnsweredError, AnswerError, RandomnessError, StateError
from ldp.numbers.layout import COHORT_WIDTH
from ldp_simulations.audit.tapes.every_tape import condition_on_finish, every_tape

ANSWERS = ("red", "green", "blue")
NOT_A_VALUE = "a secret of mine"


def uniform(randbelow):
    """Every integer below the bound is equally likely on the accepted tapes, and no
    other comes.
    """
    problems = []
    for bound in range(1, 256):
        law = condition_on_finish(
            every_tape(lambda random, bound=bound: randbelow(bound, random), (8,))
        )
        if law != dict.fromkeys(range(bound), Fraction(1, bound)):
            problems.append(f"below {bound}: another law")
    return problems


def fresh(source):
    """A source gives as many bytes as it is asked for, and never the same sixteen
    again.
    """
    problems = [
        f"{size} bytes were asked for"
        for size in (1, 7, 4096)
        if len(source(size)) != size
    ]
    repeated = 1000 - len({source(16) for _ in range(1000)})
    return problems + ([f"{repeated} of 1,000 draws came before"] if repeated else [])


def fresh_after_fork(source):
    """Processes that fork from one another draw different bytes."""
    drawn = Counter(in_child(lambda: source(16)) for _ in range(4))
    return [f"{often} processes drew the same" for often in drawn.values() if often > 1]


def no_randomness(source):
    """A source whose operating system gives nothing, or too little, gives an error and
    no bytes.
    """
    problems = []
    failures = {
        "OSError": OSError("no entropy"),
        "NotImplementedError": NotImplementedError(),
        "short": None,
    }
    for name, error in failures.items():
        with (
            patch("os.urandom", side_effect=error, return_value=b"\0\0"),
            suppress(RandomnessError),
        ):
            problems.append(f"{name}: gave {len(source(16))} bytes")
    return problems


def answered_once(client):
    """A question spent by one report never gets fresh noise, not even after a
    restart.
    """
    return _refused_again(client, client(DEVICE_SURVEY)) + _on_disk(
        client, _refused_again
    )


def memoized(client):
    """A repeated answer is reported from the same permanent response, also after a
    restart.
    """

    def repeat(client, device, path=None):
        first = {
            device.record("mirror", answer).row for answer in ANSWERS for _ in range(3)
        }
        again = device if path is None else client(DEVICE_SURVEY, state=path)
        second = {again.record("mirror", answer).row for answer in reversed(ANSWERS)}
        if first == second and len(first) == len(ANSWERS):
            return []
        return ["another permanent response"]

    return repeat(client, client(DEVICE_SURVEY)) + _on_disk(client, repeat)


def one_cohort(client):
    """A device stays in one cohort, whatever it answers."""
    device = client(DEVICE_SURVEY)
    cohorts = {
        device.record("mirror", f"{number}").row[:COHORT_WIDTH] for number in range(20)
    }
    return [] if len(cohorts) == 1 else [f"{len(cohorts)} cohorts"]


def charged_first(client):
    """If what was spent cannot be remembered, no report is made."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a-file").touch()
        nowhere = Path(folder) / "a-file" / "state"
        for name in ("once", "mirror"):
            with suppress(StateError):
                client(DEVICE_SURVEY, state=nowhere).record(name, "red")
                problems.append(f"{name}: reported all the same")
    return problems


def nothing_without_randomness(client):
    """A source that fails at any of its calls leaves no report behind."""
    problems = []
    for name in ("once", "mirror"):
        for working in range(8):
            try:
                client(DEVICE_SURVEY, random=_failing_after(working)).record(
                    name, "red"
                )
            except RandomnessError:
                continue
            # `once` needs one call at least, `mirror` four: cohort, secret, permanent
            # and instantaneous bits.
            if working < {"once": 1, "mirror": 4}[name]:
                problems.append(f"{name}: reported after {working} calls of randomness")
    return problems


def silent(client):
    """An answer is in no error message and no state file, and memo keys are a device's
    secret.
    """
    problems, keys = [], []
    try:
        client(DEVICE_SURVEY).record("once", NOT_A_VALUE)
    except AnswerError as error:
        problems += (
            ["the message repeats the answer"] if NOT_A_VALUE in str(error) else []
        )
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            device = client(
                DEVICE_SURVEY, state=Path(folder) / "state", random=_in_cohort_zero
            )
            device.record("once", ANSWERS[2])
            device.record("mirror", NOT_A_VALUE)
            content = b"".join(path.read_bytes() for path in Path(folder).iterdir())
            answers = [answer.encode() for answer in (ANSWERS[2], NOT_A_VALUE)]
            if any(
                form in content
                for answer in answers
                for form in (answer, answer.hex().encode())
            ):
                problems.append("the state holds an answer")
            keys.append(
                {key for key, _ in records_of(device._memory.store, "permanent")}
            )
    return problems + (
        ["two devices keep an answer under the same key"] if keys[0] & keys[1] else []
    )


def one_width(client):
    """Every report of a question has the same number of bytes."""
    problems = []
    for name in ("once", "mirror"):
        widths = {
            len(client(DEVICE_SURVEY).record(name, answer).row)
            for answer in ANSWERS
            for _ in range(40)
        }
        problems += (
            []
            if widths == {DEVICE_SURVEY[name].width}
            else [f"{name}: widths {sorted(widths)}"]
        )
    return problems


def least_error(choose):
    """`choose(size, epsilon)` names the mechanism of least summed variance: sets, or
    one value.
    """
    problems = []
    # Some of these pairs lie where one value more or less would change the choice.
    for epsilon in (
        "0.1",
        "0.6",
        "0.8",
        "1",
        "1.25",
        "1.55",
        "1.85",
        "2",
        "2.5",
        "3.95",
        "6",
        "8",
    ):
        e = float(taylor_exp(Fraction(epsilon))[0])
        for size in (2, 3, 4, 5, 7, 8, 11, 14, 18, 32, 128, 1024):
            errors = []
            for chosen in range(1, size):
                p = chosen * e / (chosen * e + size - chosen)
                q = (p * (chosen - 1) + (1 - p) * chosen) / (size - 1)
                errors.append((p * (1 - p) + (size - 1) * q * (1 - q)) / (p - q) ** 2)
            named = choose(size, epsilon)
            best = "grr" if errors[0] <= min(errors) * (1 + 1e-12) else "ss"
            if named != best:
                problems.append(
                    f"{size} values, epsilon {epsilon}: {named} and not {best}"
                )
    return problems


DRAW_LAWS = (uniform,)
SOURCE_LAWS = (fresh, fresh_after_fork, no_randomness)
CLIENT_LAWS = (
    answered_once,
    memoized,
    one_cohort,
    charged_first,
    nothing_without_randomness,
    silent,
    one_width,
)


def _refused_again(client, device, path=None):
    device.record("once", "red")
    try:
        (device if path is None else client(DEVICE_SURVEY, state=path)).record(
            "once", "red"
        )
    except AlreadyAnsweredError:
        return []
    return ["a second report was made"]


def _on_disk(client, law):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        return [
            f"after a restart: {problem}"
            for problem in law(client, client(DEVICE_SURVEY, state=path), path)
        ]


def _failing_after(working):
    left = iter(range(working))

    def source(size):
        if next(left, None) is None:
            raise RandomnessError("none left")
        return os.urandom(size)

    return source


def _in_cohort_zero(size):
    return bytes(size) if size == COHORT_WIDTH else os.urandom(size)
