"""A program for each side, in its environment: `python -m
lab.benchmarks.means.workers.NAME`.

A worker is told a mechanism, an epsilon and numbers, and answers with the means of some
surveys of them, in seconds and as they come out (`surveying`). As those in
`peers.workers`, they import nothing of this project but what needs numpy alone, except
for `ours`.
"""
