"""Texts of an open question: candidates, and what is none of them.

room  the result, and how it is estimated

Imports: `results`, `shares`.
"""
