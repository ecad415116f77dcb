"""One program for each side, run inside its environment: `python -m benchmarks.means.workers.NAME`.

A worker is told a mechanism, an epsilon and numbers, and answers with the means of some surveys of
them, in seconds and as they come out (`surveying`). As those in `benchmarks.peers.workers`, they
import nothing of this project but what needs numpy alone, except for `ours`.
"""
