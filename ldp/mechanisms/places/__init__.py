"""Places: points of a map, by the mechanisms that the table names.

Imports: `matrices`, `numbers`.
"""
