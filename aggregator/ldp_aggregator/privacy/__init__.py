"""What a survey costs its respondents, in words (`explanation`).

explanation         the whole survey
metric_explanation  what metric privacy promises beside an epsilon
scale_explanation   how numbers are counted

In no other folder: it puts together what the core says of a question and what its
decoder adds (`explained`, `warned`), and both `commands` and `google_rappor` below them ask for it.

Imports: `decoders`.
"""
