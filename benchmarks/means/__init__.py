"""The mean of a number beside other mechanisms: `python -m benchmarks.means --adult adult.data`.

It writes the table of docs/numbers.md. The file is the training data of UCI Adult (Becker and
Kohavi 1996); without it, its three inputs are left out.
"""
