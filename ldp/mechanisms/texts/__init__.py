"""Texts of an open vocabulary, and values in a tree, by the mechanisms that the table
names.

Imports: `values`.
"""
