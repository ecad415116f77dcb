"""Texts of an open vocabulary, and values in a tree.

heavy_hitters  frequent texts, prefix by prefix    taxonomy     one level of a tree of values

Imports: `values`.
"""
