"""Records as parts of the page.

overview      all surveys
survey        a survey: its questions, its batches, what to download
questions     one question: bars or a histogram, facts, health, epochs
facts         what the numbers of a question are
values        the table of its values, with search and pages
sharpness     what so many reports can show
over_time     a question by epoch
side_by_side  the last two epochs, and what differs between them
comparison    any two things side by side
groups        groups by public attributes
alarms        what someone had better look at
embedded      one question for the frame of another page
sharing       links, frames and notes
downloads     estimates as files
debug_section uploads of developers

Imports: `charts`, `markup`, `views`.
"""
