"""Results: what the answers of all kinds have.

values              arrays by value, to choose from
question_estimates  estimates of a question, and how they print, plot and export
                    themselves
cells               those of a histogram, and quantiles of numbers that are counted one
                    by one
room                a kind of answer: its result, and how it is estimated
means               means of numbers
manipulation        how far forged reports can move estimates
remarks             what to know before believing a number

Imports: `contrasts`, `lines`.
"""
