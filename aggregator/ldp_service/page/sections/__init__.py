"""Records as what the templates of the page show: sentences, rows, tables.

state         the service: what is wrong, the sum of its batches
survey        a survey: its batches, what to download
questions     one question: what is said of its picture and its numbers
facts         what the numbers of a question are
values        the table of its values, with search and pages
sharpness     what so many reports can show
over_time     a question by epoch
side_by_side  the last two epochs, and what differs between them
groups        groups by public attributes
downloads     estimates as files

Imports: `charts`, `markup`, `views`.
"""
