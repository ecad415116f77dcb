"""Moments: the law of an estimate, as standard errors, intervals and tests need it.

moments  the record that every decoder returns     supports  how many reports support each value
jumps    third and fourth cumulants of a score     scores    what a report is worth, for products
repeats  several reports of one respondent         bit_covariance  how bits of a report err together
joint_errors
         how sums and differences of frequencies err
few_supports  how many reports support a few values
bit_designs   which bits a million candidates set
"""
