"""Regressions: what a randomized answer depends on.

formula     `outcome ~ age + sex`, read
design      columns of numbers for the terms of a formula
links       how a mean follows from the linear predictor: logit, probit and others
prior       Jeffreys' prior, Firth's penalty
likelihood  the likelihood of reports through their channel, and where it is greatest
joint_likelihood  the same where one report tells outcome and predictors
ascent      going uphill with halved steps
profile     intervals and tests by how much likelihood is lost
equations   unbiased estimating equations, solved, and their sandwich
options     what an analyst may choose
outcomes    what is explained, and how likely reports are
fitting     the way from answers and a formula to coefficients
result      what comes out, and what is shown of it

Imports: `rows`, `weighting`.
"""
