"""Comparisons: two sets of estimates of one question, side by side.

comparing    the way from two estimates to what is said of them
comparable   what may be compared, and what is refused
sides        one of the two: estimates, and intervals of every level
sharing      errors that both have in common
mover        intervals for differences, ratios and odds ratios, from those of the two
significance p-values, equivalence, and all values at once
any_change   one test of all values together
rows         what differs value by value, of one comparison or of a family of them
direct       one value beside the counts of a direct question
comparison   what comes out, and how it prints, plots and exports itself
group_comparisons
             groups by public attributes with each other, or at two times

Imports: `groups`.
"""
