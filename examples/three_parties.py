"""Devices, a relay and a collector on one machine, as three processes, from a report to
its page.

    python examples/three_parties.py                    in a folder that is gone
                                                        afterwards
    python examples/three_parties.py --keep parties     in a new folder; goes on until Ctrl-C, so
                                                        that the page can be looked at
    python examples/three_parties.py --hop              the same through a fourth party, who hides
                                                        from the relay who sends
                                                        (`hop.py`)

The commands that it runs are those that the three parties would run, each on a machine
of its own; they are printed. In this process are the devices. In the end it asks the
collector's page what the batch was worth, has that certified, and has the certificate
checked by an independent program.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from html import unescape
from pathlib import Path
from urllib.request import Request, urlopen

from ldp_client import EmbeddedClient, ObliviousTransport, Relay

EXAMPLES = Path(__file__).resolve().parent
LDP = Path(sys.executable).with_name("ldp")
SURVEY = EXAMPLES / "affairs.toml"
DEVICES, LEAST = 200, 150
PATIENCE = 60.0


def said(*words, folder):
    """What a command says, which is printed before it runs."""
    print("$ ldp", *words)
    done = subprocess.run(  # noqa: S603  # our own command
        [LDP, *map(str, words)], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def started(processes, *words, folder, token=None):
    """A service that has begun to listen; its address."""
    print("$ ldp", *words)
    environment = os.environ | ({} if token is None else {"LDP_RELAY_TOKEN": token})
    log = folder / f"{words[0]}.log"
    with log.open("w") as lines:
        process = subprocess.Popen(  # noqa: S603  # our own command
            [LDP, *map(str, words)], cwd=folder, stderr=lines, env=environment
        )
    processes.callback(process.wait)
    processes.callback(process.terminate)
    listening = waited(lambda: re.search(r"https?://\S+:\d+", log.read_text()), process)
    return listening.group()


def waited(look, process=None):
    """What a look gives, once it gives something."""
    end = time.monotonic() + PATIENCE
    while not (seen := look()):
        if time.monotonic() > end or (
            process is not None and process.poll() is not None
        ):
            sys.exit(
                "expected the parties to get on within a minute; their logs say why not"
            )
        time.sleep(0.1)
    return seen


def answers(relay):
    """Each device answers one question, and sends what it made of that through the
    relay.
    """
    for number in range(DEVICES):
        with EmbeddedClient(
            SURVEY, state=None, relay=relay, interval=None, strict=True
        ) as client:
            client.record("affair", number % 3 == 0)
            client.flush(PATIENCE)


def shown(page, token):
    """What the page says of the batch, once it does."""
    request = Request(  # noqa: S310
        f"{page}/?survey=affairs", headers={"Authorization": f"Bearer {token}"}
    )
    with urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
        text = unescape(answer.read().decode())
    return re.search(r"([\d,]+) reports, mixed by relay\.example: .*?if not", text)


def hidden(processes, address, keys, folder):
    """What carries to a relay through a hop, which is started."""
    gateway = f"{address}/.well-known/ohttp-gateway"
    print("\nA fourth party passes on what devices encrypt for the relay:")
    print(f"$ python examples/hop.py {gateway}")
    log = folder / "hop.log"
    process = subprocess.Popen(  # noqa: S603  # a file beside this one
        [sys.executable, EXAMPLES / "hop.py", gateway], stderr=log.open("w")
    )
    processes.callback(process.wait)
    processes.callback(process.terminate)
    listening = waited(lambda: re.search(r"http://\S+:\d+", log.read_text()), process)
    return ObliviousTransport(listening.group(), address, keys=keys)


def main(folder, stays, hides):
    """Walk through it."""
    with ExitStack() as processes:
        print("The collector makes its keys, and a token for the relay:")
        key = said("relay", "keys", folder=folder)
        relaying = said(
            "store",
            "tokens",
            "new",
            "--name",
            "relay.example",
            "--scope",
            "relay",
            folder=folder,
        )
        looking = said(
            "store",
            "tokens",
            "new",
            "--name",
            "analyst",
            "--scope",
            "analyst",
            folder=folder,
        )
        own = ("--relay-key", "relay-key.pem", "--port", 0, "--least-reports", 1)
        page = started(processes, "serve", SURVEY, *own, folder=folder)
        print(
            "\nThe relay, which is another party, is told the collector's address, and "
            "its token:"
        )
        terms = (
            "--collector",
            page,
            "--least-reports",
            LEAST,
            "--every",
            0.2,
            "--port",
            0,
        )
        words = ("relay", "serve", SURVEY, *terms)
        keys = said("relay", "oblivious-keys", folder=folder) if hides else None
        own_key = ("--oblivious-key", "oblivious-key.pem") if hides else ()
        address = started(processes, *words, *own_key, folder=folder, token=relaying)
        transport = hidden(processes, address, keys, folder=folder) if hides else None
        print(
            f"\n{DEVICES} devices know the relay's address, and the collector's public "
            "key:"
        )
        print(f"  EmbeddedClient(survey, relay=Relay({address!r}, {key[:24]!r}...))")
        answers(Relay(address, key, transport))
        sentence = waited(lambda: shown(page, looking))
        print(f"\nThe collector's page says:\n  {sentence.group()}\n")
        reports = sentence.group(1).replace(",", "")
        asked = (
            "--shuffled",
            reports,
            "--question",
            "affair",
            "--certificate",
            "affair.json",
        )
        said("explain", SURVEY, *asked, folder=folder)
        checker = [
            sys.executable,
            EXAMPLES / "check_batch_certificate.py",
            folder / "affair.json",
        ]
        print("$ python examples/check_batch_certificate.py affair.json", flush=True)
        subprocess.run(checker, check=True)  # noqa: S603  # a file beside this one
        if stays:
            print(f"\n{page} with the token {looking}; Ctrl-C ends it", flush=True)
            try:
                while True:
                    time.sleep(1)
            except KeyboardInterrupt:
                pass


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Devices, a relay and a collector.")
    options.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="a new folder, to stay in"
    )
    options.add_argument("--hop", action="store_true", help="through a fourth party")
    chosen = options.parse_args()
    if chosen.keep is None:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary), stays=False, hides=chosen.hop)
    else:
        chosen.keep.mkdir()
        main(chosen.keep.resolve(), stays=True, hides=chosen.hop)
