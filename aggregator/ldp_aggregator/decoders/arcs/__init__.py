"""Arcs: from the arcs that devices report to any linear question about a distribution.

arcs     the decoder
circle   which values reports support, how often, and the scores of a query
squares  what the scores of queries err by
pairs    how many reports support two values, and how any two queries err together
bound    what any mechanism errs by at least, and how near to that one comes

Imports: `moments`.
"""
