"""Taxonomies: how people come by their levels, and reports by their worth.

levels  holders dealt out to the levels of a tree, expected tallies, forged reports

Imports: `reports`.
"""
