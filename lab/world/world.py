"""One world: devices, a network, a collector and its disk, living through a scenario.

lives     everything that the scenario says happens, by virtual time
calm      all that is broken is mended, all clocks are right, and devices go on until
          nothing waits any more: delivered, or refused for good
judged    the oracle's sentences about it
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from lab.world.collector import Collector
from lab.world.device import Device
from lab.world.machines.disk import Disk
from lab.world.machines.faults import Faults
from lab.world.machines.fibers import Hub
from lab.world.machines.files import Files
from lab.world.machines.substitutes import simulated
from lab.world.network import Network
from lab.world.oracle import Oracle
from lab.world.recount import look, page, recount, spent
from lab.world.scenario import BEGINNING, HOUR, Event, Scenario, luck
from lab.world.surveys import served, usual
from ldp_service.counting.publication import Publication
from ldp_service.counting.served import Catalogue

_WATCH = 300.0
_NOTICED = 1200.0
"""Seconds after which someone sets a clock that has jumped."""
_PROBE = 3600.0
_PATIENCE = 6 * 24 * HOUR
"""Seconds of calm within which everything has to be settled."""


class Verdict(NamedTuple):
    """What became of a world."""

    wrong: tuple[str, ...]
    faults: Counter[str]
    trace: tuple[str, ...]
    batches: int

    @property
    def digest(self) -> str:
        """That of its trace."""
        return hashlib.sha256("\n".join(self.trace).encode()).hexdigest()[:16]


def live(scenario: Scenario, *, anew: bool = False) -> Verdict:
    """Live through a scenario.

    `anew` has surveys made anew, where the code that makes them was changed.
    """
    hub = Hub(BEGINNING + luck(scenario.seed, "beginning").uniform(0.0, 86_400.0))
    with simulated(hub):
        return World(scenario, hub, anew=anew).live()


class World:
    """All that there is, and what has happened."""

    def __init__(self, scenario: Scenario, hub: Hub, *, anew: bool) -> None:
        self._scenario = scenario
        self._hub = hub
        self._beginning = hub.now
        self.trace: list[str] = []
        self.faults = Faults()
        self.oracle = Oracle(lambda: hub.now)
        self.served = served() if anew else usual()
        self.disk = Disk(self.faults, shared=scenario.shared)
        if scenario.files:
            self.disk = Files(self.faults, luck(scenario.seed, "files"))
        self.collector = Collector(
            hub,
            self.disk,
            Catalogue(self.served.values()),
            publication=Publication(scenario.least, scenario.minutes),
            say=self._say,
            trouble=self.oracle.wrong.append,
        )
        self.network = Network(hub, scenario.seed, self.collector, faults=self.faults)
        self.devices = [
            Device(
                hub,
                scenario.seed,
                number,
                survey=self.served[name].survey,
                interval=scenario.interval,
                network=self.network,
                oracle=self.oracle,
                faults=self.faults,
                say=self._say,
            )
            for number, name in enumerate(scenario.surveys)
        ]
        self._calm = False

    def live(self) -> Verdict:
        """From the beginning to the judgement."""
        hub = self._hub
        self.collector.start()
        for device in self.devices:
            hub.after(1.0, device.open)
        for event in self._scenario.events:
            hub.at(self._beginning + 2.0 + event.at, self._happen, event)
        self._watch()
        self._probe()
        self._run(self._beginning + self._scenario.hours * HOUR)
        self._settle_down()
        self._run(hub.now + _PATIENCE, calm=True)
        self._judge()
        return Verdict(
            tuple(self.oracle.wrong),
            self.faults.counts,
            tuple(self.trace),
            batches=len(self.disk.journal),
        )

    def _run(self, until: float, *, calm: bool = False) -> None:
        hub, oracle = self._hub, self.oracle

        def over() -> bool:
            return bool(oracle.wrong) or (calm and self._is_settled())

        hub.run(until, over)

    def _is_settled(self) -> bool:
        return self.collector.lives and not any(
            device.waiting() for device in self.devices
        )

    def _settle_down(self) -> None:
        """Mend everything."""
        self._say("calm")
        self._calm = True
        self.disk.full = False
        self.disk.slow = 0.0
        self.disk.fuse = None
        self.disk.lose = None
        self.network.calm()
        self._turn_clock(0.0)
        for device in self.devices:
            device.file.fuse, device.file.full = None, False
            device.turn_clock(0.0)
            device.open()
        self.collector.start()

    def _judge(self) -> None:
        hub, oracle, disk = self._hub, self.oracle, self.disk
        if not oracle.wrong and not self._is_settled():
            waiting = [device.waiting() for device in self.devices]
            oracle.wrong.append(
                f"calm: {waiting} reports wait, service {self.collector.lives}"
            )
        if not oracle.wrong:
            self.collector.stop(1e9)
            hub.run(hub.now + 600.0, lambda: self.collector.is_gone)
            disk.recover()
            with disk.snapshot() as snapshot:
                oracle.wrong += recount(
                    oracle,
                    snapshot,
                    self.served,
                    journal=disk.journal,
                    acknowledged=disk.noted(),
                )
            self._look(page_too=True)
            for device in self.devices:
                oracle.wrong += spent(oracle, device.number, device.ledger())
        if self.collector.mistakes:
            oracle.wrong.append(
                f"service: {self.collector.mistakes} mistakes of its own"
            )
        oracle.wrong += [f"uncaught: {failure}" for failure in hub.failures]
        for process in (
            self.collector.process,
            *(device.process for device in self.devices),
        ):
            if process is not None:
                process.kill()
        disk.close()
        self._say(f"judged: {oracle.wrong or 'sound'}")

    def _look(self, *, page_too: bool) -> None:
        if self.disk.undo:
            return
        self.oracle.wrong += look(
            self.oracle,
            self.collector.analysis,
            self.served,
            publication=self.collector.publication,
        )
        if page_too and self.oracle.frames:
            self.oracle.wrong += page(self.oracle, self.collector.analysis, self.served)

    def _watch(self) -> None:
        """Who looks after things does so now and then."""
        self.collector.watch()
        for device in self.devices:
            device.open()
        self._hub.after(_WATCH, self._watch)

    def _probe(self) -> None:
        if not self._calm:
            # Estimates take longer than all else: while worlds live, a share of them is
            # looked at.
            self._look(page_too=self._scenario.files)
            self._hub.after(_PROBE, self._probe)

    def _happen(self, event: Event) -> None:
        if self._calm:
            return
        self._say(str(event))
        if event.device < 0:
            _OF_SERVICE[event.what](self, event.amount)
            return
        device = self.devices[event.device]
        act = _OF_DEVICE.get(event.what)
        if act is None:
            self.network.trouble(device.number, event.what, event.amount)
        else:
            act(self, device, event.amount)

    def _say(self, text: str) -> None:
        self.trace.append(f"{self._hub.now - self._beginning:10.3f} {text}")

    def _turn_clock(self, ahead: float, name: str = "") -> None:
        writer = self.collector.writer
        # An operator who has said a moment ago that the clock is right did not mean
        # this one.
        if name and (writer is None or writer._confirmed or not self.collector.lives):
            return
        if name:
            self.faults.happened(name)
        self.oracle.clock(ahead)
        self.collector.turn_clock(ahead)

    def _jump(self, name: str, ahead: float) -> None:
        self._turn_clock(ahead, name)
        self._hub.after(_NOTICED, self._turn_clock, 0.0)

    def _fill_disk(self, seconds: float) -> None:
        self.disk.fill()
        self._hub.after(seconds, setattr, self.disk, "full", False)

    def _lose_store(self, amount: float) -> None:
        if self.disk.shared:
            self.disk.lose = "before" if amount < 0.5 else "after"

    def _stop_long(self, seconds: float) -> None:
        self.faults.happened("long stop")
        self.collector.stop(seconds)

    def _turn_device(self, device: Device, name: str, ahead: float) -> None:
        self.faults.happened(name)
        device.turn_clock(ahead)

    def _fill_device(self, device: Device, seconds: float) -> None:
        device.file.fill()
        self._hub.after(seconds, setattr, device.file, "full", False)


_OF_SERVICE: dict[str, Callable[[World, float], object]] = {
    "service crash": lambda world, steps: setattr(world.disk, "fuse", int(steps)),
    "full disk": World._fill_disk,
    "slow sync": lambda world, seconds: setattr(world.disk, "slow", seconds),
    "lost store connection": World._lose_store,
    "skew": lambda world, ahead: world._turn_clock(ahead, "skew"),
    "jump ahead": lambda world, ahead: world._jump("jump ahead", ahead),
    "jump back": lambda world, back: world._jump("jump back", -back),
    "long stop": World._stop_long,
    "restart": lambda world, seconds: world.collector.stop(seconds),
}
_OF_DEVICE: dict[str, Callable[[World, Device, float], object]] = {
    "answer": lambda _, device, number: device.answer(int(number)),
    "flush": lambda _, device, __: device.flush(),
    "impatient": lambda _, device, seconds: setattr(device, "impatient", seconds),
    "reopen": lambda _, device, seconds: device.reopen(seconds),
    "back up": lambda _, device, __: device.file.back_up(),
    "restored": lambda _, device, __: device.restore(),
    "power loss": lambda _, device, __: device.end(power=True),
    "device crash": lambda _, device, steps: setattr(device.file, "fuse", int(steps)),
    "device full": World._fill_device,
    "device jump": lambda world, device, ahead: world._turn_device(
        device, "device jump", ahead
    ),
    "skew": lambda world, device, ahead: world._turn_device(device, "skew", ahead),
}
"""What else may happen to a device happens to its network."""
