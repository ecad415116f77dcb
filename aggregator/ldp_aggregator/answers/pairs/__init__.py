"""Pairs: keys that come with numbers.

room  the result, and how it is estimated

Imports: `results`, `shares`.
"""
