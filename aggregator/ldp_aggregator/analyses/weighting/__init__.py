"""Weights: results for a population that the respondents are not like.

worth        what a report is worth to each value, or to a mean
answers      reports beside what is known in the clear, and means of what they are worth
reading      answers from tallies, by combination of public attributes
showing      which combinations of attributes these may be made of
rows         answers from rows: a report beside its covariates
design_rows  answers from rows that a design randomized, which may differ by row
strata       a tally for each combination of public attributes, from files
margins      known shares of a population, from files and mappings, checked
calibration  factors that meet margins: linear, or raking
estimation   weighted estimates, their variance by linearization, and its check by
             replicates
weighted     what comes out, and what is shown of it
weighing     the way from reports and margins to it
scored_rows  rows with their scores and weights, for R

Imports: `association`, `designs`, `groups`, `rows`.
"""
