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

# The first compiler of Java is enough for seconds, and compiling queries takes longer
# than running them.
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

    from ldp_aggregator.tallies.engines.spark import start_spark

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
    """A named pipe among the paths: who reads it waits for us, who know who reads, and
    when.

    Linux only.

    They get half of the content, and are in the hands of `interrupt(pids)` before it
    ends. A file with the whole content takes the place of the pipe as soon as the first
    one has opened it; two jobs of Spark that run at once may both have by then, and
    each has to be interrupted.
    """

    def __init__(self, path, content, interrupt):
        os.mkfifo(path)
        self.opened = False
        self._path, self._content, self._interrupt = Path(path), content, interrupt
        self._pipe = Path(path).stat()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self):
        """Wait for no one any more."""
        if not self.opened:
            os.close(os.open(self._path, os.O_RDONLY | os.O_NONBLOCK))
        self._thread.join(10)
        assert not self._thread.is_alive()

    def _serve(self):
        whole = self._path.with_suffix(".whole")
        whole.write_bytes(self._content)
        with self._path.open("wb", buffering=0) as pipe:  # opens once somebody reads
            self.opened = True
            whole.replace(self._path)
            pipe.write(self._content[: len(self._content) // 2])
            self._interrupt(self._readers())

    def _readers(self):
        """The processes that have the pipe open, other than this one: one at least."""
        for _ in range(1000):
            others = (int(path.name) for path in Path("/proc").glob("[1-9]*"))
            readers = [
                pid
                for pid in others
                if pid != os.getpid() and _has_open(pid, self._pipe)
            ]
            if readers:
                return readers
            time.sleep(0.01)
        raise AssertionError("expected a process that reads the pipe")


def _has_open(pid, pipe):
    try:
        links = list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False
    return any(_is_file(link, pipe) for link in links)


def _is_file(link, expected):
    try:
        return os.path.samestat(link.stat(), expected)
    except OSError:
        return False


def java_above(pid):
    """The nearest process above this one that is a Java machine: of a worker's, the
    executor.
    """
    while pid > 1:
        words = Path(f"/proc/{pid}/stat").read_text()
        if words[words.index("(") + 1 : words.rindex(")")] == "java":
            return pid
        pid = int(words[words.rindex(")") + 2 :].split()[1])
    raise AssertionError("expected an executor above the worker")
