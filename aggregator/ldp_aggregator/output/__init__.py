"""Output: estimates and surveys in words, for the commands and the service.

tables   estimates as aligned text and JSON     explanation  what a survey costs its respondents, in words

Imports: `rendering`, `estimates`, `decoders`, `moments`.
"""
