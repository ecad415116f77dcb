"""`ldp check`, `explain`, `aggregate` and `estimate`, called as people call them."""

import csv
import io
import json
import os
import random
import signal
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest
from calling import ldp
from surveys import COMMUTE, COMMUTE_SURVEY

from ldp_aggregator import Ingest, decode_tally, encode_tally
from ldp_aggregator.commands import main as cli
from ldp_aggregator.output.formats.formats import FORMATS
from ldp_client import Client, report_bytes

RESPONDENTS = 300
TRANSPORT = ("car", "car", "bus", "bike")


def reports(seed):
    """The reports of 300 respondents, on fixed noise."""
    noise = random.Random(seed).randbytes
    recorded = []
    for number in range(RESPONDENTS):
        client = Client(COMMUTE_SURVEY, random=noise)
        recorded.append(client.record("smoker", number % 4 == 0))
        recorded.append(client.record("transport", TRANSPORT[number % 4]))
        recorded.append(client.record("homepage", f"{'ab'[number % 2]}.org"))
    return report_bytes(recorded, size=50, random=noise)


FIRST, SECOND = reports(1), reports(2)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a survey, its candidates, two report files and a tally of the
    first.
    """
    (tmp_path / "survey.toml").write_text(COMMUTE)
    (tmp_path / "homepages.txt").write_text("a.org\nb.org\nc.org\n")
    (tmp_path / "first").write_bytes(FIRST)
    (tmp_path / "second").write_bytes(SECOND)
    (tmp_path / "tally").write_bytes(encode_tally(tally_of(FIRST)))
    (tmp_path / "other.toml").write_text(
        COMMUTE.replace('epsilon = "1"', 'epsilon = "2"').replace("0.75", "0.8")
    )
    (tmp_path / "junk").write_bytes(random.Random(3).randbytes(5000))
    (tmp_path / "damaged").write_bytes(encode_tally(tally_of(FIRST))[:-7])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tally_of(*files):
    """What the library makes of report files."""
    ingest = Ingest(COMMUTE_SURVEY)
    for file in files:
        ingest.file(io.BytesIO(file))
    return ingest.tally


def test_check_prints_the_fingerprints(folder):
    """One line for the survey and one for each question, on standard output."""
    lines = ldp("check survey.toml").stdout.splitlines()
    assert lines[0] == f"{COMMUTE_SURVEY.fingerprint.hex()}  commute-2026"
    assert lines[1:] == [
        f"{question.fingerprint.hex()}  {question.name} ({question.mechanism})"
        for question in COMMUTE_SURVEY
    ]


def test_check_lists_every_problem(folder):
    """All problems at once, each with the file and the place."""
    (folder / "bad.toml").write_text(
        '[survey]\nname = "no good"\n[[question]]\nname = "x"\ntype = '
        '"boolen"\nepsilom = 1\n'
    )
    messages = ldp("check bad.toml", 1).stderr
    assert all(
        f"bad.toml: {place}" in messages
        for place in ("survey.name", "question 1 (x).type", "question 1 (x).epsilom")
    )


def test_explain_says_what_a_report_costs(folder):
    """Declared and delivered epsilon, both memoized ones, totals, sizes and plain
    words.
    """
    text = ldp("explain survey.toml").stdout
    for fragment in (
        "smoker: warner, 2 values",
        "declared epsilon    1",
        "delivered epsilon   0.9999999",
        "homepage: rappor, open vocabulary",
        "eps_1 ",
        "eps_t   (t reports, answer unchanged)    2.",
        "eps_inf ",
        "18 bytes, the same for every answer",
        "50 % likely may come to think it 73.2% likely",
        "total for one respondent",
        "most that a device ever charges, whatever changes: epsilon ",
        f"fingerprint         {COMMUTE_SURVEY.fingerprint.hex()}",
        f"terms               {COMMUTE_SURVEY.terms.hex()}",
        "certificate ",
    ):
        assert fragment in text


def test_a_lifetime_that_is_too_short_is_warned_about(folder):
    """A survey that can cost more than a device may spend warns, and says where it
    stops.
    """
    (folder / "short.toml").write_text(
        COMMUTE.replace("[survey]", '[survey]\nlifetime_epsilon = "3"', 1)
    )
    result = ldp("explain short.toml")
    assert "and it stops at 3 (lifetime_epsilon)" in result.stdout
    assert "lifetime_epsilon 3 is less than its questions can cost" in result.stderr
    (folder / "long.toml").write_text(
        COMMUTE.replace("[survey]", '[survey]\nlifetime_epsilon = "30"', 1)
    )
    assert "lifetime_epsilon" not in ldp("explain long.toml").stderr


def test_explain_writes_the_certificate(folder):
    """The certificate is JSON, and names the survey, every question, and their
    fingerprints.
    """
    ldp("explain survey.toml --certificate certificate.json")
    record = json.loads((folder / "certificate.json").read_text())
    assert (record["survey"], record["fingerprint"]) == (
        "commute-2026",
        COMMUTE_SURVEY.fingerprint.hex(),
    )
    assert record["terms"] == COMMUTE_SURVEY.terms.hex()
    assert {
        question["name"]: question["fingerprint"] for question in record["questions"]
    } == {question.name: question.fingerprint.hex() for question in COMMUTE_SURVEY}


def test_unbounded_spending_is_warned_about(folder):
    """RAPPOR without permanent noise gives a warning on standard error, not in the
    output.
    """
    (folder / "bare.toml").write_text(
        COMMUTE.replace('f = "0.5"', 'f = "0"').replace('p = "0.5"', 'p = "0.25"')
    )
    for command in ("check", "explain"):
        result = ldp(f"{command} bare.toml")
        assert "INFINITE" in result.stderr
        assert "warning" not in result.stdout
    assert ": epsilon UNBOUNDED in total" in ldp("explain bare.toml").stdout


@pytest.mark.parametrize(
    "paths",
    [
        "first second",
        "second first",
        "first first second",
        "tally second",
        "second tally",
    ],
)
def test_aggregate_counts_reports_and_tallies(paths, folder):
    """In any order, from reports or tallies, with a file given twice: one tally of all
    reports.
    """
    ldp(f"aggregate survey.toml {paths} -o out")
    tally = decode_tally((folder / "out").read_bytes(), COMMUTE_SURVEY)
    expected = tally_of(FIRST, SECOND)
    assert {name: counts.tolist() for name, counts in tally.counts.items()} == {
        name: counts.tolist() for name, counts in expected.counts.items()
    }


def test_the_intake_is_reported_on_standard_error(folder):
    """All received = accepted + duplicate + rejected, with reasons.

    `--quiet` keeps it to itself.
    """
    (folder / "mixed").write_bytes(FIRST + b"junk" + FIRST[:500] + SECOND)
    result = ldp("aggregate survey.toml mixed -o out")
    assert (
        "42 batches received = 36 accepted + 4 duplicate + 2 rejected" in result.stderr
    )
    assert "2 frame-damaged" in result.stderr
    assert result.stdout == ""
    quiet = ldp("aggregate survey.toml mixed -o out --quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "")


KEYS = (
    "mechanism",
    "epsilon",
    "reports",
    "level",
    "estimand",
    "simultaneous",
    "post_process",
    "values",
)
VALUE_KEYS = ("value", "count", "frequency", "standard_error", "interval")


def test_json_has_the_documented_format(folder):
    """The names and types that readers of the JSON rely on.

    What else there is stands beside them.
    """
    record = json.loads(ldp("estimate survey.toml first --format json -q").stdout)
    assert list(record) == ["format", "version", "survey", "questions"]
    assert record["format"] == 1
    assert record["survey"] == {
        "name": "commute-2026",
        "fingerprint": COMMUTE_SURVEY.fingerprint.hex(),
    }
    assert list(record["questions"]) == ["smoker", "transport", "homepage"]
    for question in record["questions"].values():
        assert [key for key in question if key in KEYS] == list(KEYS)
        others = {
            "interval",
            "simultaneous_method",
            "biased",
            "note",
            "unallocated",
            "checks",
            "manipulation",
        }
        assert question.keys() - KEYS <= others
        assert all(tuple(value) == VALUE_KEYS for value in question["values"])
    transport = record["questions"]["transport"]
    assert {key: transport[key] for key in KEYS[2:7]} == {
        "reports": RESPONDENTS,
        "level": 0.95,
        "estimand": "population",
        "simultaneous": False,
        "post_process": None,
    }
    assert transport["mechanism"] == "oue"
    assert transport["epsilon"]["declared"] == "1"
    assert 0.999999 < transport["epsilon"]["delivered"] <= 1
    assert [value["value"] for value in transport["values"]] == [
        "car",
        "bus",
        "bike",
        "walk",
    ]
    for value in transport["values"]:
        assert value["count"] == pytest.approx(RESPONDENTS * value["frequency"])
        assert 0 <= value["interval"][0] <= value["interval"][1] <= 1
    assert [value["value"] for value in record["questions"]["homepage"]["values"]] == [
        "a.org",
        "b.org",
        "c.org",
    ]


def test_options_reach_the_estimates(folder):
    """Each option is in the JSON that it changes."""
    options = "--level 0.5 --estimand population --simultaneous --post-process norm-sub"
    line = f"estimate survey.toml tally --format json -q {options}"
    question = json.loads(ldp(line).stdout)["questions"]["transport"]
    assert [question[key] for key in KEYS[3:7]] == [0.5, "population", True, "norm-sub"]
    assert sum(value["frequency"] for value in question["values"]) == pytest.approx(1)


def test_reports_and_their_tally_give_the_same_estimates(folder):
    """It does not matter whether the reports or the tally are read."""
    ldp("aggregate survey.toml first second -o both")
    assert (
        ldp("estimate survey.toml both -q --format csv").stdout
        == ldp("estimate survey.toml first second -q --format csv").stdout
    )


def test_csv_is_one_record_for_each_value(folder):
    """A header and 2 + 4 + 3 records."""
    records = list(
        csv.reader(
            io.StringIO(ldp("estimate survey.toml first -q --format csv").stdout)
        )
    )
    assert records[0] == [
        "question",
        "value",
        "count",
        "frequency",
        "standard_error",
        "low",
        "high",
    ]
    assert [record[:2] for record in records[1:4]] == [
        ["smoker", "false"],
        ["smoker", "true"],
        ["transport", "car"],
    ]
    assert len(records) == 10


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "html"])
def test_a_file_gets_what_standard_output_gets(form, folder):
    """`--output` writes the same bytes, undecorated, and prints nothing."""
    shown = ldp(f"estimate survey.toml first -q --format {form}").stdout
    assert ldp(f"estimate survey.toml first -q --format {form} -o out").stdout == ""
    assert (folder / "out").read_text() == shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(
            name, marks=[pytest.mark.needs("pyarrow")] if name == "parquet" else []
        )
        for name in FORMATS
        if name != "table"
    ],
)
def test_the_ending_of_a_file_says_its_format(form, folder):
    """Unless `--format` does; a name without an ending is that of a table, others are
    refused.
    """
    name = f"out.{FORMATS[form].ending}"
    ldp(f"estimate survey.toml first -q -o {name}")
    ldp(f"estimate survey.toml first -q -o bare --format {form}")
    assert (folder / name).read_bytes() == (folder / "bare").read_bytes()
    ldp(f"estimate survey.toml first -q -o {name} --format table")
    ldp("estimate survey.toml first -q -o out")
    assert (folder / name).read_bytes() == (folder / "out").read_bytes()
    refused = ldp("estimate survey.toml first -q -o out.xlsx", code=2).output
    assert f".{FORMATS[form].ending}" in refused
    assert "got out.xlsx; --format says" in " ".join(refused.split())
    assert not (folder / "out.xlsx").exists()
    assert "transport: " in (folder / name).read_text(encoding="utf-8")


def test_a_link_stays_a_link(folder):
    """Writing through a link replaces what it points to: no device is lost to
    `--output`.
    """
    (folder / "link").symlink_to("target")
    ldp("aggregate survey.toml first -o link")
    assert (folder / "link").is_symlink()
    assert (folder / "target").read_bytes() == (folder / "tally").read_bytes()


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_plots_are_pictures(ending, start, folder):
    """The ending decides what kind; the table is printed all the same."""
    assert (
        "transport"
        in ldp(f"estimate survey.toml first -q --plot picture.{ending}").stdout
    )
    assert (folder / f"picture.{ending}").read_bytes().startswith(start)


# (command line, exit code, what must be said)
FAILURES = [
    ("check missing.toml", 1, "missing.toml"),
    ("check .", 1, "directory"),
    ("check junk", 1, "junk"),
    ("explain junk", 1, "junk"),
    ("explain survey.toml --certificate missing/certificate", 1, "missing/certificate"),
    ("aggregate survey.toml first -o missing/out", 1, "missing/out"),
    ("aggregate survey.toml first -o .", 1, "expected to write"),
    ("aggregate survey.toml missing -o out", 1, "missing"),
    ("aggregate survey.toml . -o out", 1, "directory"),
    ("aggregate survey.toml junk -o out", 1, "frame-damaged"),
    ("aggregate survey.toml damaged -o out", 1, "damaged"),
    (
        "aggregate other.toml tally -o out",
        1,
        COMMUTE_SURVEY["smoker"].fingerprint.hex(),
    ),
    ("aggregate other.toml first -o out", 1, "fingerprint"),
    ("aggregate survey.toml -o out", 2, "REPORTS"),
    ("aggregate survey.toml first", 2, "--output"),
    ("estimate junk first -o out", 1, "junk"),
    ("estimate survey.toml junk -o out", 1, "frame-damaged"),
    ("estimate survey.toml damaged -o out", 1, "damaged"),
    ("estimate survey.toml first -o missing/out", 1, "missing/out"),
    ("estimate survey.toml first --plot missing/out.svg", 1, "missing/out.svg"),
    ("estimate survey.toml first --plot out.pdf -o out", 2, ".svg or .png"),
    ("estimate survey.toml first --level 1.5 -o out", 1, "between 0 and 1"),
    ("estimate survey.toml first --level high -o out", 2, "--level"),
    ("estimate survey.toml first --level nan -o out", 1, "between 0 and 1"),
    ("estimate survey.toml first --format xml -o out", 2, "xml"),
    ("estimate survey.toml first --estimand everyone -o out", 2, "everyone"),
    ("estimate survey.toml first --interval clopper-pearson -o out", 1, "homepage"),
    ("nonsense", 2, "nonsense"),
]


@pytest.mark.parametrize(("line", "code", "said"), FAILURES)
def test_failures_are_messages_and_leave_files_alone(line, code, said, folder):
    """A failing command says what is wrong in a few lines, exits non-zero and leaves no
    file.
    """
    (folder / "out").write_text("precious")
    before = sorted(path.name for path in folder.iterdir())
    result = ldp(line, code)
    assert said in result.stderr
    assert result.stdout == ""
    assert (folder / "out").read_text() == "precious"
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize(
    ("candidates", "said"), [(None, "homepages.txt"), (b"ok\n\xff", "UTF-8")]
)
@pytest.mark.parametrize(
    "command", ["check survey.toml", "estimate survey.toml first -o out"]
)
def test_bad_candidate_files_are_messages(command, candidates, said, folder):
    """A candidate file that is missing or no text is named."""
    (folder / "homepages.txt").unlink()
    if candidates is not None:
        (folder / "homepages.txt").write_bytes(candidates)
    assert said in ldp(command, 1).stderr
    assert not (folder / "out").exists()


def process(folder, *words):
    """The command in a process of its own."""
    # Ctrl-C is heard even if the tests run in the background, where a shell has it
    # ignored.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [
        sys.executable,
        "-c",
        f"{code}; from ldp_aggregator.commands.main import main; main()",
        *words,
    ]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def interrupted(running):
    """What a process prints when told to stop, twice, as the first may come before it
    waits.
    """
    for _ in range(10):
        running.send_signal(signal.SIGINT)
        try:
            # Long enough that none comes while it ends because of the one before.
            return running.communicate(timeout=15)[1]
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError("ten interrupts did not stop it")


def test_an_interrupt_leaves_no_half_written_file(folder):
    """Ctrl-C in the midst of reading: exit code 130, one word, and the old output as it
    was.
    """
    (folder / "out").write_text("precious")
    os.mkfifo(folder / "pipe")
    running = process(folder, "aggregate", "survey.toml", "pipe", "-o", "out")
    with (folder / "pipe").open("wb") as pipe:  # opens as soon as the command reads
        pipe.write(FIRST)
        pipe.flush()
        before = sorted(path.name for path in folder.iterdir())
        words = interrupted(running)
    assert running.returncode == 130
    assert words.split() == ["interrupted"]
    assert (folder / "out").read_text() == "precious"
    assert [name for name in before if not name.startswith(".")] == sorted(
        path.name for path in folder.iterdir()
    )


def test_a_pipe_without_a_terminal_gets_no_progress_bar(folder):
    """Where the output is no terminal, standard error has the one line about the
    intake.
    """
    running = process(
        folder, "aggregate", "survey.toml", "first", "second", "-o", "out"
    )
    shown, messages = running.communicate(timeout=120)
    assert (running.returncode, shown) == (0, "")
    assert len(messages.splitlines()) == 1
    assert "\x1b" not in messages


def test_help_is_quick(folder):
    """`ldp --help` lists every command without loading numpy, scipy, rich or
    matplotlib.
    """
    code = """
import sys
from ldp_aggregator.commands.main import main
try:
    main(["--help"])
finally:
    print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert set(done.stderr.split()).isdisjoint({"numpy", "scipy", "rich", "matplotlib"})
    assert all(
        f"  {command} " in done.stdout
        for command in ("check", "explain", "aggregate", "estimate")
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("no_such_module:command", "no_such_module"),
        ("json:no_such_command", "no_such_command"),
        ("this_fails:x", "oh"),
    ],
)
def test_a_broken_package_takes_nothing_down(value, said, folder, monkeypatch):
    """A command that cannot be loaded is listed, and says why when called.

    The others work.
    """
    (folder / "this_fails.py").write_text("raise RuntimeError('oh')")
    monkeypatch.syspath_prepend(folder)
    known = cli.entry_points
    broken = EntryPoint("broken", value, cli.COMMANDS)

    def with_broken(**selected):
        points = list(known(**selected))
        return (
            [*points, broken] if selected.get("name", "broken") == "broken" else points
        )

    monkeypatch.setattr(cli, "entry_points", with_broken)
    listed = ldp("--help").stdout
    assert "broken" in listed
    assert "estimate" in listed
    assert said in ldp("broken", 1).stderr
    ldp("check survey.toml")


@pytest.mark.parametrize("command", ["", "check", "explain", "aggregate", "estimate"])
def test_every_command_has_help(command):
    """Usage and a sentence, exit code 0."""
    assert "Usage:" in ldp(f"{command} --help").stdout


def test_the_version_is_printed():
    """The version of the core."""
    assert ldp("--version").stdout.startswith("ldp, version ")
