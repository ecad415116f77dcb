"""Regressions: what a randomized answer depends on.

formula     `outcome ~ age + sex`, read
design      columns of numbers for the terms of a formula
likelihood  the likelihood of reports through their channel, and where it is greatest
profile     intervals and tests by how much likelihood is lost
equations   unbiased estimating equations, solved, and their sandwich
fitting     the way from answers and a formula to coefficients
result      what comes out, and what is shown of it

Imports: `weighting`, `rendering`.
"""
