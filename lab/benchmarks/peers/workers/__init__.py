"""A program for each side, in its environment: `python -m
lab.benchmarks.peers.workers.NAME`.

A worker reads requests from standard input, one JSON object a line, and answers each
with one line. It imports nothing of this project but `measure` (which needs numpy
alone), except for the one that measures this project.
"""
