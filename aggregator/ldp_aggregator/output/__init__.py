"""Output: estimates for eyes and for other programs.

tables   aligned text, CSV and JSON (json_text writes it in pieces)     plot, drawing  pictures
explanation  what a survey costs its respondents, in words

Imports: `estimates`, `decoders`, `moments`.
"""
