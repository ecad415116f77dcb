"""What the commands say: in any encoding, with advice that can be followed."""

import ast
import os
import re
import subprocess
from pathlib import Path

import click
import numpy as np
import pytest
from calling import LDP, ldp, run
from surveys import SMALL

import ldp_aggregator
import ldp_client
import ldp_simulations
from ldp.errors import EstimateError
from ldp.survey.survey_file import parse_survey
from ldp_aggregator import Tally, encode_tally, estimate
from ldp_aggregator.analyses.health_checks.report_checks import health
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.values import MOST_ROWS
from ldp_aggregator.commands import main as cli
from ldp_aggregator.output.columns import MOST_WIDTH, columns

MANY = 500
VALUES = ", ".join(f'"v{number}"' for number in range(MANY))
LARGE = parse_survey(SMALL.replace('"cat", "Ж", "none"', VALUES))
TALLY = Tally(LARGE, {"pet": np.arange(MANY, dtype=np.int64)[None, :] % 97 * 10})
MIXED = (
    SMALL
    + SMALL.partition("[[")[1]
    + (
        'question]]\nname = "again"\ntype = "boolean"\n'
        'mechanism = "l-grr"\nepsilon_first = 1\nepsilon_lifetime = 2\n'
    )
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "survey.toml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "large.toml").write_text(
        SMALL.replace('"cat", "Ж", "none"', VALUES), encoding="utf-8"
    )
    counts = {"pet": np.array([[30, 20, 10]])}
    for name, factor in (("tally", 1), ("another", 2), ("nothing", 0)):
        tally = Tally(parse_survey(SMALL), {"pet": counts["pet"] * factor})
        tally.intake.outcomes["accepted"] = 60 * factor
        (tmp_path / name).write_bytes(encode_tally(tally))
    (tmp_path / "large").write_bytes(encode_tally(TALLY))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("encoding", ["cp1252", "ascii:strict"])
def test_any_encoding_will_do(encoding, folder):
    """In an encoding without lines and Cyrillic, tables say them otherwise, and data is
    UTF-8.
    """
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    for line in (
        "estimate survey.toml tally",
        "estimate survey.toml tally --format csv",
        "client codegen survey.toml",
    ):
        done = subprocess.run(
            [*LDP, *line.split()],
            capture_output=True,
            env=environment,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        if "csv" in line or "client codegen" in line:
            assert "Ж" in done.stdout.decode()
        elif encoding == "cp1252":
            assert rb"\u0416" in done.stdout
            assert b"-----" in done.stdout


def test_tables_keep_within_their_width_and_steer_no_terminal():
    """Wide cells go on in further lines, all of them.

    A control character is written by its number.
    """
    shown = columns(
        ("value", "count\nof it"),
        [("a" * 400, "1"), ("日本" * 100, "2"), ("\x1b[2J\x9b\n\u202e", "3")],
    )
    lines = shown.splitlines()
    assert max(map(len, lines)) <= MOST_WIDTH
    assert shown.count("a") == 402  # one in the heading, one in a number
    assert shown.count("日") == 100
    assert r"\x1b[2J\x9b\x0a\u202e" in shown
    assert not {"\x1b", "\u202e"} & {*shown}
    assert columns(("a", "bb"), []) == "\n a   bb\n ──────\n\n"


def test_long_tables_say_what_they_leave_out(folder):
    """The 100 highest estimates, and how to see the others.

    `--top` and `--question` ask for what they name.
    """
    brief = ldp("estimate large.toml large -q").stdout
    rows = re.findall(r"^ v(\d+) ", brief, re.MULTILINE)
    assert len(rows) == MOST_ROWS
    assert int(rows[0]) % 97 == 96
    assert (
        "the 100 highest of 500 estimates, which for having been chosen as such are "
        "too high"
    ) in brief
    assert "--top all" in brief
    full = ldp("estimate large.toml large -q --top all").stdout
    assert re.findall(r"^ v(\d+) ", full, re.MULTILINE) == [
        str(number) for number in range(MANY)
    ]
    assert "too high" not in full
    few = ldp("estimate large.toml large -q --top 3 --format csv").stdout
    assert len(few.splitlines()) == 4
    assert (
        '"left_out": 497'
        in ldp("estimate large.toml large -q --top 3 --format json").stdout
    )
    assert (
        "(pet), got 'dog'"
        in ldp("estimate large.toml large --question dog", code=1).stderr
    )
    ldp("estimate large.toml large --top 0", code=2)


def test_simulations_in_brief(folder):
    """Of many values those are shown that most respondents hold, whatever is
    estimated.
    """
    words = ("simulate", "large.toml", "--respondents", "1000", "--seed", "1", "-q")
    brief = run(*words).stdout
    assert re.findall(r"^ v(\d+) ", brief, re.MULTILINE) == [
        str(number) for number in range(MOST_ROWS)
    ]
    assert "the 100 values of 500 that most respondents hold" in brief
    assert (
        len(re.findall(r"^ v\d+ ", run(*words, "--top", "all").stdout, re.MULTILINE))
        == MANY
    )
    run(*words, "-o", "out")
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert page.count("<tr>") == MOST_ROWS + 1
    assert Path("out/estimates.csv").read_text().count("\n") == MANY + 1


def test_notebooks_get_the_top():
    """`repr` and HTML of many values stay short, say so, and the records keep them
    all.
    """
    estimates = estimate(TALLY)
    assert estimates._repr_html_().count("<tr>") == MOST_ROWS + 1
    assert len(re.findall(r"^ v\d+ ", repr(estimates), re.MULTILINE)) == MOST_ROWS
    assert "500 estimates" in repr(estimates)
    assert "to_csv()" in estimates._repr_html_()
    assert (
        len(list(estimates.rows()))
        == len(estimates.to_dict()["questions"]["pet"]["values"])
        == MANY
    )
    assert estimates.rendered("json").count('"value"') == MANY
    assert estimates.rendered().count("[") == MANY
    top = estimates["pet"].top(5)
    assert [value.value for value in top] == ["v96", "v193", "v290", "v387", "v484"]
    assert top["v193"].low == estimates["pet"]["v193"].low


def test_reports_each_is_for_memoized_questions(folder):
    """`reports_per_person` is refused where no question keeps a permanent response.

    Beside one that does, a note says that it is not for the others, whose numbers stay
    those of one report each.
    """
    assert (
        "leave --reports-per-person"
        in ldp("estimate survey.toml tally --reports-per-person 2", code=1).stderr
    )
    survey = parse_survey(MIXED)
    counts = {"pet": np.array([[30, 20, 10]]), "again": np.array([[60, 40]])}
    once, twice = (
        estimate(Tally(survey, counts), options=Options(reports_per_person=reports))
        for reports in (1, 2)
    )
    assert "reports_per_person is not for this question" in twice["pet"].note
    assert once["pet"].standard_error.tolist() == twice["pet"].standard_error.tolist()
    assert (twice["pet"].respondents, twice["again"].respondents) == (60, 50)
    assert "permanent response" in twice["again"].note
    pet = survey["pet"]
    assert health(pet, counts["pet"], reports_per_person=2) == health(
        pet, counts["pet"]
    )
    with pytest.raises(EstimateError, match="reports from each"):
        Options(reports_per_person=10**30)


@pytest.mark.parametrize(
    "command", ["estimate survey.toml", "aggregate survey.toml -o out"]
)
def test_a_tally_counts_once(command, folder):
    """The same tally again, by another name too, is refused unless it is said to be
    meant.

    What is empty may repeat.
    """
    Path("copy").write_bytes(Path("tally").read_bytes())
    for paths in (["tally", "tally"], ["tally", "another", "copy"]):
        result = run(*command.split(), *paths, code=1)
        assert "--allow-equal" in result.stderr
        assert not Path("out").exists()
        run(*command.split(), *paths, "--allow-equal")
        Path("out").unlink(missing_ok=True)
    run(*command.split(), "tally", "another", "nothing", "nothing")


def test_a_tally_of_the_same_reports_counts_once(folder):
    """Also where one of them came by way of duplicates, so that not all bytes are
    alike.
    """
    Path("answers.csv").write_text("pet\ncat\nnone\ncat\n", encoding="utf-8")
    ldp("randomize survey.toml -i answers.csv -o reports -q")
    ldp("aggregate survey.toml reports -o once")
    ldp("aggregate survey.toml reports reports -o twice")
    assert Path("once").read_bytes() != Path("twice").read_bytes()
    assert "--allow-equal" in ldp("estimate survey.toml once twice", code=1).stderr


def test_associations_say_what_was_tested():
    """The headline names the test, its verdict and level.

    What is not rejected is not called independent.
    """
    from ldp_aggregator.analyses.association.association import associate

    text = '[survey]\nname = "two"\njoint = ["a", "b"]\n' + "".join(
        (
            f'[[question]]\nname = "{name}"\ntype = "boolean"\nmechanism = '
            '"grr"\nepsilon '
            "= 3\n"
        )
        for name in "ab"
    )
    survey = parse_survey(text)
    for counts, verdict in (
        ([400, 100, 100, 400], "test of independence: rejected at level 0.05"),
        (
            [250, 250, 250, 250],
            "test of independence: not rejected at level 0.05, which does not prove it",
        ),
    ):
        tally = Tally.empty(survey)
        (joint,) = (
            envelope
            for envelope in survey.tally_parts
            if envelope.name not in ("a", "b")
        )
        shape = tally.counts[joint.name].shape
        tally.counts[joint.name] = np.array(counts).reshape(shape)
        tally.counts["a"] = np.array([[counts[0] + counts[1], counts[2] + counts[3]]])
        tally.counts["b"] = np.array([[counts[0] + counts[2], counts[1] + counts[3]]])
        headline = associate(tally, ["a", "b"]).describe()
        assert verdict in headline
        assert "independent:" not in headline


# Modules whose messages advise an option, by the commands that can show them: in all of
# these it has to exist.
ADVISING = {
    "ldp_aggregator.commands.output_options": ("estimate", "simulate"),
    "ldp_aggregator.commands.analyses.compare": ("analyze compare",),
    "ldp_aggregator.commands.analyses.trend": ("analyze trend",),
    "ldp_aggregator.commands.analyses.weight": ("analyze weight", "analyze regress"),
    "ldp_aggregator.commands.rappor": ("rappor import",),
    "ldp_aggregator.exchange.google_rappor.associations": ("rappor associate",),
    "ldp_aggregator.exchange.google_rappor.ngrams": ("rappor ngrams",),
    "ldp_aggregator.analyses.comparisons.comparable": ("analyze compare",),
    "ldp_aggregator.analyses.comparisons.sharing": ("analyze compare",),
    "ldp_aggregator.answers.estimates.applicable": ("estimate", "simulate"),
    "ldp_aggregator.commands.check": ("check",),
    "ldp_aggregator.commands.register": ("survey register prove inclusion",),
    "ldp_aggregator.commands.reports": ("explain",),
    "ldp_simulations.audit.auditing": ("client test",),
    **{
        f"ldp_simulations.audit.{module}": ("client test",)
        for module in (
            "clients.client",
            "judging",
            "lives",
            "parts",
            "python_client",
            "verdicts",
            "badge",
        )
    },
    "ldp_simulations.commands.client_test": ("client test",),
    "ldp_aggregator.tallies.engines.spark": ("aggregate",),
    "ldp_aggregator.exchange.counts": ("estimate",),
    "ldp_aggregator.exchange.law_tables": ("estimate",),
    "ldp_client.tools.codegen_typescript": ("client codegen",),
    "ldp_aggregator.decoders.moments.repeats": ("estimate", "rappor import"),
    "ldp_aggregator.answers.shares.frequencies": ("estimate", "simulate"),
    "ldp_aggregator.answers.means.room": ("estimate", "simulate"),
    "ldp_service.alerts.flags": ("serve", "store test-alert"),
    "ldp_service.alerts.webhook": ("serve", "store test-alert"),
    "ldp_service.commands.alerts": ("store test-alert",),
    "ldp_service.commands.doctor": ("store doctor",),
    "ldp_service.commands.export": ("serve",),
    "ldp_service.commands.assembly": ("serve",),
    "ldp_service.commands.running": ("serve",),
    "ldp_service.commands.serve": ("serve",),
    "ldp_service.commands.tokens": ("store tokens new",),
    "ldp_service.counting.clock": ("serve", "store doctor"),
    "ldp_service.page.document": ("store tokens new",),
    "ldp_service.people.flags": ("serve",),
    "ldp_service.people.proxy": ("serve",),
    "ldp_service.relay.forwarding": ("relay serve",),
    "ldp_service.repair.doctor": ("store doctor",),
    "ldp_service.repair.lost_records": ("store doctor",),
    "ldp_service.respondents.words": ("survey page", "serve"),
    "ldp_service.sources.kafka": ("serve",),
    "ldp_service.store.witness": ("store doctor",),
    "ldp_service.uploads.mixed": ("serve",),
    "ldp_service.upkeep.backup": ("store restore",),
    "ldp_aggregator.answers.maps.geojson": ("estimate",),
    "ldp_aggregator.tallies.intake.overlaps": (
        "aggregate",
        "estimate",
        "analyze associate",
    ),
    "ldp_aggregator.tallies.intake.paths": (
        "aggregate",
        "estimate",
        "analyze associate",
    ),
    "ldp_simulations.answers": ("randomize", "simulate"),
    "ldp_simulations.attacks.attacking": ("survey simulate-attacks",),
    "ldp_simulations.commands.attack": ("survey simulate-attacks",),
    "ldp_simulations.commands.plan": ("plan",),
    "ldp_simulations.commands.simulate": ("simulate",),
    "ldp_simulations.planning.kinds.distribution_plan": ("plan",),
    "ldp_simulations.planning.kinds.place_plan": ("plan",),
    "ldp_simulations.planning.kinds.field_plan": ("plan",),
    "ldp_simulations.planning.kinds.level_plan": ("plan",),
    "ldp_simulations.planning.kinds.vector_plan": ("plan",),
    "ldp_simulations.planning.kinds.mean_plan": ("plan",),
    "ldp_simulations.planning.plans": ("plan",),
    "ldp_simulations.planning.kinds.search_plan": ("plan",),
    "ldp_simulations.population": ("simulate",),
    "ldp_simulations.simulation.report": ("simulate",),
}
COMMANDS_OF_A_TALLY = ("estimate", "analyze query", "analyze compare")
# Where a module has several commands, and where what looks like an option is none.
OF_ROWS = (
    "estimate",
    "analyze query",
    "analyze compare",
    "analyze crosstab",
    "analyze associate",
    "analyze publish",
    "analyze trend",
)
ELSEWHERE = {
    ("ldp_aggregator.commands.reports", "--engine"): ("aggregate",),
    ("ldp_aggregator.commands.main", "--as"): ("store",),
    ("ldp_aggregator.commands.main", "--yes-no"): ("new",),
    ("ldp_aggregator.commands.rappor", "--values"): ("rappor survey",),
    ("ldp_simulations.commands.new", "--output"): ("new",),
    ("ldp_simulations.commands.new", "--public"): ("serve",),
    ("ldp_simulations.commands.new", "--respondents"): ("simulate",),
    ("ldp_aggregator.analyses.rows.reading", "--question"): (
        "estimate",
        "analyze compare",
        "analyze trend",
    ),
    ("ldp_aggregator.commands.sources", "--question"): (
        "estimate",
        "analyze compare",
        "analyze trend",
    ),
    ("ldp_aggregator.commands.sources", "--counts"): OF_ROWS,
    ("ldp_aggregator.commands.sources", "--reports"): OF_ROWS,
    **{
        (f"ldp_aggregator.{module}", option): (
            *OF_ROWS,
            "analyze regress",
            "analyze weight",
        )
        for module in (
            "analyses.rows.codes",
            "analyses.rows.reading",
            "commands.sources",
        )
        for option in ("--answer", "--codes", "--rows")
    },
    **{
        (f"ldp_aggregator.{module}", "--design"): (
            "estimate",
            "analyze weight",
            "analyze regress",
        )
        for module in (
            "analyses.weighting.design_rows",
            "answers.results.remarks",
            "commands.analyses.regress",
        )
    },
    **{
        (f"ldp_aggregator.commands.{module}", option): ("estimate",)
        for module in ("reports", "sources")
        for option in ("--arm", "--by", "--design", "--where")
    },
    **{
        ("ldp_aggregator.commands.reports", option): ("estimate",)
        for option in ("--counts", "--mixed-by", "--batches", "--allow-equal")
    },
    **{
        ("ldp_aggregator.answers.trees.room", option): ("estimate",)
        for option in ("--at", "--finest", "--crowd")
    },
    ("ldp_aggregator.commands.reports", "--master"): ("aggregate",),
    ("ldp_service.counting.clock", "--reopen"): ("store doctor",),
    ("ldp_service.upkeep.backup", "--keep"): ("store backup",),
    ("ldp_service.upkeep.rotation", "--keep"): ("store backup",),
    ("ldp_aggregator.commands.register", "--html"): ("survey register show",),
    ("ldp_aggregator.commands.register", "--format"): ("survey register show",),
    ("ldp_aggregator.commands.register", "--survey"): ("survey register check-proof",),
    ("ldp_aggregator.versions.register_file", "--accept"): (
        "check",
        "survey register add",
    ),
    ("ldp_aggregator.versions.sources", "--against"): ("check",),
    **{
        ("ldp_aggregator.commands.reports", option): ("estimate",)
        for option in ("--by", "--where", "--stop-list")
    },
    **{
        ("ldp_aggregator.commands.group_options", option): (
            *COMMANDS_OF_A_TALLY,
            "analyze trend",
        )
        for option in ("--by", "--where", "--least-group")
    },
    ("ldp_aggregator.commands.group_options", "--released"): COMMANDS_OF_A_TALLY,
    ("ldp_aggregator.commands.reports", "--question"): (
        "analyze compare",
        "analyze trend",
        "explain",
    ),
    **{
        ("ldp_aggregator.commands.reports", option): ("explain",)
        for option in ("--certificate", "--shuffled", "--disclosure")
    },
    ("ldp_aggregator.commands.reports", "--mixed-by"): ("estimate",),
    ("ldp_aggregator.explanations.shuffled", "--colluding-share"): ("explain",),
    ("ldp_simulations.planning.shuffled_plan", "--local-ceiling"): ("plan",),
    ("ldp_aggregator.analyses.series.changes", "--value"): ("analyze trend",),
    **{
        ("ldp_aggregator.commands.output_options", option): ("estimate",)
        for option in ("--by", "--where", "--geography")
    },
    ("ldp_service.analysis.groups", "--by"): ("estimate",),
    ("ldp_service.uploads.desk", "--debug-tags"): ("serve",),
    **{
        ("ldp_service.relay.command", option): ("relay serve",)
        for option in ("--tls-certificate", "--tls-key")
    },
    **{
        ("ldp_service.relay.command", option): ("store tokens new",)
        for option in ("--name", "--scope")
    },
    **{
        ("ldp_aggregator.commands.output_options", option): (
            "estimate",
            "rappor import",
        )
        for option in (
            "--plot",
            "--at",
            "--finest",
            "--crowd",
            "--cells",
            "--detect",
            "--detect-level",
        )
    },
    ("ldp_aggregator.output.formats.html_page", "--line"): (),
    ("lab.coverage.page", "--results"): (),  # of a module that is a command of its own
}


def options_of(command):
    """The options of a command, which may be one of a group."""
    level = cli.main
    for word in command.split():
        level = level.get_command(click.Context(level), word)
    return {option for parameter in level.params for option in parameter.opts}


def advised():
    """(module, option) for every option that a text in our packages names, but for
    help.
    """
    for package in (ldp_client, ldp_aggregator, ldp_simulations):
        root = Path(package.__file__).parents[1]
        for path in Path(package.__file__).parent.rglob("*.py"):
            # A command of its own, which names its own options, and the headings of
            # helps.
            if path.name in {"__main__.py", "headings.py"}:
                continue
            module = ".".join(path.relative_to(root).with_suffix("").parts)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Raise | ast.Assign | ast.Return | ast.Call):
                    continue
                if (
                    isinstance(node, ast.Call)
                    and getattr(node.func, "attr", "") == "option"
                ):
                    continue
                # The headings of a long help.
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
                    continue
                texts = [
                    part.value
                    for part in ast.walk(node)
                    if isinstance(part, ast.Constant)
                ]
                for text in texts:
                    if isinstance(text, str) and " " in text:
                        yield from (
                            (module, option)
                            for option in re.findall(r"(?<!\S)--[a-z][a-z-]+", text)
                        )


def test_advice_can_be_followed():
    """Every option that a message names exists in each command that can show the
    message.
    """
    pairs = set(advised())
    assert ("ldp_simulations.answers", "--skip-invalid") in pairs
    assert ("ldp_aggregator.tallies.intake.paths", "--allow-equal") in pairs
    for module, option in sorted(pairs):
        assert module in ADVISING or (module, option) in ELSEWHERE, (
            f"{module} names {option}: in which commands?"
        )
        for command in ELSEWHERE.get((module, option)) or ADVISING.get(module, ()):
            assert option in options_of(command), (
                f"{module} advises {option}, which {command} has not"
            )


def test_skipping_is_possible_where_it_is_advised(folder):
    """A table with cells that do not fit is simulated without them, as the message
    says.
    """
    Path("answers.csv").write_text("pet\ncat\nunicorn\nnone\n")
    words = ("simulate", "survey.toml", "--population", "answers.csv", "-q")
    assert "--skip-invalid" in run(*words, code=1).stderr
    assert "2 respondents" in run(*words, "--skip-invalid").stdout
    assert "--population" in ldp("simulate survey.toml --skip-invalid", code=2).stderr


@pytest.mark.parametrize(
    "command",
    [
        "simulate survey.toml --respondents 9",
        "survey simulate-attacks survey.toml -n 9",
    ],
)
@pytest.mark.parametrize("wrong", ["--seed -1", "--runs 0", f"--runs {'9' * 30}"])
def test_numbers_no_one_can_mean_are_refused(command, wrong, folder):
    """A negative seed, or more runs than anything has memory for, is a message."""
    assert wrong.split()[0] in run(*command.split(), *wrong.split(), code=2).stderr


@pytest.mark.parametrize("host", ["\udcff", "a" * 70, "192.0.2.1"])
def test_an_address_that_is_none_is_a_message(host, folder):
    """Whatever the system makes of it; nothing is served."""
    assert (
        "expected to listen at"
        in run("serve", "survey.toml", "--host", host, "--port", "0", code=1).stderr
    )


def test_an_empty_address_is_not_taken_for_all(folder):
    """As of a variable that is not set: who wants to be reached by everybody says
    so.
    """
    assert (
        "expected an address"
        in run("serve", "survey.toml", "--host", "", "--port", "0", code=2).stderr
    )


@pytest.mark.parametrize("option", ["--drain", "--publish-minutes"])
def test_no_number_is_no_number_of_seconds_or_minutes(option, folder):
    """A range does not have "nan" in it, with which a service never ended."""
    done = run("serve", "survey.toml", "--open-uploads", option, "nan", code=2)
    assert "expected a number, got nan" in done.stderr
