"""Queries: questions to a tally in words, such as `share(mode = bus) - share(mode =
car)`.

language     the grammar, and where a text departs from it
terms        what may be added, multiplied and divided
subjects     a question of a tally, and which of its values pass a test
reading      a text as a term: names become weights of values
answering    a term as an estimate with its error, and what it cost the respondents
group_answers
             the same of groups by public attributes
query_sheet  what `ldp analyze query` shows

Imports: `groups`.
"""
