"""Several questions of which a device answers one: the law of the draw, its price, its
silence.
"""

import json
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from calling import run
from certified_designs import checker
from forgeries import refingerprinted
from hypothesis import given
from hypothesis import strategies as st

import ldp
import ldp_aggregator
import ldp_simulations
from ldp.errors import (
    AlreadyAnsweredError,
    AnswerError,
    BudgetError,
    NotDrawnError,
    SurveyError,
)
from ldp.mechanisms.numbers.dithered import DitheredResponse
from ldp.numbers.randomness import Replay
from ldp.privacy.certificate import certificate, totals
from ldp.survey.compiled import compile_survey
from ldp.survey.draws import Draw
from ldp.survey.survey import chargeable
from ldp_aggregator.analyses.health_checks.draw_checks import draw_health
from ldp_client import Client, EmbeddedClient

NAMES = ("age", "hours", "mode")
ANSWERS = {"age": 40, "hours": 7.5, "mode": "bus", "other": True}


def asked(weights=(2, 1, 1), draws=None, **keys):
    """A survey with a draw of three questions, and a fourth that all devices answer."""
    questions = (
        ldp.question("age", low=0, high=100, mechanism="dithered", epsilon="1"),
        ldp.question(
            "hours", low=0, high=60, step=1, mechanism="dithered", epsilon="1.5"
        ),
        ldp.question("mode", ["car", "bus"], mechanism="grr", epsilon="0.5"),
        ldp.question("other", type="boolean", mechanism="grr", epsilon="0.25"),
    )
    draws = [ldp.draw(*NAMES, weights=weights)] if draws is None else draws
    return ldp.survey("s", *questions, draws=draws, **keys)


def answered(client, answers=ANSWERS):
    """The names of the questions of which a client makes a report."""
    recorded = []
    for name, answer in answers.items():
        try:
            client.record(name, answer)
        except NotDrawnError:
            continue
        recorded.append(name)
    return recorded


def drawing(name, weights=(2, 1, 1)):
    """Random bytes by which a question is drawn first."""
    draw = Draw(NAMES, weights)
    return next(
        byte
        for byte in range(256)
        if draw.draw_questions(Replay(bytes([byte]))) == (name,)
    )


@pytest.mark.parametrize("weights", [(1, 1), (2, 1, 1), (5, 2, 1), (1, 2, 2, 3)])
def test_the_law_of_the_draw(weights):
    """Over all bytes that are not drawn anew, each question comes exactly as its weight
    says.
    """
    draw = Draw(tuple("abcd"[: len(weights)]), weights)
    drawn = Counter()
    for byte in range(256):
        source = Replay(bytes([byte, 0]))
        (name,) = draw.draw_questions(source)
        if source.used == 1:
            drawn[name] += 1
    shares = {name: Fraction(count, drawn.total()) for name, count in drawn.items()}
    assert shares == {name: draw.share(name) for name in draw.names}


def test_the_variance_of_one_of_several_numbers():
    """D (V + x^2) - x^2 exactly, and unbiased, where a number counts d times if it is
    drawn.

    Over the draw, the dither and the response.
    """
    size, draw = 5, Draw(("a", "b", "c"), (1, 1, 1))
    dithered = DitheredResponse(size, grid=4, levels=3, truth=7, other=2)
    middle, number = Fraction(size - 1, 2), len(draw.names)
    worths = [
        dithered.worth(dither, level) - middle
        for dither, level in product(range(4), range(3))
    ]
    for value, row in enumerate(dithered.channel().rows):
        held = value - middle
        square = sum(
            chance * worth**2 for chance, worth in zip(row, worths, strict=True)
        )
        alone = square - held**2
        share = draw.share("b")
        mean = share * sum(
            chance * number * worth for chance, worth in zip(row, worths, strict=True)
        )
        assert mean == held
        assert (
            share * number**2 * square - mean**2 == number * (alone + held**2) - held**2
        )


def test_the_ratio_of_all_that_is_sent_is_the_largest():
    """P[question, report | answers] over all answers: the weights cancel, exactly."""
    survey = asked()
    draw = survey.draws[0]
    largest = max(survey[name].randomizer.ratio for name in draw.names)
    for name in draw.names:
        rows = survey[name].randomizer.channel().rows
        for column in range(len(rows[0])):
            chances = [draw.share(name) * row[column] for row in rows]
            assert max(chances) <= largest * min(chances)
    total = totals(survey)
    apart = totals(asked(draws=[]))
    assert total["all_charges"] == pytest.approx(1.75, abs=1e-8)
    assert total["one_report_each"] == total["all_reports"] == total["all_charges"]
    assert apart["all_charges"] == pytest.approx(3.25, abs=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_one_question_is_answered_and_charged(name):
    """Whichever it is; others are dropped without a charge, also when asked again."""
    tape = bytes([drawing(name)]) + bytes(8)
    client = Client(
        asked(), random=lambda size: (tape * size)[:size] if size > 1 else tape[:1]
    )
    assert answered(client) == [name, "other"]
    assert {charge.question for charge in client.ledger().charges} == {name, "other"}
    assert client.ledger().epsilon(question=name) <= 1.5
    with pytest.raises(AlreadyAnsweredError):
        client.record(name, ANSWERS[name])
    for other in set(NAMES) - {name}:
        with pytest.raises(NotDrawnError, match=f"question '{other}'"):
            client.record(other, ANSWERS[other])
        assert not client.is_drawn(other)
    assert client.is_drawn(name)
    assert client.is_drawn("other")


def test_a_restart_keeps_the_draw(tmp_path):
    """Across clients of one file, both kinds, and what a person says.

    Twelve devices would draw alike by chance once in 4^11.
    """
    drawn = []
    for number in range(12):
        path = tmp_path / f"state-{number}"
        with EmbeddedClient(asked((1, 1, 2)), state=path, interval=None) as client:
            first = [name for name in NAMES if client.record(name, ANSWERS[name])]
            client.rotate()
            client.set_consent("forget")
            client.set_consent("on")
        for _ in range(3):
            again = Client(asked((1, 1, 2)), state=path)
            assert [name for name in NAMES if again.is_drawn(name)] == first
            with pytest.raises(AlreadyAnsweredError):
                again.record(first[0], ANSWERS[first[0]])
        drawn += first
    assert len(drawn) == 12
    assert len(set(drawn)) > 1


def forget_draws(store):
    """As if what was drawn had been lost."""
    for key in [key for key, _ in store.records("draw")]:
        store.transact(lambda key=key: store.drop("draw", key))


def test_a_lost_draw_is_that_of_the_charge():
    """Should the record of it be gone, what was charged says what was drawn."""
    client = Client(asked())
    (name, _) = answered(client)
    forget_draws(client._store)
    assert [other for other in NAMES if client.is_drawn(other)] == [name]


def test_collectors_see_different_draws(tmp_path):
    """A device draws for each anew: 40 draws that are all alike come once in 10^11 or
    less.
    """
    drawn = set()
    for number in range(40):
        client = Client(
            asked((1, 1, 1)), state=tmp_path / "state", collector=str(number)
        )
        drawn |= {name for name in NAMES if client.is_drawn(name)}
    assert drawn == set(NAMES)


def test_neither_reports_nor_bytes_depend_on_answers():
    """From one tape, whatever the answers: as many reports, of the same questions and
    lengths.
    """
    generator = np.random.default_rng(3)
    for _ in range(60):
        tape = generator.bytes(4096)
        traces = set()
        for age, hours, mode in product((0, 41, 100), (0, 7.5, 60), ("car", "bus")):
            answers = {"age": age, "hours": hours, "mode": mode, "other": True}
            source = Replay(tape)
            client = Client(asked(), random=source)
            lengths = []
            for name, answer in answers.items():
                try:
                    lengths.append(
                        (name, len(client.record(name, answer).row), source.used)
                    )
                except NotDrawnError:
                    lengths.append((name, 0, source.used))
            traces.add(tuple(lengths))
        assert len(traces) == 1


def test_answers_have_to_fit_whether_drawn_or_not():
    """A mistake of an app shows in every device, and tells nothing of the draw."""
    for name in NAMES:
        client = Client(asked())
        with pytest.raises(AnswerError):
            client.record(name, b"?")


def test_limits_count_the_dearest_question():
    """A cap that the dearest fits under is enough, on every device; a lower one draws
    once too.
    """
    for _ in range(20):
        client = Client(asked(), lifetime_cap="1.76")
        assert len(answered(client)) == 2
    tight = asked((1, 1, 2), lifetime_epsilon="1")
    for _ in range(20):
        client = Client(tight)
        drawn = [name for name in NAMES if client.is_drawn(name)]
        if drawn == ["hours"]:
            for _ in range(3):
                with pytest.raises(BudgetError):
                    client.record("hours", 3)
        else:
            client.record(drawn[0], ANSWERS[drawn[0]])
        assert [name for name in NAMES if client.is_drawn(name)] == drawn


def test_versions_of_a_survey():
    """A version with other weights asks other questions, and gets no more than was
    agreed to.
    """
    client = Client(asked())
    answered(client)
    store = client._store
    later = Client(asked((1, 1, 1)))
    later._store = later._memory.store = later._budget._store = store
    for other in NAMES:
        with suppress(BudgetError, NotDrawnError):
            later.record(other, ANSWERS[other])
    assert later.ledger().epsilon() < 1.751


def test_fingerprints_and_files():
    """Names and weights are covered, in whatever way they are declared; without any
    nothing is.
    """
    survey = asked()
    assert ldp.parse_survey(survey.to_toml()) == survey
    even = asked(draws=[ldp.draw(*NAMES)])
    assert even == asked((1, 1, 1))
    prints = {
        of["mode"].fingerprint
        for of in (survey, even, asked(draws=[]), asked((1, 2, 1)))
    }
    assert len(prints) == 4
    assert survey["other"].fingerprint == asked(draws=[])["other"].fingerprint
    assert compile_survey(survey)["draws"] == [
        {"questions": list(NAMES), "weights": [2, 1, 1]}
    ]
    assert "draws" not in compile_survey(asked(draws=[]))
    assert "draws" not in certificate(asked(draws=[]))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"draws": [ldp.draw("age")]}, "draw 1.questions: expected 2 to 100 values"),
        (
            {"draws": [ldp.draw("age", "age")]},
            "draw 1.questions: expected values that all differ",
        ),
        (
            {"draws": [ldp.draw("age", "zoo")]},
            "expected names of sound questions of the survey",
        ),
        (
            {"weights": (1, 1)},
            "draw 1.weights: expected a list of 3 whole numbers from 1 to 65536",
        ),
        ({"weights": (1, 0, 1)}, "draw 1.weights: expected a list of 3 whole numbers"),
        (
            {"weights": (1, 1, 1.5)},
            "draw 1.weights: expected a list of 3 whole numbers",
        ),
        (
            {"draws": [ldp.draw("age", "hours"), ldp.draw("age", "mode")]},
            (
                "draw 2.questions: expected each question in one draw at most, got age "
                "again"
            ),
        ),
        (
            {"joint": ["mode", "other"]},
            "expected questions that are in no joint group, got 'mode'",
        ),
        (
            {"draws": [{"question": ["age", "hours"]}]},
            'draw 1.question: expected "questions"',
        ),
    ],
)
def test_bad_draws(keys, message):
    """What is no draw is said, with its place."""
    with pytest.raises(SurveyError) as caught:
        asked(**keys)
    assert message in str(caught.value)


def test_memoized_questions_are_refused():
    """Their reports would show again and again what a device drew."""
    twice = {"epsilon_first": "1", "epsilon_lifetime": "2"}
    kept = ldp.question("kept", ["a", "b"], mechanism="l-grr", **twice)
    other = ldp.question("other", ["a", "b"], epsilon="1")
    with pytest.raises(SurveyError, match="expected questions that are answered once"):
        ldp.survey("s", kept, other, draws=[ldp.draw("kept", "other")])


def test_certificates():
    """The checker works the totals out again, and sees what was changed of a draw."""
    sound = json.loads(json.dumps(certificate(asked())))

    def findings(forged):
        try:
            lines, holds = checker.verdicts(checker.read(json.dumps(forged)))
        except checker.UNUSABLE as error:
            return [repr(error)]
        return [] if holds else lines

    assert findings(sound) == []
    for other in (
        [],
        [{"questions": ["age", "hours"], "weights": [1]}],
        [{"questions": ["age"], "weights": [1]}],
        [{"questions": ["age", "zoo"], "weights": [1, 1]}],
        [{"questions": list(NAMES), "weights": [2, 0, 1]}],
        [{"questions": list(NAMES), "weights": [2, 1, 1], "more": 1}],
        [{"questions": list(NAMES), "weights": [2, 1, 2]}],
        [{"questions": ["age", "hours"], "weights": [2, 1]}],
        [{"questions": [*NAMES, "other"], "weights": [2, 1, 1, 1]}],
        2 * [{"questions": list(NAMES), "weights": [2, 1, 1]}],
    ):
        assert findings({**sound, "draws": other})
    fewer = {**sound, "draws": [{"questions": ["age", "hours"], "weights": [2, 1]}]}
    assert any(
        "add up to the total" in line for line in findings(refingerprinted(fewer))
    )
    twice = {**sound, "draws": 2 * sound["draws"]}
    assert any("one draw at most" in line for line in findings(refingerprinted(twice)))
    assert findings({name: part for name, part in sound.items() if name != "draws"})


@given(st.integers(1, 5), st.integers(1, 5))
def test_shares(one, other):
    """Of weights, exactly."""
    draw = Draw(("a", "b"), (one, other))
    assert draw.share("a") + draw.share("b") == 1
    assert draw.share("a") == Fraction(one, one + other)


@pytest.mark.parametrize("way", ["law", "reports", "clients"])
def test_simulations(way):
    """Each question has its share of the reports, and its estimate is right for all
    people.

    2,000 respondents, of whom 1,000 are expected to draw age: beyond 6 standard errors
    of 22 once in 10^8. Weights of 1, 1 and 2, which would give it 500, are noticed.
    """
    survey = asked()
    table = {"age": [30, 50] * 1000, "hours": [7.5] * 2000, "mode": ["bus"] * 2000}
    population = ldp_simulations.from_table(survey, table | {"other": [True] * 2000})
    done = ldp_simulations.simulate(survey, population, way=way, seed=4)
    reports = {question.name: question.reports for question in done.first}
    assert reports["other"] == sum(reports[name] for name in NAMES) == 2000
    assert abs(reports["age"] - 1000) < 6 * 22.4
    assert abs(reports["hours"] - 500) < 6 * 19.4
    mean = done.first["age"].mean
    assert abs(mean.estimate - 40) < 6 * mean.standard_error
    assert "a share of 1/2 of all" in done.first["age"].note
    assert "population" in done.first["age"].note
    assert "share" not in done.first["other"].note


def test_tables_of_answers():
    """A respondent of a table sends one report of the draw; who has no answer to it
    sends none.
    """
    survey = asked((1, 1, 1))
    table = {"age": [40] * 3000, "hours": [None, 3, 4] * 1000, "mode": ["car"] * 3000}
    reports = ldp_simulations.randomize(survey, table | {"other": [True] * 3000})
    estimates = ldp_aggregator.estimate(survey, reports)
    # A third draws hours, of whom two thirds have an answer: 667, with a standard error
    # of 23.
    assert abs(estimates["hours"].reports - 667) < 6 * 23
    assert abs(estimates["age"].reports - 1000) < 6 * 26


def test_health():
    """Shares other than the weights are noticed; those of the weights are not."""
    survey = asked((2, 1, 1))
    other = asked((1, 1, 1))
    for drew, suspicious in ((survey, False), (other, True)):
        population = ldp_simulations.synthetic(drew, 4000)
        tally = {}
        generator = np.random.default_rng(8)
        from ldp_simulations.sampling.table import sample_counts
        from ldp_simulations.simulation.drawing import thin

        for name, holders in thin(drew, population, generator).items():
            tally[name] = sample_counts(drew[name], holders, generator)
        checks = draw_health(survey, tally)
        assert checks.keys() == set(NAMES)
        ((check,),) = set(checks.values())
        assert (check.p_value < 1e-9) == check.suspicious == suspicious
    assert draw_health(survey, {"age": tally["age"]}) == {}
    assert (
        draw_health(survey, {name: 0 * counts for name, counts in tally.items()}) == {}
    )


def test_commands(tmp_path, monkeypatch):
    """What `ldp explain` and `ldp plan` say, and a warning of `ldp estimate`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(asked().to_toml())
    said = run("explain", "s.toml").stdout
    assert (
        "by a share of 1/4 of the devices, each of which answers one of age, hours, "
        "mode"
    ) in said
    assert "answers every question once: epsilon 1.75" in said
    plans = json.loads(run("plan", "s.toml", "-n", "4000", "--format", "json").stdout)[
        "plans"
    ]
    planned = {entry["name"]: entry for entry in plans}
    assert planned["age"]["respondents"] == 2000
    assert planned["age"]["drawn"] == {"share": "1/2", "asked": 4000}
    assert planned["mode"]["respondents"] == 1000
    assert "drawn" not in planned["other"]
    assert (
        "mode: answered by a share of 1/4 of 4,000 who are asked"
        in run("plan", "s.toml", "-n", "4000").stdout
    )
    rows = "".join("40,,car,true\n" for _ in range(2000))
    (tmp_path / "answers.csv").write_text(f"age,hours,mode,other\n{rows}")
    run("randomize", "s.toml", "-i", "answers.csv", "-o", "reports", "-q")
    assert (
        "of a draw have a number of reports"
        in run("estimate", "s.toml", "reports").stderr
    )


def test_previews_and_counts():
    """A preview says that it may not be drawn; dropped answers are counted as such."""
    with EmbeddedClient(asked(), state=None, strict=True) as client:
        assert "if this question is drawn (chance 1/2)" in str(client.preview("age", 3))
        assert "drawn" not in str(client.preview("other", True)).partition(",")[0]
        recorded = [client.record(name, answer) for name, answer in ANSWERS.items()]
        assert sum(recorded) == 2
        assert client.counts() == {"recorded": 2, "not-drawn": 2}
        assert client.waiting() == 2
        client.set_consent("off")
        assert not client.record("age", 40)
        assert client.counts()["consent-off"] == 1


def several(answers=2, **keys):
    """A survey whose devices answer as many of four questions, of epsilon 1, 1.5, .5
    and 1.
    """
    questions = (
        ldp.question("age", low=0, high=100, mechanism="dithered", epsilon="1"),
        ldp.question(
            "hours", low=0, high=60, step=1, mechanism="dithered", epsilon="1.5"
        ),
        ldp.question("mode", ["car", "bus"], mechanism="grr", epsilon="0.5"),
        ldp.question("sick", type="boolean", mechanism="grr", epsilon="1"),
        ldp.question("other", type="boolean", mechanism="grr", epsilon="0.25"),
    )
    draws = [ldp.draw(*NAMES, "sick", answers=answers)]
    return ldp.survey("s", *questions, draws=draws, **keys)


FOUR = {**ANSWERS, "sick": False}


@pytest.mark.parametrize("answers", [2, 3])
def test_every_set_of_questions_is_as_likely(answers):
    """Exactly, over tapes of which each draw has as many for one question as for
    another.
    """
    draw = Draw(tuple("abcd"), (1,) * 4, answers)
    sets = Counter()
    # A draw takes what is left over of a byte: 12 in a row are as many for each of 4, 3
    # and 2.
    for tape in product(range(12), repeat=answers):
        source = Replay(bytes(tape))
        names = draw.draw_questions(source)
        assert source.used == answers
        sets[frozenset(names)] += 1
        assert len(set(names)) == answers
    assert [*sets.values()] == {2: 6 * [24], 3: 4 * [432]}[answers]
    shares = {name: Fraction(answers, 4) for name in draw.names}
    assert {name: draw.share(name) for name in draw.names} == shares


def test_so_many_are_answered_and_charged():
    """Two of four, whatever they are; limits and certificates count the two dearest."""
    seen = set()
    for _ in range(40):
        client = Client(several(), lifetime_cap="2.76")
        names = answered(client, FOUR)
        assert len(names) == 3
        assert client.ledger().epsilon() <= 2.7501
        assert [name for name in FOUR if client.is_drawn(name)] == names
        seen |= set(names)
    # A question that is never drawn by 40 devices: once in 10^12.
    assert seen == {*NAMES, "sick", "other"}
    assert totals(several())["all_charges"] == pytest.approx(2.75, abs=1e-8)
    assert totals(several(3))["all_charges"] == pytest.approx(3.75, abs=1e-8)


def test_a_lost_draw_of_several_keeps_what_was_charged():
    """The rest is drawn again; never more than two are answered."""
    for _ in range(10):
        client = Client(several())
        first = next(name for name in FOUR if client.is_drawn(name))
        client.record(first, FOUR[first])
        forget_draws(client._store)
        drawn = [name for name in (*NAMES, "sick") if client.is_drawn(name)]
        assert first in drawn
        assert len(drawn) == 2


def test_limits_leave_room_for_what_may_still_be_answered():
    """A memoized question beside a draw sets aside what leaves one charge for each
    dearest.
    """
    lasting = {"epsilon_first": "0.5", "epsilon_lifetime": "1"}
    kept = ldp.question(
        "kept", ["a", "b"], mechanism="l-grr", memoized_values=2, **lasting
    )
    pair = [
        ldp.question(name, ["a", "b"], mechanism="grr", epsilon="1") for name in "xyz"
    ]
    survey = ldp.survey(
        "s", kept, *pair, draws=[ldp.draw(*"xyz", answers=2)], lifetime_epsilon="4"
    )
    client = Client(survey)
    for value in ("a", "b"):
        client.record("kept", value)
    assert len(answered(client, dict.fromkeys("xyz", "a"))) == 2
    tight = ldp.survey(
        "s", kept, *pair, draws=[ldp.draw(*"xyz", answers=2)], lifetime_epsilon="3"
    )
    client = Client(tight)
    for value in ("a", "b"):
        client.record("kept", value)
    assert client.ledger().epsilon() <= 1.0001
    assert len(answered(client, dict.fromkeys("xyz", "a"))) == 2


def test_files_and_fingerprints_of_several():
    """The number is covered; a survey that is written down says the same; weights are
    refused.
    """
    survey = several()
    assert ldp.parse_survey(survey.to_toml()) == survey
    assert compile_survey(survey)["draws"][0]["answers"] == 2
    assert len({several(number)["mode"].fingerprint for number in (1, 2, 3)}) == 3
    assert several(1) == several(None)
    with pytest.raises(
        SurveyError, match="answers: expected a whole number from 1 to 3, got 4"
    ):
        several(4)
    with pytest.raises(
        SurveyError, match="expected no weights where a device answers several"
    ):
        asked(draws=[ldp.draw(*NAMES, answers=2, weights=[2, 1, 1])])


def test_certificates_of_several():
    """The totals are worked out again, of the two dearest; a forged number is seen."""
    sound = json.loads(json.dumps(certificate(several())))

    def holds(record):
        try:
            return checker.verdicts(checker.read(json.dumps(record)))[1]
        except checker.UNUSABLE:
            return False

    assert holds(sound)
    for number in (0, 1, 3, 4, "2"):
        forged = {**sound, "draws": [{**sound["draws"][0], "answers": number}]}
        assert not holds(forged)
    three = {**sound, "draws": [{**sound["draws"][0], "answers": 3}]}
    assert not holds(refingerprinted(three))


@pytest.mark.parametrize("way", ["law", "reports", "clients"])
def test_simulations_of_several(way):
    """Each of four questions has half the 2,000 respondents, within 6 standard errors
    of 22.

    And so many reports in all, exactly.
    """
    survey = several()
    table = {"age": [30, 50] * 1000, "hours": [7.5] * 2000, "mode": ["bus"] * 2000}
    table |= {"sick": [True] * 2000, "other": [True] * 2000}
    population = ldp_simulations.from_table(survey, table)
    done = ldp_simulations.simulate(survey, population, way=way, seed=4)
    reports = {question.name: question.reports for question in done.first}
    drawn = (*NAMES, "sick")
    assert sum(reports[name] for name in drawn) == 4000
    assert all(abs(reports[name] - 1000) < 6 * 22.4 for name in drawn)
    mean = done.first["age"].mean
    assert abs(mean.estimate - 40) < 6 * mean.standard_error
    written = ldp_simulations.randomize(survey, table)
    counted = ldp_aggregator.aggregate(survey, written)
    estimates = ldp_aggregator.estimate(counted)
    assert sum(estimates[name].reports for name in drawn) == 4000
    ((check,),) = set(draw_health(survey, counted.counts).values())
    assert not check.suspicious


def test_health_of_several_has_its_size():
    """Of 4,000 draws of 100 devices, 2 of 4 each, the p-values are uniform: .05 within
    .015.

    Their standard error is .0034; without the factor for draws without replacement,
    none is below.
    """
    from ldp_aggregator.analyses.health_checks.draw_checks import draw_check
    from ldp_simulations.simulation.drawing import how_many_draw

    draw = Draw(tuple("abcd"), (1,) * 4, 2)
    generator = np.random.default_rng(5)
    numbers = [how_many_draw(draw, 1000, generator) for _ in range(4000)]
    assert all(sum(number.values()) == 2000 for number in numbers)
    p_values = [draw_check(draw, [*number.values()]).p_value for number in numbers]
    assert abs(np.mean(np.array(p_values) < 0.05) - 0.05) < 0.015
    assert abs(np.mean(p_values) - 0.5) < 0.03


def test_what_is_said_of_several(tmp_path, monkeypatch):
    """How many of which, and which epsilons the totals count."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(several().to_toml())
    said = run("explain", "s.toml").stdout
    assert (
        "by a share of 1/2 of the devices, each of which answers 2 of age, hours, mode"
        in said
    )
    assert "the totals count the largest 2 epsilons of these" in said
    assert "answers every question once: epsilon 2.75" in said


@pytest.mark.parametrize(("taken", "dear"), [(0, "xy"), (1, "x"), (2, ""), (3, "")])
def test_what_may_still_be_charged(taken, dear):
    """The dearest of a draw, as many as it answers less those that are taken."""
    epsilons = {"w": "0.1", "z": "0.2", "y": "0.3", "x": "0.4"}
    pairs = [
        ldp.question(name, ["a", "b"], mechanism="grr", epsilon=epsilon)
        for name, epsilon in epsilons.items()
    ]
    survey = ldp.survey("s", *pairs, draws=[ldp.draw(*"xyz", answers=2)])
    draw = survey["x"].draw
    charged = chargeable(survey.questions, {draw: taken} if taken else {})
    assert "".join(question.name for question in charged) == f"w{dear}"


def test_too_many_questions_are_one_problem():
    """What follows from it is none: neither the number of answers, nor the names."""
    names = [f"q{number}" for number in range(120)]
    many = [ldp.question(name, type="boolean", epsilon=1) for name in names]
    fields = [ldp.field(f"f{number}", type="boolean") for number in range(12)]
    tables = [
        ldp.question(name, fields=fields, collect="subsets", epsilon=1)
        for name in names[:26]
    ]
    for questions in (many, tables):
        drawn = ldp.draw(*names[: len(questions)], answers=2)
        with pytest.raises(ldp.SurveyError) as refused:
            ldp.survey("weeks", *questions, draws=[drawn])
        assert len(refused.value.problems) == 1
