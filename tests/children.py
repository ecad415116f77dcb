"""Work in other processes: forked children, fresh interpreters."""

import gc
import os
import subprocess
import sys
import warnings


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
