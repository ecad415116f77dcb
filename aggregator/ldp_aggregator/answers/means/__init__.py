"""Means of numbers alone, of mechanisms that are for means, and shapes without errors.

room  the results, and how they are estimated

Imports: `results`, `shares`.
"""
