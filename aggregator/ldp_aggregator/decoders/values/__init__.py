"""Values: decoders of shares of values.

pure     symbols or bits with (p, q)               blocks   Hadamard response in blocks
matrix   symbols from the rows of a matrix         sketch   hash functions that all share
sum      vectors of noisy numbers                  sampled  bits for some of the values

Imports: `moments`.
"""
