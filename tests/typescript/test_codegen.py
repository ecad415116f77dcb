"""`ldp client codegen --language typescript`: modules that compile strictly, and
randomize.

Skipped where node or the built client is missing.
"""

import json
import subprocess

import pytest
from calling import run
from js_client import NODE, PACKAGE
from places import EXAMPLE_SURVEYS

from ldp import parse_survey
from ldp_aggregator import Ingest
from ldp_client.tools.codegen_typescript import module

pytestmark = pytest.mark.needs("node", "built client")

COMPILERS = ("typescript", "typescript-5.0")
STRICT = (
    *("--strict", "--noUnusedLocals", "--target", "es2022", "--lib", "es2022,dom"),
    *("--module", "node16"),
)

EVERY_TYPE = r"""
[survey]
name = "types"
lifetime_epsilon = "50"
[[question]]
name = "a.b"
text = 'Say "yes" \ or */ no'
type = "boolean"
mechanism = "grr"
epsilon = 1
[[question]]
name = "class"
type = "category"
values = ["it's", 'a "quoted" one', "back\\slash", "Größe"]
mechanism = "l-grr"
epsilon_first = 1
epsilon_lifetime = 2
[[question]]
name = "A-b"
type = "integer"
low = -3
high = 8
per_device = "mean"
mechanism = "dithered"
epsilon = 1
[[question]]
name = "a_b"
type = "multi"
values = ["x", "y", "z", "w"]
most = 2
mechanism = "pad-ss"
epsilon = 1
[[question]]
name = "3rd"
type = "text"
mechanism = "heavy-hitters"
epsilon = 1
[[question]]
name = "hours"
type = "number"
low = 0
high = 24
step = "0.5"
mechanism = "arcs"
epsilon = 1
[[question]]
name = "load"
type = "vector"
dimensions = 2
radius = 1
mechanism = "codebook"
epsilon = 2
[[question]]
name = "row"
type = "table"
field = [
    { name = "smokes", type = "boolean" },
    { name = "how-old", type = "number", edges = [0, 18, 65] },
]
mechanism = "grr"
epsilon = 1
[[question]]
name = "home"
type = "place"
x = { low = 0, high = 1 }
y = { low = 0, high = 1 }
cells = 4
mechanism = "pyramid"
epsilon = 1
[[question]]
name = "apps"
type = "key-value"
keys = ["mail", "maps"]
most = 2
low = 0
high = 60
mechanism = "pad-grr"
epsilon = 1
[[question]]
name = "town"
type = "category"
values = ["Cork", "Lyon", "Bern"]
parents = { Cork = "islands" }
mechanism = "taxonomy"
epsilon = 1
"""

USE = """
import { Client, reportBytes } from "ldpkit-client";
import * as answers from "./answers.js";

const client = new Client(answers.survey, { lifetimeCap: "1000" });
const reports = [
  await answers.recordAB(client, true),
  await answers.recordClass(client, 'a "quoted" one'),
  await answers.recordAB2(client, [3, 4n]),
  await answers.recordAB3(client, new Set<"x" | "y">(["x"])),
  await answers.record3rd(client, "anything"),
  await answers.recordHours(client, 7.25),
  await answers.recordLoad(client, Float64Array.of(0.5, 0.5)),
  await answers.recordRow(client, { "smokes": true, "how-old": 64 }),
  await answers.recordHome(client, { x: 0.3, y: 1 }),
  await answers.recordApps(client, { mail: 3 }),
  await answers.recordTown(client, "Cork"),
];
const terms = [answers.TERMS, answers.survey.terms];
console.log(JSON.stringify({ terms, reports: [...reportBytes(reports)] }));
"""

DAILY = """
import { EmbeddedClient, MemoryStore } from "ldpkit-client";
import { recordClass, recordClassDaily, survey } from "./answers.js";

const client = new EmbeddedClient(survey, { store: new MemoryStore(), lifetimeCap: "1000" });
const outcomes: boolean[] = [
  await recordClassDaily(client, "it's"),
  await recordClassDaily(client, "Größe"),
  await recordClass(client, "Größe"),
];
console.log(JSON.stringify([outcomes, client.counts()]));
"""

WRONG = """
import { Client } from "ldpkit-client";
import * as answers from "./answers.js";

export async function use(client: Client): Promise<void> {
  await answers.recordAB(client, "yes");
  await answers.recordClass(client, "its");
  await answers.recordAB3(client, ["v"]);
  await answers.recordApps(client, { games: 3 });
  await answers.recordRow(client, { "smokes": true });
  await answers.recordAB(client, false);
}
"""


@pytest.fixture
def app(tmp_path):
    """A folder in which the package is installed."""
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "ldpkit-client").symlink_to(PACKAGE)
    (tmp_path / "package.json").write_text('{ "type": "module" }')
    return tmp_path


def compiled_by(compiler, app, *arguments):
    """What a compiler says."""
    command = [
        NODE,
        PACKAGE / "node_modules" / compiler / "bin" / "tsc",
        *STRICT,
        *arguments,
    ]
    done = subprocess.run(
        command, cwd=app, capture_output=True, text=True, check=False, timeout=300
    )
    return done.stdout


@pytest.mark.parametrize("compiler", COMPILERS)
def test_modules_of_all_surveys_compile_strictly(compiler, app):
    """Of every example, and of a survey with every type of question."""
    surveys = [path.read_text(encoding="utf-8") for path in EXAMPLE_SURVEYS]
    for number, survey in enumerate([*surveys, EVERY_TYPE]):
        (app / f"answers{number}.ts").write_text(
            module(parse_survey(survey)), encoding="utf-8"
        )
    names = [path.name for path in app.glob("*.ts")]
    assert len(names) == len(EXAMPLE_SURVEYS) + 1 > 4
    assert compiled_by(compiler, app, "--noEmit", *names) == ""


def test_generated_functions_record(app):
    """Compiled and run, they make a report of each question, which an aggregator
    accepts.
    """
    survey = parse_survey(EVERY_TYPE)
    (app / "answers.ts").write_text(module(survey), encoding="utf-8")
    (app / "use.ts").write_text(USE, encoding="utf-8")
    assert compiled_by("typescript", app, "use.ts") == ""
    command = [NODE, "use.js"]
    done = subprocess.run(
        command, cwd=app, capture_output=True, check=True, timeout=120
    )
    answer = json.loads(done.stdout)
    assert answer["terms"] == [survey.terms.hex()] * 2
    ingest = Ingest(survey)
    ingest.feed(bytes(answer["reports"]))
    ingest.end_of_stream()
    assert (
        ingest.tally.intake.accepted
        == ingest.tally.intake.received
        == len(list(survey))
    )


def test_what_is_memoized_has_a_daily_function(app):
    """It records the first answer of a day, by clients that can do so: not by a
    `Client`.
    """
    (app / "answers.ts").write_text(module(parse_survey(EVERY_TYPE)), encoding="utf-8")
    (app / "daily.ts").write_text(DAILY, encoding="utf-8")
    assert compiled_by("typescript", app, "daily.ts") == ""
    done = subprocess.run(
        [NODE, "daily.js"], cwd=app, capture_output=True, check=True, timeout=120
    )
    assert json.loads(done.stdout) == [[True, False, True], {"recorded": 2, "daily": 1}]
    other = DAILY.replace("{ store: new MemoryStore(), ", "{ ").replace(
        "EmbeddedClient", "Client"
    )
    (app / "other.ts").write_text(other, encoding="utf-8")
    assert "recordDaily" in compiled_by("typescript", app, "--noEmit", "other.ts")


def test_a_compiler_finds_wrong_values(app):
    """Each wrong answer is reported, and the right one is not."""
    (app / "answers.ts").write_text(module(parse_survey(EVERY_TYPE)), encoding="utf-8")
    (app / "wrong.ts").write_text(WRONG, encoding="utf-8")
    said = compiled_by("typescript", app, "--noEmit", "wrong.ts").splitlines()
    lines = [
        line.split("(")[1].split(",")[0]
        for line in said
        if line.startswith("wrong.ts(")
    ]
    assert lines == ["6", "7", "8", "9", "10"], said


def test_groups_are_answered_together(app):
    """By one function, for clients that answer so."""
    survey = parse_survey(
        EVERY_TYPE.replace("[[question]]", 'joint = ["a.b", "row"]\n[[question]]', 1)
    )
    source = module(survey)
    assert "client.recordTogether(answers)" in source
    assert '/** Say "yes" \\ or *\\/ no; row */\nexport function recordABRow<' in source
    (app / "answers.ts").write_text(source, encoding="utf-8")
    assert compiled_by("typescript", app, "--noEmit", "answers.ts") == ""


def test_the_command_writes_either_language(tmp_path):
    """Python unless it is told otherwise."""
    path = EXAMPLE_SURVEYS[0]
    survey = parse_survey(path.read_text(encoding="utf-8"))
    assert run("client", "codegen", path, "--language", "typescript").output == module(
        survey
    )
    assert (
        run("client", "codegen", path).output
        == run("client", "codegen", path, "--language", "python").output
    )
