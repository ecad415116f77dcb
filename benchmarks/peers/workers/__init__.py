"""One program for each side, run inside its environment: `python -m benchmarks.peers.workers.NAME`.

A worker reads requests from standard input, one JSON object a line, and answers each with one line.
It imports nothing of this project but `measure` (which needs numpy alone), except for the one that
measures this project.
"""
