"""The figures that the project promises, measured.

`python -m benchmarks` prints them and writes docs/benchmarks.md.
"""
