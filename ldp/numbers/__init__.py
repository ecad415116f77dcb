"""Numbers: exact arithmetic, and probabilities that are ratios of integers.

exact         logarithms and powers as bounds      finite_field  small finite fields
randomness    bytes and integers to draw from      layout        widths of reports in bytes
channel       stochastic matrices, and their epsilon
accounting    ratios of repeated reports           buckets       hash functions
epochs        days, weeks and months by number     sines         sines in fixed point

Imports: the standard library and xxhash.
"""
