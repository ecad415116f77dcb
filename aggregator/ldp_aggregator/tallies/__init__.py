"""Tallies: from bytes to counts that merge.

tally       the counts of a survey, a commutative monoid
tally_file  a tally as bytes                       identity   which batches a tally is of
counting    rows of reports to counts, by layout   intake     bytes and files to one tally
engines     counting by parts, such as on Spark    mixing     batches that relays have mixed

Imports: `numerics`, `output`.
"""
