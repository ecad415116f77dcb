"""The mean of a number beside other mechanisms: `python -m benchmarks.means --adult adult.data`.

It writes the tables of docs/numbers.md, of means and of shapes. The file is the training data of
UCI Adult (Becker and Kohavi 1996); without it, its three inputs are left out.
"""
