"""Vectors: means of vectors of a bounded length.

Beside the module that the table of mechanisms names:

codewords    the words that a seed gives
"""
