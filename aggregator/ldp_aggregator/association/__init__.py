"""Associations: joint frequencies of questions that were answered together.

association  the way from a joint tally to its cells    result      what comes out
scores       what a report is worth to each value
likelihood   frequencies that are never negative, for display
jumps        higher moments of products of scores

Imports: `rendering`, `estimates`, `decoders`, `moments`, `tallies`.
"""
