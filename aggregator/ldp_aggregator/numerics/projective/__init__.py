"""Projective spaces in arrays: what projective-geometry response is counted and decoded
with.

field_arrays   arithmetic over a finite field
points         numbers of points, and back
cyclic_order   the order in which one FFT decodes
cyclic_design  supports of all values, by that FFT
folding        tallies shorter than the space
array_cache    orders that took long to find, on disk
"""
