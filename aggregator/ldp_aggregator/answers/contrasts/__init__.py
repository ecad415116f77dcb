"""Contrasts: sums, differences and scores of a question's shares, and ratios of these.

functions  linear functions of the shares, and how they err together
linear_functions
           the same of what has moments
ends       ends of their intervals, and how likely they are by chance
few_reports
           the same where few reports matter
ratios     the interval of a quotient
linear_functions
           functions of what is estimated of a question
"""
