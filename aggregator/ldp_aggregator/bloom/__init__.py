"""Bloom filters: frequencies of candidates, by least squares on the bits that they set.

regression  weighted least squares       joint  all frequencies as they are likely together
selection   more candidates than the reports can bear
decoding    from a tally and candidate texts to moments

Imports: `moments`, `tallies`.
"""
