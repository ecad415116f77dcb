"""Values: tallies of shares of values.

symbols, subsets, hadamard, projective, hashes, sketches, bits, sums  by how reports are made
"""
