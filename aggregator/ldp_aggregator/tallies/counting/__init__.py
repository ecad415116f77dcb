"""Counting: rows of reports to counts.

counting                     by layout
bit_counting, hash_counting  its inner loops
codeword_counting            that of sums of vectors
joint_counting               questions answered together
siphash                      a keyed hash of many ids
"""
