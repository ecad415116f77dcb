"""`ldp aggregate --engine spark`: real executors, even if killed; the bytes of one
process.
"""

import os
import signal
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from engine_files import FILES, GROUPED_FILES, GROUPED_WHOLE, WHOLE, written
from spark_sessions import Gate, java_above, spark_at
from wire_samples import GROUPED_TEXT, TEXT, taken

from ldp_aggregator import encode_tally
from ldp_aggregator.commands.main import main
from ldp_aggregator.output.files import FileError
from ldp_aggregator.tallies.engines import spark as engine


@pytest.fixture
def local(tmp_path_factory):
    """Spark within this process's Java machine, on two threads."""
    with spark_at("local[2]", tmp_path_factory.mktemp("spark")) as spark:
        yield spark


def aggregate(line):
    """The result of `ldp aggregate`; whatever happens, no traceback."""
    result = CliRunner().invoke(main, ["aggregate", *line.split()])
    assert "Traceback" not in result.output
    return result


@pytest.mark.needs("pyspark", "java")
def test_spark_gives_the_bytes_of_one_process(local, tmp_path, monkeypatch):
    """With batches that meet in and across files, damaged, foreign and empty files, a
    tally.

    Ten parts merge by three at a time, so that the tree has branches. Of several paths
    of no use the first is named.
    """
    monkeypatch.setattr(engine, "FAN_IN", 3)
    monkeypatch.chdir(tmp_path)
    paths = written(tmp_path)
    absent = [str(tmp_path / "absent"), str(tmp_path / "absent as well")]
    with pytest.raises(FileError, match=f"No such file: {absent[0]}"):
        engine.count_on_spark(local, TEXT, [*paths[:2], *absent])
    (tmp_path / "survey.toml").write_text(TEXT)
    result = aggregate(
        f"survey.toml {' '.join(FILES)} --engine spark --master local[2] -o out"
    )
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out").read_bytes() == WHOLE
    alone = aggregate(f"survey.toml {' '.join(FILES)} -o alone")
    assert result.stderr.replace("out:", "alone:") == alone.stderr
    assert (tmp_path / "alone").read_bytes() == WHOLE
    # In the same session, which takes seconds to start: counts by attribute.
    grouped = written(tmp_path, GROUPED_FILES)
    assert engine.count_on_spark(local, GROUPED_TEXT, grouped) == GROUPED_WHOLE


@pytest.mark.needs("pyspark", "java", "linux")
def test_a_killed_executor_changes_nothing(tmp_path):
    """An executor is killed with half a file read.

    Another one counts what it had, and the bytes are the same.
    """
    chosen, killed = ("00-bad", "03-again", "04-twin-comes-second"), []
    paths = [path for path in written(tmp_path) if Path(path).name in chosen]
    expected = encode_tally(taken(*(FILES[name] for name in chosen)))

    def kill(readers):
        killed.extend({java_above(reader) for reader in readers})
        for executor in killed:
            os.kill(executor, signal.SIGKILL)

    folder = tmp_path / "spark"
    folder.mkdir()
    Path(paths[1]).unlink()
    gate = Gate(paths[1], FILES["03-again"], kill)
    try:
        with spark_at("local-cluster[2,1,1024]", folder) as spark:
            assert engine.count_on_spark(spark, TEXT, paths) == expected
    finally:
        gate.close()
    assert killed


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    """Without Java, without PySpark, and with a master that is not used: what to do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(TEXT)
    written(tmp_path)
    line = "survey.toml 09-new -o out"
    assert (
        "--master is for --engine spark" in aggregate(f"{line} --master local").stderr
    )
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install a Java runtime" in aggregate(f"{line} --engine spark").stderr
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    assert (
        "install it with 'ldpkit-aggregator[spark]'"
        in aggregate(f"{line} --engine spark").stderr
    )
    assert not (tmp_path / "out").exists()
