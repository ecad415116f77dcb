"""Tallies: from bytes to counts that merge.

screening                    which bytes are batches, and why not
ingest                       batches into a tally, in bulk
counting                     rows of reports to counts, by layout
bit_counting, hash_counting  its inner loops
codeword_counting            that of sums of vectors
joint_counting               questions answered together
identity, siphash            which batches they are of, and the keyed hash behind it
tally                        the counts of a survey, a commutative monoid
tally_file                   a tally as bytes
overlaps                     which of several have batches in common
paths, object_stores         files and objects as one tally
aggregation                  what people have at hand, as one tally

Imports: `projective` and the modules beside the folders.
"""
