"""Matrices: the chance of each report under each value, written out.

Designs with coins, any matrix, and the exponential mechanism, as the table of
mechanisms names them.
"""
