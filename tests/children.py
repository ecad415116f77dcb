"""Work in other processes: forked children, fresh interpreters."""

import gc
import os
import runpy
import subprocess
import sys
import traceback
import warnings
from functools import partial


def loaded_by(code):
    """Every module that a fresh interpreter has loaded after some code."""
    command = [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"]
    return set(
        subprocess.run(
            command, check=True, capture_output=True, text=True
        ).stdout.split()
    )


def forked(work):
    """The id of a forked child that does some work and leaves."""
    with warnings.catch_warnings():
        # The child does nothing but work, write and leave, so the threads that it lacks
        # are not missed.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        # What thousands of tests left in memory is not the child's to look through
        # again and again.
        gc.freeze()
        try:
            work()
        finally:
            os._exit(0)
    return child


def in_child(work):
    """What some work returns in a forked child, as text; nothing if it failed."""
    reading, writing = os.pipe()
    os.waitpid(forked(lambda: os.write(writing, repr(work()).encode())), 0)
    os.close(writing)  # before reading: a child whose work failed has written nothing
    text = os.read(reading, 1 << 16).decode()
    os.close(reading)
    return text


class CopiedProcess(subprocess.Popen):
    """A Python program in a copy of this process, which has loaded what it imports.

    It stands in for `subprocess.Popen` where a test needs many processes and their
    start is not the point.
    """

    def __init__(self, command, *, env=None, **pipes):
        program = partial(_run_program, command[1:], env or {})
        super().__init__(command, preexec_fn=program, **pipes)


def _run_program(words, variables):
    # What the tests have open would keep the pipes of other children open as well.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    gc.freeze()
    os.environ.update(variables)
    sys.argv = [*words]
    sys.stdin, sys.stdout, sys.stderr = map(os.fdopen, range(3), "rww", (-1, -1, 1))
    code = 1
    try:
        runpy.run_path(words[0], run_name="__main__")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)
