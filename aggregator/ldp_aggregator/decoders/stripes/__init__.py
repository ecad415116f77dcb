"""Stripes: from the stripes that devices report to any rectangle of a map.

stripes  the decoder
plane    which cells reports support, how often, and the scores of a query
squares  what the scores of queries err by
zooms    what all cells of a zoom err by, in one pass

Imports: `moments`, `trees`.
"""
