"""Commands that answer what analysts ask of tallies; each module has the command of its
name.

associate, crosstab    how answers go together     next_stage  a second stage of a map
compare, trend         periods, groups, versions   query       sums, differences, ratios
regress                what an answer depends on   weight      to known margins
publish                a page for others           synthesize  made-up people

Imports: `reporting`.
"""
