"""Groups of respondents by public attributes, and which of them may be shown.

crowds            groups by name: values of some attributes, any value of the others
span              what follows from sums that are shown, and on how few reports it may
                  rest
leftovers         crowds less those of their parts that are shown
release           which groups of a question are shown, and which are suppressed
asking            what is asked for, in words
parts             the groups of a tally that are shown, for whatever is made of them
estimation        estimates of the groups that are shown
group_estimates   and what they are as tables, records and pictures
"""
