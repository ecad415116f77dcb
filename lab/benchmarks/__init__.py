"""The figures that the project promises, measured.

`python -m lab.benchmarks` prints them and writes docs/benchmarks.md.
"""
