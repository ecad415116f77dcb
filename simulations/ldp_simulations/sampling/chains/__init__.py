"""Chains: tallies of responses that devices keep.

bloom  Bloom filters                               windows      permanent bits of some values

Imports: `values`.
"""
