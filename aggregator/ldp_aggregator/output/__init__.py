"""Output in words: what a survey costs its respondents (`explanation`).

Numbers and tables are of `rendering`, and of the results themselves.

Imports: `decoders`, `search`, `moments`.
"""
