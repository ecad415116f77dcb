"""Commands that answer what analysts ask of tallies; each module has the command of its name.

associate, crosstab    how answers go together     divide      a second stage of a map
compare, trend         periods, groups, versions   query       sums, differences, ratios
regress                what an answer depends on   weigh       to known margins
report                 a page for others           synthesize  made-up people

Imports: `reporting`.
"""
