"""Trees: shares of leaves and of the nodes above them.

room  the result, and how it is estimated

Imports: `maps`, `results`, `shares`.
"""
