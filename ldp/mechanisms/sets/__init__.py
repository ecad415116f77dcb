"""Sets: several answers at once, by the mechanisms that the table names.

Imports: `numbers`, `values`.
"""
