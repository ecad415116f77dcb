"""Series: estimates of one question over epochs, their level, and whether it has
changed.

following    the way from a history to what is said of it
history      the estimates of one value by epoch, with what their errors are made of
levels       level and trend with bands, by state space models
mixtures     levels that are normal for each size of steps, which is not known
evidence     whether anything has changed, by e-values, and since when
before_after changes in values of which an epoch has too few reports
errors_over_time
             how the errors of epochs may go together
testing      which epochs are tested for a change, and what comes out
changes      whether anything has changed, for alerts
course       what comes out for one value
trends       what comes out for a question, and how it prints, plots and exports itself
group_trends
             the same of groups by public attributes

Imports: `comparisons`, `groups`.
"""
