"""The command `ldp`, called as people call it, but in the process of the tests."""

import shlex
import sys

from click.testing import CliRunner

from ldp_aggregator.commands.main import main

LDP = (sys.executable, "-c", "from ldp_aggregator.commands.main import main; main()")
"""The same in a process of its own, for what is about processes."""


def run(*words, code=0):
    """The result of the command with these words; whatever happens, no traceback."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    return result


def ldp(line, code=0):
    """The same for a whole line, as a shell would read it."""
    return run(*shlex.split(line), code=code)
