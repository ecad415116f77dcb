"""Means beside those of other mechanisms: `python -m lab.benchmarks.means --adult
adult.data`.

It writes the tables of docs/numbers-measured.md. The file is the training data of UCI
Adult (Becker and Kohavi 1996); without it, its three inputs are left out.

inputs       the numbers that are asked for
laws         means: variances of ours and of published mechanisms, exact
peers        means of other libraries, run beside ours
workers      what runs in the environment of each library
asking       a question put to some respondents, for methods that are not ours
ahead        AHEAD, a tree that is divided round by round
shapes       distributions: ours and others, by simulation
page         tables between markers
"""
