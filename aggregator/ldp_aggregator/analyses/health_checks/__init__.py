"""Health: whether reports look as if the survey's mechanism had drawn them.

report_checks  a table of checks on a tally    phantoms  values that no one can hold
draw_checks    how many answered each of several questions of which devices draw one
"""
