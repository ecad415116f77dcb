"""Sessions of Spark for tests, made for short lives.

And a path that says who reads it, and when.
"""

import os
import threading
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

# The first compiler of Java is enough for seconds, and compiling queries takes longer than running
# them.
_JAVA = "'-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'"
SETTINGS = {
    "spark.driver.extraJavaOptions": _JAVA,
    "spark.executor.extraJavaOptions": _JAVA,
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
}


@contextmanager
def spark_at(master, folder):
    """The session of `start_spark`, with the settings above, stopped in the end.

    What it leaves is left in `folder`.
    """
    import pyspark

    from ldp_aggregator.engines.spark import start_spark

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        # Spark leaves sockets of its own to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        for part in Path(pyspark.__file__).parent.iterdir():
            (folder / part.name).symlink_to(part)
        patch.setenv("SPARK_HOME", str(folder))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        settings = [f"--conf {name}={value}" for name, value in SETTINGS.items()]
        patch.setenv("PYSPARK_SUBMIT_ARGS", " ".join([*settings, "pyspark-shell"]))
        spark = start_spark(master, show_progress=False)
        try:
            yield spark
        finally:
            spark.stop()
            _end_java()


def _end_java():
    """Let the next session begin with a Java machine of its own."""
    from pyspark import SparkContext

    SparkContext._gateway.shutdown()
    SparkContext._gateway.proc.stdin.close()
    SparkContext._gateway.proc.wait(60)
    SparkContext._gateway = SparkContext._jvm = None


class Gate:
    """A named pipe among the paths: its first reader waits for us, who know who reads, and when.

    Linux only.

    That one gets half of the content, and is in the hands of `interrupt(pid)` before it gets more.
    By then a file with the whole content has taken the place of the pipe, for all others.
    """

    def __init__(self, path, content, interrupt):
        os.mkfifo(path)
        self.reader = None
        self._path, self._content, self._interrupt = Path(path), content, interrupt
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self):
        """Wait for no one any more."""
        if self.reader is None:
            os.close(os.open(self._path, os.O_RDONLY | os.O_NONBLOCK))
        self._thread.join(10)
        assert not self._thread.is_alive()

    def _serve(self):
        with self._path.open("wb", buffering=0) as pipe:  # opens once somebody reads
            self.reader = self._who_reads()
            pipe.write(self._content[: len(self._content) // 2])
            whole = self._path.with_suffix(".whole")
            whole.write_bytes(self._content)
            whole.replace(self._path)
            self._interrupt(self.reader)

    def _who_reads(self):
        """The process that has the pipe open, other than this one."""
        for _ in range(1000):
            for process in Path("/proc").glob("[1-9]*"):
                if int(process.name) != os.getpid() and _has_open(process, str(self._path)):
                    return int(process.name)
            time.sleep(0.01)
        raise AssertionError("expected a process that reads the pipe")


def _has_open(process, path):
    try:
        return any(os.path.realpath(link) == str(path) for link in (process / "fd").iterdir())
    except OSError:
        return False


def java_above(pid):
    """The nearest process above this one that is a Java machine: of a worker's, the executor."""
    while pid > 1:
        words = Path(f"/proc/{pid}/stat").read_text()
        if words[words.index("(") + 1 : words.rindex(")")] == "java":
            return pid
        pid = int(words[words.rindex(")") + 2 :].split()[1])
    raise AssertionError("expected an executor above the worker")
