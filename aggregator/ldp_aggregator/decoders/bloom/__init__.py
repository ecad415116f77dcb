"""Bloom filters: frequencies of candidates, by least squares on the bits that they set.

bloom       the decoder
regression  weighted least squares       joint  all frequencies as they are likely together
selection   more candidates than the reports can bear
decoding    from a tally and candidate texts to moments
sums        candidates that can only be told apart from others as a sum
indistinguishable
            candidates that set the same bits, as groups
hashing     the second hash of many texts at once

Imports: `moments`.
"""
