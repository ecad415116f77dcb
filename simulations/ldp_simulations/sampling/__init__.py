"""Sampling: tallies drawn from the law that the client follows, forged ones, and
expected ones.

table                    the row of each class of randomizers
values, chains, numbers  folders of rows, by how reports are made
codebooks, marginals, searches, sets, stripes  further rows

Imports: `reports`, `taxonomies`.
"""
