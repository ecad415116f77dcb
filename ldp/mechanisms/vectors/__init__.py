"""Vectors: means of vectors of a bounded length.

codebook  a seed and one of its random words       codewords    the words that a seed gives
"""
