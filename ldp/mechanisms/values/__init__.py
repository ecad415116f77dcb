"""Values: which of some values a person holds.

grr, subset, numbered_subsets, projective, hadamard  symbols, with fewer or more of them
unary, histogram                                     a bit, or a noisy number, for each value
local_hashing, sketches                              hashes of values
warner, forced, unrelated, matrix, exponential       designs with coins, and matrices
optimum                                              the least error that any of them can have
"""
