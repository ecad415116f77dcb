"""The load generator counts and times what it sends, and takes no refusal for an
answer.
"""

import subprocess

import pytest

from lab.benchmarks.service import serving


def test_load():
    """Every request of a load is counted once, and answered in a time that is not
    negative.
    """
    with serving() as service:
        seconds, median, late, most = service.load(10, 300, 7)
        assert 0 < median <= late <= most <= seconds * 1e3
        assert service.resident() > 10
        with pytest.raises(subprocess.CalledProcessError):
            service._replace(token="x" * 47).load(1, 1, 1)
