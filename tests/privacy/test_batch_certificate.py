"""Certificates of batches, and the program that works them out again without our
code.
"""

import importlib.util
import json
import re
import sys
from fractions import Fraction

import pytest
from calling import run
from places import EXAMPLES
from surveys import survey_of, yes_no

from ldp.mechanisms.blankets import blanket_of
from ldp.numbers.exact import decimal_text
from ldp.privacy import batch_certificate, batch_privacy
from ldp.privacy.batches import power
from ldp.privacy.certificate import certificate as survey_certificate
from ldp.privacy.certificates import blanket_texts


def loaded(name):
    """A module of the program, under the name by which it is imported."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PROGRAM = (
    "certificate_reading",
    "mechanism_ratios",
    "mechanism_blankets",
    "check_batch_certificate",
)
_, ratios, blankets, checker = map(loaded, PROGRAM)


def asked(mechanism, keys='epsilon = "1"', size=12):
    """A question in a survey file."""
    values = ", ".join(f'"v{number}"' for number in range(size))
    return (
        f'name = "{mechanism}"\ntype = "category"\nvalues = [{values}]\n'
        f'mechanism = "{mechanism}"\n{keys}'
    )


def coins(name, yes, no):
    """A question with two coins: how often they say yes, and no, whatever is true."""
    return (
        f'name = "{name}"\ntype = "boolean"\nmechanism = "forced"\n'
        f'forced_true = "{yes}"\nforced_false = "{no}"'
    )


KNOWN = [
    name
    for name, row in ratios.MECHANISMS.items()
    if row.reveals in (*blankets.DESIGNS, ratios.bits)
]
SURVEY = survey_of(
    *(asked(mechanism) for mechanism in KNOWN),
    asked("warner", size=2),
    asked("forced", 'forced_true = "1/4"\nforced_false = "1/8"', size=2),
    asked(
        "exponential",
        'epsilon = "2"\nquality = [[3, 1, 0], [1, 3, 1], [0, 1, 3]]',
        size=3,
    ),
    yes_no("first"),
    yes_no("second"),
    coins("uneven", "1/4", "1/8"),
    coins("otherwise", "1/10", "1/2"),
    asked("l-grr", 'epsilon_first = "1"\nepsilon_lifetime = "2"'),
    head='joint = [["first", "second"], ["uneven", "otherwise"]]',
)
MESSAGES = {message.name: message for message in SURVEY.envelopes}
UNKNOWN = ("l-grr",)


def checked(certificate, path):
    """What the program exits with."""
    path.write_text(json.dumps(certificate), encoding="utf-8")
    return checker.main(path)


@pytest.mark.parametrize("name", [name for name in MESSAGES if name not in UNKNOWN])
def test_sound_certificates_hold(name, tmp_path):
    """Every mechanism that the program knows, and a row of two questions."""
    assert checked(batch_certificate(MESSAGES[name], 40, "1e-3"), tmp_path / "it") == 0


def test_mechanisms_that_it_does_not_know_are_not_passed(tmp_path, capsys):
    """It says so, and exits with 2."""
    certificate = batch_certificate(MESSAGES["l-grr"], 40, "1e-3")
    assert checked(certificate, tmp_path / "it") == 2
    assert "cannot be used" in capsys.readouterr().out


def forgeries(certificate):
    """The certificate with one thing in its favour, or another than it was."""
    changes = {
        "honest": "41",
        "reports": "400",
        "colluding": "0.5",
        "epsilon": certificate["epsilon"][:-1],
        "delta": "0.0005",
        "epsilon_if_relay_and_collector_collude": "0.9",
        "t": certificate["t"][:-1],
        "blocks": "20",
        "stretches": "3",
        "parts": "4",
        "upper": re.sub("[1-9]", "1", certificate["upper"], count=3),
        "lower": certificate["upper"],
    }
    for name, text in changes.items():
        yield name, {**certificate, name: text}
    (question,) = certificate["questions"]
    for name, text in question["integers"].items():
        if name in ("size", "chosen", "truth", "other"):
            integers = {**question["integers"], name: str(int(text) + 1)}
            yield (
                name,
                {**certificate, "questions": [{**question, "integers": integers}]},
            )
    for name in certificate["blanket"]:
        yield name, {**certificate, "blanket": {**certificate["blanket"], name: "1/3"}}


def test_tampered_certificates_are_refused(tmp_path):
    """Each number that a claim rests on, one at a time; and one that is none."""
    certificate = batch_certificate(MESSAGES["ss"], 40, "1e-3", colluding="0")
    tried = 0
    for name, forged in forgeries(certificate):
        assert forged != certificate
        assert checked(forged, tmp_path / "it") != 0, name
        tried += 1
    assert tried == 22
    assert checked({**certificate, "blocks": "none"}, tmp_path / "it") == 2
    assert checked({}, tmp_path / "it") == 2
    assert checker.main(tmp_path / "absent") == 2


def worked_out(certificate):
    """With the bounds that the program itself comes to, whatever it was told."""
    pair = [Fraction(number) for number in list(certificate["blanket"].values())[:5]]
    many = [int(certificate[name]) for name in ("blocks", "stretches", "parts")]
    n, t = int(certificate["honest"]), Fraction(certificate["t"])
    upper, lower = (checker.delta(pair, n, t, many=many, up=up) for up in (True, False))
    return {**certificate, "upper": str(upper), "lower": str(lower)}


@pytest.mark.parametrize("name", ["grr", "ss"])
@pytest.mark.parametrize(
    "effort", [("-5", "4", "4"), ("4", "-3", "4"), ("-1", "-1", "-1")]
)
def test_nothing_is_left_out_by_counting_backwards(name, effort, tmp_path):
    """Less than one block has no mass, and would have any epsilon kept."""
    certificate = batch_certificate(MESSAGES[name], 400, "1e-3")
    blocks, stretches, parts = effort
    little = Fraction(1, 1000)
    forged = worked_out(
        {
            **certificate,
            "epsilon": "0.001",
            "t": decimal_text(power(little)),
            "blocks": blocks,
            "stretches": stretches,
            "parts": parts,
        }
    )
    assert checked(forged, tmp_path / "it") != 0


@pytest.mark.parametrize(
    ("reports", "share"), [("40", "-9"), ("-40", "11"), ("400", "1.5")]
)
def test_there_are_no_more_honest_reports_than_reports(reports, share, tmp_path):
    """A share below 0 would add some, and one above 1 turn what is below 0."""
    certificate = batch_certificate(MESSAGES["grr"], 400, "1e-3")
    assert (
        checked(
            {**certificate, "reports": reports, "colluding": share}, tmp_path / "it"
        )
        != 0
    )


@pytest.mark.parametrize(
    ("name", "integers"),
    [
        ("grr", {"size": "-12", "truth": "3", "other": "1"}),
        ("grr", {"size": "12", "truth": "1", "other": "3"}),
        ("oue", {"size": "12", "if_true": "9", "if_other": "1", "word": "3"}),
        ("ss", {"size": "12", "chosen": "12", "truth": "3", "other": "1"}),
    ],
)
def test_integers_of_no_mechanism_are_refused(name, integers, tmp_path):
    """Whatever would follow from them."""
    certificate = batch_certificate(MESSAGES[name], 400, "1e-3")
    (question,) = certificate["questions"]
    with pytest.raises((ValueError, ArithmeticError)):
        blankets.of_row([blankets.blanket_of(name, integers)])
    forged = {**certificate, "questions": [{**question, "integers": integers}]}
    assert checked(forged, tmp_path / "it") != 0


def spelled_otherwise(text):
    """The text of a certificate of `grr`, of which another reader may read something
    else.
    """

    def replaced(before, after, times=1):
        assert text.count(before) >= times
        return text.replace(before, after, times)

    return {
        "an epsilon before the one that is checked": replaced(
            "{", '{"epsilon": "0.001", '
        ),
        "an epsilon behind it": text.rstrip()[:-1]
        + ', "epsilon_of_the_batch": "0.001"}',
        "a delta of another case": replaced("{", '{"Delta": "0", '),
        "a member of a question": replaced(
            '"mechanism"', '"epsilon": "0.1", "mechanism"'
        ),
        "a member twice in it": replaced('"size"', '"size": "2", "size"'),
        "one more integer": replaced('"size"', '"cohorts": "2", "size"'),
        "integers of another mechanism": replaced(
            '"mechanism": "grr"', '"mechanism": "ss"'
        ),
        "weights beside others": replaced(
            '"size"', '"weights": [["3", "1"], ["1", "3"]], "size"'
        ),
        "names of a blanket that were changed": (
            text.replace('"first"', '"!"')
            .replace('"second"', '"first"')
            .replace("!", "second")
        ).replace('"both"', '"some"'),
        "a number": replaced('"delta": "0.001"', '"delta": 0.001'),
        "a number and a part": replaced('"honest": "40"', '"honest": 40.9'),
        "no number": replaced('"delta": "0.001"', '"delta": NaN'),
        "one without end": replaced('"delta": "0.001"', '"delta": Infinity'),
        "an exponent": replaced('"delta": "0.001"', '"delta": "1e-3"'),
        "a fraction": replaced('"delta": "0.001"', '"delta": "1/1000"'),
        "a space": replaced('"delta": "0.001"', '"delta": " 0.001"'),
        "a line end": replaced('"delta": "0.001"', '"delta": "0.001\\n"'),
        "a sign": replaced('"honest": "40"', '"honest": "+40"'),
        "an underscore": replaced('"honest": "40"', '"honest": "4_0"'),
        "zeros before it": replaced('"honest": "40"', '"honest": "040"'),
        "digits of another script": replaced(
            '"honest": "40"', '"honest": "\u0664\u0660"'
        ),
        "digits of full width": replaced(
            '"delta": "0.001"', '"delta": "0.\uff10\uff10\uff11"'
        ),
        "a list of digits": replaced('"delta": "0.001"', '"delta": [0, [1], -3]'),
        "a list of one": replaced('"delta": "0.001"', '"delta": ["0.001"]'),
        "a flag": replaced('"colluding": "0"', '"colluding": false'),
        "one for a flag": replaced(
            '"first_reports_only": false', '"first_reports_only": 0'
        ),
        "a format that is no whole number": replaced('"format": 1', '"format": 1.0'),
        "a number that never ends": replaced(
            '"honest": "40"', f'"honest": "4{"0" * 5000}"'
        ),
        "lists within lists": replaced(
            '"size": "12"', f'"size": {"[" * 5000}{"]" * 5000}'
        ),
        "two certificates": text + text,
        "a byte-order mark": "\ufeff" + text,
    }


def test_no_other_spelling_is_passed(tmp_path):
    """What another reader, or a person, may take for another claim; and no traceback of
    any.
    """
    certificate = batch_certificate(MESSAGES["grr"], 40, "1e-3")
    path = tmp_path / "it"
    text = json.dumps(certificate)
    path.write_text(text, encoding="utf-8")
    assert checker.main(path) == 0
    for what, other in spelled_otherwise(text).items():
        assert other != text
        path.write_text(other, encoding="utf-8")
        assert checker.main(path) == 2, what


def leaves(record, above=()):
    """Every text, number and flag of a record, by the keys that lead to it."""
    items = record.items() if isinstance(record, dict) else enumerate(record)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key), value


def changed(key, value):
    """Something else of the same kind, far from rounding; a delta that is not what was
    shown.
    """
    if key == "delta":
        return "0.0001"
    if isinstance(value, bool | int):
        return not value
    if value[-1:].isdigit() and "." in value:
        # Digits behind the twelfth that matters are rounding.
        place = next(at for at, letter in enumerate(value) if letter in "123456789")
        return (
            value[:place] + ("1" if value[place] != "1" else "2") + value[place + 1 :]
        )
    return value[:-1] + ("1" if value[-1] != "1" else "2")


@pytest.mark.parametrize("name", ["grr", "first+second"])
def test_no_field_can_be_changed(name, tmp_path):
    """Every one of them, next to the survey's own certificate; and the survey of
    another.
    """
    own = tmp_path / "survey.json"
    own.write_text(json.dumps(survey_certificate(SURVEY)), encoding="utf-8")
    certificate = batch_certificate(MESSAGES[name], 40, "1e-3")
    path = tmp_path / "it"

    def judged(record):
        path.write_text(json.dumps(record), encoding="utf-8")
        return checker.main(path, own)

    assert judged(certificate) == 0
    # How finely it was worked out: other numbers may come to the same bound, and are no
    # forgery.
    effort = {"blocks", "stretches", "parts"}
    tried = [
        (keys, value) for keys, value in leaves(certificate) if keys[-1] not in effort
    ]
    assert len(tried) > 20
    for keys, value in tried:
        forged = json.loads(json.dumps(certificate))
        place = forged
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = changed(keys[-1], value)
        assert judged(forged) != 0, keys
        del place[keys[-1]]
        assert judged(forged) != 0, keys
    other = survey_of(yes_no("first"), yes_no("second"), name="other")
    own.write_text(json.dumps(survey_certificate(other)), encoding="utf-8")
    assert judged(certificate) != 0


def test_the_program_is_short_and_shares_no_code():
    """At most 150 lines of code, and no import of ours."""
    text = (EXAMPLES / "check_batch_certificate.py").read_text(encoding="utf-8")
    code = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 150
    for name in PROGRAM:
        text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
        assert not re.search(r"^\s*(import|from) (ldp|numpy|scipy)", text, re.MULTILINE)


def test_what_a_certificate_states_is_what_the_batch_was_said_to_be_worth():
    """The epsilon of the batch, its blanket, and bounds in their order."""
    certificate = batch_certificate(MESSAGES["grr"], 1_000, "1e-6", colluding="0.1")
    batch = batch_privacy(MESSAGES["grr"], 1_000, "1e-6", colluding="0.1", finely=True)
    assert certificate["honest"] == "900" == str(batch.reports)
    assert float(certificate["epsilon"]) == float(batch.epsilon)
    assert certificate["blanket"] == blanket_texts(
        blanket_of(MESSAGES["grr"].randomizer)
    )
    assert 0 < float(certificate["lower"]) <= float(certificate["upper"]) <= 1e-6
    with pytest.raises(ValueError, match="hides more than a report does"):
        batch_certificate(MESSAGES["grr"], 3)


def test_batches_are_told_with_both_figures():
    """Relay apart, relay colluding; later reports; batches that are too small; what is
    no batch.
    """
    batch = batch_privacy(MESSAGES["grr"], 12_400, mixed_by="relay.example")
    epsilon = batch.text.partition("(")[2].partition(",")[0]
    assert batch.text == (
        f"12,400 reports, mixed by relay.example: ({epsilon}, 1e-8) if relay and "
        "collector are apart, epsilon 1 if not"
    )
    assert float(batch.epsilon) <= float(epsilon) < 0.03
    assert (
        "first reports of a device only" in batch_privacy(MESSAGES["l-grr"], 9_000).text
    )
    assert "too few to hide among" in batch_privacy(MESSAGES["grr"], 5).text
    assert batch_privacy(MESSAGES["first+second"], 9_000).local == 2
    for reports, delta, colluding in (
        (-1, "1e-8", "0"),
        (9, "0", "0"),
        (9, "1e-8", "1"),
    ):
        with pytest.raises(ValueError, match="expected a number of reports"):
            batch_privacy(MESSAGES["grr"], reports, delta, colluding=colluding)


def test_explain_says_what_batches_are_worth(tmp_path):
    """Both figures for each message, the error beside a curator's, a certificate that
    holds.
    """
    survey = tmp_path / "survey.toml"
    survey.write_text(SURVEY.to_toml(), encoding="utf-8")
    said = run(
        "explain",
        survey,
        "--shuffled",
        40_000,
        "--delta",
        "1e-6",
        "--question",
        "grr",
        "--question",
        "oue",
        "--question",
        "first+second",
        "--question",
        "l-grr",
        "--colluding-share",
        "0.25",
    )
    assert said.output.count("if relay and collector are apart, epsilon") == 4
    assert "30,000 reports" in said.output
    assert "one message         of 2 questions" in said.output
    assert "a trusted curator" in said.output
    assert "later reports" in said.output
    file = tmp_path / "batch.json"
    only = ("explain", survey, "--shuffled", 2000, "--question", "grr")
    assert "oue" not in run(*only, "--certificate", file).output
    assert checker.main(file) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--shuffled", 2000, "--certificate", "x"), "expected one --question"),
        (("--question", "grr", "--certificate", "x"), "expected no --certificate"),
        (("--shuffled", 2000, "--disclosure", "md"), "without --disclosure"),
        (("--shuffled", 2000, "--delta", "2"), "expected a number from"),
        (("--shuffled", 2000, "--colluding-share", "half"), "expected a number"),
        (
            ("--shuffled", 3, "--question", "grr", "--certificate", "x"),
            "hides more than",
        ),
    ],
)
def test_explain_refuses_what_makes_no_sense(words, said, tmp_path):
    """And says what was expected."""
    survey = tmp_path / "survey.toml"
    survey.write_text(SURVEY.to_toml(), encoding="utf-8")
    assert said in run("explain", survey, *words, code=2).output


def test_estimates_say_what_their_batch_was_worth(tmp_path):
    """In the table and in JSON; a question of a row with its row."""
    from ldp_simulations import randomize

    small = survey_of(
        yes_no("first"),
        yes_no("second"),
        yes_no("third"),
        head='joint = ["first", "second"]',
    )
    reports = tmp_path / "reports"
    reports.write_bytes(
        randomize(small, {name: [True] * 3000 for name in ("first", "second", "third")})
    )
    file = tmp_path / "survey.toml"
    file.write_text(small.to_toml(), encoding="utf-8")
    said = run(
        "estimate", file, reports, "--mixed-by", "relay.example", "--delta", "1e-6"
    ).output
    assert said.count("3,000 reports, mixed by relay.example: (") == 3
    assert said.count("The row first+second, as one message: ") == 2
    assert "mixed by" not in run("estimate", file, reports).output
