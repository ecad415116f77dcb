"""Work in other processes: forked children, fresh interpreters."""

import os
import subprocess
import sys
import warnings


def loaded_by(code):
    """Every module that a fresh interpreter has loaded after some code."""
    command = [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())  # noqa: S603


def in_child(work):
    """What some work returns in a forked child, as text."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # The child does nothing but work, write and leave, so the threads that it lacks are not missed.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            os.write(writing, repr(work()).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    told = os.read(reading, 1 << 16).decode()
    os.close(reading)
    os.close(writing)
    return told
