"""A device: lives of an app with the shipped client, on one state file.

    life      a process: the client, and its thread that sends
    answers   what a person would say: always the same to a question that is asked once,
              and one of a few to one that is asked again

Rules
- An app that ended is opened again within minutes: what does not come back has no queue
  to watch.
- The only luck is the world's: in here, and nowhere else, devices draw from a seed.
"""

from __future__ import annotations

from collections.abc import Callable

from lab.world.machines.device_state import StateFile, StateStore, as_database
from lab.world.machines.faults import Faults
from lab.world.machines.fibers import Hub, Process
from lab.world.network import Network
from lab.world.oracle import Oracle
from lab.world.scenario import BEGINNING, luck
from lab.world.surveys import DAILY, ONCE, VALUES
from ldp.survey.survey import Survey
from ldp_client.answering.ledger import Ledger
from ldp_client.delivery.outcomes import Outcome
from ldp_client.delivery.schedule import ATTEMPT
from ldp_client.embedding.embedded import EmbeddedClient


class Device:
    """One of a world, by its number."""

    def __init__(
        self,
        hub: Hub,
        seed: int,
        number: int,
        *,
        survey: Survey,
        interval: float,
        network: Network,
        oracle: Oracle,
        faults: Faults,
        say: Callable[[str], object],
    ) -> None:
        self._hub = hub
        self.number = number
        self.survey = survey
        self.destination = "https://collector.example"
        self._interval = interval
        self._network = network
        self._oracle = oracle
        self._faults = faults
        self._say = say
        self.luck = luck(seed, "device", number)
        self.file = StateFile(faults)
        self.ahead = 0.0
        self._started = BEGINNING - self.luck.uniform(0, 1e6)
        self.process: Process | None = None
        self._client: _Client | None = None
        self._once = self.luck.choice(VALUES)
        self.opened = 0
        self.impatient: float | None = None
        """Seconds after which the person opens the app anew, once it was told to wait."""

    @property
    def lives(self) -> bool:
        """Whether the app is open."""
        return (
            self._client is not None
            and self.process is not None
            and not self.process.dead
        )

    def open(self) -> None:
        """Open the app, unless it is."""
        if self.process is not None and not self.process.dead:
            return
        self.opened += 1
        # One that ended before it could note what it was told does not know of it.
        if not any(
            record[4] == "retry"
            for record in self.file.records.get(ATTEMPT, {}).values()
        ):
            self._oracle.lost_track(self)
        name = f"device {self.number}"
        self._say(f"{name} opens")
        process = Process(self._hub, name, ahead=self.ahead, started=self._started)
        self.process, self._client = process, None

        def live() -> None:
            self._client = _Client(self, process)

        process.run(live, name)

    def answer(self, number: int) -> None:
        """Answer a question."""
        name, value = DAILY, VALUES[number % 3]
        if number >= 9:
            name, value = ONCE, self._once

        def record(client: EmbeddedClient) -> None:
            self._oracle.asked(self, name, value)
            recorded = client.record(name, value)
            self._say(f"device {self.number} answers {name}: {recorded}")
            if recorded:
                self._oracle.recorded(self, name, value)

        self._act(record)

    def flush(self) -> None:
        """Ask for all to be sent now."""
        self._act(lambda client: client.flush(2.0))

    def send(self, payload: bytes) -> Outcome:
        """What the client's transport does: post the bytes of a batch."""
        self._say(
            f"device {self.number} sends {self._oracle.sends(self, payload).hex()}"
        )
        outcome = self._network.send(self.number, payload)
        self._oracle.told(self, payload, outcome)
        self._say(f"device {self.number} is told {outcome.verdict} {outcome.wait:g}")
        if outcome.wait and self.impatient is not None:
            seconds, self.impatient = self.impatient, None
            self._hub.after(seconds, self.reopen, 0.0)
            self._hub.after(seconds + 2.0, self.flush)
        return outcome

    def end(self, *, power: bool = False) -> None:
        """The app's process ends, or the whole device."""
        if self.process is not None:
            self.process.kill()
        self._client = None
        if power:
            self._faults.happened("power loss")
            self.file.lose_power(self.luck)
            self._started = self._hub.now - 20.0
            self._oracle.lost_memory(self, restored=False)
        self._hub.after(self.luck.uniform(1.0, 300.0), self.open)

    def reopen(self, after: float) -> None:
        """The app is closed as it should be, and opened again."""
        process = self.process

        def close(client: EmbeddedClient) -> None:
            client.close()
            self._client = None
            assert process is not None  # a client has one
            process.die()

        self._act(close)
        self._hub.after(after + 1.0, self.open)

    def restore(self) -> None:
        """The state file is replaced by its backup, while the app is not open."""
        if self.file.backup is None:
            return
        self._faults.happened("restored")
        self._oracle.lost_memory(self, restored=True)
        if self.process is not None:
            self.process.kill()
        self._client = None
        self.file.restore()
        self._hub.after(self.luck.uniform(1.0, 300.0), self.open)

    def turn_clock(self, ahead: float) -> None:
        """Set its clock."""
        self.ahead = ahead
        if self.process is not None:
            self.process.ahead = ahead
        self._oracle.lost_track(self)

    def waiting(self) -> int:
        """Reports that wait."""
        return sum(len(self.file.records.get(kind, ())) for kind in ("report", "batch"))

    def ledger(self) -> Ledger:
        """What it has spent."""
        return Ledger.read(StateStore(self.file, Process(self._hub, "looking")))

    def _act(self, act: Callable[[EmbeddedClient], object]) -> None:
        """Let the app do something, if it is open."""
        client, process = self._client, self.process
        if client is not None and process is not None and not process.dead:
            process.run(lambda: act(client), f"app of device {self.number}")


class _Client(EmbeddedClient):
    """The shipped client on a simulated machine."""

    def __init__(self, device: Device, process: Process) -> None:
        self._draw = device.luck.randbytes
        self._database = lambda _: as_database(StateStore(device.file, process))
        super().__init__(
            device.survey,
            state="state",
            transport=device,
            interval=device._interval,
            strict=False,
        )
