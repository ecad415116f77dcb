"""Bloom filters: frequencies of candidates, by least squares on the bits that they set.

regression  weighted least squares     selection  more candidates than the reports can bear     decoding  the way in

Imports: `moments`, `tallies`.
"""
