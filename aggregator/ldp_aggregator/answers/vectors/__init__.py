"""Mean vectors, coordinate by coordinate.

room  the result, and how it is estimated

Imports: `results`.
"""
