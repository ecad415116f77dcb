"""How long `record` keeps an app's thread, on a disk whose syncs take 300 ms.

`python -m lab.endurance.slow_disk 2000` records 2,000 answers to a memoized question
and 20 to questions that are answered once, while a thread sends what waits as fast as
it can. Linux with a C compiler; times are printed in milliseconds.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from places import ROOT

SOURCE = Path(__file__).with_name("slow_disk.c")
COMPILER = shutil.which("cc")

ONCE = 20


def measured(records, milliseconds=300):
    """Seconds to open a client, and those that each `record` took, on a slow disk."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "slow_disk.so"
        subprocess.run(
            [COMPILER, "-O1", "-shared", "-fPIC", "-o", library, SOURCE], check=True
        )
        slow = {"LD_PRELOAD": str(library), "LDP_SYNC_MILLISECONDS": str(milliseconds)}
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "lab.endurance.slow_disk",
                "--alone",
                str(records),
                str(Path(folder) / "state"),
            ],
            cwd=ROOT,
            env=os.environ | slow,
            check=True,
            stdout=subprocess.PIPE,
        )
    return json.loads(done.stdout)


def quantile(seconds, share):
    """The least that so many of them do not exceed."""
    return sorted(seconds)[min(int(share * len(seconds)), len(seconds) - 1)]


def alone(records, state):
    """What `measured` has a process of its own do."""
    import ldp
    from ldp_client import ACCEPTED, EmbeddedClient

    class Collector:
        def send(self, _):
            return ACCEPTED

    survey = ldp.survey(
        "slow",
        ldp.question(
            "again",
            ["a", "b", "c"],
            mechanism="l-grr",
            epsilon_first="1",
            epsilon_lifetime="2",
        ),
        *(
            ldp.question(f"once{number}", ["a", "b"], epsilon="1/100")
            for number in range(ONCE)
        ),
    )
    names = ["again"] * records
    for number in range(ONCE):
        names[records * number // ONCE] = f"once{number}"
    began = time.perf_counter()
    client = EmbeddedClient(
        survey, state=state, transport=Collector(), lifetime_cap=100, interval=0.5
    )
    opened = time.perf_counter() - began
    seconds = []
    for name in names:
        began = time.perf_counter()
        client.record(name, "a")
        seconds.append(time.perf_counter() - began)
        time.sleep(0.005)
    client._recorder.backlog.drain()
    print(json.dumps({"open": opened, "record": seconds, "counts": client.counts()}))
    client.close()


if __name__ == "__main__":
    if sys.argv[1] == "--alone":
        alone(int(sys.argv[2]), sys.argv[3])
    else:
        result = measured(int(sys.argv[1]))
        times = result["record"]
        shown = {
            f"p{share:.4g}": quantile(times, share / 100)
            for share in (50, 99, 99.9, 100)
        }
        print(f"open: {1000 * result['open']:.0f} ms; record:", end=" ")
        print(
            *(f"{name} {1000 * value:.3f} ms" for name, value in shown.items()),
            sep=", ",
        )
        print(result["counts"])
