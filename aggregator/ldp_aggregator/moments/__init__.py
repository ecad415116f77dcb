"""Moments: the law of an estimate, in the form that standard errors, intervals and tests need,
whatever made it.

moments   the record that every decoder returns    supports        how many reports support each value
jumps     third and fourth cumulants of a score    bit_covariance  how bits of one report err together
repeats   several reports of one respondent

Imports: `tallies`, `projective`.
"""
