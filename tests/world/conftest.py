"""Virtual time for tests of its own."""

import pytest

from ldp_simulations.world.machines.fibers import Hub, Process, use


@pytest.fixture
def hub():
    made = Hub(1000.0)
    use(made)
    yield made
    use(None)


@pytest.fixture
def process(hub):
    return Process(hub, "a process")
