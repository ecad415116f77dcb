"""What commands read from and write to: files, pipes, devices, links, standard input
and output.

Devices are made by the tests, in their own folders; those of the machine are never
written to.
"""

import os
import stat
import subprocess
from pathlib import Path
from threading import Thread

import pytest
from calling import LDP, run
from click.testing import CliRunner
from surveys import SMALL

from ldp_aggregator.commands.main import main

NULL = os.makedev(1, 3)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "survey.toml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "answers.csv").write_text(
        "pet\n" + "cat\nЖ\nnone\n" * 20, encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    run("randomize", "survey.toml", "-i", "answers.csv", "-o", "reports")
    run("aggregate", "survey.toml", "reports", "-o", "tally")
    return tmp_path


def ldp(*words, given=b"", **settings):
    """The command in a process of its own; what it printed, as bytes."""
    return subprocess.run(
        [*LDP, *words],
        input=given,
        capture_output=True,
        timeout=120,
        check=False,
        **settings,
    )


def poured(path, content):
    """A pipe at this path, into which a thread writes."""
    os.mkfifo(path)
    thread = Thread(target=Path(path).write_bytes, args=(content,), daemon=True)
    thread.start()
    return thread


# Commands that write a file, and where; `{}` is the file.
WRITERS = {
    "check": "check survey.toml --compiled {}",
    "explain": "explain survey.toml --certificate {}",
    "aggregate": "aggregate survey.toml reports -o {}",
    "estimate": "estimate survey.toml tally -o {}",
    "estimate csv": "estimate survey.toml tally --format csv -o {}",
    "randomize": "randomize survey.toml -i answers.csv -o {}",
    "client codegen": "client codegen survey.toml -o {}",
}


@pytest.mark.parametrize("line", WRITERS.values(), ids=WRITERS)
def test_a_pipe_is_written_to_and_stays_a_pipe(line, folder):
    """The reader of a named pipe gets what a file would get, and the pipe is there
    afterwards.
    """
    os.mkfifo("pipe")
    read = []
    thread = Thread(target=lambda: read.append(Path("pipe").read_bytes()), daemon=True)
    thread.start()
    run(*line.format("pipe").split())
    thread.join(timeout=90)
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)
    run(*line.format("file").split())
    assert len(read[0]) == len((folder / "file").read_bytes()) > 0
    if "randomize" not in line:
        assert read[0] == (folder / "file").read_bytes()


@pytest.mark.parametrize(
    "line", [*WRITERS.values(), "estimate survey.toml tally --plot {}.svg"]
)
def test_a_device_stays_a_device(line, folder):
    """A device with the null device's numbers survives every command that writes to
    it.
    """
    name = "null.svg" if ".svg" in line else "null"
    try:
        os.mknod(name, 0o666 | stat.S_IFCHR, NULL)
        Path(name).write_bytes(b"")
    except OSError:
        pytest.skip("devices cannot be made here")
    before = sorted(folder.iterdir())
    run(*line.format("null").split())
    status = Path(name).stat()
    assert stat.S_ISCHR(status.st_mode)
    assert status.st_rdev == NULL
    assert sorted(folder.iterdir()) == before


def test_a_file_keeps_its_permissions(folder):
    """What only its owner may read stays so when it is replaced.

    A new file has the usual permissions.
    """
    Path("out").touch(mode=0o600)
    run("aggregate", "survey.toml", "reports", "-o", "out")
    assert stat.S_IMODE(Path("out").stat().st_mode) == 0o600
    Path("plain").touch()
    run("aggregate", "survey.toml", "reports", "-o", "new")
    assert stat.S_IMODE(Path("new").stat().st_mode) == stat.S_IMODE(
        Path("plain").stat().st_mode
    )


def test_root_acts_as_another_user(monkeypatch):
    """From before the command begins: groups first, as they cannot be given up later."""
    did = []
    for name in ("setgroups", "setgid", "setuid"):
        monkeypatch.setattr(os, name, lambda *to, name=name: did.append((name, *to)))
    run("store", "--as", "1234", "tokens", "new", code=2)
    assert did == [("setgroups", [1234]), ("setgid", 1234), ("setuid", 1234)]
    named = run("store", "--as", "no-one-at-all", "tokens", "list", code=2)
    assert "there is no such user" in named.output


@pytest.mark.parametrize("line", WRITERS.values(), ids=WRITERS)
def test_a_dash_is_standard_output(line, folder):
    """`-` gives what a file would get, and nothing else comes with it."""
    run(*line.format("file").split())
    result = run(*line.format("-").split())
    assert len(result.stdout_bytes) == len(Path("file").read_bytes())
    assert not Path("-").exists()


def test_standard_output_by_its_path(folder):
    """`-o /dev/stdout` into a pipe gives the bytes of the file."""
    result = ldp("aggregate", "survey.toml", "reports", "-o", "/dev/stdout")
    assert result.stdout == Path("tally").read_bytes()


def test_standard_output_into_a_file_loses_nothing_of_it(folder):
    """Where a shell has opened a file for us, what it holds stays, and so does what
    comes after.
    """
    Path("link").symlink_to("/dev/stdout")
    for name in ("/dev/stdout", "link"):
        with Path("all").open("wb") as file:
            file.write(b"before\n")
            file.flush()
            command = [
                *LDP,
                "estimate",
                "survey.toml",
                "tally",
                "--format",
                "csv",
                "-q",
                "-o",
                name,
            ]
            subprocess.run(command, stdout=file, check=True, timeout=120)
            file.write(b"after\n")
        lines = Path("all").read_bytes().splitlines()
        assert (lines[0], lines[-1], len(lines)) == (b"before", b"after", 6), name


READERS = {
    "check": ("check {}", "survey.toml"),
    "explain": ("explain {}", "survey.toml"),
    "client codegen": ("client codegen {}", "survey.toml"),
    "plan": ("plan {} -n 1000", "survey.toml"),
    "survey simulate-attacks": (
        "survey simulate-attacks {} -n 100 --seed 1",
        "survey.toml",
    ),
    "simulate": ("simulate {} --respondents 100 --seed 1", "survey.toml"),
    "simulate a table": (
        "simulate survey.toml --population {} --seed 1",
        "answers.csv",
    ),
    "simulate weights": (
        "simulate survey.toml --distribution file:{} --respondents 100 --seed 1",
        "weights.csv",
    ),
    "randomize": ("randomize survey.toml -q -i {} -o out", "answers.csv"),
    "aggregate": ("aggregate survey.toml {} -q -o out", "reports"),
    "estimate a survey": ("estimate {} tally -q", "survey.toml"),
    "estimate a tally": ("estimate survey.toml {} -q", "tally"),
    "rappor parameters": ("rappor survey --params {}", "params.csv"),
}


@pytest.mark.parametrize(("line", "source"), READERS.values(), ids=READERS)
@pytest.mark.parametrize("way", ["-", "pipe"])
def test_whatever_is_read_may_be_a_pipe(way, line, source, folder):
    """Standard input and a named pipe, such as `<(...)`, are as good as a file: read
    once.
    """
    Path("weights.csv").write_text("question,value,weight\npet,cat,3\npet,none,1\n")
    Path("params.csv").write_text("k,h,m,p,q,f\n16,2,2,0.5,0.75,0.5\n")
    content = Path(source).read_bytes()
    expected = run(*line.format(source).split()).stdout
    if way == "-":
        result = CliRunner().invoke(main, line.format("-").split(), input=content)
        assert result.exit_code == 0, result.output
    else:
        thread = poured("pipe", content)
        result = run(*line.format("pipe").split())
        thread.join(timeout=90)
    if "plan" not in line:  # which measures times
        assert (
            result.stdout.replace(f"of {'-' if way == '-' else 'pipe'}", f"of {source}")
            == expected
        )


def test_standard_input_is_read_once(folder):
    """Two files from standard input are refused: the second would be empty."""
    result = ldp("estimate", "-", "-", given=SMALL.encode())
    assert result.returncode == 1
    assert b"twice" in result.stderr
    assert b"Traceback" not in result.stderr


def test_two_results_do_not_share_standard_output(folder):
    """A picture or an export between the lines of a table is of no use to anybody."""
    assert (
        "--output"
        in run("estimate", "survey.toml", "tally", "--plot", "-", code=2).stderr
    )
    assert run(
        "estimate", "survey.toml", "tally", "--plot", "-", "-o", "out"
    ).stdout.startswith("<svg")


def test_no_picture_is_written_to_a_terminal(folder):
    """It would steer the terminal; into a pipe it goes as it is."""
    words = [*LDP, "estimate", "survey.toml", "tally", "-q", "--format", "png"]
    reading, terminal = os.openpty()
    result = subprocess.run(
        words, stdout=terminal, stderr=subprocess.PIPE, timeout=120, check=False
    )
    os.close(terminal)
    os.close(reading)
    assert result.returncode == 2
    assert b"--output" in result.stderr
    piped = subprocess.run(words, capture_output=True, timeout=120, check=True)
    assert piped.stdout.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "line", ["estimate survey.toml tally", "client codegen survey.toml"]
)
def test_a_reader_that_goes_away_is_no_error(line, folder):
    """`| head` closes the pipe: the command ends without a word, and does not claim
    success.
    """
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run(
        [*LDP, *line.split()],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=120,
        check=False,
    )
    os.close(writing)
    assert result.returncode == 1
    assert b"rror" not in result.stderr.replace(b"rejected", b"")


def test_a_full_disk_is_a_message(folder):
    """What cannot be written is said in a line, for results on standard output too."""
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    for line in ("estimate survey.toml tally -q", "client codegen survey.toml"):
        with Path("/dev/full").open("wb") as full:
            result = subprocess.run(
                [*LDP, *line.split()],
                stdout=full,
                stderr=subprocess.PIPE,
                timeout=120,
                check=False,
            )
        assert result.returncode == 1
        assert b"No space left" in result.stderr
        assert b"Traceback" not in result.stderr


@pytest.mark.parametrize("line", WRITERS.values(), ids=WRITERS)
def test_a_standard_output_that_was_closed_is_told_of(line, folder):
    """`>&-` in a shell: a message and 1, and nothing is written elsewhere in its
    place.
    """
    before = sorted(folder.iterdir())
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *LDP, *line.format("-").split()],
        capture_output=True,
    )
    assert done.returncode == 1
    assert b"expected a standard output to write to, got a closed one" in done.stderr
    assert b"Traceback" not in done.stderr
    assert sorted(folder.iterdir()) == before


def test_a_standard_input_that_was_closed_is_told_of(folder):
    """`<&-` in a shell: a message and 1."""
    for line in (
        "aggregate survey.toml - -o out",
        "check -",
        "randomize survey.toml -i - -o out",
    ):
        done = subprocess.run(
            ["sh", "-c", 'exec "$@" <&-', "sh", *LDP, *line.split()],
            capture_output=True,
        )
        assert done.returncode == 1
        assert b"expected a standard input to read, got a closed one" in done.stderr
        assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "line", ["--help", "--version", "estimate --help", "check survey.toml"]
)
def test_help_that_cannot_be_printed_is_no_traceback(line, folder):
    """A full disk behind standard output."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*LDP, *line.split()], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
